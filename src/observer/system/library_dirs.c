/*
 * observer/system/library_dirs.c - where a Python keeps its standard library and installed
 * packages.
 *
 * The places: Modules/getpath.py and Lib/site.py of python/cpython, and Debian's dist-packages.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/system/library_dirs.h"

#include <stdio.h>
#include <string.h>

#include "base/helper.h"
#include "base/mem.h"

static void add(struct sc_library_dirs *dirs, struct sc_helper *helper, char *path)
{
    struct stat status;
    bool wanted = sc_helper_stat(helper, path, &status) == 0 && S_ISDIR(status.st_mode);
    for (size_t i = 0; wanted && i < dirs->paths.count; i++)
        wanted = strcmp(dirs->paths.items[i], path) != 0;
    if (wanted)
        sc_vec_push(&dirs->paths, path);
    else
        free(path);
}

/* lib/python3.X below a prefix, where the standard library and site-packages are. */
static void add_prefix(struct sc_library_dirs *dirs, struct sc_helper *helper, const char *prefix,
                       const char *name)
{
    add(dirs, helper, sc_format("%s/lib/%s", prefix, name));
    add(dirs, helper, sc_format("%s/lib64/%s", prefix, name));
    add(dirs, helper, sc_format("%s/lib/python3/dist-packages", prefix));
    add(dirs, helper, sc_format("%s/local/lib/%s", prefix, name));
}

void sc_library_dirs_add(struct sc_library_dirs *dirs, struct sc_helper *helper,
                         const char *executable, uint16_t version, bool free_threaded)
{
    char name[32];
    (void)snprintf(name, sizeof(name), "python%u.%u%s", version >> 8, version & 255U,
                   free_threaded ? "t" : "");
    if (executable != NULL) {
        SC_AUTO_FREE char *prefix = sc_strdup(executable);
        for (int level = 0; level < 2; level++) {
            char *slash = strrchr(prefix, '/');
            if (slash != NULL)
                *slash = '\0';
        }
        add_prefix(dirs, helper, prefix, name);
    }
    const char *environment = getenv("VIRTUAL_ENV");
    if (environment != NULL && environment[0] == '/')
        add_prefix(dirs, helper, environment, name);
    const char *home = getenv("HOME");
    if (home != NULL && home[0] == '/')
        add(dirs, helper, sc_format("%s/.local/lib/%s", home, name));
}

void sc_library_dirs_done(struct sc_library_dirs *dirs)
{
    sc_vec_free(&dirs->paths);
}
