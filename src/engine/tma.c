#include "engine/tma.h"

#include <stdio.h>
#include <string.h>

#include "engine/fault.h"

enum { CHUNK = 16 /* bytes that a swizzle keeps together */, MOST_ROW = 256 * 8 };

static eng_finding refusal(const eng_bulk *b, uint64_t address) {
    return (eng_finding){.kind = ENG_FAULT_TENSOR_MAP, .lanes = 1u << b->lane, .lane = b->lane, .space = ENG_GLOBAL, .access = ENG_READ,
                         .width = TENSOR_MAP_BYTES, .address = address, .fatal = true};
}

static const char *kind_of(bool im2col) { return im2col ? "pixels (im2col)" : "a tile"; }

bool eng_tma_map(eng_bulk *b, uint64_t address, unsigned rank, bool im2col, tensor_map *map) {
    uint8_t bytes[TENSOR_MAP_BYTES];
    if (!eng_bulk_aligned(b, address, 64) || !eng_bulk_peek(b, address, sizeof bytes, bytes)) return false;
    bool known = tensor_map_unpack(bytes, map) && tensor_map_valid(map);
    if (known && map->rank == rank && map->im2col == im2col) return true;
    eng_finding f = refusal(b, address);
    if (known) snprintf(f.text, sizeof f.text, "the map is of %s of %u dimensions, the instruction copies %s of %u", kind_of(map->im2col), map->rank, kind_of(im2col), rank);
    else snprintf(f.text, sizeof f.text, "these 128 bytes are no tensor map that the driver made");
    eng_fault(b->w, &b->ins, &f);
    return !(b->ended = true);
}

/* Is a dimension one of an image, of which pixels are taken? Which one of it. */
static bool of_image(const tensor_map *map, unsigned d, unsigned *which) {
    *which = d - tensor_map_image(map);
    return map->im2col && *which < map->rank - 2u;
}
/* Pixels are taken before this one. */
static int64_t pixels_end(const tensor_map *map, unsigned d, unsigned which) { return (int64_t)map->dim[d] + map->high[which]; }

bool eng_tma_begins(eng_bulk *b, const tensor_map *map, const tma_begin *c, bool writes) {
    eng_finding f = refusal(b, map->address);
    if (!map->interleave && (int64_t)c->at[0] * tensor_type_bytes(map->type) % CHUNK)
        snprintf(f.text, sizeof f.text, "coordinate 0 is %d: the box must begin at a multiple of %d bytes, that is of %u elements", c->at[0], (int)CHUNK,
                 (unsigned)CHUNK / tensor_type_bytes(map->type));
    for (unsigned d = 0, n; d < map->rank; d++)
        if (of_image(map, d, &n) && (c->at[d] < map->low[n] || c->at[d] >= pixels_end(map, d, n)))
            snprintf(f.text, sizeof f.text, "coordinate %u is %d: the first pixel must lie within the corners of the map, that is from %d to %lld", d, c->at[d],
                     map->low[n], (long long)pixels_end(map, d, n) - 1);
    for (unsigned d = 0; map->im2col && writes && d < map->rank - 2u; d++)
        if (map->low[d] < 0 || map->high[d] > 0)
            snprintf(f.text, sizeof f.text, "corners %d and %d of the map's dimension %u: pixels that are written to the tensor must have corners within the image", map->low[d],
                     map->high[d], d + tensor_map_image(map));
    for (unsigned d = 0; d < map->rank && writes; d++)
        if (c->at[d] < 0) snprintf(f.text, sizeof f.text, "coordinate %u is %d: a box that is written to the tensor must not begin before it", d, c->at[d]);
    if (!*f.text) return true;
    eng_fault(b->w, &b->ins, &f);
    return !(b->ended = true);
}

/* --- rows ------------------------------------------------------------------------------------ */

/* A row of the box. */
typedef struct row {
    uint64_t global;        /* of the first element that lies in the tensor */
    uint32_t place;         /* of the row, bytes from the start of the box in shared memory */
    uint32_t before, bytes; /* that lie outside; that lie in the tensor, behind them, in whole units */
} row;

typedef struct walk {
    const tensor_map *map;
    int64_t at[TENSOR_DIMS];                       /* of the row */
    int64_t offset[TENSOR_DIMS];                   /* from there to what is taken */
    int64_t begin[TENSOR_DIMS], end[TENSOR_DIMS]; /* where a coordinate starts again, and when */
    uint64_t rows;                                 /* to come */
    uint32_t row_bytes, pitch, place, unit;
    unsigned inner;                                /* the dimension that goes on with each row */
} walk;

static walk walk_begin(const tensor_map *map, const tma_begin *c, uint32_t unit) {
    walk k = {.unit = unit, .map = map, .rows = tensor_map_rows(map), .row_bytes = tensor_map_row_bytes(map), .pitch = tensor_map_pitch(map),
              .inner = tensor_map_image(map)};
    for (unsigned d = 0, n; d < map->rank; d++) {
        k.at[d] = k.begin[d] = c->at[d];
        k.end[d] = map->im2col ? INT64_MAX : (int64_t)c->at[d] + map->box[d];
        if (map->interleave && d == map->rank - 2u) k.end[d] = c->at[d]; /* one slice */
        if (!of_image(map, d, &n)) continue;
        k.begin[d] = map->low[n];
        k.end[d] = pixels_end(map, d, n);
        k.offset[d] = c->offset[n];
    }
    return k;
}

static void step_row(walk *k) {
    k->place += k->pitch;
    k->rows--;
    for (unsigned d = k->inner; d < k->map->rank; d++) {
        k->at[d] += k->map->step[d];
        if (k->at[d] < k->end[d]) return;
        k->at[d] = k->begin[d];
    }
}

static row next_row(walk *k) {
    const tensor_map *m = k->map;
    const int64_t element = m->interleave ? k->row_bytes : tensor_type_bytes(m->type);
    row r = {.place = k->place};
    int64_t first = k->at[0] + k->offset[0], last = first + k->row_bytes / element; /* of the tensor */
    uint64_t address = m->address;
    bool inside = true;
    for (unsigned d = 1; d < m->rank; d++) {
        const int64_t at = k->at[d] + k->offset[d];
        inside &= at >= 0 && (uint64_t)at < m->dim[d];
        address += (uint64_t)at * m->stride[d];
    }
    if (last > (int64_t)m->dim[0]) last = (int64_t)m->dim[0];
    if (first < 0) first = 0;
    if (inside && first < last) {
        r.global = address + (uint64_t)(first * element);
        r.before = (uint32_t)((first - k->at[0] - k->offset[0]) * element);
        r.bytes = ((uint32_t)((last - first) * element) + k->unit - 1) / k->unit * k->unit;
    }
    step_row(k);
    return r;
}

/* Where a byte of the box lies: the swizzle exchanges chunks within so many bytes, by the address. */
static uint64_t swizzled(const tensor_map *map, uint64_t at) {
    static const uint8_t rows[] = {0, 1, 3, 7};
    return at ^ ((at >> 7 & rows[map->swizzle & 3]) << 4);
}

uint32_t eng_tma_extent(const tensor_map *map, uint64_t at) {
    const uint32_t bytes = (uint32_t)tensor_map_place_bytes(map), pitch = tensor_map_pitch(map), row_bytes = tensor_map_row_bytes(map);
    if (!map->swizzle) return bytes;
    uint64_t end = 0;
    for (uint32_t k = (bytes - 1) / 128 * 128; k < bytes; k += CHUNK) { /* the last that are exchanged with each other */
        uint64_t behind = swizzled(map, at + k) - at + CHUNK;
        if (k % pitch < row_bytes && behind > end) end = behind;
    }
    return (uint32_t)end;
}

static void tell_box(eng_bulk *b, const tensor_map *map, const eng_bulk_at *place, unsigned access) {
    const uint32_t bytes = (uint32_t)tensor_map_place_bytes(map), pitch = tensor_map_pitch(map), row_bytes = tensor_map_row_bytes(map);
    if (row_bytes == pitch && (!map->swizzle || bytes % 128 == 0)) { /* the swizzle's periods are whole: the bytes of the box are those of the place */
        eng_bulk_shared(b, place, 0, bytes, access);
        return;
    }
    for (uint32_t begin = 0; begin < bytes; begin += pitch)
        for (uint32_t k = begin; k < begin + row_bytes; k += CHUNK) eng_bulk_shared(b, place, swizzled(map, place->at + k) - place->at, CHUNK, access);
}

static void put_row(const tensor_map *map, const eng_bulk_at *to, uint32_t place, const uint8_t *bytes, uint32_t n) {
    if (!map->swizzle) {
        memcpy(to->reach.at + to->at + place, bytes, n);
        return;
    }
    for (uint32_t k = 0; k < n; k += CHUNK) memcpy(to->reach.at + swizzled(map, to->at + place + k), bytes + k, CHUNK);
}
static void get_row(const tensor_map *map, const eng_bulk_at *from, uint32_t place, uint8_t *bytes, uint32_t n) {
    if (!map->swizzle) {
        memcpy(bytes, from->reach.at + from->at + place, n);
        return;
    }
    for (uint32_t k = 0; k < n; k += CHUNK) memcpy(bytes + k, from->reach.at + swizzled(map, from->at + place + k), CHUNK);
}

/* --- copies ---------------------------------------------------------------------------------- */

/* What lies outside of the tensor: zeros, or a NaN of two bytes whatever the type. */
static void fill(const tensor_map *map, uint8_t *bytes, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) bytes[k] = !map->fill ? 0 : k & 1 ? 0x7f : 0xf7;
}

/* TF32: rounded to 10 bits of fraction, to the even one of two that are as near. Denormals stay, also of the types that say they are flushed. */
static void convert(unsigned type, uint8_t *bytes, uint32_t n) {
    if (type != TENSOR_MAP_TF32 && type != TENSOR_MAP_TF32_FTZ) return;
    for (uint32_t k = 0; k < n; k += 4) {
        uint32_t x;
        memcpy(&x, bytes + k, 4);
        x = (x >> 23 & 255) == 255 && x << 9 ? 0x7fffe000 : (x + 0xfff + (x >> 13 & 1)) & ~0x1fffu;
        memcpy(bytes + k, &x, 4);
    }
}

/* Elements that nobody wrote are not written in the box either. */
static void undefined_rows(eng_bulk *b, const tensor_map *map, const tma_begin *c, const eng_bulk_at *to) {
    for (walk k = walk_begin(map, c, 1); b->undefined && k.rows;) {
        row r = next_row(&k);
        for (uint32_t n = 0; n < r.bytes; n += CHUNK)
            eng_bulk_undefined_in(b, r.global + n, to, swizzled(map, to->at + r.place + r.before + n) - to->at, r.bytes - n < CHUNK ? r.bytes - n : CHUNK);
    }
}

void eng_tma_load(eng_bulk *b, const tensor_map *map, const tma_begin *c, const eng_bulk_target *t, unsigned count) {
    const uint32_t bytes = (uint32_t)tensor_map_box_bytes(map);
    b->ins.width = (uint8_t)tensor_type_bytes(map->type);
    eng_bulk_for(b, &t->barrier);
    for (walk k = walk_begin(map, c, 1); k.rows && !b->ended;) {
        uint8_t held[MOST_ROW];
        row r = next_row(&k);
        if (r.bytes != k.row_bytes) fill(map, held, k.row_bytes);
        eng_bulk_read(b, r.global, r.bytes, held + r.before);
        convert(map->type, held + r.before, r.bytes);
        for (unsigned n = 0; n < count; n++) put_row(map, &t[n].data, r.place, held, k.row_bytes);
    }
    for (unsigned n = 0; n < count && !b->ended; n++) {
        if (n) eng_bulk_for(b, &t[n].barrier);
        tell_box(b, map, &t[n].data, ENG_WRITE);
        undefined_rows(b, map, c, &t[n].data);
    }
    for (unsigned n = 0; n < count && !b->ended; n++) eng_bulk_complete(b, &t[n].barrier, bytes);
}

typedef struct reduction { unsigned op, type; } reduction;

/* What is written to the tensor is whole chunks: a row that the tensor ends in the midst of one goes on to its end. how: NULL
 * stores. */
static void send_box(eng_bulk *b, const tensor_map *map, const tma_begin *c, const eng_bulk_at *from, const reduction *how) {
    b->ins.width = (uint8_t)tensor_type_bytes(map->type);
    tell_box(b, map, from, ENG_READ);
    for (walk k = walk_begin(map, c, CHUNK); k.rows && !b->ended;) {
        uint8_t held[MOST_ROW];
        row r = next_row(&k);
        if (!r.bytes) continue;
        get_row(map, from, r.place, held, k.row_bytes);
        for (uint32_t n = 0; how && n < r.bytes; n += CHUNK) eng_bulk_undefined_operand(b, from, swizzled(map, from->at + r.place + r.before + n) - from->at, CHUNK);
        if (how) eng_bulk_reduce(b, r.global, r.bytes, held + r.before, how->op, how->type);
        else eng_bulk_write(b, r.global, r.bytes, held + r.before);
        for (uint32_t n = 0; !how && n < r.bytes; n += CHUNK)
            eng_bulk_undefined_out(b, from, swizzled(map, from->at + r.place + r.before + n) - from->at, r.global + n, CHUNK);
    }
}

void eng_tma_store(eng_bulk *b, const tensor_map *map, const tma_begin *c, const eng_bulk_at *from) { send_box(b, map, c, from, NULL); }

static unsigned sass_type_of(unsigned type) {
    static const uint8_t types[TENSOR_MAP_TYPES] = {
        [TENSOR_MAP_U32] = SASS_U32, [TENSOR_MAP_S32] = SASS_S32, [TENSOR_MAP_U64] = SASS_U64, [TENSOR_MAP_S64] = SASS_S64, [TENSOR_MAP_F16] = SASS_F16,
        [TENSOR_MAP_F32] = SASS_F32, [TENSOR_MAP_F64] = SASS_F64, [TENSOR_MAP_BF16] = SASS_BF16, [TENSOR_MAP_F32_FTZ] = SASS_F32};
    return types[type];
}

/* The hardware has no bitwise operations on S64, only on U64. */
static bool can_reduce(eng_bulk *b, const tensor_map *map, unsigned op) {
    if (map->type != TENSOR_MAP_S64 || (op != SASS_ATOM_AND && op != SASS_ATOM_OR && op != SASS_ATOM_XOR)) return true;
    eng_finding f = refusal(b, map->address);
    snprintf(f.text, sizeof f.text, "and, or and xor are not for tensors of 64-bit signed integers, only of unsigned ones");
    eng_fault(b->w, &b->ins, &f);
    return !(b->ended = true);
}

void eng_tma_reduce(eng_bulk *b, const tensor_map *map, const tma_begin *c, const eng_bulk_at *from, unsigned op) {
    if (can_reduce(b, map, op)) send_box(b, map, c, from, &(reduction){op, sass_type_of(map->type)});
}
