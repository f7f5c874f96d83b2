/* Memory of the C API. */
#include "api/api.h"

static eng_memory *memory_of(wg_device *dev) { return eng_device_memory(ses_device(dev->ses, NULL)); }

wg_status wg_alloc(wg_device *dev, size_t size, wg_address *out, wg_error *err) {
    const eng_allocation *allocation = NULL;
    wg_status status = eng_memory_alloc(memory_of(dev), size, ENG_ALLOC_DEVICE, &allocation, err);
    if (status == WG_OK) *out = allocation->address;
    return status;
}

wg_status wg_free(wg_device *dev, wg_address address, wg_error *err) { return eng_memory_release(memory_of(dev), address, err); }

wg_status wg_copy_in(wg_device *dev, wg_address to, const void *from, size_t size, wg_error *err) {
    return eng_memory_copy(memory_of(dev), to, (uintptr_t)from, size, ENG_HOST_TO_DEVICE, err);
}

wg_status wg_copy_out(wg_device *dev, void *to, wg_address from, size_t size, wg_error *err) {
    return eng_memory_copy(memory_of(dev), (uintptr_t)to, from, size, ENG_DEVICE_TO_HOST, err);
}

wg_status wg_copy(wg_device *dev, wg_address to, wg_address from, size_t size, wg_error *err) {
    return eng_memory_copy(memory_of(dev), to, from, size, ENG_DEVICE_TO_DEVICE, err);
}

wg_status wg_fill(wg_device *dev, wg_address to, uint8_t value, size_t size, wg_error *err) {
    return eng_memory_fill(memory_of(dev), to, &value, 1, size, err);
}

bool wg_is_written(wg_device *dev, wg_address address, size_t size) { return eng_memory_defined(memory_of(dev), address, size); }

static wg_status fill_map(wg_device *dev, const eng_allocation *a, unsigned width, uint64_t *map, size_t n, wg_error *err) {
    eng_read_map reads;
    if (eng_read_map_open(&reads, memory_of(dev), a, width) != WG_OK) return wg_fail(err, WG_ERR_MEMORY, "no memory for a map of reads");
    for (size_t done = 0, got; done < n; done += got)
        if (!(got = eng_read_map_next(&reads, map + done, n - done))) break;
    eng_read_map_close(&reads);
    return WG_OK;
}

wg_status wg_allocation_reads(wg_device *dev, wg_address address, size_t width, wg_reads *out, uint64_t *map, size_t n, wg_error *err) {
    const eng_allocation *a = eng_memory_find(memory_of(dev), address, NULL);
    if (!a || a->address != address || a->freed)
        return wg_fail(err, WG_ERR_ARGUMENT, "0x%llx is not the start of a living allocation", (unsigned long long)address);
    if (!width || width > a->size || width > 1u << 30)
        return wg_fail(err, WG_ERR_ARGUMENT, "elements of %zu bytes in an allocation of %llu bytes", width, (unsigned long long)a->size);
    eng_read_summary sum;
    wg_status status = eng_memory_read_summary(memory_of(dev), a, (unsigned)width, &sum);
    if (status != WG_OK) return wg_fail(err, status, "the reads of this allocation cannot be summed up");
    *out = (wg_reads){.elements = sum.elements, .distinct = sum.distinct, .reads = sum.reads, .most = sum.most};
    return map ? fill_map(dev, a, (unsigned)width, map, n, err) : WG_OK;
}
