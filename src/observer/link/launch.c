/*
 * observer/link/launch.c - starting the command with the agent in it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/link/launch.h"

#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "channel/format.h"

static bool is_variable(const char *entry, const char *name)
{
    size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/* Our environment with the two variables; the entries at owned_from and after are owned. */
struct environment {
    SC_VEC(char *) entries;
    size_t owned_from;
};

static void make_environment(struct environment *ret, const char *agent_path,
                             const char *rendezvous)
{
    const char *preload = NULL;
    for (char **entry = environ; *entry != NULL; entry++) {
        if (is_variable(*entry, "LD_PRELOAD"))
            preload = *entry + strlen("LD_PRELOAD=");
        else if (!is_variable(*entry, SC_RENDEZVOUS_VARIABLE))
            sc_vec_push(&ret->entries, *entry);
    }
    ret->owned_from = ret->entries.count;
    bool has_others = preload != NULL && preload[0] != '\0';
    /* first: an allocator that is preloaded too would not pass its calls on to us */
    sc_vec_push(&ret->entries, sc_format("LD_PRELOAD=%s%s%s", agent_path, has_others ? ":" : "",
                                         has_others ? preload : ""));
    sc_vec_push(&ret->entries, sc_format("%s=%s", SC_RENDEZVOUS_VARIABLE, rendezvous));
    sc_vec_push(&ret->entries, NULL);
}

static void free_environment(struct environment *environment)
{
    for (size_t i = environment->owned_from; i < environment->entries.count; i++)
        free(environment->entries.items[i]);
    sc_vec_done(&environment->entries);
}

/* glibc's posix_spawn leaves its own two signals, which sigaddset does not accept, ignored in the
 * process that it starts, and so in all descendants (sysdeps/unix/sysv/linux/spawni.c). */
static sigset_t libcs_own_signals(void)
{
    const uint64_t bits = UINT64_C(3) << (32 - 1); /* 32 and 33 */
    sigset_t set;
    (void)sigemptyset(&set);
    memcpy(&set, &bits, sizeof(bits));
    return set;
}

bool sc_launch(const struct sc_run_plan *plan, const char *rendezvous, const sigset_t *mask,
               pid_t *ret_pid, struct sc_err *err)
{
    struct environment environment = {0};
    posix_spawnattr_t attributes;
    make_environment(&environment, plan->agent_path, rendezvous);
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    (void)posix_spawnattr_setsigmask(&attributes, mask);
    sigset_t internal = libcs_own_signals();
    (void)posix_spawnattr_setsigdefault(&attributes, &internal);
    int code = posix_spawnp(ret_pid, plan->command[0], NULL, &attributes, plan->command,
                            environment.entries.items);
    (void)posix_spawnattr_destroy(&attributes);
    free_environment(&environment);
    if (code != 0)
        return sc_fail_errno(err, code, "cannot start '%s'", plan->command[0]);
    return true;
}
