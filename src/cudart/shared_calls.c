/* Where the system reads or writes memory that is shut to the program, it returns an error instead of a fault. So the calls that have
 * it do that for whole buffers stand here before the C library's, open what they are about, and look at it. */
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "cudart/context.h"
#include "cudart/shared.h"

static bool enter_list(const struct iovec *list, size_t n, bool writes) {
    bool spared = false;
    for (size_t i = 0; list && i < n; i++) spared |= rt_shared_enter(list[i].iov_base, list[i].iov_len, writes);
    return spared;
}

static void leave_list(const struct iovec *list, size_t n) {
    for (size_t i = 0; i < n; i++) rt_shared_leave(list[i].iov_base, list[i].iov_len);
}

/* Under a name of its own, so that what the headers say of the C library's function does not hold for it here. */
#define CALL(result, name, parameters, arguments, enter, leave)                    \
    RT_API result shared_##name parameters __asm__(#name);                         \
    result shared_##name parameters {                                              \
        static union {                                                             \
            void *_Atomic at;                                                      \
            result (*call) parameters;                                             \
        } next;                                                                    \
        if (!atomic_load_explicit(&next.at, memory_order_relaxed)) atomic_store(&next.at, dlsym(RTLD_NEXT, #name)); \
        bool spared = enter;                                                       \
        result done = next.call arguments;                                         \
        if (spared) leave;                                                         \
        return done;                                                               \
    }
#define READS(result, name, parameters, arguments, at, n) CALL(result, name, parameters, arguments, rt_shared_enter(at, n, false), rt_shared_leave(at, n))
#define WRITES(result, name, parameters, arguments, at, n) CALL(result, name, parameters, arguments, rt_shared_enter(at, n, true), rt_shared_leave(at, n))
#define LIST(result, name, parameters, arguments, list, n, writes) \
    CALL(result, name, parameters, arguments, enter_list(list, (size_t)(n), writes), leave_list(list, (size_t)(n)))
#include "cudart/shared_calls.def"

/* A fault while its signal is blocked ends the process: who blocks all signals in a thread does not mean that one. */
typedef int set_mask(int how, const sigset_t *set, sigset_t *old);
static int mask_but_faults(const char *name, int how, const sigset_t *set, sigset_t *old) {
    union {
        void *at;
        set_mask *call;
    } next = {dlsym(RTLD_NEXT, name)};
    sigset_t kept;
    if (!set || how == SIG_UNBLOCK) return next.call(how, set, old);
    kept = *set;
    sigdelset(&kept, SIGSEGV);
    return next.call(how, &kept, old);
}
RT_API int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) { return mask_but_faults("pthread_sigmask", how, set, old); }
RT_API int sigprocmask(int how, const sigset_t *set, sigset_t *old) { return mask_but_faults("sigprocmask", how, set, old); }
