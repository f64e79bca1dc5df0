/*
 * agent/real.h - the functions that we hook, as the next library defines them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

/* result, name, parameters */
#define SC_REAL_FUNCTIONS(X)                                                                       \
    X(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))       \
    X(int, pthread_sigmask, (int, const sigset_t *, sigset_t *))                                   \
    X(int, sigprocmask, (int, const sigset_t *, sigset_t *))                                       \
    X(int, sigaction, (int, const struct sigaction *, struct sigaction *))                         \
    X(sighandler_t, signal, (int, sighandler_t))                                                   \
    X(int, siginterrupt, (int, int))                                                               \
    X(sighandler_t, __sysv_signal, (int, sighandler_t))                                            \
    X(sighandler_t, sigset, (int, sighandler_t))                                                   \
    X(int, sigignore, (int))                                                                       \
    X(int, sigpending, (sigset_t *))                                                               \
    X(int, sigtimedwait, (const sigset_t *, siginfo_t *, const struct timespec *))                 \
    X(int, prctl, (int, ...))                                                                      \
    X(long, syscall, (long, ...))                                                                  \
    X(int, signalfd, (int, const sigset_t *, int))                                                 \
    X(int, execve, (const char *, char *const *, char *const *))                                   \
    X(int, execvpe, (const char *, char *const *, char *const *))                                  \
    X(int, fexecve, (int, char *const *, char *const *))                                           \
    X(int, posix_spawn,                                                                            \
      (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,       \
       char *const *, char *const *))                                                              \
    X(int, posix_spawnp,                                                                           \
      (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,       \
       char *const *, char *const *))                                                              \
    X(int, system, (const char *))                                                                 \
    X(FILE *, popen, (const char *, const char *))                                                 \
    X(char *, getenv, (const char *))                                                              \
    X(int, chdir, (const char *))                                                                  \
    X(int, fchdir, (int))                                                                          \
    X(pid_t, waitpid, (pid_t, int *, int))                                                         \
    X(pid_t, wait4, (pid_t, int *, int, struct rusage *))                                          \
    X(int, waitid, (idtype_t, id_t, siginfo_t *, int))                                             \
    X(void, _exit, (int))                                                                          \
    X(void, quick_exit, (int))

struct sc_real {
#define X_MEMBER(result, name, parameters) result(*name) parameters;
    SC_REAL_FUNCTIONS(X_MEMBER)
#undef X_MEMBER
};

/* Looked up on first use; in a signal handler use it only after the constructor has run. */
const struct sc_real *sc_real(void);

/* The same for code that must not look anything up: NULL before the first use of the above. */
const struct sc_real *sc_real_if_known(void);

/* The function of that name that our hook has to call, NULL when there is none: the next library's
 * when this library is preloaded, the one that the program itself uses when it was loaded later. */
void *sc_real_symbol(const char *name);

/* Whether function is one of those in struct sc_real. Only after they have been looked up. */
bool sc_real_has(const void *function);

/* Records that this library was loaded into a program that runs already, so nothing is bound to its
 * functions. Call it before the first use of any of the above. */
void sc_real_is_late(void);
