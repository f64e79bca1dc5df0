/* cli/paths.c - see paths.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/paths.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

char *sc_path_expand(const char *path)
{
    const char *home = getenv("HOME");
    if (path[0] != '~' || (path[1] != '/' && path[1] != '\0') || home == NULL || home[0] == '\0')
        return sc_strdup(path);
    return sc_format("%s%s", home, path + 1);
}

char *sc_path_absolute(const char *path)
{
    if (path[0] == '/')
        return sc_strdup(path);
    while (path[0] == '.' && path[1] == '/') {
        path += 2;
        while (*path == '/')
            path++;
    }
    SC_AUTO_FREE char *here = getcwd(NULL, 0);
    if (here == NULL) /* the working directory was removed */
        return sc_strdup(path);
    return sc_format("%s/%s", strcmp(here, "/") == 0 ? "" : here, path);
}

char *sc_path_directory(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return sc_strdup(".");
    if (slash == path)
        return sc_strdup("/");
    return sc_strndup(path, (size_t)(slash - path));
}

static bool is_executable(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

char *sc_path_find_command(const char *word)
{
    if (strchr(word, '/') != NULL)
        return is_executable(word) ? sc_strdup(word) : NULL;
    const char *path = getenv("PATH");
    if (path == NULL)
        path = "/bin:/usr/bin"; /* as execvp has it */
    if (word[0] == '\0')
        return NULL;
    for (;;) {
        size_t length = strcspn(path, ":");
        char *candidate =
            length == 0 ? sc_format("./%s", word) : sc_format("%.*s/%s", (int)length, path, word);
        if (is_executable(candidate))
            return candidate;
        free(candidate);
        if (path[length] == '\0')
            return NULL;
        path += length + 1;
    }
}
