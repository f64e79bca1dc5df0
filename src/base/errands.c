/*
 * base/errands.c - work that may block, done by another thread.
 *
 * Threads are detached. One that was given up finds, when it is no longer blocked, that another
 * thread has taken its place, and ends.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/errands.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/thread.h"

#define THREADS_MAX 4U
#define END_WAIT_NS 100000000U

struct sc_errands {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct sc_errand *first; /* the first that waits */
    struct sc_errand *last;
    struct sc_errand *running;
    unsigned begun; /* threads started; only the last of them works */
    bool is_closed;
    bool has_lost;
    unsigned alive; /* threads that have not ended */
};

struct worker {
    struct sc_errands *errands;
    unsigned number;
};

/* Where a fault of the thread's errand leads to; NULL outside of one. */
static _Thread_local sigjmp_buf *way_out;

/* Called when a mapped file has become shorter, or was replaced after its numbers were checked. A
 * fault of any other code ends the process, as without this handler. */
static void leave(int signal_number)
{
    if (way_out != NULL)
        siglongjmp(*way_out, 1);
    (void)signal(signal_number, SIG_DFL); /* the fault occurs again and ends the process */
}

static void catch_faults(void)
{
    struct sigaction action = {.sa_handler = leave};
    (void)sigaction(SIGBUS, &action, NULL);
    (void)sigaction(SIGSEGV, &action, NULL);
}

/* False when the errand ended by a fault. */
static bool run(struct sc_errand *errand)
{
    sigjmp_buf here;
    if (sigsetjmp(here, 1) != 0) { /* with the mask: the fault's signal is blocked then */
        way_out = NULL;
        return false;
    }
    way_out = &here;
    errand->work(errand);
    way_out = NULL;
    return true;
}

struct sc_errands *sc_errands_new(void)
{
    struct sc_errands *errands = sc_alloc(1, sizeof(*errands));
    pthread_condattr_t attributes;
    (void)pthread_mutex_init(&errands->lock, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&errands->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    catch_faults();
    return errands;
}

static struct sc_errand *take_first(struct sc_errands *errands)
{
    struct sc_errand *errand = errands->first;
    errands->first = errand->next;
    if (errands->first == NULL)
        errands->last = NULL;
    errand->next = NULL;
    return errand;
}

/* Called with the lock held; it is released while the errand runs. */
static void do_first(struct sc_errands *errands, unsigned number)
{
    struct sc_errand *errand = take_first(errands);
    errand->state = SC_ERRAND_RUNNING;
    errands->running = errand;
    (void)pthread_mutex_unlock(&errands->lock);
    bool is_done = run(errand);
    (void)pthread_mutex_lock(&errands->lock);
    if (number != errands->begun) /* given up */
        return;
    errands->running = NULL;
    errands->has_lost = errands->has_lost || !is_done;
    errand->state = is_done ? SC_ERRAND_DONE : SC_ERRAND_LOST;
    (void)pthread_cond_broadcast(&errands->changed);
}

static void *work(void *argument)
{
    struct worker worker = *(struct worker *)argument;
    struct sc_errands *errands = worker.errands;
    free(argument);
    (void)pthread_mutex_lock(&errands->lock);
    while (worker.number == errands->begun && !errands->is_closed) {
        if (errands->first != NULL)
            do_first(errands, worker.number);
        else
            (void)pthread_cond_wait(&errands->changed, &errands->lock);
    }
    errands->alive--;
    (void)pthread_cond_broadcast(&errands->changed);
    (void)pthread_mutex_unlock(&errands->lock);
    return NULL;
}

static void lose_all(struct sc_errands *errands)
{
    while (errands->first != NULL)
        take_first(errands)->state = SC_ERRAND_LOST;
    errands->has_lost = true;
}

/* The lock is held. */
static void begin(struct sc_errands *errands)
{
    struct worker *worker = sc_alloc(1, sizeof(*worker));
    errands->begun++;
    *worker = (struct worker){errands, errands->begun};
    if (!sc_thread_start(work, worker)) {
        free(worker);
        errands->begun = THREADS_MAX;
        lose_all(errands);
        return;
    }
    errands->alive++;
}

void sc_errands_ask(struct sc_errands *errands, struct sc_errand *errand)
{
    (void)pthread_mutex_lock(&errands->lock);
    if (errand->state != SC_ERRAND_IDLE) {
        (void)pthread_mutex_unlock(&errands->lock);
        return;
    }
    errand->state = SC_ERRAND_WAITING;
    errand->next = NULL;
    if (errands->last != NULL)
        errands->last->next = errand;
    else
        errands->first = errand;
    errands->last = errand;
    if (errands->begun == 0)
        begin(errands);
    else if (errands->begun > THREADS_MAX || errands->alive == 0)
        lose_all(errands);
    (void)pthread_cond_broadcast(&errands->changed);
    (void)pthread_mutex_unlock(&errands->lock);
}

static bool is_over(enum sc_errand_state state)
{
    return state != SC_ERRAND_WAITING && state != SC_ERRAND_RUNNING;
}

enum sc_errand_state sc_errands_wait(struct sc_errands *errands, struct sc_errand *errand,
                                     uint64_t patience_ns)
{
    struct timespec until = sc_timespec(sc_now_ns() + patience_ns);
    int code = 0;
    (void)pthread_mutex_lock(&errands->lock);
    while (!is_over(errand->state) && code == 0)
        code = pthread_cond_timedwait(&errands->changed, &errands->lock, &until);
    enum sc_errand_state state = errand->state;
    (void)pthread_mutex_unlock(&errands->lock);
    return state;
}

void sc_errands_give_up(struct sc_errands *errands)
{
    (void)pthread_mutex_lock(&errands->lock);
    if (errands->running != NULL) {
        errands->running->state = SC_ERRAND_LOST;
        errands->running = NULL;
        errands->has_lost = true;
        if (errands->begun < THREADS_MAX)
            begin(errands);
        else {
            errands->begun++;
            lose_all(errands);
        }
    }
    (void)pthread_mutex_unlock(&errands->lock);
}

bool sc_errands_free(struct sc_errands *errands)
{
    if (errands == NULL)
        return true;
    struct timespec until = sc_timespec(sc_now_ns() + END_WAIT_NS);
    int code = 0;
    (void)pthread_mutex_lock(&errands->lock);
    errands->is_closed = true;
    (void)pthread_cond_broadcast(&errands->changed);
    while (errands->alive > 0 && code == 0)
        code = pthread_cond_timedwait(&errands->changed, &errands->lock, &until);
    bool is_free = errands->alive == 0;
    bool is_clean = is_free && !errands->has_lost;
    (void)pthread_mutex_unlock(&errands->lock);
    if (!is_free)
        return false;
    (void)pthread_cond_destroy(&errands->changed);
    (void)pthread_mutex_destroy(&errands->lock);
    free(errands);
    return is_clean;
}
