/* The level of detail that gradients choose, as an H200 finds it: no roots, and mantissas of ten bits.
 *
 * A gradient's length is its largest component, 11/32 of the second and a quarter of the third. Level zero covers as many texels as the longest
 * of four: both gradients, and 11/16 of their sum and of their difference, which stand for a pixel's diagonals. Where products
 * are rounded was found by fitting; of the diagonals one in two hundred is off by a 256th. */
#include <math.h>

#include "engine/texture_sample.h"

enum { BITS = 10, MORE = 12 };

/* 256ths of log2 of 1 + i / 256. */
static const uint8_t log_of_mantissa[256] = {
    0, 2, 4, 5, 6, 8, 9, 11, 12, 13, 15, 16, 18, 19, 20, 22, 23, 24, 26, 27, 28, 30, 31, 32,
    34, 35, 36, 38, 39, 40, 42, 43, 44, 45, 47, 48, 49, 50, 52, 53, 54, 55, 57, 58, 59, 60, 62, 63,
    64, 65, 66, 68, 69, 70, 71, 72, 74, 75, 76, 77, 78, 79, 81, 82, 83, 84, 85, 86, 88, 89, 90, 91,
    92, 93, 94, 95, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 109, 110, 111, 112, 113, 114, 115, 116, 117,
    118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 135, 136, 137, 137, 138, 139, 140, 141,
    142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 162, 163, 164,
    165, 166, 167, 168, 169, 170, 171, 172, 173, 173, 174, 175, 176, 177, 178, 179, 180, 181, 181, 182, 183, 184, 185, 186,
    187, 188, 188, 189, 190, 191, 192, 193, 194, 195, 195, 196, 197, 198, 199, 200, 200, 201, 202, 203, 204, 205, 205, 206,
    207, 208, 209, 210, 210, 211, 212, 213, 214, 214, 215, 216, 217, 218, 218, 219, 220, 221, 222, 222, 223, 224, 225, 226,
    226, 227, 228, 229, 229, 230, 231, 232, 233, 233, 234, 235, 236, 236, 237, 238, 239, 239, 240, 241, 242, 242, 243, 244,
    245, 245, 246, 247, 248, 248, 249, 250, 251, 251, 252, 253, 253, 254, 255, 255,
};

/* The exponent of the last bit of a mantissa of so many. */
static int unit_of(double v, int bits) {
    int e;
    frexp(v, &e);
    return e - bits;
}
static double cut(double v) {
    const int unit = unit_of(v, BITS);
    return v == 0 ? 0 : ldexp(trunc(ldexp(v, -unit)), unit);
}
/* 11 parts of v's mantissa, which is cut, in 2^shift: `more` is added before what is finer than 2^-keep is cut. */
static double elevenths(double v, int bits, int more, int shift, int keep) {
    const int unit = unit_of(v, bits);
    double parts = (11 * trunc(ldexp(v, -unit)) + more) / (1 << shift);
    return v == 0 ? 0 : ldexp(floor(ldexp(parts, keep)), unit - keep);
}
static double length(const double gradient[3], int bits, int more) {
    double v[3];
    for (unsigned d = 0; d < 3; d++) {
        unsigned k = d;
        for (; k && v[k - 1] < fabs(gradient[d]); k--) v[k] = v[k - 1];
        v[k] = fabs(gradient[d]);
    }
    if (v[0] == 0) return 0;
    const int unit = unit_of(v[0], BITS);
    double others = elevenths(v[1], bits, more, 5, 60) + cut(v[2]) / 4;
    return cut(v[0]) + ldexp(floor(ldexp(others, -unit)), unit);
}
static float level_of(double texels) {
    int e;
    double mantissa = frexp(texels, &e);
    if (texels == 0) return -1000;
    return (float)(e - 1) + (float)log_of_mantissa[(unsigned)(mantissa * 512) & 255] / 256;
}
/* A component in texels. Of the product of two mantissas that begin with one, what is not whole counts as a whole from an eighth on. */
static double in_texels(float component, uint32_t size) {
    const double most = 0x1p100, v = isnan(component) ? 0 : cut(fmax(fmin(component, most), -most));
    const int unit = unit_of(v, BITS) + 31 - __builtin_clz(size);
    double product = ldexp(fabs(v) * size, -unit);
    return v == 0 ? 0 : cut(copysign(ldexp(floor(product + 0.875), unit), v));
}
static float level_of_gradients(const eng_texture *t, const float dx[3], const float dy[3], bool diagonals) {
    const uint32_t size[3] = {t->levels[0].width, t->levels[0].height, t->levels[0].depth};
    double x[3] = {0}, y[3] = {0}, sum[3] = {0}, difference[3] = {0};
    for (unsigned d = 0; d < t->dims; d++) {
        x[d] = in_texels(dx[d], t->normalised_coords ? size[d] : 1);
        y[d] = in_texels(dy[d], t->normalised_coords ? size[d] : 1);
        sum[d] = elevenths(fabs(x[d] + y[d]), BITS, 4, 4, 2);
        difference[d] = elevenths(fabs(x[d] - y[d]), BITS, 4, 4, 2);
    }
    double longest = fmax(length(x, BITS, 4), length(y, BITS, 4));
    if (diagonals) longest = fmax(longest, fmax(length(sum, MORE, 1), length(difference, MORE, 1)));
    return level_of(longest);
}
float tex_gradient_lod(const eng_texture *t, const float dx[3], const float dy[3]) { return level_of_gradients(t, dx, dy, true); }

/* A direction as a place in the plane of a face, whose half edge is a half: one on a neighbouring face is unfolded over their edge. False: it is on the
 * opposite face. */
static bool unfolded(unsigned face, const float v[3], double to[2]) {
    const unsigned axis = face / 2, on = tex_cube_face(v), its = on / 2;
    double q[3];
    for (unsigned d = 0; d < 3; d++) q[d] = v[d] / fabs((double)v[its]);
    if (its == axis && on != face) return false;
    if (its != axis) q[its] = (on & 1 ? -1 : 1) * (2 - (face & 1 ? -1 : 1) * q[axis]);
    for (unsigned d = 0; d < 2; d++) to[d] = q[(axis + 1 + d) % 3] / 2;
    return true;
}
/* Where neighbours are on other faces, the diagonals do not count; one on the opposite face is as far as can be. Of those over an edge
 * one in eight is off by a 256th. */
static float level_on_cube(const eng_texture *t, const float at[3], const float at_x[3], const float at_y[3]) {
    enum { FARTHEST = 1000 };
    const unsigned face = tex_cube_face(at);
    double here[2], x[2], y[2];
    float dx[3] = {0}, dy[3] = {0};
    if (!unfolded(face, at, here) || !unfolded(face, at_x, x) || !unfolded(face, at_y, y)) return FARTHEST;
    for (unsigned d = 0; d < 2; d++) dx[d] = (float)(x[d] - here[d]), dy[d] = (float)(y[d] - here[d]);
    return level_of_gradients(t, dx, dy, tex_cube_face(at_x) == face && tex_cube_face(at_y) == face);
}
/* Of a coordinate that is none, as of zero. */
static float distance_of(float from, float to) { return (isnan(to) ? 0 : to) - (isnan(from) ? 0 : from); }
float tex_quad_lod(const eng_texture *t, const float at[3], const float at_x[3], const float at_y[3]) {
    float dx[3] = {0}, dy[3] = {0};
    if (t->cube) return level_on_cube(t, at, at_x, at_y);
    for (unsigned d = 0; d < t->dims; d++) dx[d] = distance_of(at[d], at_x[d]), dy[d] = distance_of(at[d], at_y[d]);
    return tex_gradient_lod(t, dx, dy);
}
