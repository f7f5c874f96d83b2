#include "base/toolkit.h"

#include <string.h>

/* A folder named cuda, or cuda-VERSION, with include below it. */
static bool below_cuda(const char *path) {
    while ((path = strstr(path, "/cuda")) != NULL) {
        path += strlen("/cuda");
        const char *end = *path == '-' ? path + strcspn(path, "/") : path;
        if (strncmp(end, "/include/", strlen("/include/")) == 0) return true;
    }
    return false;
}

bool wg_is_toolkit_file(const char *path) {
    static const char *const folders[] = {"/targets/x86_64-linux/include/", "/cuda_runtime/include/", "/nvidia/cu12/include/",
                                          "/nvidia/cu13/include/"};
    for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strstr(path, folders[i])) return true;
    return below_cuda(path) || strncmp(path, "/usr/include/", strlen("/usr/include/")) == 0;
}
