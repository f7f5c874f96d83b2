/* The end of a program: its last words go into the record however it ends.
 *
 * exit comes here by a handler that was registered before any of the program's own and so runs after them;
 * _exit, _Exit and quick_exit through functions of this library that stand before the C library's; abort
 * and fatal signals through handlers, installed when the device is first used, that go on to the program's
 * own handler or die of the same signal. SIGKILL and exec leave what was streamed until then. */
#ifndef WG_CUDART_LASTWORDS_H
#define WG_CUDART_LASTWORDS_H

#include <stdbool.h>

/* From the library's constructor, in every process. */
void rt_lastwords_start(void);
/* When the session is open: handlers of fatal signals, and of fork. */
void rt_lastwords_arm(void);
/* In each thread that calls the runtime: a stack for the handlers, so that overflows are seen too. */
void rt_lastwords_thread(void);
/* Does this library still hear of the signal first, or has the program put a handler before it? */
bool rt_lastwords_hears(int signal);
/* After a kernel: dies of a signal that came while it ran, or ends as --stop-on-error or --kill ask. */
void rt_lastwords_due(void);

#endif
