#include "engine/texture.h"

#include <stdlib.h>

#include "engine/code.h"

/* No handle is given a second time before so many others were: a stale one is found out. */
enum { MAX_TEXTURES = 1 << 20 };

uint64_t eng_texture_add(eng_device *device, const eng_texture *texture) {
    struct eng_textures *all = &device->textures;
    eng_texture *copy = malloc(sizeof *copy);
    if (!copy) return 0;
    *copy = *texture;
    if (all->count < MAX_TEXTURES) {
        if (wg_vec_push(all, copy)) return all->count;
    } else {
        for (size_t k = 0; k < MAX_TEXTURES; k++)
            if (!all->at[k]) return all->at[k] = copy, k + 1;
    }
    free(copy);
    return 0;
}

const eng_texture *eng_texture_get(const eng_device *device, uint64_t handle) {
    uint32_t low = (uint32_t)handle;
    return low && low <= device->textures.count ? device->textures.at[low - 1] : NULL;
}

bool eng_texture_remove(eng_device *device, uint64_t handle) {
    if (handle >> 32 || !eng_texture_get(device, handle)) return false;
    free(device->textures.at[handle - 1]);
    device->textures.at[handle - 1] = NULL;
    return true;
}

void eng_textures_free(eng_device *device) {
    for (size_t k = 0; k < device->textures.count; k++) free(device->textures.at[k]);
    wg_vec_free(&device->textures);
}
