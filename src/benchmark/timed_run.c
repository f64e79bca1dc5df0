/* benchmark/timed_run.c - see timed_run.h. SPDX-License-Identifier: Apache-2.0 */
#include "benchmark/timed_run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/child.h"
#include "base/io.h"
#include "base/mem.h"

#define LOOK_MS   20 /* for cancelling */
#define TERM_S    5.0
#define NS_PER_S  1e9
#define US_PER_S  1e6
#define KB_PER_MB 1024.0

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / US_PER_S;
}

/* The signal for what has not ended so long after it was asked to. Before SIGKILL, which leaves no
 * time to write a profile, a program that ignores SIGINT has SIGTERM. */
static int signal_after(const struct sc_timed_command *command, double s)
{
    if (s >= command->grace_s + fmin(command->grace_s, TERM_S))
        return SIGKILL;
    return s >= command->grace_s ? SIGTERM : SIGINT;
}

/* Ctrl-Z stops the run with us. Returns how long, which is none of its time. */
static uint64_t stop_with(pid_t pid, const sigset_t *stop)
{
    sigset_t pending;
    if (sigpending(&pending) != 0 || sigismember(&pending, SIGTSTP) != 1)
        return 0;
    uint64_t stopped_ns = sc_now_ns();
    (void)kill(-pid, SIGSTOP);
    (void)pthread_sigmask(SIG_UNBLOCK, stop, NULL); /* here */
    (void)pthread_sigmask(SIG_BLOCK, stop, NULL);
    (void)kill(-pid, SIGCONT);
    return sc_now_ns() - stopped_ns;
}

/* Waits until the child ends; ends it and its session when the time limit has passed. */
static bool await_end(const struct sc_timed_command *command, pid_t pid, uint64_t start_ns,
                      const sigset_t *stop, struct sc_timed_run *ret_run, struct sc_err *err)
{
    struct rusage usage = {0};
    const char *why = NULL;
    double asked_s = 0.0; /* when it was asked to end */
    int last = 0;         /* the signal by which it was asked last */
    while (!sc_child_await(pid, LOOK_MS)) {
        start_ns += stop_with(pid, stop);
        double spent_s = (double)(sc_now_ns() - start_ns) / NS_PER_S;
        bool is_late = command->limit_s > 0.0 && spent_s > command->limit_s;
        bool is_cancelled =
            command->is_cancelled != NULL && command->is_cancelled(command->context);
        if (why == NULL && (is_late || is_cancelled)) {
            why = is_cancelled ? "cancelled" : "a run took too long and was ended";
            asked_s = spent_s;
        }
        int next = why != NULL ? signal_after(command, spent_s - asked_s) : 0;
        if (next != last || next == SIGKILL)
            (void)kill(-pid, next);
        last = next;
    }
    ret_run->elapsed_s = (double)(sc_now_ns() - start_ns) / NS_PER_S;
    int status = sc_child_kill(pid, &usage); /* and what it has left behind */
    ret_run->cpu_s = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    ret_run->max_rss_mb = (double)usage.ru_maxrss / KB_PER_MB;
    ret_run->status = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    return why == NULL || sc_fail(err, SC_ERR_FAILED, "%s", why);
}

bool sc_timed_run(const struct sc_timed_command *command, struct sc_timed_run *ret_run,
                  struct sc_err *err)
{
    uint64_t start_ns = sc_now_ns();
    pid_t pid = 0;
    sigset_t stop;
    sigset_t before;
    SC_AUTO_CLOSE int output =
        open(command->output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    if (output < 0)
        return sc_fail_errno(err, errno, "'%s' cannot be written", command->output);
    const struct sc_child child = {
        .words = command->words,
        .environment = command->environment,
        .directory = command->directory,
        .streams = {SC_CHILD_NOTHING, output, output},
        .end_signal = SIGTERM, /* who is killed while it waits can end nothing */
        .is_apart = true,      /* one signal then ends all processes of the run */
        .has_streams_alone = true,
    };
    (void)sigemptyset(&stop);
    (void)sigaddset(&stop, SIGTSTP);
    (void)pthread_sigmask(SIG_BLOCK, &stop, &before);
    bool good =
        sc_child_start(&child, &pid, err) && await_end(command, pid, start_ns, &stop, ret_run, err);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}
