/* Looks at a program before it is run: what cannot work is said at once, with what it is and what to do. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"

#define SHARED_RUNTIME "build it with NVCC_APPEND_FLAGS=--cudart=shared in nvcc's environment"

/* What matters of an ELF file here. */
typedef struct looks {
    bool interpreter;    /* is loaded by ld.so, so that a library can be preloaded */
    bool fatbin;         /* carries code for the GPU */
    bool symbols;        /* has a symbol table */
    bool runtime_inside; /* which names the CUDA runtime's functions: linked statically */
    char needed[64];     /* "libcudart.so.N", empty: none */
} looks;

static char *find_in_path(const char *program) {
    if (strchr(program, '/')) return strdup(program);
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t n = strcspn(path, ":");
        char *candidate = NULL;
        if (asprintf(&candidate, "%.*s/%s", n ? (int)n : 1, n ? path : ".", program) < 0) return NULL;
        struct stat st;
        if (access(candidate, X_OK) == 0 && stat(candidate, &st) == 0 && S_ISREG(st.st_mode)) return candidate;
        free(candidate);
        path += n + (path[n] == ':');
    }
    return NULL;
}

static void look_at_dynamic(Elf *elf, Elf_Scn *scn, const GElf_Shdr *header, looks *out) {
    Elf_Data *data = elf_getdata(scn, NULL);
    GElf_Dyn dyn;
    for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
        const char *name = dyn.d_tag == DT_NEEDED ? elf_strptr(elf, header->sh_link, dyn.d_un.d_val) : NULL;
        if (name && wg_starts_with(name, "libcudart.so")) snprintf(out->needed, sizeof out->needed, "%s", name);
    }
}

static void look_at_symbols(Elf *elf, Elf_Scn *scn, const GElf_Shdr *header, looks *out) {
    Elf_Data *data = elf_getdata(scn, NULL);
    GElf_Sym sym;
    out->symbols = true;
    for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
        const char *name = GELF_ST_TYPE(sym.st_info) == STT_FUNC ? elf_strptr(elf, header->sh_link, sym.st_name) : NULL;
        if (name && sym.st_shndx != SHN_UNDEF && strcmp(name, "cudaMalloc") == 0) out->runtime_inside = true;
    }
}

static looks look(Elf *elf) {
    looks out = {0};
    size_t n = 0, names = 0;
    GElf_Phdr segment;
    elf_getphdrnum(elf, &n);
    for (size_t i = 0; i < n; i++)
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP) out.interpreter = true;
    elf_getshdrstrndx(elf, &names);
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        GElf_Shdr header;
        if (!gelf_getshdr(scn, &header)) continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (name && strcmp(name, ".nv_fatbin") == 0) out.fatbin = true;
        if (header.sh_type == SHT_DYNAMIC) look_at_dynamic(elf, scn, &header, &out);
        if (header.sh_type == SHT_SYMTAB) look_at_symbols(elf, scn, &header, &out);
    }
    return out;
}

static wg_status judge_header(const char *path, const GElf_Ehdr *header, wg_error *err) {
    if (header->e_machine == 190)
        return wg_fail(err, WG_ERR_UNSUPPORTED, "%s is a cubin: code for a GPU with no host program around it. `warpgrind sass --list %s` "
                       "shows it; the C API (warpgrind.h) launches its kernels", path, path);
    if (header->e_machine != EM_X86_64 || header->e_ident[EI_CLASS] != ELFCLASS64)
        return wg_fail(err, WG_ERR_UNSUPPORTED, "%s is built for another kind of processor (ELF machine %u%s); warpgrind runs 64-bit x86-64 "
                       "programs: build it for x86-64", path, header->e_machine,
                       header->e_ident[EI_CLASS] == ELFCLASS32 ? ", 32-bit" : header->e_machine == EM_AARCH64 ? ", ARM64" : "");
    if (header->e_type == ET_REL)
        return wg_fail(err, WG_ERR_UNSUPPORTED, "%s is an object file: link it into a program first (nvcc %s -o PROGRAM)", path, path);
    return WG_OK;
}

static wg_status judge(const char *path, const looks *l, wg_error *err) {
    if (!l->interpreter)
        return wg_fail(err, WG_ERR_UNSUPPORTED, "%s is linked fully statically (or is a shared library): nothing can be preloaded into it. Link it "
                       "without -static; " SHARED_RUNTIME " if it is a CUDA program", path);
    if (l->needed[0] && strcmp(l->needed, "libcudart.so.13") != 0 && strcmp(l->needed, "libcudart.so.12") != 0)
        return wg_fail(err, WG_ERR_UNSUPPORTED, "%s needs %s; warpgrind has the runtimes of CUDA 13 and 12 (libcudart.so.13, libcudart.so.12): "
                       "build it with nvcc 12 or 13", path, l->needed);
    if (l->fatbin && !l->needed[0] && !l->symbols)
        return wg_fail(err, WG_ERR_UNSUPPORTED, "%s carries GPU code and its CUDA runtime is linked statically, but its symbols were stripped, "
                       "so the runtime cannot be found in it. Do not strip it, or " SHARED_RUNTIME, path);
    return WG_OK;
}

static wg_status judge_elf(const char *path, int fd, wg_error *err) {
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    GElf_Ehdr header;
    wg_status status;
    if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
        status = wg_fail(err, WG_ERR_FORMAT, "%s begins like an ELF file but is damaged: %s", path, elf_errmsg(-1));
    else if ((status = judge_header(path, &header, err)) == WG_OK) {
        looks l = look(elf);
        status = judge(path, &l, err);
    }
    elf_end(elf);
    return status;
}

/* ld.so ignores LD_PRELOAD where a file gives its user other rights. */
static wg_status judge_rights(const char *path, const struct stat *st, wg_error *err) {
    const char *what = (st->st_mode & S_ISUID) ? "setuid" : (st->st_mode & S_ISGID) && (st->st_mode & S_IXGRP) ? "setgid" : NULL;
    if (!what && getxattr(path, "security.capability", NULL, 0) > 0) what = "a program with file capabilities";
    if (what && geteuid() != 0)
        return wg_fail(err, WG_ERR_UNSUPPORTED, "%s is %s: the system preloads nothing into it. Run a copy without these rights (cp %s /tmp)", path,
                       what, path);
    return WG_OK;
}

static wg_status judge_file(const char *path, wg_error *err) {
    struct stat st;
    char head[4] = "";
    if (stat(path, &st) != 0) return wg_fail(err, WG_ERR_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode)) return wg_fail(err, WG_ERR_ARGUMENT, "%s is not a file", path);
    if (access(path, X_OK) != 0) return wg_fail(err, WG_ERR_IO, "%s cannot be executed: %s", path, strerror(errno));
    wg_status status = judge_rights(path, &st, err);
    if (status != WG_OK) return status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return WG_OK; /* it may be executed but not read: the system will say what is wrong */
    ssize_t n = read(fd, head, sizeof head);
    if (n == 4 && memcmp(head, "\177ELF", 4) == 0) status = judge_elf(path, fd, err);
    else if (n < 2 || memcmp(head, "#!", 2) != 0) /* a script's interpreter is run, and what that one starts is followed */
        status = wg_fail(err, WG_ERR_FORMAT, "%s is no program: neither an ELF executable nor a script that begins with #!", path);
    close(fd);
    return status;
}

wg_status cli_target(const char *program, char **path, wg_error *err) {
    *path = find_in_path(program);
    if (!*path) return wg_fail(err, WG_ERR_NOT_FOUND, "there is no program '%s' in PATH (a program of this folder is ./%s)", program, program);
    return judge_file(*path, err);
}
