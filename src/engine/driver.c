/* The device side of the driver. */
#include "engine/driver_inner.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "engine/undefined.h"
#include "engine/view.h"

enum { HEAP_BYTES = 8 << 20, HEAP_GRAIN = 16 }; /* cudaLimitMallocHeapSize's default; malloc's alignment */
enum { MAX_STRING = 4096 };

/* --- memory of a lane ------------------------------------------------------------------------ */

bool drv_fetch(const eng_warp *w, unsigned lane, uint64_t address, void *to, size_t n) {
    uint8_t *out = to;
    if (address - ENG_LOCAL_WINDOW < ENG_WINDOW_SIZE) {
        uint64_t at = address - ENG_LOCAL_WINDOW;
        if (at + n > w->local_size) return false;
        for (size_t k = 0; k < n; k++) out[k] = w->local[(at + k) / 4 * ENG_SLOT + lane * 4 + (at + k) % 4];
        return true;
    }
    if (address - ENG_SHARED_WINDOW - w->shared_base < ENG_WINDOW_SIZE) {
        uint64_t at = address - ENG_SHARED_WINDOW - w->shared_base;
        if (at + n > w->shared_size) return false;
        memcpy(out, w->shared + at, n);
        return true;
    }
    const eng_allocation *a = eng_memory_find(w->worker->memory, address, NULL);
    if (!a || a->freed || address + n > a->address + a->size) return false;
    const void *from = eng_memory_host(w->worker->memory, address);
    if (!from) return false;
    memcpy(out, from, n);
    return true;
}

bool drv_store(eng_warp *w, unsigned lane, uint64_t address, const void *from, size_t n) {
    const uint8_t *in = from;
    if (address - ENG_LOCAL_WINDOW < ENG_WINDOW_SIZE) {
        uint64_t at = address - ENG_LOCAL_WINDOW;
        if (at + n > w->local_size) return false;
        for (size_t k = 0; k < n; k++) {
            w->local[(at + k) / 4 * ENG_SLOT + lane * 4 + (at + k) % 4] = in[k];
            if (w->local_undefined) w->local_undefined[(at + k) / 4 * 32 + lane] &= ~(UINT32_C(0xff) << (at + k) % 4 * 8);
        }
        return true;
    }
    if (address - ENG_SHARED_WINDOW - w->shared_base < ENG_WINDOW_SIZE) {
        uint64_t at = address - ENG_SHARED_WINDOW - w->shared_base;
        if (at + n > w->shared_size) return false;
        memcpy(w->shared + at, in, n);
        return true;
    }
    return eng_memory_copy(w->worker->memory, address, (uint64_t)(uintptr_t)from, n, ENG_HOST_TO_DEVICE, NULL) == WG_OK;
}

static void fetch_string(const eng_warp *w, unsigned lane, uint64_t address, wg_text *out) {
    char c;
    if (!address) wg_text_add(out, "(null)");
    for (unsigned n = 0; address && n < MAX_STRING && drv_fetch(w, lane, address + n, &c, 1) && c; n++) wg_text_add_n(out, &c, 1);
}

static void print(const eng_warp *w, bool error, const wg_text *text) {
    const eng_launch *launch = w->worker->grid->launch;
    if (!text->count) return;
    if (launch->print) launch->print(launch->ctx, error, text->at, text->count);
    else fwrite(text->at, 1, text->count, error ? stderr : stdout);
}

/* --- vprintf ------------------------------------------------------------------------------- */

typedef struct arguments { /* the buffer that the caller packed them into */
    const eng_warp *w;
    unsigned lane, count;
    uint64_t next;
    bool missing;
} arguments;

static uint64_t take(arguments *a, unsigned size) {
    uint64_t value = 0;
    a->next = (a->next + size - 1) / size * size;
    a->missing |= !drv_fetch(a->w, a->lane, a->next, &value, size);
    a->next += size;
    a->count++;
    return value;
}

typedef struct conversion { /* "%-8.3ll" of "%-8.3lld" */
    char spec[40]; /* without the length, and for the host's printf with "ll" where a whole number follows */
    size_t n;
    unsigned size; /* of a whole number, bytes */
} conversion;

/* Flags, width, precision and length; returns where the conversion's letter stands. A number of more than four digits is
 * cut: no one means it. */
static const char *read_conversion(const char *f, arguments *args, conversion *c) {
    *c = (conversion){.spec = "%", .n = 1, .size = 4};
    unsigned digits = 0;
    for (; *f && strchr("-+ #0123456789.*", *f) && c->n < sizeof c->spec - 16; f++) {
        digits = *f >= '0' && *f <= '9' ? digits + 1 : 0;
        if (*f == '*') c->n += (size_t)snprintf(c->spec + c->n, 8, "%d", (int)(int32_t)take(args, 4) % 10000);
        else if (digits <= 4) c->spec[c->n++] = *f;
    }
    for (; *f && strchr("hljztLq", *f); f++) {
        if (*f == 'h') c->size = c->size == 2 ? 1 : 2;
        else c->size = 8;
    }
    return f;
}

static int64_t sign_extended(uint64_t v, unsigned size) {
    return size == 1 ? (int8_t)v : size == 2 ? (int16_t)v : size == 4 ? (int32_t)v : (int64_t)v;
}
static uint64_t zero_extended(uint64_t v, unsigned size) {
    return size == 8 ? v : v & ((UINT64_C(1) << size * 8) - 1);
}

static void convert(wg_text *out, conversion *c, char letter, arguments *args) {
    union { uint64_t bits; double value; } d;
    unsigned slot = c->size < 4 ? 4 : c->size; /* short and char are promoted */
    switch (letter) {
    case 'd': case 'i':
        snprintf(c->spec + c->n, 8, "ll%c", letter);
        wg_text_printf(out, c->spec, (long long)sign_extended(take(args, slot), c->size));
        break;
    case 'u': case 'o': case 'x': case 'X':
        snprintf(c->spec + c->n, 8, "ll%c", letter);
        wg_text_printf(out, c->spec, (unsigned long long)zero_extended(take(args, slot), c->size));
        break;
    case 'c':
        snprintf(c->spec + c->n, 8, "c");
        wg_text_printf(out, c->spec, (int)take(args, 4));
        break;
    case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
        snprintf(c->spec + c->n, 8, "%c", letter);
        d.bits = take(args, 8);
        wg_text_printf(out, c->spec, d.value);
        break;
    case 'p':
        snprintf(c->spec + c->n, 8, "p");
        wg_text_printf(out, c->spec, (void *)(uintptr_t)take(args, 8));
        break;
    case 's': {
        wg_text text = {0};
        snprintf(c->spec + c->n, 8, "s");
        fetch_string(args->w, args->lane, take(args, 8), &text);
        wg_text_printf(out, c->spec, text.at ? text.at : "");
        wg_text_free(&text);
        break;
    }
    default: wg_text_printf(out, "%.*s%c", (int)c->n, c->spec, letter); /* as it stands */
    }
}

/* Returns what printf returns on a device: the number of arguments, or -1. */
static int format(wg_text *out, const char *f, arguments *args) {
    while (*f) {
        size_t plain = strcspn(f, "%");
        wg_text_add_n(out, f, plain);
        f += plain;
        if (!*f) break;
        if (f[1] == '%') {
            wg_text_add(out, "%");
            f += 2;
            continue;
        }
        conversion c;
        f = read_conversion(f + 1, args, &c);
        if (!*f) break;
        convert(out, &c, *f++, args);
    }
    return args->missing ? -1 : (int)args->count;
}

void drv_answered(eng_warp *w, unsigned lane) {
    for (unsigned r = DRV_ARGUMENT; r < DRV_ARGUMENT + 2; r++) eng_undefined_clear(w, r * ENG_SLOT, 1u << lane);
}

static bool call_vprintf(eng_warp *w, const eng_ins *i, unsigned lane) {
    wg_text text = {0}, out = {0};
    arguments args = {.w = w, .lane = lane, .next = drv_get64(w, DRV_ARGUMENT + 2, lane)};
    fetch_string(w, lane, drv_get64(w, DRV_ARGUMENT, lane), &text);
    *drv_reg(w, DRV_ARGUMENT, lane) = (uint32_t)format(&out, text.at ? text.at : "", &args);
    drv_answered(w, lane);
    print(w, false, &out);
    wg_text_free(&text);
    wg_text_free(&out);
    (void)i;
    return true;
}

/* --- malloc and free ------------------------------------------------------------------------ */

wg_status eng_heap_make(eng_device *device, const img_module *module, uint64_t bytes, wg_error *err) {
    bool wanted = false;
    for (size_t k = 0; k < module->n_externs; k++)
        wanted |= !strcmp(module->externs[k], "malloc") || !strcmp(module->externs[k], ENG_PARAMETER_BUFFER);
    if (!wanted || device->heap->size) return WG_OK;
    const eng_allocation *a;
    if (!bytes) bytes = HEAP_BYTES;
    wg_status st = eng_memory_alloc(device->memory, bytes, ENG_ALLOC_HEAP, &a, err);
    if (st != WG_OK) return wg_context(err, "the heap of device-side malloc");
    eng_memory_set_name(device->memory, a->address, "heap of device-side malloc");
    device->heap->start = a->address;
    device->heap->size = bytes;
    return WG_OK;
}

void eng_heap_free(struct eng_heap *heap) {
    wg_u64map_free(&heap->live);
    wg_u64map_free(&heap->idle);
    wg_u64map_free(&heap->next);
}

/* A block of the same size that was freed, or one that was never given out. */
uint64_t drv_heap_take(struct eng_heap *heap, uint64_t bytes) {
    uint64_t at = 0, before = 0;
    if (bytes > heap->size) return 0;
    bytes = bytes ? (bytes + HEAP_GRAIN - 1) / HEAP_GRAIN * HEAP_GRAIN : HEAP_GRAIN;
    if (wg_u64map_get(&heap->idle, bytes, &at) && at) {
        wg_u64map_get(&heap->next, at, &before);
        if (!wg_u64map_set(&heap->idle, bytes, before)) return 0;
    } else {
        if (bytes > heap->size - heap->top) return 0;
        at = heap->start + heap->top;
        heap->top += bytes;
    }
    return wg_u64map_set(&heap->live, at, bytes) ? at : 0;
}

bool drv_heap_give(struct eng_heap *heap, uint64_t at) {
    uint64_t bytes, before = 0;
    if (!wg_u64map_get(&heap->live, at, &bytes)) return false;
    wg_u64map_remove(&heap->live, at);
    wg_u64map_get(&heap->idle, bytes, &before);
    return wg_u64map_set(&heap->next, at, before) && wg_u64map_set(&heap->idle, bytes, at);
}

static void given_event(eng_warp *w, const eng_ins *i, unsigned lane, uint64_t at, uint64_t bytes) {
    if (!(w->worker->wants & 1u << ENG_EV_GIVEN)) return;
    eng_event *ev = eng_event_new(w);
    *ev = (eng_event){.kind = ENG_EV_GIVEN, .instr = i->id, .function = i->function, .warp = (uint16_t)w->index, .mask = 1u << lane,
                      .more = (uint32_t)((bytes + HEAP_GRAIN - 1) / HEAP_GRAIN), .address = at};
    eng_event_done(w);
}

static bool call_malloc(eng_warp *w, const eng_ins *i, unsigned lane) {
    uint64_t bytes = drv_get64(w, DRV_ARGUMENT, lane), at = drv_heap_take(w->worker->device->heap, bytes);
    if (at && w->undefined) mem_undefine_range(w->worker->memory_state, at, bytes);
    if (at) given_event(w, i, lane, at, bytes);
    drv_put64(w, DRV_ARGUMENT, lane, at);
    drv_answered(w, lane);
    return true;
}

static bool call_free(eng_warp *w, const eng_ins *i, unsigned lane) {
    uint64_t at = drv_get64(w, DRV_ARGUMENT, lane);
    if (!at || drv_heap_give(w->worker->device->heap, at)) return true;
    eng_finding f = {.kind = ENG_FAULT_FREE, .lanes = 1u << lane, .address = at, .fatal = true};
    snprintf(f.text, sizeof f.text, "free(0x%llx): no live block of device-side malloc begins there", (unsigned long long)at);
    eng_fault(w, i, &f);
    return false;
}

/* --- __assertfail ---------------------------------------------------------------------------- */

/* (const char *expression, const char *file, unsigned line, const char *function, size_t character) */
typedef struct assertion {
    wg_text expression, file, function;
    unsigned line;
} assertion;

static assertion fetch_assertion(eng_warp *w, unsigned lane) {
    assertion a = {.line = *drv_reg(w, DRV_ARGUMENT + 4, lane)};
    fetch_string(w, lane, drv_get64(w, DRV_ARGUMENT, lane), &a.expression);
    fetch_string(w, lane, drv_get64(w, DRV_ARGUMENT + 2, lane), &a.file);
    fetch_string(w, lane, drv_get64(w, DRV_ARGUMENT + 6, lane), &a.function);
    return a;
}

static void free_assertion(assertion *a) {
    wg_text_free(&a->expression);
    wg_text_free(&a->file);
    wg_text_free(&a->function);
}

static const char *known(const wg_text *text) { return text->at ? text->at : "?"; }

/* Every lane of the call says what failed; the launch ends behind the last one. */
static bool call_assertfail(eng_warp *w, const eng_ins *i, unsigned lane) {
    (void)i;
    const uint32_t *b = w->block->index, *n = w->worker->grid->block;
    uint32_t thread = w->index * 32 + lane;
    assertion a = fetch_assertion(w, lane);
    wg_text out = {0};
    wg_text_printf(&out, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", known(&a.file), a.line,
                   known(&a.function), b[0], b[1], b[2], thread % n[0], thread / n[0] % n[1], thread / n[0] / n[1], known(&a.expression));
    print(w, true, &out);
    wg_text_free(&out);
    free_assertion(&a);
    return true;
}

static bool end_at_assertion(eng_warp *w, const eng_ins *i, uint32_t lanes) {
    assertion a = fetch_assertion(w, (unsigned)__builtin_ctz(lanes));
    eng_finding f = {.kind = ENG_FAULT_ASSERT, .lanes = lanes, .fatal = true};
    snprintf(f.text, sizeof f.text, "assert(%s) at %s:%u", known(&a.expression), known(&a.file), a.line);
    eng_fault(w, i, &f);
    free_assertion(&a);
    return false;
}

/* --- cudaGraphSetConditional ------------------------------------------------------------------ */

/* (cudaGraphConditionalHandle handle, unsigned value). A handle is the address of the word that the graph looks at. */
static bool call_set_conditional(eng_warp *w, const eng_ins *i, unsigned lane) {
    uint32_t value = *drv_reg(w, DRV_ARGUMENT + 2, lane);
    if (eng_memory_fill(w->worker->device->memory, drv_get64(w, DRV_ARGUMENT, lane), &value, sizeof value, 1, NULL) == WG_OK) return true;
    eng_finding f = {.kind = ENG_FAULT_WILD, .lanes = 1u << lane, .address = drv_get64(w, DRV_ARGUMENT, lane), .fatal = true};
    snprintf(f.text, sizeof f.text, "cudaGraphSetConditional of 0x%llx, which is no handle of a condition", (unsigned long long)f.address);
    eng_fault(w, i, &f);
    return false;
}

/* --- calls ------------------------------------------------------------------------------------ */

static const drv_function provided[] = {{"vprintf", call_vprintf, NULL}, {"malloc", call_malloc, NULL}, {"free", call_free, NULL},
                                        {"__assertfail", call_assertfail, end_at_assertion},
                                        {"cudaGraphSetConditional", call_set_conditional, NULL}, {0}};

static const drv_function *find(const char *name) {
    static const drv_function *const tables[] = {provided, drv_nested, drv_textures};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const drv_function *f = tables[t]; f->name; f++)
            if (!strcmp(f->name, name)) return f;
    return NULL;
}

bool eng_driver_wanted(const img_module *module) { return module->n_externs != 0; }

static bool refuse(eng_warp *w, const eng_ins *i, uint32_t lanes, const char *name) {
    eng_finding f = {.kind = ENG_FAULT_UNSUPPORTED, .lanes = lanes, .fatal = true};
    snprintf(f.text, sizeof f.text, "a call of %s, a function of the driver that warpgrind does not provide to device code", name);
    eng_fault(w, i, &f);
    return false;
}

static bool call_named(eng_warp *w, const eng_ins *i, const char *name, uint32_t lanes) {
    const drv_function *f = find(name);
    if (!f || w->worker->grid->plan->n_regs < DRV_REGISTERS) return refuse(w, i, lanes, name);
    for (unsigned l = 0; l < 32; l++)
        if ((lanes >> l & 1) && !f->call(w, i, l)) return false;
    return !f->after || f->after(w, i, lanes);
}

bool eng_driver_call(eng_warp *w, const eng_ins *i, uint64_t place[32], uint32_t lanes) {
    const img_module *module = w->worker->grid->code->module;
    for (size_t k = 0; k < module->n_externs; k++) {
        uint32_t calling = 0;
        for (unsigned l = 0; l < 32; l++)
            if ((lanes >> l & 1) && place[l] == ENG_EXTERN_PLACE + 16 * k) calling |= 1u << l;
        if (!calling) continue;
        w->worker->externs_called |= UINT64_C(1) << (k < 63 ? k : 63);
        if (!call_named(w, i, module->externs[k], calling)) return false;
        for (unsigned l = 0; l < 32; l++)
            if (calling >> l & 1) place[l] = drv_get64(w, DRV_RETURN, l) - ENG_CODE_BASE;
        lanes &= ~calling; /* where they return to is not another call */
    }
    return true;
}
