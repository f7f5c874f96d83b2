/* Which entry of a container runs on a device. */
#include "base/text.h"
#include "image/image.h"

static const char *suffix(const img_entry *e) {
    return e->arch_specific ? "a" : e->family ? "f" : "";
}

/* Machine code runs on its own major version, at an equal or higher minor one; "a" code on its own alone. */
static bool cubin_runs(const img_entry *e, int sm) {
    return e->kind == IMG_CUBIN && e->sm / 10 == sm / 10 && (e->arch_specific ? e->sm == sm : e->sm <= sm);
}

static bool ptx_assembles(const img_entry *e, int sm) {
    if (e->kind != IMG_PTX) return false;
    if (e->arch_specific) return e->sm == sm;
    return e->sm <= sm && (!e->family || e->sm / 10 == sm / 10);
}

/* The newest; of two for one architecture the specific one, which may use more of the device. */
static const img_entry *newest(const img_file *file, int container, int sm,
                               bool (*fits)(const img_entry *, int)) {
    const img_entry *best = NULL;
    for (size_t i = 0; i < file->n_entries; i++) {
        const img_entry *e = &file->entries[i];
        if (e->container != container || !fits(e, sm)) continue;
        if (!best || e->sm > best->sm || (e->sm == best->sm && e->arch_specific && !best->arch_specific))
            best = e;
    }
    return best;
}

wg_status img_choose(const img_file *file, int container, int sm, const img_entry **out, bool *needs_ptxas,
                     wg_error *err) {
    const img_entry *cubin = newest(file, container, sm, cubin_runs);
    *out = cubin ? cubin : newest(file, container, sm, ptx_assembles);
    *needs_ptxas = !cubin && *out;
    if (*out) return WG_OK;
    wg_text have = {0};
    for (size_t i = 0; i < file->n_entries; i++) {
        const img_entry *e = &file->entries[i];
        if (e->container == container)
            wg_text_printf(&have, "%s%s %d%s", have.count ? ", " : "",
                           e->kind == IMG_PTX ? "PTX for compute" : "code for sm", e->sm, suffix(e));
    }
    wg_status status = wg_fail(err, WG_ERR_NOT_FOUND,
                               "nothing that runs on a device of compute capability %d.%d: there is %s; "
                               "build with nvcc -arch=sm_%d, or choose another device",
                               sm / 10, sm % 10, have.count ? have.at : "nothing", sm);
    wg_text_free(&have);
    return status;
}
