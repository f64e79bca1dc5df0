/* observer/stack/directories.c - see directories.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/stack/directories.h"

#include <stdlib.h>
#include <string.h>

#include "base/helper.h"
#include "base/mem.h"
#include "base/str.h"

/* Of more directories those that were left longest ago are forgotten. */
#define DIRECTORIES_MAX 64U

void sc_directories_done(struct sc_directories *directories)
{
    sc_vec_free(&directories->paths);
}

/* Removes the path at that place and puts another one at the end. */
static void replace(struct sc_directories *directories, size_t at, char *path)
{
    char **paths = directories->paths.items;
    size_t last = directories->paths.count - 1;
    free(paths[at]);
    memmove(&paths[at], &paths[at + 1], (last - at) * sizeof(*paths));
    paths[last] = path;
}

void sc_directories_enter(struct sc_directories *directories, const char *path)
{
    char *entered = sc_strdup(path);
    for (size_t i = 0; i < directories->paths.count; i++) {
        if (strcmp(directories->paths.items[i], entered) == 0) {
            replace(directories, i, entered);
            return;
        }
    }
    if (directories->paths.count == DIRECTORIES_MAX)
        replace(directories, 0, entered);
    else
        sc_vec_push(&directories->paths, entered);
}

void sc_directories_inherit(struct sc_directories *directories,
                            const struct sc_directories *parents)
{
    for (size_t i = 0; i < parents->paths.count; i++)
        sc_directories_enter(directories, parents->paths.items[i]);
}

char *sc_directories_find(const struct sc_directories *directories, const char *file)
{
    size_t count = directories->paths.count;
    while (sc_starts_with(file, "./") && file[2] != '\0')
        file += 2;
    for (size_t i = count; i-- > 0;) {
        char *path = sc_format("%s/%s", directories->paths.items[i], file);
        char *resolved = sc_helper_resolve(directories->helper, path);
        bool is_plain = strstr(file, "..") == NULL; /* a link keeps its name */
        if (resolved != NULL) {
            free(is_plain ? resolved : path);
            return is_plain ? path : resolved;
        }
        free(path);
    }
    return count > 0 ? sc_format("%s/%s", directories->paths.items[count - 1], file) : NULL;
}
