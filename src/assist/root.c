/* assist/root.c - see root.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/root.h"

#include <stdlib.h>
#include <string.h>

bool sc_ai_is_below(const char *path, const char *directory)
{
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && path[length] == '/';
}

/* The directory with links resolved, if the file is below it, else NULL; owned. */
static char *holds(const char *directory, const char *path)
{
    char *root = directory != NULL ? realpath(directory, NULL) : NULL;
    if (root != NULL && strcmp(root, "/") != 0 && sc_ai_is_below(path, root))
        return root;
    free(root);
    return NULL;
}

static const char *absolute(const char *path)
{
    return path != NULL && path[0] == '/' ? path : NULL;
}

bool sc_ai_root_find(const struct sc_ai_program *program, const char *path, char **ret_root,
                     struct sc_err *err)
{
    char *root = holds(program->is_own ? absolute(program->root_dir) : ".", path);
    if (root == NULL && program->is_own)
        root = holds(absolute(program->entrypoint_dir), path);
    if (root != NULL) {
        *ret_root = root;
        return true;
    }
    if (program->is_own)
        return sc_fail(err, SC_ERR_FAILED, "'%s' is not in the directory of the program", path);
    return sc_fail(err, SC_ERR_FAILED,
                   "'%s' is not in the current directory, and the profile is not of a run of yours "
                   "that could say where else the program is",
                   path);
}
