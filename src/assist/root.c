/* assist/root.c - see root.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/root.h"

#include <errno.h>
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

char *sc_ai_real_path(const char *path, struct sc_err *err)
{
    char *real = sc_ai_is_file(path) ? realpath(path, NULL) : NULL;
    if (!sc_ai_is_file(path))
        (void)sc_fail(
            err, SC_ERR_FAILED,
            "'%s' is in no file: it is a cell of a notebook, or code that the program has "
            "made; put the proposal there yourself",
            path);
    else if (real == NULL && errno == ENOTDIR)
        (void)sc_fail(err, SC_ERR_FAILED, "'%s' is inside an archive, which is not changed", path);
    else if (real == NULL)
        (void)sc_fail_errno(err, errno, "cannot use '%s'", path);
    return real;
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
