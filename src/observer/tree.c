/*
 * observer/tree.c - what the processes of a tree say of one another.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/tree.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "observer/executable.h"
#include "observer/observation.h"

#define ENDS_MAX     65536U /* kept until their process is found */
#define FILES_MAX    4096U  /* different files that are looked at */
#define ENDS_KEPT_NS 2000000000U
#define LATE_NS      1000000000U /* how much later than its end a process may be met */

void sc_tree_add_end(struct sc_tree *tree, const struct sc_record_child_end *record)
{
    struct sc_child_end end = {
        .time_ns = record->time_ns, .pid = record->pid, .status = record->status};
    if (tree->ends.count < ENDS_MAX)
        sc_vec_push(&tree->ends, end);
}

/* The file that a name without a slash stands for, with our PATH; false when there is none. */
static bool search(const char *name, char ret_path[PATH_MAX])
{
    const char *folders = getenv("PATH");
    while (folders != NULL && *folders != '\0') {
        int length = (int)strcspn(folders, ":");
        int written = snprintf(ret_path, PATH_MAX, "%.*s/%s", length, folders, name);
        if (length > 0 && written < PATH_MAX && access(ret_path, X_OK) == 0)
            return true;
        folders += length;
        folders += *folders == ':' ? 1 : 0;
    }
    return false;
}

void sc_tree_add_executed(struct sc_tree *tree, const char *name, bool is_out_of_reach)
{
    char path[PATH_MAX];
    if (strchr(name, '/') != NULL)
        (void)snprintf(path, sizeof(path), "%s", name);
    else if (!search(name, path))
        return;
    uint32_t id = sc_intern_find(&tree->files, path, strlen(path));
    if (id == SC_NONE) {
        if (tree->executed.count == FILES_MAX)
            return;
        id = sc_intern_add(&tree->files, path, strlen(path));
        struct sc_executed executed = {.obstacle = sc_executable_obstacle(path)};
        sc_vec_push(&tree->executed, executed);
    }
    struct sc_executed *executed = &tree->executed.items[id];
    executed->count++;
    executed->out_of_reach += is_out_of_reach;
    if (executed->obstacle != NULL || is_out_of_reach)
        tree->not_followed++;
}

void sc_tree_add_exec(struct sc_tree *tree, const struct sc_record_exec *record)
{
    char name[SC_TEXT_MAX + 1];
    memcpy(name, record + 1, record->length);
    name[record->length] = '\0';
    if (record->is_searched || strchr(name, '/') != NULL)
        sc_tree_add_executed(tree, name, record->is_out_of_reach != 0);
}

void sc_tree_add_refused(struct sc_tree *tree, const struct sc_hello *hello, const char *path)
{
    uint32_t id = sc_intern_find(&tree->pythons, path, strlen(path));
    tree->refused_count++;
    if (id == SC_NONE) {
        if (tree->refused.count == FILES_MAX)
            return;
        id = sc_intern_add(&tree->pythons, path, strlen(path));
        sc_vec_push(&tree->refused, (struct sc_refused){.hello = *hello});
    }
    tree->refused.items[id].count++;
}

void sc_tree_done(struct sc_tree *tree)
{
    sc_vec_done(&tree->ends);
    sc_map_done(&tree->numbers);
    sc_vec_done(&tree->executed);
    sc_intern_done(&tree->files);
    sc_vec_done(&tree->refused);
    sc_intern_done(&tree->pythons);
}

/* The process whose end that is, the last one of that number; NULL when it is not followed. */
static struct sc_process *ended_process(const struct sc_observation *observation,
                                        const struct sc_child_end *end)
{
    uint32_t index = sc_map_get(&observation->tree.numbers, end->pid);
    if (index == SC_NONE)
        return NULL;
    struct sc_process *process = observation->processes.items[index];
    return process->known_ns <= end->time_ns + LATE_NS ? process : NULL;
}

void sc_observation_settle_ends(struct sc_observation *observation, uint64_t now_ns)
{
    struct sc_tree *tree = &observation->tree;
    size_t kept = 0;
    for (size_t i = 0; i < tree->ends.count; i++) {
        struct sc_child_end end = tree->ends.items[i];
        struct sc_process *process = ended_process(observation, &end);
        if (process != NULL)
            sc_process_note_status(process, end.status);
        else if (end.time_ns + ENDS_KEPT_NS > now_ns)
            tree->ends.items[kept++] = end;
    }
    tree->ends.count = kept;
    for (size_t i = 0; i < observation->processes.count; i++) {
        struct sc_process *process = observation->processes.items[i];
        if (process->ended && process->ending_fd >= 0)
            sc_process_note_ending(process);
    }
}
