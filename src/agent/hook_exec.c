/*
 * agent/hook_exec.c - makes the programs that this process starts load the agent too.
 *
 * The program never sees the two variables that make a process load the agent, so they are added to
 * each environment that a new program is given, whatever else is in it. An environment that has a
 * rendezvous of its own is left alone: another run of this profiler has set it.
 *
 * These hooks run in children of vfork and fork, where nothing may be allocated: the new
 * environment is on the stack, or, if there is no room, in a mapping of its own. A child of vfork
 * has none, since it would stay in its parent's memory: what is started there without room is not
 * followed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/hook_exec.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/cuda/cuda.h"
#include "agent/hook_signal.h"
#include "agent/own_stack.h"
#include "agent/real.h"
#include "agent/rules.h"
#include "agent/state.h"
#include "agent/wrapper.h"
#include "channel/writer.h"

#define WORD_BYTES_MAX 131072 /* of a command line, as the kernel takes it (MAX_ARG_STRLEN) */
#define PRELOAD        "LD_PRELOAD="
#define RENDEZVOUS     SC_RENDEZVOUS_VARIABLE "="
#define TEXT_MAX       4096U

/* What stays free of the stack: libc's execvpe builds paths of up to 4 KB there. */
#define STACK_LEFT_BYTES 16384U

/* How long an exec waits for CUPTI: as a normal end of the process does. */
#define CUDA_WAIT_NS 2000000000U

/* What an environment may take of a stack whose bounds are not known. */
#define STACK_UNKNOWN_BYTES 8192U

static _Atomic bool following;    /* programs that this one starts are profiled */
static char preload[TEXT_MAX];    /* "LD_PRELOAD=path" */
static char rendezvous[TEXT_MAX]; /* "SCALENE_RENDEZVOUS=..." */
static size_t preload_length;
static char quoted[TEXT_MAX]; /* preload as a word of the shell */

static size_t length_of(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0')
        length++;
    return length;
}

/* Appends more, if all of it and the NUL fit; returns the new length, or 0. */
static size_t append(char text[TEXT_MAX], size_t at, const char *more)
{
    size_t length = length_of(more);
    if (at + length >= TEXT_MAX)
        return 0;
    for (size_t i = 0; i <= length; i++)
        text[at + i] = more[i];
    return at + length;
}

/* Quotes text as one word of the shell: in single quotes, with each single quote inside as '\''.
 * False when that does not fit. */
static bool quote(char to[TEXT_MAX], const char *text)
{
    static const char quote_inside[] = "'\\''";
    size_t at = 0;
    to[at++] = '\'';
    for (; *text != '\0' && at + sizeof(quote_inside) + 1 < TEXT_MAX; text++) {
        if (*text != '\'') {
            to[at++] = *text;
            continue;
        }
        for (size_t i = 0; quote_inside[i] != '\0'; i++)
            to[at++] = quote_inside[i];
    }
    to[at++] = '\'';
    to[at] = '\0';
    return *text == '\0';
}

/* Whether the loader takes this path in LD_PRELOAD as one entry: it splits the variable at blanks
 * and colons, and expands words after a dollar sign. */
static bool is_one_entry(const char *path)
{
    while (*path != '\0' && *path != ' ' && *path != ':' && *path != '$')
        path++;
    return *path == '\0';
}

void sc_hook_exec_init(const char *rendezvous_value, const char *agent_path)
{
    (void)sc_real(); /* a child of vfork must not look anything up */
    size_t length = append(preload, append(preload, 0, PRELOAD), agent_path);
    if (length == 0 || !is_one_entry(agent_path) ||
        append(rendezvous, append(rendezvous, 0, RENDEZVOUS), rendezvous_value) == 0)
        return;
    preload_length = length;
    if (!quote(quoted, preload))
        quoted[0] = '\0';
    atomic_store(&following, true);
}

void sc_hook_exec_stop(void)
{
    atomic_store(&following, false);
}

static bool is_following(void)
{
    return atomic_load_explicit(&following, memory_order_acquire);
}

/* What follows the name if the entry begins with it, else NULL. */
static const char *value_of(const char *entry, const char *name)
{
    for (; *name != '\0'; name++, entry++) {
        if (*entry != *name)
            return NULL;
    }
    return entry;
}

static bool has_slash(const char *name)
{
    while (*name != '\0' && *name != '/')
        name++;
    return *name == '/';
}

/* Whether a program that is started now can load this library. The process may have another user's
 * rights by now, or another root directory, and the loader would complain on the program's standard
 * error. faccessat checks with the real user's rights, without capabilities that an exec drops;
 * AT_EACCESS takes the effective user's. No function of libc is called, since it could be a
 * cancellation point. */
static bool is_in_reach(void)
{
    const char *path = preload + sizeof(PRELOAD) - 1;
    int saved_errno = errno;
    long code = -1;
    errno = ENOSYS;
#ifdef SYS_faccessat2
    if (getuid() != geteuid() || getgid() != getegid())
        code = syscall(SYS_faccessat2, AT_FDCWD, path, R_OK, AT_EACCESS);
#endif
    if (code != 0 && (errno == ENOSYS || errno == EPERM)) /* an older kernel or sandbox */
        code = syscall(SYS_faccessat, AT_FDCWD, path, R_OK);
    bool is_denied = code != 0 && (errno == EACCES || errno == ENOENT || errno == ENOTDIR);
    errno = saved_errno;
    return !is_denied;
}

/* Makes the name absolute, since the process may be gone before the observer can look up its
 * working directory. A name without a slash is relative, too, unless it is searched in PATH.
 * Returns the length, or 0 when that fails or does not fit. */
static size_t full_name(const char *name, bool searched, char ret_text[SC_TEXT_MAX])
{
    size_t length = 0;
    if (name[0] != '/' && (!searched || has_slash(name))) {
        int saved_errno = errno;
        long got = syscall(SYS_getcwd, ret_text, SC_TEXT_MAX);
        errno = saved_errno;
        if (got <= 1 || ret_text[0] != '/') /* "(unreachable)..." */
            return 0;
        length = (size_t)got;
        ret_text[length - 1] = '/'; /* in place of the NUL */
    }
    for (; *name != '\0'; name++) {
        if (length == SC_TEXT_MAX)
            return 0;
        ret_text[length++] = *name;
    }
    return length;
}

/* What the new environment needs, and where it is built. */
struct plan {
    size_t count;         /* of the caller's entries */
    size_t bytes;         /* 0: pass the environment on unchanged */
    const char *others;   /* the caller's LD_PRELOAD, or NULL */
    char **block;         /* a mapping of bytes; NULL: the caller has to allocate it on its stack */
    bool is_out_of_reach; /* the program is not followed */
};

static bool fits_on_stack(size_t bytes, bool is_own)
{
    uint64_t room = 0;
    if (sc_own_stack_room(&room))
        return bytes + STACK_LEFT_BYTES <= room;
    return !is_own && bytes <= STACK_UNKNOWN_BYTES;
}

/* System calls, since functions of libc may be hooked. */
static char **map(size_t bytes)
{
    int saved_errno = errno;
    long code =
        syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
    errno = saved_errno;
    return code != -1 ? (char **)code : NULL;
}

/* is_own: what is mapped here is not left in the memory of another process. */
static struct plan plan_for(char *const *environment, bool is_own)
{
    struct plan plan = {0};
    if (!is_following())
        return plan;
    for (; environment != NULL && environment[plan.count] != NULL; plan.count++) {
        if (value_of(environment[plan.count], RENDEZVOUS) != NULL)
            return plan;
        const char *others = value_of(environment[plan.count], PRELOAD);
        if (others != NULL && others[0] != '\0')
            plan.others = others;
    }
    plan.is_out_of_reach = !is_in_reach();
    if (plan.is_out_of_reach)
        return plan;
    plan.bytes = (plan.count + 3) * sizeof(char *) + preload_length + 1;
    if (plan.others != NULL)
        plan.bytes += 1 + length_of(plan.others);
    if (fits_on_stack(plan.bytes, is_own))
        return plan;
    plan.block = is_own ? map(plan.bytes) : NULL;
    plan.is_out_of_reach = plan.block == NULL;
    if (plan.is_out_of_reach)
        plan.bytes = 0;
    return plan;
}

/* In a block of that many bytes: the caller's entries, our two, NULL, then the text of LD_PRELOAD,
 * which is ours followed by the caller's. */
static char **make_environment(const struct plan *plan, char *const *environment, char **entries)
{
    char *text = (char *)(entries + plan->count + 3);
    size_t at = 0;
    for (size_t i = 0; i < plan->count && environment[i] != NULL; i++) {
        if (value_of(environment[i], PRELOAD) == NULL)
            entries[at++] = environment[i];
    }
    entries[at++] = text;
    entries[at++] = rendezvous;
    entries[at] = NULL;
    for (size_t i = 0; i < preload_length; i++)
        *text++ = preload[i];
    if (plan->others != NULL) {
        *text++ = ':';
        for (const char *other = plan->others; *other != '\0'; other++)
            *text++ = *other;
    }
    *text = '\0';
    return entries;
}

/* After a call that has returned. */
static void end_plan(const struct plan *plan)
{
    int saved_errno = errno;
    if (plan->block != NULL)
        (void)syscall(SYS_munmap, plan->block, plan->bytes);
    errno = saved_errno;
}

/* Whether exec ends this memory: not in a child of vfork. A sealed process makes no system call of
 * ours (hook_seccomp.c), not even this one. */
static bool is_own_memory(void)
{
    return is_following() && getpid() == sc_agent.pid;
}

static pid_t own_pid(void)
{
    return is_following() || sc_agent_is_active() ? getpid() : 0;
}

/* Records what is executed, so that the profile can name programs that were not profiled, and
 * before that what this process's devices have done, since exec ends that. A child of vfork uses
 * its parent's ring, since it shares all memory. */
static void send_exec(const char *name, bool searched, pid_t pid, const struct plan *plan)
{
    char full[SC_TEXT_MAX];
    if (name == NULL || (!is_following() && !sc_agent_is_active()))
        return;
    if (pid != 0)
        sc_cuda_flush(CUDA_WAIT_NS);
    size_t length = full_name(name, searched, full);
    if (length == 0)
        return;
    if (!sc_agent_is_active()) {
        sc_wrapper_report(full, length);
        return;
    }
    struct sc_record_exec *record = sc_ring_reserve(sc_agent.segment, sizeof(*record) + length);
    if (record == NULL)
        return;
    record->length = (uint32_t)length;
    record->is_searched = searched;
    record->pid = (uint32_t)pid;
    record->is_out_of_reach = plan->is_out_of_reach;
    char *text = (char *)(record + 1);
    for (size_t i = 0; i < length; i++)
        text[i] = full[i];
    sc_ring_commit(record, SC_RECORD_EXEC, sizeof(*record) + length);
}

/* Declares plainly, the caller's environment, followed, the one to pass on, and its plan. A macro,
 * since it may be on the caller's stack. */
#define FOLLOWED(given, is_own)                                                                    \
    char *const *plainly = given;                                                                  \
    char *const *followed = plainly;                                                               \
    struct plan plan = plan_for(followed, is_own);                                                 \
    if (plan.bytes > 0)                                                                            \
    followed = make_environment(&plan, followed,                                                   \
                                plan.block != NULL ? plan.block : __builtin_alloca(plan.bytes))

/* Makes the call, and returns from the hook when it has failed. Where there is no room for our
 * variables, the program is not followed. A macro, since the environment may be on the caller's
 * stack. */
#define EXECUTE(call)                                                                              \
    do {                                                                                           \
        bool ignored = sc_hook_signal_before_exec();                                               \
        int code = (call);                                                                         \
        if (code != 0 && errno == E2BIG && followed != plainly) {                                  \
            followed = plainly;                                                                    \
            code = (call);                                                                         \
        }                                                                                          \
        sc_hook_signal_exec_failed(ignored);                                                       \
        end_plan(&plan);                                                                           \
        return code;                                                                               \
    } while (0)

SC_EXPORT int execve(const char *path, char *const arguments[], char *const environment[])
{
    FOLLOWED(environment, is_own_memory());
    send_exec(path, false, own_pid(), &plan);
    EXECUTE(sc_real()->execve(path, arguments, followed));
}

SC_EXPORT int execv(const char *path, char *const arguments[])
{
    FOLLOWED(environ, is_own_memory());
    send_exec(path, false, own_pid(), &plan);
    EXECUTE(sc_real()->execve(path, arguments, followed));
}

SC_EXPORT int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    FOLLOWED(environment, is_own_memory());
    send_exec(file, true, own_pid(), &plan);
    EXECUTE(sc_real()->execvpe(file, arguments, followed));
}

SC_EXPORT int execvp(const char *file, char *const arguments[])
{
    FOLLOWED(environ, is_own_memory());
    send_exec(file, true, own_pid(), &plan);
    EXECUTE(sc_real()->execvpe(file, arguments, followed));
}

SC_EXPORT int fexecve(int fd, char *const arguments[], char *const environment[])
{
    FOLLOWED(environment, is_own_memory());
    EXECUTE(sc_real()->fexecve(fd, arguments, followed));
}

/* musl has no such function, and glibc declares its own, the bare system call, from 2.34 on. */
SC_EXPORT int sc_execveat(int folder, const char *path, char *const arguments[],
                          char *const environment[], int flags) __asm__("execveat");

int sc_execveat(int folder, const char *path, char *const arguments[], char *const environment[],
                int flags)
{
    FOLLOWED(environment, is_own_memory());
    EXECUTE((int)syscall(SYS_execveat, folder, path, arguments, followed, flags));
}

/* Declares name, an array of the arguments from first to the NULL; the va_list more then continues
 * after them. A macro, since the array is on the caller's stack. */
#define LISTED(name, first, more)                                                                  \
    va_list more;                                                                                  \
    size_t name##_count = 1;                                                                       \
    va_start(more, first);                                                                         \
    while (va_arg(more, const char *) != NULL)                                                     \
        name##_count++;                                                                            \
    va_end(more);                                                                                  \
    char **name = __builtin_alloca((name##_count + 1) * sizeof(char *));                           \
    name[0] = (char *)(uintptr_t)(first);                                                          \
    va_start(more, first);                                                                         \
    for (size_t name##_at = 1; name##_at <= name##_count; name##_at++)                             \
    name[name##_at] = va_arg(more, char *)

SC_EXPORT int execl(const char *path, const char *argument, ...)
{
    LISTED(words, argument, rest);
    va_end(rest);
    FOLLOWED(environ, is_own_memory());
    send_exec(path, false, own_pid(), &plan);
    EXECUTE(sc_real()->execve(path, words, followed));
}

SC_EXPORT int execlp(const char *file, const char *argument, ...)
{
    LISTED(words, argument, rest);
    va_end(rest);
    FOLLOWED(environ, is_own_memory());
    send_exec(file, true, own_pid(), &plan);
    EXECUTE(sc_real()->execvpe(file, words, followed));
}

SC_EXPORT int execle(const char *path, const char *argument, ...)
{
    LISTED(words, argument, rest);
    char *const *environment = va_arg(rest, char *const *);
    va_end(rest);
    FOLLOWED(environment, is_own_memory());
    send_exec(path, false, own_pid(), &plan);
    EXECUTE(sc_real()->execve(path, words, followed));
}

SC_EXPORT int posix_spawn(pid_t *ret_pid, const char *path,
                          const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *attributes, char *const arguments[],
                          char *const environment[])
{
    FOLLOWED(environment, true);
    send_exec(path, false, 0, &plan);
    bool ignored = sc_hook_signal_before_spawn();
    int code = sc_real()->posix_spawn(ret_pid, path, actions, attributes, arguments, followed);
    if (code == E2BIG && followed != plainly)
        code = sc_real()->posix_spawn(ret_pid, path, actions, attributes, arguments, plainly);
    sc_hook_signal_after_spawn(ignored);
    end_plan(&plan);
    return code;
}

SC_EXPORT int posix_spawnp(pid_t *ret_pid, const char *file,
                           const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const arguments[],
                           char *const environment[])
{
    FOLLOWED(environment, true);
    send_exec(file, true, 0, &plan);
    bool ignored = sc_hook_signal_before_spawn();
    int code = sc_real()->posix_spawnp(ret_pid, file, actions, attributes, arguments, followed);
    if (code == E2BIG && followed != plainly)
        code = sc_real()->posix_spawnp(ret_pid, file, actions, attributes, arguments, plainly);
    sc_hook_signal_after_spawn(ignored);
    end_plan(&plan);
    return code;
}

/* For system and popen libc starts the shell itself, so the shell has to set our variables. Returns
 * the command with an export of them in front, to be freed; NULL when it is to be left alone. All
 * on one line, so that line numbers in the shell's messages stay the same. */
static char *with_exports(const char *command)
{
    char *text = NULL;
    if (command == NULL || !is_following() || quoted[0] == '\0' ||
        getenv(SC_RENDEZVOUS_VARIABLE) != NULL || !is_in_reach())
        return NULL;
    int saved_errno = errno;
    int length = asprintf(&text, "export %s\"${LD_PRELOAD:+:$LD_PRELOAD}\" '%s'; %s", quoted,
                          rendezvous, command);
    if (length < 0 || length >= WORD_BYTES_MAX) {
        if (length >= 0)
            free(text);
        text = NULL;
    }
    errno = saved_errno;
    return text;
}

SC_EXPORT int system(const char *command)
{
    char *text = with_exports(command);
    bool ignored = sc_hook_signal_before_spawn();
    int status = sc_real()->system(text != NULL ? text : command);
    int saved_errno = errno;
    sc_hook_signal_after_spawn(ignored);
    free(text);
    errno = saved_errno;
    return status;
}

SC_EXPORT FILE *popen(const char *command, const char *mode)
{
    char *text = with_exports(command);
    bool ignored = sc_hook_signal_before_spawn();
    FILE *stream = sc_real()->popen(text != NULL ? text : command, mode);
    int saved_errno = errno;
    sc_hook_signal_after_spawn(ignored);
    free(text);
    errno = saved_errno;
    return stream;
}
