#include "cudart/shared.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <ucontext.h>

#include "cudart/context.h"
#include "cudart/lastwords.h"

static _Atomic uint64_t shared_from, shared_end; /* where such memory lies; equal: there is none */

static bool may_be_shared(uint64_t address, uint64_t size) {
    return address < atomic_load_explicit(&shared_end, memory_order_relaxed) && address + size > atomic_load_explicit(&shared_from, memory_order_relaxed);
}

void rt_shared_begin(void) {
    ses_order_share(rt.session);
    if (!ses_order_kept(rt.session)) return;
    uint64_t size, from = eng_memory_range(rt_memory(), &size);
    atomic_store(&shared_from, from);
    atomic_store(&shared_end, from + size);
}

/* Who has handlers of its own for faults would hear of these. */
void rt_shared_settle(void) {
    if (!rt.session || atomic_load(&shared_from) == atomic_load(&shared_end)) return;
    if (rt_lastwords_hears(SIGSEGV)) ses_host_settle(rt.session);
    else ses_host_end(rt.session);
}

/* --- accesses by the program's own instructions ------------------------------------------------------------ */

#if defined(__x86_64__)
enum { WRITES = 2 /* in a page fault's error code */, STEP = 1 << 8, BACKWARDS = 1 << 10 /* flags */ };
static bool is_write(const ucontext_t *uc) { return uc->uc_mcontext.gregs[REG_ERR] & WRITES; }
static uint64_t instruction(const ucontext_t *uc) { return (uint64_t)uc->uc_mcontext.gregs[REG_RIP]; }
static void step(ucontext_t *uc, bool on) {
    if (on) uc->uc_mcontext.gregs[REG_EFL] |= STEP;
    else uc->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)STEP;
}

/* Bytes from here on that the instruction accesses, one after the other, when it is one of strings that repeats; 0: it is none. */
static uint64_t repeats(const ucontext_t *uc) {
    const uint8_t *code = (const uint8_t *)(uintptr_t)instruction(uc);
    bool repeated = false, half = false;
    unsigned wide = 0;
    for (;; code++) {
        if (*code == 0xf2 || *code == 0xf3) repeated = true;
        else if (*code == 0x66) half = true;
        else if (*code != 0x67) break;
    }
    if ((*code & 0xf0) == 0x40) wide = *code++ & 8;
    bool strings = (*code >= 0xa4 && *code <= 0xa7) || (*code >= 0xaa && *code <= 0xaf);
    if (!repeated || !strings) return 0;
    uint64_t width = !(*code & 1) ? 1 : wide ? 8 : half ? 2 : 4;
    return uc->uc_mcontext.gregs[REG_EFL] & BACKWARDS ? width : width * (uint64_t)uc->uc_mcontext.gregs[REG_RCX];
}
#else
/* Which access it was is not known, and it cannot be followed for one instruction: what is spared is opened for good. */
static bool is_write(const ucontext_t *uc) { return (void)uc, true; }
static uint64_t instruction(const ucontext_t *uc) { return (void)uc, 0; }
static void step(ucontext_t *uc, bool on) { (void)uc, (void)on; }
static uint64_t repeats(const ucontext_t *uc) { return (void)uc, 1; }
#endif

/* What was opened for the one instruction that this thread executes: it may touch memory in several places. */
static _Thread_local struct { uint64_t from, end; } opened[4];
static _Thread_local unsigned n_opened;

/* Does the thread hear of the next instruction? */
static bool can_step(const ucontext_t *uc) {
    return n_opened < sizeof opened / sizeof *opened && !sigismember(&uc->uc_sigmask, SIGTRAP) && rt_lastwords_hears(SIGTRAP);
}

/* The program's frames from the faulting instruction on. A frame holds a return address, which is behind its place. */
static unsigned stack_of(const ucontext_t *uc, void *frames[RT_STACK_FRAMES]) {
    unsigned n = rt_stack(frames), first = 0;
    while (first < n && (uintptr_t)frames[first] != instruction(uc)) first++;
    if (first == n) return n;
    memmove(frames, frames + first, (n - first) * sizeof *frames);
    frames[0] = (char *)frames[0] + 1;
    return n - first;
}

static bool touched(ucontext_t *uc, uint64_t at) {
    void *frames[RT_STACK_FRAMES];
    uint64_t size = repeats(uc);
    ses_touch touch = {.from = at, .end = at + (size ? size : 1), .writes = is_write(uc), .stack = frames, .n_stack = stack_of(uc, frames)};
    if (!eng_memory_shared(rt_memory(), at)) return false;
    if (ses_host_touches(rt.session, &touch) == SES_OPEN) return true;
    if (size || !can_step(uc)) {
        ses_host_give(rt.session, touch.from, touch.end);
        return true;
    }
    opened[n_opened].from = touch.from;
    opened[n_opened++].end = touch.end;
    step(uc, true);
    return true;
}

bool rt_shared_fault(const siginfo_t *info, void *machine) {
    uint64_t at = (uintptr_t)info->si_addr;
    if (!may_be_shared(at, 1)) return false;
    bool within = pthread_mutex_lock(&rt.lock) != 0; /* a call of the program's, to which it gave such an address */
    bool ours = false;
    if (rt.session && within && (ours = eng_memory_shared(rt_memory(), at))) ses_host_give(rt.session, at, at + 1);
    else if (rt.session && !within) ours = touched(machine, at);
    if (!within) pthread_mutex_unlock(&rt.lock);
    return ours;
}

bool rt_shared_stepped(void *machine) {
    if (!n_opened) return false;
    pthread_mutex_lock(&rt.lock);
    while (n_opened) n_opened--, ses_host_shut_again(rt.session, opened[n_opened].from, opened[n_opened].end);
    pthread_mutex_unlock(&rt.lock);
    step(machine, false);
    return true;
}

/* --- accesses by the system -------------------------------------------------------------------------------- */

bool rt_shared_enter(const void *address, size_t size, bool writes) {
    uint64_t at = (uintptr_t)address;
    if (!size || !may_be_shared(at, size) || pthread_mutex_lock(&rt.lock)) return false;
    int error = errno;
    void *frames[RT_STACK_FRAMES];
    bool spared = rt.session && eng_memory_shared(rt_memory(), at) &&
                  ses_host_touches(rt.session, &(ses_touch){.from = at, .end = at + size, .writes = writes, .stack = frames, .n_stack = rt_stack(frames)}) == SES_SPARED;
    pthread_mutex_unlock(&rt.lock);
    errno = error;
    return spared;
}

void rt_shared_leave(const void *address, size_t size) {
    int error = errno; /* what the call says */
    pthread_mutex_lock(&rt.lock);
    ses_host_shut_again(rt.session, (uintptr_t)address, (uintptr_t)address + size);
    pthread_mutex_unlock(&rt.lock);
    errno = error;
}
