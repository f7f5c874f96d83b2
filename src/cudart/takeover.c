#include "cudart/takeover.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/session.h"

/* Every public function, with ours. */
#define DONE(name) void name(void);
#define STUB(name) void name(void);
#define TWELVE(name, ours) void ours(void);
#include "cudart/api.def"
#include "cudart/twelve.def"
#undef DONE
#undef STUB
#undef TWELVE
static const struct entry {
    const char *name;
    void (*ours)(void);
} entries[] = {
/* ascending by name */
#define DONE(name) {#name, name},
#define STUB(name) {#name, name},
#include "cudart/api.def"
#undef DONE
#undef STUB
};
/* What is another function in a runtime of CUDA 12. */
static const struct entry twelve[] = {
#define TWELVE(name, ours) {#name, ours},
#include "cudart/twelve.def"
#undef TWELVE
};
enum { N_ENTRIES = sizeof entries / sizeof *entries, N_TWELVE = sizeof twelve / sizeof *twelve, N_FOUND = N_ENTRIES + N_TWELVE };

static int by_name(const void *name, const void *entry) {
    return strcmp(name, ((const struct entry *)entry)->name);
}

static const struct entry *entry_of(const char *name) {
    if (strncmp(name, "cuda", 4) && strncmp(name, "__cuda", 6)) return NULL;
    const struct entry *e = bsearch(name, entries, N_ENTRIES, sizeof *entries, by_name);
    return e ? e : bsearch(name, twelve, N_TWELVE, sizeof *twelve, by_name);
}

/* Under the command there is somebody to tell what cannot be done. */
static bool told;

/* --- one object's file ---------------------------------------------------------------------------------- */

typedef struct object {
    const uint8_t *bytes;
    size_t size;
    const Elf64_Shdr *sections;
    size_t n_sections;
} object;

static bool inside(const object *ob, uint64_t offset, uint64_t size) {
    return offset <= ob->size && size <= ob->size - offset;
}

/* The loader has accepted the file, but not its sections: those may say anything. */
static bool map_object(const char *path, object *ob) {
    *ob = (object){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > (off_t)sizeof(Elf64_Ehdr)) {
        void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at != MAP_FAILED) ob->bytes = at, ob->size = (size_t)st.st_size;
    }
    close(fd);
    if (!ob->bytes) return false;
    const Elf64_Ehdr *eh = (const Elf64_Ehdr *)ob->bytes;
    if (eh->e_shentsize != sizeof(Elf64_Shdr) || eh->e_shoff % 8 ||
        !inside(ob, eh->e_shoff, (uint64_t)eh->e_shnum * sizeof(Elf64_Shdr)))
        return true; /* no sections: stripped to the bone */
    ob->sections = (const Elf64_Shdr *)(ob->bytes + eh->e_shoff);
    ob->n_sections = eh->e_shnum;
    return true;
}

static void unmap_object(object *ob) {
    munmap((void *)(uintptr_t)ob->bytes, ob->size);
}

static const Elf64_Shdr *section_of_type(const object *ob, unsigned type) {
    for (size_t i = 0; i < ob->n_sections; i++)
        if (ob->sections[i].sh_type == type && inside(ob, ob->sections[i].sh_offset, ob->sections[i].sh_size))
            return &ob->sections[i];
    return NULL;
}

static bool has_section(const object *ob, const char *name) {
    const Elf64_Ehdr *eh = (const Elf64_Ehdr *)ob->bytes;
    if (eh->e_shstrndx >= ob->n_sections) return false;
    const Elf64_Shdr *names = &ob->sections[eh->e_shstrndx];
    if (!inside(ob, names->sh_offset, names->sh_size)) return false;
    size_t want = strlen(name) + 1;
    for (size_t i = 0; i < ob->n_sections; i++) {
        uint64_t at = ob->sections[i].sh_name;
        if (at < names->sh_size && want <= names->sh_size - at &&
            !memcmp(ob->bytes + names->sh_offset + at, name, want))
            return true;
    }
    return false;
}

/* --- redirecting -----------------------------------------------------------------------------------------
 */

enum { JUMP_SIZE = 14 }; /* jmp *0(%rip), then the address */

typedef struct found {
    uint64_t value;
    const struct entry *entry;
} found;

/* A runtime of CUDA 12 has names that CUDA 13 has not; what the two call alike and mean differently is then CUDA 12's. */
static void settle_version(found *list, size_t n) {
    bool old = false;
    for (size_t i = 0; i < n && !old; i++) old = list[i].entry >= twelve && list[i].entry < twelve + N_TWELVE;
    for (size_t i = 0; i < n && old; i++) {
        const struct entry *e = bsearch(list[i].entry->name, twelve, N_TWELVE, sizeof *twelve, by_name);
        if (e) list[i].entry = e;
    }
}

/* Public functions that the object's symbol table defines. Functions are padded to 16 bytes, so that the
 * jump fits even where the code itself is shorter; anything less is not nvcc's runtime. */
static size_t find_functions(const object *ob, found out[N_FOUND]) {
    const Elf64_Shdr *table = section_of_type(ob, SHT_SYMTAB);
    if (!table || table->sh_link >= ob->n_sections || table->sh_entsize != sizeof(Elf64_Sym) ||
        table->sh_offset % 8)
        return 0;
    const Elf64_Shdr *names = &ob->sections[table->sh_link];
    if (!inside(ob, names->sh_offset, names->sh_size) || !names->sh_size) return 0;
    const char *text = (const char *)ob->bytes + names->sh_offset;
    if (text[names->sh_size - 1]) return 0;
    const Elf64_Sym *symbols = (const Elf64_Sym *)(ob->bytes + table->sh_offset);
    size_t n = 0;
    for (size_t i = 0; i < table->sh_size / sizeof *symbols && n < N_FOUND; i++) {
        const Elf64_Sym *s = &symbols[i];
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_shndx == SHN_UNDEF || s->st_name >= names->sh_size)
            continue;
        const struct entry *entry = entry_of(text + s->st_name);
        if (entry && s->st_value % 16 == 0) out[n++] = (found){s->st_value, entry};
    }
    settle_version(out, n);
    return n;
}

/* A runtime is there when what every program needs of it is: a program may define functions of these names.
 */
static bool is_runtime(const found *list, size_t n) {
    unsigned have = 0;
    static const char *const needed[] = {"__cudaRegisterFatBinary", "__cudaPushCallConfiguration",
                                         "cudaMalloc", "cudaGetLastError"};
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < 4; k++)
            if (!strcmp(list[i].entry->name, needed[k])) have |= 1u << k;
    return have == 15;
}

/* Opens the pages of [from, to) for writing, or closes them again. */
static bool open_code(uint8_t *from, const uint8_t *to, bool writable) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)from & ~(page - 1);
    return mprotect((void *)start, (uintptr_t)to - start,
                    PROT_READ | PROT_EXEC | (writable ? PROT_WRITE : 0)) == 0;
}

static void write_jump(uint8_t *at, void (*to)(void)) {
    static const uint8_t jump[6] = {0xff, 0x25, 0, 0, 0, 0};
    memcpy(at, jump, sizeof jump);
    memcpy(at + sizeof jump, &to, sizeof to);
}

/* All at once: the runtime's functions lie together, and pages of differing rights would split the mapping.
 */
static bool redirect(uint64_t base, const found *list, size_t n) {
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < n; i++) {
        if (list[i].value < first) first = list[i].value;
        if (list[i].value > last) last = list[i].value;
    }
    uint8_t *from = (uint8_t *)(uintptr_t)(base + first),
            *to = (uint8_t *)(uintptr_t)(base + last) + JUMP_SIZE;
    if (!open_code(from, to, true)) return false;
    for (size_t i = 0; i < n; i++)
        write_jump((uint8_t *)(uintptr_t)(base + list[i].value), list[i].entry->ours);
    return open_code(from, to, false);
}

static void cannot(const char *path, const char *what, const char *remedy) {
    if (!told) return;
    char name[4096];
    ssize_t n = readlink(path, name, sizeof name - 1); /* of /proc/self/exe, its real name */
    name[n > 0 ? n : 0] = 0;
    dprintf(STDERR_FILENO, "warpgrind: %s %s; %s\n", n > 0 ? name : path, what, remedy);
    _exit(2);
}

static const char SHARED[] = "build it with the shared runtime: NVCC_APPEND_FLAGS=--cudart=shared";

/* base: load address. shared_runtime: the object asks for libcudart itself. */
static void take_over(const char *path, uint64_t base, bool shared_runtime, bool executable) {
    object ob;
    if (!map_object(path, &ob)) return;
    found list[N_FOUND];
    size_t n = find_functions(&ob, list);
    if (is_runtime(list, n)) {
        if (!redirect(base, list, n))
            cannot(path, "has the CUDA runtime linked in, and this system does not let its code be patched",
                   SHARED);
    } else if (executable && !shared_runtime && !section_of_type(&ob, SHT_SYMTAB) &&
               has_section(&ob, ".nvFatBinSegment")) {
        cannot(path,
               "has the CUDA runtime linked in and its symbol table stripped, so the runtime cannot be found",
               SHARED);
    }
    unmap_object(&ob);
}

/* --- the objects of this process ---------------------------------------------------------------------------
 */

static bool asks_for_runtime(const struct link_map *map) {
    const char *strings = NULL;
    for (const Elf64_Dyn *d = map->l_ld; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB) strings = (const char *)d->d_un.d_ptr;
    for (const Elf64_Dyn *d = map->l_ld; strings && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && !strncmp(strings + d->d_un.d_val, "libcudart.so", 12)) return true;
    return false;
}

extern const char __ehdr_start[] __attribute__((visibility("hidden"))); /* where this library begins */

/* Objects seen at the last look, in the loader's order. */
static const struct link_map *seen[1024];
static size_t n_seen;

static bool was_seen(const struct link_map *map) {
    for (size_t i = 0; i < n_seen; i++)
        if (seen[i] == map) return true;
    return false;
}

static void look(void) {
    const struct link_map *now[sizeof seen / sizeof *seen];
    size_t n = 0;
    for (const struct link_map *map = _r_debug.r_map; map && n < sizeof now / sizeof *now;
         map = map->l_next) {
        now[n++] = map;
        if (map->l_addr == (uintptr_t)__ehdr_start) continue; /* this library */
        if (was_seen(map)) continue;
        bool executable = map == _r_debug.r_map;
        if (!executable && !strchr(map->l_name, '/')) continue; /* the kernel's own object has no file */
        take_over(executable ? "/proc/self/exe" : map->l_name, map->l_addr, asks_for_runtime(map),
                  executable);
    }
    memcpy(seen, now, n * sizeof *now);
    n_seen = n;
}

/* The loader calls an empty function whenever its list of objects changes, for debuggers to stop in. Put
 * into its place, this runs when new objects are mapped and before their constructors do. */
static void on_change(void) {
    if (_r_debug.r_state == RT_CONSISTENT) look();
}

static void watch_loader(void) {
    uint8_t *at = (uint8_t *)(uintptr_t)_r_debug.r_brk;
    static const uint8_t endbr[4] = {0xf3, 0x0f, 0x1e, 0xfa};
    if (!at) return;
    const uint8_t *code = at;
    if (!memcmp(code, endbr, sizeof endbr)) code += sizeof endbr;
    /* An empty function, alone in its 16 bytes (what follows the return is padding); a debugger's stop or
     * another loader's code is left alone. */
    bool padded = code[1] == 0x66 || code[1] == 0x0f || code[1] == 0x90 || code[1] == 0xcc;
    if (*code != 0xc3 || !padded || (uintptr_t)at % 16 || !open_code(at, at + JUMP_SIZE, true)) return;
    write_jump(at, on_change);
    open_code(at, at + JUMP_SIZE, false);
}

void rt_takeover_start(char *const *environment) {
    static const char name[] = SES_ENVIRONMENT "=";
    for (; environment && *environment; environment++)
        if (!strncmp(*environment, name, sizeof name - 1)) told = true;
    look();
    watch_loader();
}
