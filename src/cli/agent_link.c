/*
 * cli/agent_link.c - a link to the agent's library, with a path that LD_PRELOAD can hold.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/agent_link.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/paths.h"

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
