#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

typedef struct member {
    wg_pool *pool;
    pthread_t thread;
    int worker;
} member;

struct wg_pool {
    int n, started; /* workers, and threads that run (at most n - 1) */
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    uint64_t round;  /* counts runs: a member takes part in each once */
    bool open;       /* it still may: who wakes up when all items are done does not count */
    atomic_int busy; /* members that take part; changed with the lock held */
    bool stop;

    atomic_size_t next; /* first item nobody took */
    size_t n_items;
    wg_pool_fn *fn;
    void *context;
    member members[];
};

static void take_items(wg_pool *pool, int worker) {
    for (;;) {
        size_t item = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (item >= pool->n_items) return;
        pool->fn(pool->context, worker, item);
    }
}

static void *work(void *arg) {
    member *me = arg;
    wg_pool *pool = me->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->round == seen && !pool->stop) pthread_cond_wait(&pool->wake, &pool->lock);
        if (pool->stop) break;
        seen = pool->round;
        if (!pool->open) continue;
        pool->busy++;
        pthread_mutex_unlock(&pool->lock);
        take_items(pool, me->worker);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

wg_pool *wg_pool_new(int n) {
    if (n < 1 || n > 1024) return NULL;
    wg_pool *pool = calloc(1, sizeof *pool + (size_t)n * sizeof(member));
    if (!pool) return NULL;
    pool->n = n;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    /* The program's signal handlers must not run on our threads; a fault of our own is handled where it happens. */
    sigset_t all, old;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV), sigdelset(&all, SIGBUS), sigdelset(&all, SIGFPE), sigdelset(&all, SIGILL);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    for (int i = 1; i < n; i++) {
        member *m = &pool->members[i];
        *m = (member){.pool = pool, .worker = i};
        if (pthread_create(&m->thread, NULL, work, m) != 0) break;
        pool->started++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (pool->started != n - 1) {
        wg_pool_free(pool);
        return NULL;
    }
    return pool;
}

void wg_pool_free(wg_pool *pool) {
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 1; i <= pool->started; i++) pthread_join(pool->members[i].thread, NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_cond_destroy(&pool->done);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

/* Items that were shared out well end nearly together, and to sleep and be woken takes longer than that. */
static void await_a_little(const wg_pool *pool) {
    enum { PATIENCE = 20000 /* ns */ };
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        for (int i = 0; i < 8; i++) {
            if (!atomic_load_explicit(&pool->busy, memory_order_acquire)) return;
            __builtin_ia32_pause();
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < PATIENCE);
}

int wg_pool_workers(const wg_pool *pool) {
    return pool->n;
}

void wg_pool_run(wg_pool *pool, size_t n_items, wg_pool_fn *fn, void *context) {
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->next, 0);
    pool->n_items = n_items;
    pool->fn = fn;
    pool->context = context;
    /* One item needs no help; waking the others would cost more than it brings. */
    if (n_items > 1) {
        pool->open = true;
        pool->round++;
        pthread_cond_broadcast(&pool->wake);
    }
    pthread_mutex_unlock(&pool->lock);
    take_items(pool, 0);
    await_a_little(pool);
    pthread_mutex_lock(&pool->lock);
    pool->open = false;
    while (pool->busy) pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

int wg_pool_cpus(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    int n = CPU_COUNT(&set);
    return n < 1 ? 1 : n;
}
