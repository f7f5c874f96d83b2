/* Memory and events of other processes. Device memory is a file without a name (engine/memory.h), which another process of
 * the same user can open through /proc; there it is registered as host memory is, so that kernels and copies reach it.
 * Work runs when it is asked for, so an event of another process has nothing to wait for: the order between processes is
 * that in which the program itself makes them call. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cudart/api.h"
#include "cudart/event.h"
#include "cudart/memory.h"

static const char MAGIC[8] = "wg-ipc1";
enum { PAGE = 4096 };

typedef struct memory_handle { /* what the 64 bytes hold */
    char magic[sizeof MAGIC];
    int pid, file;
    uint64_t offset, size;
} memory_handle;
_Static_assert(sizeof(memory_handle) <= sizeof(cudaIpcMemHandle_t), "it fits");

/* What nobody wrote has no value here, and the other process cannot know that: it gets one. */
static void define(const eng_allocation *a) {
    uint64_t start = 0, n = 0;
    const uint8_t zero = 0;
    while (eng_memory_gap(rt_memory(), a, start, &start, &n)) {
        if (eng_memory_fill(rt_memory(), a->address + start, &zero, 1, n, NULL) != WG_OK) return;
        start += n;
    }
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *address) {
    if (!handle) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const eng_allocation *a = eng_memory_find(rt_memory(), (uintptr_t)address, NULL);
    if (!a || a->freed || a->kind != ENG_ALLOC_DEVICE || a->address != (uintptr_t)address) return rt_leave(cudaErrorInvalidValue);
    define(a);
    memory_handle h = {.pid = (int)getpid(), .size = a->size};
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    h.file = eng_memory_file(rt_memory(), a->address, &h.offset);
    *handle = (cudaIpcMemHandle_t){{0}};
    memcpy(handle, &h, sizeof h);
    return rt_leave(cudaSuccess);
}

static void *map(const memory_handle *h) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", h->pid, h->file);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return MAP_FAILED;
    uint64_t before = h->offset % PAGE;
    void *at = mmap(NULL, before + h->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, (off_t)(h->offset - before));
    close(fd);
    return at;
}

cudaError_t cudaIpcOpenMemHandle(void **out, cudaIpcMemHandle_t handle, unsigned flags) {
    if (!out || flags != 1) return rt_note(cudaErrorInvalidValue); /* cudaIpcMemLazyEnablePeerAccess */
    cudaError_t e = rt_enter();
    if (e) return e;
    memory_handle h;
    memcpy(&h, &handle, sizeof h);
    if (memcmp(h.magic, MAGIC, sizeof MAGIC)) return rt_leave(cudaErrorInvalidValue);
    if (h.pid == (int)getpid()) return rt_leave(cudaErrorDeviceUninitialized); /* a process does not open its own */
    void *at = map(&h);
    if (at == MAP_FAILED) return rt_leave(cudaErrorMapBufferObjectFailed);
    void *inside = (char *)at + h.offset % PAGE;
    if (eng_memory_register(rt_memory(), inside, h.size, NULL) != WG_OK ||
        !wg_u64map_set(&rt.opened, (uintptr_t)inside, (uintptr_t)at)) {
        munmap(at, h.offset % PAGE + h.size);
        return rt_leave(cudaErrorMemoryAllocation);
    }
    *out = inside;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaIpcCloseMemHandle(void *address) {
    cudaError_t e = rt_enter();
    if (e) return e;
    uint64_t at;
    const eng_allocation *a = eng_memory_find(rt_memory(), (uintptr_t)address, NULL);
    if (!a || !wg_u64map_get(&rt.opened, (uintptr_t)address, &at)) return rt_leave(cudaErrorInvalidValue);
    uint64_t end = a->address + a->size;
    rt_stream_wait(NULL);
    wg_u64map_remove(&rt.opened, (uintptr_t)address);
    eng_memory_unregister(rt_memory(), address, NULL);
    munmap((void *)(uintptr_t)at, end - at);
    return rt_leave(cudaSuccess);
}

/* --- events ------------------------------------------------------------------------------------------------ */

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event) {
    if (!handle) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const rt_event *ev = rt_event_of(event);
    if (!ev) return rt_leave(cudaErrorInvalidResourceHandle);
    if (!(ev->flags & cudaEventInterprocess)) return rt_leave(cudaErrorInvalidValue);
    *handle = (cudaIpcEventHandle_t){{0}};
    memcpy(handle, MAGIC, sizeof MAGIC);
    return rt_leave(cudaSuccess);
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle) {
    if (!event || memcmp(&handle, MAGIC, sizeof MAGIC)) return rt_note(cudaErrorInvalidValue);
    return cudaEventCreateWithFlags(event, cudaEventDisableTiming | cudaEventInterprocess);
}
