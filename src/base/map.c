#include "base/map.h"

#include <stdlib.h>
#include <string.h>

uint64_t wg_hash_bytes(const void *bytes, size_t n) {
    const unsigned char *p = bytes;
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

uint64_t wg_hash_u64(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Both maps stay at most three quarters full. */
static bool is_full(size_t count, size_t room) {
    return (count + 1) * 4 > room * 3;
}

static struct wg_strmap_slot *find_text(const wg_strmap *map, const char *key, uint64_t hash) {
    size_t i = hash & (map->room - 1);
    while (map->slots[i].key && (map->slots[i].hash != hash || strcmp(map->slots[i].key, key) != 0))
        i = (i + 1) & (map->room - 1);
    return &map->slots[i];
}

static bool grow_strmap(wg_strmap *map) {
    wg_strmap bigger = {.room = map->room ? map->room * 2 : 16, .count = map->count};
    bigger.slots = calloc(bigger.room, sizeof *bigger.slots);
    if (!bigger.slots) return false;
    for (size_t i = 0; i < map->room; i++)
        if (map->slots[i].key) *find_text(&bigger, map->slots[i].key, map->slots[i].hash) = map->slots[i];
    free(map->slots);
    *map = bigger;
    return true;
}

bool wg_strmap_set(wg_strmap *map, const char *key, void *value) {
    if (is_full(map->count, map->room) && !grow_strmap(map)) return false;
    uint64_t hash = wg_hash_bytes(key, strlen(key));
    struct wg_strmap_slot *slot = find_text(map, key, hash);
    map->count += !slot->key;
    *slot = (struct wg_strmap_slot){slot->key ? slot->key : key, value, hash};
    return true;
}

void *wg_strmap_get(const wg_strmap *map, const char *key) {
    if (!map->count) return NULL;
    return find_text(map, key, wg_hash_bytes(key, strlen(key)))->value;
}

void wg_strmap_free(wg_strmap *map) {
    free(map->slots);
    *map = (wg_strmap){0};
}

static struct wg_u64map_slot *find_number(const wg_u64map *map, uint64_t key) {
    size_t i = wg_hash_u64(key) & (map->room - 1);
    while (map->slots[i].used && map->slots[i].key != key) i = (i + 1) & (map->room - 1);
    return &map->slots[i];
}

static bool grow_u64map(wg_u64map *map) {
    wg_u64map bigger = {.room = map->room ? map->room * 2 : 16, .count = map->count};
    bigger.slots = calloc(bigger.room, sizeof *bigger.slots);
    if (!bigger.slots) return false;
    for (size_t i = 0; i < map->room; i++)
        if (map->slots[i].used) *find_number(&bigger, map->slots[i].key) = map->slots[i];
    free(map->slots);
    *map = bigger;
    return true;
}

uint64_t *wg_u64map_add(wg_u64map *map, uint64_t key) {
    if (is_full(map->count, map->room) && !grow_u64map(map)) return NULL;
    struct wg_u64map_slot *slot = find_number(map, key);
    if (!slot->used) {
        map->count++;
        *slot = (struct wg_u64map_slot){key, 0, true};
    }
    return &slot->value;
}

bool wg_u64map_set(wg_u64map *map, uint64_t key, uint64_t value) {
    uint64_t *place = wg_u64map_add(map, key);
    if (place) *place = value;
    return place != NULL;
}

bool wg_u64map_get(const wg_u64map *map, uint64_t key, uint64_t *value) {
    if (!map->count) return false;
    const struct wg_u64map_slot *slot = find_number(map, key);
    if (slot->used && value) *value = slot->value;
    return slot->used;
}

bool wg_u64map_remove(wg_u64map *map, uint64_t key) {
    if (!map->count) return false;
    struct wg_u64map_slot *slot = find_number(map, key);
    if (!slot->used) return false;
    /* Close the gap: a later slot moves into it unless its home lies behind the gap. */
    size_t gap = (size_t)(slot - map->slots), mask = map->room - 1;
    for (size_t i = (gap + 1) & mask; map->slots[i].used; i = (i + 1) & mask) {
        size_t home = wg_hash_u64(map->slots[i].key) & mask;
        if (((i - home) & mask) >= ((i - gap) & mask)) {
            map->slots[gap] = map->slots[i];
            gap = i;
        }
    }
    map->slots[gap].used = false;
    map->count--;
    return true;
}

void wg_u64map_free(wg_u64map *map) {
    free(map->slots);
    *map = (wg_u64map){0};
}
