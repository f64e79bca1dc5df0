/*
 * observer/system/descendants.c - the processes below a process, by the parents that /proc names.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/system/descendants.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/vec.h"
#include "observer/system/procfs.h"

struct pair {
    pid_t pid;
    pid_t parent;
};

static bool is_among(const pid_t *pids, size_t count, pid_t pid)
{
    for (size_t i = 0; i < count; i++) {
        if (pids[i] == pid)
            return true;
    }
    return false;
}

size_t sc_descendants_list(pid_t *pids, size_t count, size_t capacity)
{
    SC_AUTO_FREE SC_VEC(struct pair) all = {0};
    DIR *directory = opendir("/proc");
    for (const struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        pid_t found = (pid_t)strtol(entry->d_name, NULL, 10);
        if (found > 0)
            sc_vec_push(&all, (struct pair){found, sc_process_parent(found)});
    }
    if (directory != NULL)
        (void)closedir(directory);
    /* a child may have a lower number than its parent, once the numbers have run through */
    for (size_t before = SIZE_MAX; before != count;) {
        before = count;
        for (size_t i = 0; i < all.count && count < capacity; i++) {
            if (is_among(pids, count, all.items[i].parent) &&
                !is_among(pids, count, all.items[i].pid))
                pids[count++] = all.items[i].pid;
        }
    }
    return count;
}
