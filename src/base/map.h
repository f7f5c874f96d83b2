/* Hash maps with open addressing: text -> pointer, and 64-bit number -> 64-bit number.
 * A zeroed struct is an empty map. Not safe against concurrent writers. */
#ifndef WG_BASE_MAP_H
#define WG_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wg_strmap {
    struct wg_strmap_slot {
        const char *key;
        void *value;
        uint64_t hash;
    } * slots;
    size_t count, room; /* room is a power of two or 0 */
} wg_strmap;

/* The key is not copied and must outlive the map. Replaces an equal key's value. False: no memory. */
bool wg_strmap_set(wg_strmap *map, const char *key, void *value);
void *wg_strmap_get(const wg_strmap *map, const char *key); /* NULL: absent */
void wg_strmap_free(wg_strmap *map);

typedef struct wg_u64map {
    struct wg_u64map_slot {
        uint64_t key, value;
        bool used;
    } * slots;
    size_t count, room;
} wg_u64map;

bool wg_u64map_set(wg_u64map *map, uint64_t key, uint64_t value);        /* false: no memory */
bool wg_u64map_get(const wg_u64map *map, uint64_t key, uint64_t *value); /* value may be NULL */
/* The value's place, made with 0 if absent; valid until the next set, add or remove. NULL: no memory. */
uint64_t *wg_u64map_add(wg_u64map *map, uint64_t key);
bool wg_u64map_remove(wg_u64map *map, uint64_t key); /* false: absent */
void wg_u64map_free(wg_u64map *map);

uint64_t wg_hash_bytes(const void *bytes, size_t n); /* FNV-1a, 64 bits; the same on every machine */
uint64_t wg_hash_u64(uint64_t x);                    /* a bijection that mixes all bits */

#endif
