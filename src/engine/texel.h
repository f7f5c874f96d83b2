/* Texels of textures and surfaces in device memory, a lane at a time: for exec_texture.c and exec_surface.c. */
#ifndef WG_ENGINE_TEXEL_H
#define WG_ENGINE_TEXEL_H

#include <stdio.h>

#include "engine/access.h"
#include "engine/code.h"
#include "engine/texture.h"

typedef struct reader { /* of one warp's instruction */
    eng_view *view;
    mem_range *range;
    mem_alloc *noted; /* what it last read texels of */
    uint64_t wild;    /* address that is in no allocation; 0: none */
} reader;
/* Most are of a size whose copy is an instruction. */
static inline void copy_texel(void *to, const void *from, unsigned n) {
    switch (n) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, n);
    }
}
static inline void read_texel(void *ctx, uint64_t address, void *to, unsigned n) {
    reader *r = ctx;
    if (misses(r->range, address, n, 1) && (!mem_range_fill(r->view, r->range, address, ENG_READ) || misses(r->range, address, n, 1))) {
        r->wild = address;
        memset(to, 0, n);
        return;
    }
    r->range->bytes += n;
    if (r->range->alloc != r->noted) mem_texels_read(r->view, r->noted = r->range->alloc);
    if (address - r->range->lo + n > r->range->plain && !mem_seen_all(r->view, address + r->range->shadow, n))
        mem_read_mixed(r->view, r->range, address, n, to);
    else copy_texel(to, at_host(r->range, address), n);
}

static __attribute__((noinline, unused)) bool no_object(const eng_ins *i, eng_warp *w, unsigned lane, uint32_t handle, const char *what) {
    eng_finding f = {.kind = ENG_FAULT_WILD, .lanes = 1u << lane, .space = ENG_GLOBAL, .access = ENG_READ, .address = handle, .fatal = true};
    snprintf(f.text, sizeof f.text, "there is no %s object 0x%x: it was destroyed, or the value is none", what, handle);
    eng_fault(w, i, &f);
    return false;
}

/* A lane left its object: a fault at the place it reached for; true when that ends the warp. */
static inline bool ends_wild(const eng_ins *i, eng_warp *w, unsigned l, reader *r) {
    ENG_ADDRESSES(A);
    A[l] = r->wild;
    r->wild = 0;
    return mem_fault(w, i, A, 1u << l);
}

#endif
