/* observer/link/launch.c - see launch.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/link/launch.h"

#include <string.h>
#include <unistd.h>

#include "base/child.h"
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

bool sc_launch(const struct sc_run_plan *plan, const char *rendezvous, const sigset_t *mask,
               pid_t *ret_pid, struct sc_err *err)
{
    struct environment environment = {0};
    make_environment(&environment, plan->agent_path, rendezvous);
    const struct sc_child child = {
        .words = plan->command,
        .environment = environment.entries.items,
        .streams = SC_CHILD_OUR_STREAMS,
        .mask = mask,
        .takes_our_place = true,
    };
    bool is_started = sc_child_start(&child, ret_pid, err);
    free_environment(&environment);
    return is_started;
}
