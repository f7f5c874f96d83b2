/* Memory that the host and the device share (managed, pinned), while an operation that the host has not waited for may still touch
 * it: what was touched is shut to the program (session.h), and its accesses come here, by a fault or through the C library's calls. */
#ifndef WG_CUDART_SHARED_H
#define WG_CUDART_SHARED_H

#include <signal.h>
#include <stdbool.h>

void rt_shared_begin(void);  /* there is such memory; with the lock held */
void rt_shared_settle(void); /* before a call returns; with the lock held */

/* For the handlers of SIGSEGV and SIGTRAP: true when that is all there was to it. */
bool rt_shared_fault(const siginfo_t *info, void *machine);
bool rt_shared_stepped(void *machine);

/* The system is about to read or write [at, at + size) for the program. It would fail where memory is shut, without a fault: so that
 * is looked at before. True: rt_shared_leave must follow. */
bool rt_shared_enter(const void *at, size_t size, bool writes);
void rt_shared_leave(const void *at, size_t size);

#endif
