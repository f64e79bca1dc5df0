/*
 * cli/agent_path.c - where the agent library is, under a name that LD_PRELOAD can hold.
 *
 * The installed tree can be moved as a whole (a wheel is unpacked anywhere), so everything is
 * looked up from where this program is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/agent_path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/paths.h"

/* Relative to the directory of the program, in the order they are tried. */
static const char *const places[] = {
    "../lib/scalene",          /* the shape of a wheel */
    SC_LIBRARY_DIR "/scalene", /* a distribution's library directory */
    "../agent",                /* the build directory */
};

bool sc_agent_path(bool memory, char **ret_path, struct sc_err *err)
{
    const char *name = memory ? "libscalene-memory.so" : "libscalene.so";
    const char *given = getenv("SCALENE_AGENT_PATH");
    if (given != NULL && given[0] != '\0') {
        if (access(given, R_OK) != 0)
            return sc_fail(err, SC_ERR_FAILED,
                           "SCALENE_AGENT_PATH names '%s', which cannot be read", given);
        *ret_path = sc_path_absolute(given);
        return true;
    }
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length <= 0)
        return sc_fail(err, SC_ERR_FAILED,
                       "cannot find this program's own place, as /proc is not mounted; set "
                       "SCALENE_AGENT_PATH to %s",
                       name);
    self[length] = '\0';
    SC_AUTO_FREE char *directory = sc_path_directory(self);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        SC_AUTO_FREE char *candidate = places[i][0] == '/'
                                           ? sc_format("%s/%s", places[i], name)
                                           : sc_format("%s/%s/%s", directory, places[i], name);
        char *resolved = realpath(candidate, NULL);
        if (resolved != NULL) {
            *ret_path = resolved;
            return true;
        }
    }
    return sc_fail(err, SC_ERR_FAILED,
                   "%s is not beside '%s'; install scalene again, or set SCALENE_AGENT_PATH to the "
                   "library",
                   name, self);
}

static bool is_one_entry(const char *path)
{
    return strpbrk(path, " :$") == NULL;
}

/* The link in a new folder below parent, or NULL. */
static char *link_below(const char *parent, const char *agent_path)
{
    if (parent == NULL || parent[0] != '/' || !is_one_entry(parent))
        return NULL;
    SC_AUTO_FREE char *folder = sc_format("%s/scalene-XXXXXX", parent);
    if (mkdtemp(folder) == NULL)
        return NULL;
    char *link = sc_format("%s/%s", folder, strrchr(agent_path, '/') + 1);
    if (chmod(folder, 0711) == 0 && is_one_entry(link) && symlink(agent_path, link) == 0)
        return link;
    (void)rmdir(folder);
    free(link);
    return NULL;
}

bool sc_agent_link_make(const char *agent_path, char **ret_link, struct sc_err *err)
{
    const char *parents[] = {getenv("TMPDIR"), "/tmp", "/dev/shm", "/var/tmp"};
    char *link = NULL;
    if (is_one_entry(agent_path)) {
        *ret_link = NULL;
        return true;
    }
    for (size_t i = 0; link == NULL && i < sizeof(parents) / sizeof(parents[0]); i++)
        link = link_below(parents[i], agent_path);
    if (link == NULL)
        return sc_fail(err, SC_ERR_FAILED,
                       "'%s' cannot be loaded into a program, as there is a blank, a colon or a "
                       "dollar sign in its path and no folder for a link to it can be made in "
                       "/tmp; install scalene in another folder",
                       agent_path);
    *ret_link = link;
    return true;
}

void sc_agent_link_remove(char *link)
{
    if (link == NULL)
        return;
    SC_AUTO_FREE char *folder = sc_path_directory(link);
    (void)unlink(link);
    (void)rmdir(folder);
    free(link);
}
