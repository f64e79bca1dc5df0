/* observer/process/tree.c - see tree.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/process/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "observer/system/executable.h"
#include "observer/system/procfs.h"

#define ENDS_MAX  65536U /* kept until their process is found */
#define FILES_MAX 4096U  /* different files that are looked at */

#define TIMEOUT_NS 250000000U /* for what was executed last */

void sc_tree_add_end(struct sc_tree *tree, uint64_t namespace_id,
                     const struct sc_record_child_end *record)
{
    struct sc_child_end end = {.time_ns = record->time_ns,
                               .key = sc_pid_key(namespace_id, record->pid),
                               .status = record->status};
    if (end.key != SC_PID_KEY_NONE && tree->ends.count < ENDS_MAX)
        sc_vec_push(&tree->ends, end);
}

void sc_tree_add_process(struct sc_tree *tree, const struct sc_pid_names *names,
                         const struct sc_pid_names *parent, uint32_t serial)
{
    uint64_t own = sc_pid_key_for(names, names);
    uint64_t parents = parent != NULL ? sc_pid_key_for(names, parent) : SC_PID_KEY_NONE;
    if (own != SC_PID_KEY_NONE)
        sc_map_put(&tree->numbers, own, serial);
    if (parents != SC_PID_KEY_NONE)
        sc_map_put(&tree->numbers, parents, serial);
}

void sc_tree_forget(struct sc_tree *tree, const struct sc_pid_names *names, uint32_t serial)
{
    uint64_t key = sc_pid_key_for(names, names);
    if (sc_map_get(&tree->numbers, key) == serial)
        sc_map_remove(&tree->numbers, key);
}

/* The file's absolute path, or a name to be searched in PATH; NULL when it cannot be known. To be
 * freed. */
static char *full_name(pid_t pid, const char *name)
{
    bool is_relative = strchr(name, '/') != NULL;
    if (name[0] == '/')
        return sc_strdup(name);
    SC_AUTO_FREE char *path = sc_process_link(pid, is_relative ? "cwd" : "exe");
    if (is_relative)
        return path != NULL ? sc_format("%s/%s", path, name) : NULL;
    /* the process may execute that file already, and its PATH may differ from ours */
    return sc_strdup(path != NULL && strcmp(strrchr(path, '/') + 1, name) == 0 ? path : name);
}

static void take_answer(void *context, uint32_t number, const char *answer, size_t length)
{
    struct sc_executed *executed = &((struct sc_tree *)context)->executed.items[number];
    if (answer == NULL || length == 0)
        return;
    executed->path = sc_strdup(answer);
    const char *obstacle = answer + strlen(answer) + 1;
    executed->obstacle = *obstacle != '\0' ? sc_strdup(obstacle) : NULL;
}

void sc_tree_add_executed(struct sc_tree *tree, pid_t pid, const char *name, bool is_out_of_reach)
{
    SC_AUTO_FREE char *path = full_name(pid, name);
    if (path == NULL)
        return;
    uint32_t id = sc_intern_find(&tree->files, path, strlen(path));
    if (id == SC_NONE) {
        if (tree->executed.count == FILES_MAX)
            return;
        id = sc_intern_add(&tree->files, path, strlen(path));
        sc_vec_push(&tree->executed, (struct sc_executed){0});
        sc_helper_post(tree->helper, path, sc_executable_examine, path, strlen(path), take_answer,
                       tree, id);
    }
    tree->executed.items[id].count++;
    tree->executed.items[id].out_of_reach += is_out_of_reach;
}

void sc_tree_add_exec(struct sc_tree *tree, pid_t pid, const struct sc_record_exec *record)
{
    char name[SC_TEXT_MAX + 1];
    memcpy(name, record + 1, record->length);
    name[record->length] = '\0';
    if (record->is_searched || strchr(name, '/') != NULL)
        sc_tree_add_executed(tree, pid, name, record->is_out_of_reach != 0);
}

void sc_tree_sum_executed(struct sc_tree *tree)
{
    (void)sc_helper_wait(tree->helper, TIMEOUT_NS);
    tree->not_followed = 0;
    for (size_t i = 0; i < tree->executed.count; i++)
        tree->executed.items[i].unfollowed_count = 0;
    for (uint32_t i = 0; i < tree->executed.count; i++) {
        const struct sc_executed *executed = &tree->executed.items[i];
        uint64_t times = executed->obstacle != NULL ? executed->count : executed->out_of_reach;
        uint32_t same = SC_NONE;
        if (executed->path != NULL)
            same = sc_intern_find(&tree->files, executed->path, strlen(executed->path));
        tree->not_followed += times;
        tree->executed.items[same != SC_NONE ? same : i].unfollowed_count += times;
    }
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
    for (size_t i = 0; i < tree->executed.count; i++) {
        free(tree->executed.items[i].path);
        free(tree->executed.items[i].obstacle);
    }
    sc_vec_done(&tree->ends);
    sc_map_done(&tree->numbers);
    sc_vec_done(&tree->executed);
    sc_intern_done(&tree->files);
    sc_vec_done(&tree->refused);
    sc_intern_done(&tree->pythons);
}
