/*
 * benchmark/timed_run.c - runs a command to its end and says what that took.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "benchmark/timed_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"

#define LOOK_MS      20 /* for cancelling, and for the end where there are no pidfds */
#define NS_PER_S     1e9
#define US_PER_S     1e6
#define KB_PER_MB    1024.0
#define CANNOT_START 127

/* The child's part: nothing but system calls that are safe between fork and exec. Who is killed
 * while it waits can end nothing, so the kernel does. */
static _Noreturn void exec_child(const struct sc_timed_command *command, pid_t parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(CANNOT_START);
    int in = open("/dev/null", O_RDONLY);
    int out = open(command->output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setsid(); /* one signal then ends all processes of the run */
    if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0 ||
        (command->directory != NULL && chdir(command->directory) != 0))
        _exit(CANNOT_START);
    for (int fd = 3; fd < 1024; fd++)
        (void)close(fd);
    (void)execvpe(command->words[0], command->words, command->environment);
    _exit(CANNOT_START);
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / US_PER_S;
}

/* Waits until the child ends; kills it and its session when the time limit has passed. */
static bool await_end(const struct sc_timed_command *command, pid_t pid, uint64_t start_ns,
                      struct sc_timed_run *ret_run, struct sc_err *err)
{
    struct rusage usage = {0};
    const char *why = NULL;
    double asked_s = 0.0; /* when it was asked to end */
    int status = 0;
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0); /* Linux 5.3 */
    for (;;) {
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid == pid)
            break;
        double spent_s = (double)(sc_now_ns() - start_ns) / NS_PER_S;
        bool is_late = command->limit_s > 0.0 && spent_s > command->limit_s;
        bool is_cancelled =
            command->is_cancelled != NULL && command->is_cancelled(command->context);
        if (why == NULL && (is_late || is_cancelled)) {
            why = is_cancelled ? "cancelled" : "a run took too long and was ended";
            asked_s = spent_s;
            if (command->grace_s > 0.0)
                (void)kill(-pid, SIGINT);
        }
        if (why != NULL && spent_s >= asked_s + command->grace_s)
            (void)kill(-pid, SIGKILL);
        (void)poll(&(struct pollfd){.fd = pidfd, .events = POLLIN}, 1, LOOK_MS);
    }
    ret_run->elapsed_s = (double)(sc_now_ns() - start_ns) / NS_PER_S;
    if (pidfd >= 0)
        (void)close(pidfd);
    /* processes left in its group end too; the pid is not reused yet, as it was not reaped */
    (void)kill(-pid, SIGKILL);
    (void)wait4(pid, &status, 0, &usage);
    ret_run->cpu_s = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    ret_run->max_rss_mb = (double)usage.ru_maxrss / KB_PER_MB;
    ret_run->status = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    return why == NULL || sc_fail(err, SC_ERR_FAILED, "%s", why);
}

bool sc_timed_run(const struct sc_timed_command *command, struct sc_timed_run *ret_run,
                  struct sc_err *err)
{
    uint64_t start_ns = sc_now_ns();
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0)
        exec_child(command, parent);
    if (pid < 0)
        return sc_fail_errno(err, errno, "cannot start a process");
    return await_end(command, pid, start_ns, ret_run, err);
}
