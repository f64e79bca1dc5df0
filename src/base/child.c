/* base/child.c - see child.h. SPDX-License-Identifier: Apache-2.0 */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

#define STREAMS       3
#define NS_PER_MS     1000000U
#define LOOK_MS       20        /* where there are no pidfds */
#define CANNOT_START  127       /* the status of a shell */
#define CLOSE_AT_EXEC (1U << 2) /* CLOSE_RANGE_CLOEXEC of linux/close_range.h, Linux 5.11 */
#define FD_LIMIT      1024

static bool ends_are_ignored; /* by what our parent has left to us */
static bool inherits_orphans; /* this process does: those of the processes below it */

void sc_child_prepare(void)
{
    for (int fd = 0; fd < STREAMS; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)open("/dev/null", O_RDWR | O_CLOEXEC); /* gets that number */

    struct sigaction before;
    ends_are_ignored = sigaction(SIGCHLD, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
    if (ends_are_ignored)
        (void)signal(SIGCHLD, SIG_DFL);
    int is_subreaper = 0;
    inherits_orphans =
        getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &is_subreaper) == 0 && is_subreaper != 0);
}

bool sc_ignores_hangup(void)
{
    struct sigaction now;
    return sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

void sc_hold_ends(sigset_t *ret_before)
{
    sigset_t held;
    struct sigaction now;
    (void)sigemptyset(&held);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            (void)sigaddset(&held, ends[i]);
    (void)sigprocmask(SIG_BLOCK, &held, ret_before);
}

bool sc_is_told_to_end(void)
{
    sigset_t pending;
    bool is_told = false;
    if (sigpending(&pending) != 0)
        return false;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        is_told = is_told || sigismember(&pending, ends[i]) == 1;
    return is_told;
}

/* One that is none of the standard streams, as one of them may have to lie there. */
static int beyond_streams(int fd)
{
    return fd >= 0 && fd < STREAMS ? fcntl(fd, F_DUPFD_CLOEXEC, STREAMS) : fd;
}

static bool set_streams(const int *streams)
{
    int from[STREAMS];
    bool good = true;
    for (int i = 0; i < STREAMS; i++) /* there may be hardly any descriptors */
        from[i] = streams[i] == i
                      ? i
                      : beyond_streams(streams[i] >= 0 ? streams[i]
                                                       : open("/dev/null", O_RDWR | O_CLOEXEC));
    for (int i = 0; i < STREAMS; i++)
        good = good && (streams[i] == i || dup2(from[i], i) == i);
    return good;
}

static void leave_the_terminal(void)
{
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)setsid();
}

/* A parent that ends without our signal, before prctl, is gone afterwards. */
static void end_with(pid_t parent, int number)
{
    (void)prctl(PR_SET_PDEATHSIG, number);
    if (getppid() != parent)
        _exit(CANNOT_START);
}

/* Runs in the child after fork: only system calls. Why it cannot be started is written to report,
 * if that is not -1. */
static _Noreturn void become(const struct sc_child *child, pid_t parent, int report)
{
    char *const *environment = child->environment != NULL ? child->environment : environ;
    report = beyond_streams(report);
    if (child->end_signal != 0)
        end_with(parent, child->end_signal);
    if (child->is_apart)
        leave_the_terminal();
    if (child->mask != NULL)
        (void)sigprocmask(SIG_SETMASK, child->mask, NULL);
    if (ends_are_ignored)
        (void)signal(SIGCHLD, SIG_IGN);
    if (child->takes_our_place && inherits_orphans)
        (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t left = child->is_left ? fork() : 0;
    if (left > 0)
        _exit(0);
    if (left == 0 && set_streams(child->streams) &&
        (child->directory == NULL || chdir(child->directory) == 0)) {
        if (child->has_streams_alone &&
            syscall(SYS_close_range, (unsigned)STREAMS, ~0U, CLOSE_AT_EXEC) != 0)
            for (int fd = STREAMS; fd < FD_LIMIT; fd++)
                (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
        if (child->program != NULL)
            (void)execve(child->program, child->words, environment);
        else
            (void)execvpe(child->words[0], child->words, environment);
    }
    int cause = errno;
    (void)!write(report, &cause, sizeof(cause));
    _exit(CANNOT_START);
}

bool sc_child_start(const struct sc_child *child, pid_t *ret_pid, struct sc_err *err)
{
    int report[2] = {-1, -1};
    int cause = 0;
    const char *name = child->program != NULL ? child->program : child->words[0];
    /* where there are no descriptors for it, its status alone says that it was not started */
    bool is_reported = pipe2(report, O_CLOEXEC) == 0;
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0)
        become(child, parent, report[1]);
    if (pid < 0)
        cause = errno;
    if (is_reported)
        (void)close(report[1]);
    while (is_reported && pid > 0 && read(report[0], &cause, sizeof(cause)) < 0 && errno == EINTR)
        continue;
    if (is_reported)
        (void)close(report[0]);
    if (pid > 0 && (cause != 0 || child->is_left))
        (void)sc_child_reap(pid, NULL);
    if (cause != 0)
        return sc_fail_errno(err, cause, "'%s' cannot be started", name);
    *ret_pid = pid;
    return true;
}

bool sc_child_await(pid_t pid, unsigned limit_ms)
{
    uint64_t end_ns = sc_now_ns() + (uint64_t)limit_ms * NS_PER_MS;
    SC_AUTO_CLOSE int pidfd = (int)syscall(SYS_pidfd_open, pid, 0); /* Linux 5.3 */
    for (;;) {
        siginfo_t info = {0};
        uint64_t now_ns = sc_now_ns();
        if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 ? info.si_pid == pid
                                                                              : errno == ECHILD)
            return true;
        if (now_ns >= end_ns)
            return false;
        uint64_t rest_ms = (end_ns - now_ns) / NS_PER_MS + 1;
        (void)poll(&(struct pollfd){.fd = pidfd, .events = POLLIN}, 1,
                   rest_ms < LOOK_MS ? (int)rest_ms : LOOK_MS);
    }
}

int sc_child_reap(pid_t pid, struct rusage *ret_usage)
{
    int status = 0;
    while (wait4(pid, &status, 0, ret_usage) < 0 && errno == EINTR)
        continue;
    return status;
}

int sc_child_kill(pid_t pid, struct rusage *ret_usage)
{
    /* it is not reaped yet, so neither its pid nor its group's can have been used again */
    (void)kill(-pid, SIGKILL);
    (void)kill(pid, SIGKILL);
    return sc_child_reap(pid, ret_usage);
}

char *sc_own_executable(void)
{
    char *path = realpath("/proc/self/exe", NULL);
    return path != NULL ? path : sc_strdup("/proc/self/exe");
}
