/* Runs a fuzz target over files, without a fuzzer: seeds, and every input that ever crashed it.
 * replay FOLDER...: all files below the folders, which need not exist. */
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int count, failed;

static int run_file(const char *path, const struct stat *info, int type, struct FTW *where) {
    (void)info;
    (void)where;
    if (type != FTW_F) return 0;
    wg_arena *arena = wg_arena_new();
    wg_bytes bytes;
    wg_error err;
    if (!arena || wg_file_read(path, arena, &bytes, &err) != WG_OK) {
        fprintf(stderr, "%s\n", arena ? err.text : "no memory");
        failed = 1;
    } else {
        fprintf(stderr, "%s\n", path); /* the last line names what crashed */
        LLVMFuzzerTestOneInput(bytes.data, bytes.size);
        count++;
    }
    wg_arena_free(arena);
    return 0;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) nftw(argv[i], run_file, 8, FTW_PHYS);
    printf("%d inputs\n", count);
    return failed || count == 0;
}
