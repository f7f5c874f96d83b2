/* What NVTX's headers, compiled into the program, agree on with a tool: the memory extension, as of NVTX 3.2. (Its headers are
 * the program's; these are their layouts.) */
#ifndef WG_CUDART_NVTX_H
#define WG_CUDART_NVTX_H

#include <stddef.h>
#include <stdint.h>

#define NVTX_TOOL_API __attribute__((visibility("default")))

enum { NVTX_MODULE_MEM = 1, NVTX_COMPAT_MEM = 0x0102 };

typedef struct nvtx_segment { /* a table of functions, which the tool fills */
    size_t id, slots;
    intptr_t *functions;
} nvtx_segment;
typedef struct nvtx_module {
    uint16_t version, size, module, compat;
    size_t n_segments;
    nvtx_segment *segments;
    intptr_t (*export)(uint32_t id);
    const void *info;
} nvtx_module;

enum nvtx_mem_call { /* places in the table */
    NVTX_MEM_HEAP_REGISTER, NVTX_MEM_HEAP_UNREGISTER, NVTX_MEM_HEAP_RESET, NVTX_MEM_REGIONS_REGISTER, NVTX_MEM_REGIONS_RESIZE,
    NVTX_MEM_REGIONS_UNREGISTER, NVTX_MEM_REGIONS_NAME, NVTX_MEM_PERMISSIONS_ASSIGN, NVTX_MEM_PERMISSIONS_CREATE,
    NVTX_MEM_PERMISSIONS_DESTROY, NVTX_MEM_PERMISSIONS_RESET, NVTX_MEM_PERMISSIONS_BIND, NVTX_MEM_PERMISSIONS_UNBIND,
    NVTX_MEM_CUDA_PROCESS_PERMISSIONS, NVTX_MEM_CUDA_DEVICE_PERMISSIONS, NVTX_MEM_CUDA_PEER_ACCESS, NVTX_MEM_CUDA_INITIALIZED,
    NVTX_MEM_CALLS
};

enum { NVTX_TEXT_ASCII = 1, NVTX_TEXT_UNICODE = 2 }; /* others are handles of strings */
enum { NVTX_USAGE_POOL = 1, NVTX_USAGE_LAYOUT = 2 };
enum { NVTX_TYPE_ADDRESSES = 1 };
enum { NVTX_REF_POINTER = 1, NVTX_REF_HANDLE = 2 };
enum { NVTX_PERMISSIONS_RESET = 8 };
enum { NVTX_BIND_CPU_THREAD = 1, NVTX_BIND_CUDA_STREAM = 2 };

typedef union nvtx_text {
    const char *ascii;
    const wchar_t *unicode;
    const void *registered;
} nvtx_text;
typedef struct nvtx_range {
    size_t size;
    const void *at;
} nvtx_range;
typedef struct nvtx_heap {
    uint16_t compat, size;
    uint32_t reserved, usage, type;
    size_t range_size;
    const void *range;
    uint32_t category, text_type;
    nvtx_text text;
} nvtx_heap;
typedef struct nvtx_regions { /* to register */
    uint16_t compat, size;
    uint32_t type;
    void *heap;
    size_t n, stride;
    const void *ranges;
    void **handles; /* may be NULL */
} nvtx_regions;
typedef struct nvtx_ranges { /* to resize, to mark as written */
    uint16_t compat, size;
    uint32_t type;
    size_t n, stride;
    const void *ranges;
} nvtx_ranges;
typedef union nvtx_ref {
    const void *pointer;
    void *handle;
} nvtx_ref;
typedef struct nvtx_refs { /* to unregister */
    uint16_t compat, size;
    uint32_t type;
    size_t n, stride;
    const void *refs;
} nvtx_refs;
typedef struct nvtx_name {
    uint32_t ref_type, text_type;
    nvtx_ref ref;
    nvtx_text text;
    uint32_t category, reserved;
} nvtx_name;
typedef struct nvtx_names {
    uint16_t compat, size;
    uint32_t reserved;
    size_t n, stride;
    const void *names;
    size_t reserved1;
} nvtx_names;
typedef struct nvtx_permission {
    uint32_t may, ref_type;
    nvtx_ref ref;
} nvtx_permission;
typedef struct nvtx_permissions {
    uint16_t compat, size;
    uint32_t reserved;
    void *permissions;
    size_t n, stride;
    const void *regions;
    size_t reserved1;
} nvtx_permissions;

/* NVTX loads the library that NVTX_INJECTION64_PATH names, and asks it for these: the first for ranges and marks, which are no
 * matter here; the second for each extension. 0: it takes no part. */
NVTX_TOOL_API int InitializeInjectionNvtx2(void *export_table);
NVTX_TOOL_API int InitializeInjectionNvtxExtension(nvtx_module *module);

#endif
