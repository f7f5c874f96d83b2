/* Blocks that spin: does anything change from round to round? */
#ifndef WG_ENGINE_LIVELOCK_H
#define WG_ENGINE_LIVELOCK_H

#include "engine/run.h"

typedef struct eng_livelock { /* zeros: nothing seen yet */
    uint64_t round, next, kept;
    int64_t since; /* seconds; 0: not begun */
    unsigned repeats, put_forward; /* so often were the clocks */
} eng_livelock;

/* Is there memory that the program writes without telling (pinned, registered, managed)? */
bool eng_host_may_write(const eng_memory *mem);
/* Every block that lives has spun for a turn and no other can begin. True: they will do so for ever. */
bool eng_livelock_round(eng_livelock *l, eng_blk *const *blocks, unsigned n);
/* Something has happened, or the launch ends. */
void eng_livelock_over(eng_livelock *l, eng_worker *worker);

#endif
