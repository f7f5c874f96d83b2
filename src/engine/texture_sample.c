#include "engine/texture_sample.h"

#include <math.h>

#include "engine/texture_filter.h"

/* --- addressing ---------------------------------------------------------------------------------------------- */

static unsigned address_mode(const eng_texture *t, unsigned d) {
    const bool clamps = t->seamless || (t->address[d] != ENG_TEX_BORDER && !t->normalised_coords);
    return clamps ? ENG_TEX_CLAMP : t->address[d];
}
/* Index of a texel in [0, n) as the mode says; -1: the border. */
static int32_t address_texel(int64_t i, int32_t n, unsigned mode) {
    if (i >= 0 && i < n) return (int32_t)i;
    switch (mode) {
    case ENG_TEX_WRAP: return (int32_t)((i % n + n) % n);
    case ENG_TEX_MIRROR: {
        int64_t k = (i % (2 * (int64_t)n) + 2 * (int64_t)n) % (2 * (int64_t)n);
        return (int32_t)(k < n ? k : 2 * (int64_t)n - 1 - k);
    }
    case ENG_TEX_BORDER: return -1;
    default: return i < 0 ? 0 : n - 1;
    }
}
/* Where texel i of a level lies; 0: it is the border. */
static uint64_t address_of(const eng_texture *t, const eng_tex_level *l, uint64_t layer, const int64_t i[3]) {
    const uint32_t size[3] = {l->width, l->height, l->depth};
    int32_t at[3] = {0, 0, 0};
    for (unsigned d = 0; d < t->dims; d++) {
        at[d] = address_texel(i[d], (int32_t)size[d], address_mode(t, d));
        if (at[d] < 0) return 0;
    }
    return l->address + (layer + (uint64_t)at[2]) * l->slice + (uint64_t)at[1] * l->pitch + (uint64_t)at[0] * eng_texel_bytes(t);
}
static tex_texel texel_at(const eng_texture *t, const eng_tex_level *l, uint64_t layer, const int64_t i[3], const tex_reader *reader) {
    uint8_t bytes[16];
    uint64_t address = address_of(t, l, layer, i);
    if (!address) return tex_border(t);
    reader->read(reader->ctx, address, bytes, eng_texel_bytes(t));
    return tex_texel_of(t, bytes);
}
/* Components that the format has not are zero. */
static tex_value value_of(const eng_texture *t, const tex_texel *texel) {
    tex_value r = {{0}};
    for (unsigned c = 0; c < t->components; c++) r.v[c] = tex_component(t, texel, c);
    return r;
}

/* --- coordinates ------------------------------------------------------------------------------------------------ */

/* Bits of fraction of a normalised coordinate: as an H200 has them for axes of n texels. */
static unsigned coordinate_bits(uint32_t n) {
    return n <= 8192 ? 21 : n <= 65536 ? 22 : 23;
}
/* A coordinate in texels. Normalised ones are rounded down to multiples of 2^-coordinate_bits first, negative ones too. NaN and denormals are zero. */
static double in_texels(const eng_texture *t, unsigned d, float x, uint32_t n) {
    double v = fabsf(x) >= 0x1p-126f ? (double)x : 0;
    if (v < -0x1p30) v = -0x1p30;
    if (v > 0x1p30) v = 0x1p30;
    if (!t->normalised_coords) return v;
    const double unit = (double)(1u << coordinate_bits(n));
    v = floor(v * unit) / unit;
    if (address_mode(t, d) == ENG_TEX_WRAP) v -= floor(v);
    return v * n;
}

/* --- one level --------------------------------------------------------------------------------------------------- */

static tex_texel nearest(const eng_texture *t, const eng_tex_level *l, uint64_t layer, const tex_place *p, const tex_reader *reader) {
    const uint32_t size[3] = {l->width, l->height, l->depth};
    int64_t i[3] = {0, 0, 0};
    for (unsigned d = 0; d < t->dims; d++) i[d] = (int64_t)floor(in_texels(t, d, p->at[d], size[d])) + p->offset[d];
    if (t->dims == 1 && !t->layered && t->address[1] == ENG_TEX_BORDER && p->offset[1]) return tex_border(t); /* beside the one row */
    return texel_at(t, l, layer, i, reader);
}

/* Of a filter: its first texel, and what the next one along each dimension weighs, in 256ths. */
typedef struct corner {
    int64_t base[3];
    int32_t weight[3];
} corner;
static corner find_corner(const eng_texture *t, const eng_tex_level *l, const tex_place *p) {
    const uint32_t size[3] = {l->width, l->height, l->depth};
    corner r = {{0, 0, 0}, {0, 0, 0}};
    for (unsigned d = 0; d < t->dims; d++) {
        int64_t f = (int64_t)floor(in_texels(t, d, p->at[d], size[d]) * TEX_WEIGHT_ONE + 0.5) - TEX_WEIGHT_ONE / 2;
        r.base[d] = (f >> TEX_WEIGHT_BITS) + p->offset[d];
        r.weight[d] = (int32_t)(f & (TEX_WEIGHT_ONE - 1));
        if (!t->seamless && address_mode(t, d) == ENG_TEX_CLAMP && (r.base[d] < 0 || r.base[d] + 1 >= size[d])) r.weight[d] = 0; /* one texel twice */
    }
    return r;
}

/* Texels (0, 0), (1, 0), (0, 1), (1, 1) of a plane. Most squares lie inside, where they are two pairs of neighbours. */
static void read_square(const eng_texture *t, const eng_tex_level *l, uint64_t layer, const int64_t base[3], const tex_reader *reader, tex_texel to[4]) {
    const int64_t x = base[0], y = base[1], z = base[2];
    if (t->dims >= 2 && x >= 0 && y >= 0 && z >= 0 && x + 1 < l->width && y + 1 < l->height && (t->dims < 3 || z < l->depth)) {
        const unsigned n = eng_texel_bytes(t);
        for (unsigned row = 0; row < 2; row++) {
            uint8_t bytes[32];
            reader->read(reader->ctx, l->address + (layer + (uint64_t)z) * l->slice + ((uint64_t)y + row) * l->pitch + (uint64_t)x * n, bytes, 2 * n);
            to[2 * row] = tex_texel_of(t, bytes);
            to[2 * row + 1] = tex_texel_of(t, bytes + n);
        }
        return;
    }
    for (unsigned k = 0; k < 4; k++) {
        const int64_t i[3] = {x + (k & 1), y + (k >> 1), z};
        to[k] = t->dims == 1 && k >= 2 ? to[k - 2] : texel_at(t, l, layer, i, reader);
    }
}
static void add_linear(const eng_texture *t, const eng_tex_level *l, uint64_t layer, const tex_place *p, int32_t total, const tex_reader *reader,
                       tex_sum sums[4]) {
    corner at = find_corner(t, l, p);
    tex_texel texels[4];
    int32_t weights[4];
    if (t->dims == 1 && !t->layered && t->address[1] == ENG_TEX_BORDER) { /* one row, read at its upper edge: half of it is border */
        tex_square_weights(total, at.weight[0], TEX_WEIGHT_ONE / 2, weights);
        read_square(t, l, layer, at.base, reader, texels);
        if (p->offset[1] != 1) texels[0] = texels[1] = tex_border(t);
        if (p->offset[1] != 0) texels[2] = texels[3] = tex_border(t);
        tex_sum_add(t, sums, texels, weights, 4, at.weight[0] ? 15 : 5);
        return;
    }
    const int32_t far = tex_plane_weight(total, at.weight[2]);
    const unsigned taken = (at.weight[0] ? 3 : 1) * (at.weight[1] ? 5 : 1);
    for (unsigned plane = 0; plane < (at.weight[2] ? 2 : 1); plane++, at.base[2]++) {
        tex_square_weights(plane ? far : total - far, at.weight[0], at.weight[1], weights);
        read_square(t, l, layer, at.base, reader, texels);
        tex_sum_add(t, sums, texels, weights, t->dims == 1 ? 2 : 4, taken);
    }
}
/* --- cubes ----------------------------------------------------------------------------------------------------------- */

/* Of a face, which of a direction's axes are the coordinates in it, and their signs. Its own axis is face / 2, odd ones look back. */
static const struct { int8_t axis[2], sign[2]; } faces[6] = {{{2, 1}, {-1, -1}}, {{2, 1}, {1, -1}}, {{0, 2}, {1, 1}},
                                                             {{0, 2}, {1, -1}},  {{0, 1}, {1, -1}}, {{0, 1}, {-1, -1}}};

static float size_of(float v) {
    return isnan(v) ? -1 : fabsf(v);
}
/* From [-1, 1] to [0, 1], rounded down. */
static float in_unit(float v) {
    return isnan(v) ? 0.5f : (float)(floor(((double)v + 1) * 0x1p22) * 0x1p-23);
}
/* A direction's face and the place in it. Code divides the direction by its largest component beforehand. NaN is
 * less than zero when the largest is sought, and zero in its place. */
unsigned tex_cube_face(const float v[3]) {
    const unsigned axis = size_of(v[2]) >= size_of(v[0]) && size_of(v[2]) >= size_of(v[1]) ? 2 : size_of(v[1]) >= size_of(v[0]);
    return 2 * axis + (v[axis] < 0);
}
static tex_place on_face(const tex_place *p, uint64_t *face) {
    const float *v = p->at;
    tex_place r = *p;
    *face = tex_cube_face(v);
    for (unsigned d = 0; d < 2; d++) r.at[d] = in_unit((float)faces[*face].sign[d] * v[faces[*face].axis[d]]);
    r.at[2] = 0;
    return r;
}
/* A place one texel beside a face of n * n is in the outermost row of the neighbour. */
static void over_edge(unsigned *face, int64_t at[2], int64_t n) {
    int64_t v[3];
    v[*face / 2] = *face & 1 ? -(n - 1) : n - 1;
    for (unsigned d = 0; d < 2; d++) {
        const unsigned axis = (unsigned)faces[*face].axis[d];
        v[axis] = (2 * at[d] + 1 - n) * faces[*face].sign[d]; /* in halves of a texel, from the middle */
    }
    for (unsigned axis = 0; axis < 3; axis++)
        if (v[axis] > n || v[axis] < -n) *face = 2 * axis + (v[axis] < 0);
    for (unsigned d = 0; d < 2; d++) at[d] = (v[faces[*face].axis[d]] * faces[*face].sign[d] + n - 1) / 2;
}
/* Where three faces meet, there is no fourth texel: the others share its weight. */
static void add_seamless(const eng_texture *t, const eng_tex_level *l, uint64_t layer, const tex_place *p, int32_t total, const tex_reader *reader,
                         tex_sum sums[4]) {
    corner c = find_corner(t, l, p);
    tex_texel texels[4] = {{{0}}};
    int32_t weights[4];
    unsigned taken = (c.weight[0] ? 3 : 1) * (c.weight[1] ? 5 : 1);
    const int64_t n = l->width;
    tex_square_weights(total, c.weight[0], c.weight[1], weights);
    for (unsigned k = 0; k < 4; k++) {
        int64_t at[2] = {c.base[0] + (k & 1), c.base[1] + (k >> 1)};
        const bool beside[2] = {at[0] < 0 || at[0] >= n, at[1] < 0 || at[1] >= n};
        unsigned face = (unsigned)(layer % 6);
        if (beside[0] && beside[1]) {
            const int32_t third = (weights[k] + 1) / 3;
            weights[k ^ 1] += third;
            weights[k ^ 2] += third;
            weights[k ^ 3] += weights[k] - 2 * third;
            weights[k] = 0;
            taken &= ~(1u << k);
            continue;
        }
        if (beside[0] || beside[1]) over_edge(&face, at, n);
        const int64_t i[3] = {at[0], at[1], 0};
        texels[k] = texel_at(t, l, layer - layer % 6 + face, i, reader);
    }
    tex_sum_add(t, sums, texels, weights, 4, taken);
}

/* --- levels ---------------------------------------------------------------------------------------------------------- */

static void add_level(const eng_texture *t, unsigned level, uint64_t layer, const tex_place *p, int32_t total, const tex_reader *reader, tex_sum sums[4]) {
    if (t->linear) {
        (t->seamless ? add_seamless : add_linear)(t, &t->levels[level], layer, p, total, reader, sums);
        return;
    }
    tex_texel texel = nearest(t, &t->levels[level], layer, p, reader);
    tex_sum_add(t, sums, &texel, &total, 1, 1);
}

/* --- reads --------------------------------------------------------------------------------------------------------- */

/* Level of detail in 256ths, in the range of the levels there are. Each of its parts loses what is finer. */
static int32_t level_of_detail(const eng_texture *t, float lod) {
    const double most = 1 << 20, bias = fmin(fmax(t->level_bias, -16), 16 - 1.0 / 256), last = t->n_levels - 1;
    double r = trunc(fmin(fmax(isnan(lod) ? 0 : lod, -most), most) * 256) + trunc(bias * 256);
    r = fmax(fmin(r, floor((double)t->level_max * 256)), floor((double)t->level_min * 256));
    return (int32_t)fmax(fmin(r, last * 256), 0);
}

/* The place in its layer, which is the last one where there are fewer; of a cube's direction, the one on the face that it meets. */
static tex_place in_layer(const eng_texture *t, const tex_place *p, uint64_t *layer) {
    *layer = p->layer < t->layers ? p->layer : t->layers ? t->layers - 1 : 0;
    if (!t->cube) return *p;
    uint64_t face;
    tex_place place = on_face(p, &face);
    *layer = *layer * 6 + face;
    return place;
}

tex_value tex_sample(const eng_texture *t, const tex_place *p, const tex_reader *reader) {
    uint64_t layer;
    const tex_place place = in_layer(t, p, &layer);
    int32_t lod = t->n_levels > 1 ? level_of_detail(t, p->lod) : 0;
    const bool between = t->linear_levels && t->n_levels > 1;
    if (!between) lod = (lod + 128) & ~255;
    if (!between && !t->linear) {
        tex_texel texel = nearest(t, &t->levels[lod >> 8], layer, &place, reader);
        return value_of(t, &texel);
    }
    tex_sum sums[4] = {{0}};
    tex_value r = {{0}};
    add_level(t, (unsigned)lod >> 8, layer, &place, TEX_WEIGHT_ONE - (lod & 255), reader, sums);
    if (lod & 255) add_level(t, ((unsigned)lod >> 8) + 1, layer, &place, lod & 255, reader, sums);
    for (unsigned c = 0; c < t->components; c++) r.v[c] = tex_sum_result(t, &sums[c], c);
    return r;
}

tex_value tex_fetch(const eng_texture *t, const tex_place *p, uint32_t level, const tex_reader *reader) {
    const eng_tex_level *l = &t->levels[level < t->n_levels ? level : 0];
    const uint32_t size[3] = {l->width, l->height, l->depth};
    tex_value none = {{0, 0, 0, 0}};
    int64_t at[3] = {0, 0, 0};
    if (t->layers && p->layer >= t->layers) return none;
    for (unsigned d = 0; d < t->dims; d++) {
        at[d] = (int64_t)p->index[d] + p->offset[d];
        if (level >= t->n_levels || at[d] < 0 || at[d] >= size[d]) return none;
    }
    tex_texel texel = texel_at(t, l, p->layer, at, reader);
    return value_of(t, &texel);
}

/* Of a linear texture, texels that are gathered pass the filter too: a NaN loses its payload there. */
static uint32_t through_filter(const eng_texture *t, const tex_texel *texel, unsigned c) {
    const int32_t all = TEX_WEIGHT_ONE;
    tex_sum sums[4] = {{0}};
    if (c >= t->components) return 0;
    tex_sum_add(t, sums, texel, &all, 1, 1);
    return tex_sum_result(t, &sums[c], c);
}

tex_value tex_gather(const eng_texture *t, const tex_place *p, unsigned c, const tex_reader *reader) {
    static const uint8_t order[4] = {2, 3, 1, 0}; /* (0, 1) (1, 1) (1, 0) (0, 0) */
    uint64_t layer;
    const tex_place place = in_layer(t, p, &layer);
    corner at = find_corner(t, &t->levels[0], &place);
    tex_value r;
    for (unsigned n = 0; n < 4; n++) {
        const int64_t i[3] = {at.base[0] + (order[n] & 1), at.base[1] + (order[n] >> 1), 0};
        tex_texel texel = texel_at(t, &t->levels[0], layer, i, reader);
        r.v[n] = t->linear ? through_filter(t, &texel, c & 3) : value_of(t, &texel).v[c & 3];
    }
    return r;
}
