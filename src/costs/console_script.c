/*
 * costs/console_script.c - files that start an installed tool.
 *
 * A project's own script may also do no more than import and call. So the folder counts as well: it
 * is named "bin" and lies beside the libraries of a Python.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/console_script.h"

#include <stdlib.h>
#include <string.h>

#include "base/helper.h"
#include "base/mem.h"
#include "source/entry_point.h"

#define SCRIPTS "/bin"

/* Environments of Python 3.8 to 3.29. */
#define MINOR_MIN 8
#define MINOR_MAX 29

static bool is_there(struct sc_helper *helper, const char *prefix, const char *path)
{
    struct stat status;
    SC_AUTO_FREE char *whole = sc_format("%s/%s", prefix, path);
    return sc_helper_stat(helper, whole, &status) == 0;
}

static bool is_environment(struct sc_helper *helper, const char *prefix)
{
    bool found = is_there(helper, prefix, "pyvenv.cfg") || is_there(helper, prefix, "lib/python3");
    for (int minor = MINOR_MIN; !found && minor <= MINOR_MAX; minor++) {
        SC_AUTO_FREE char *path = sc_format("lib/python3.%d", minor);
        found = is_there(helper, prefix, path);
    }
    return found;
}

/* The folder above the scripts folder that the file lies in, to be freed; NULL when that has
 * another name. */
static char *prefix_of(const char *path)
{
    const char *name = strrchr(path, '/');
    size_t scripts = strlen(SCRIPTS);
    if (name == NULL || path[0] != '/' || (size_t)(name - path) < scripts ||
        strncmp(name - scripts, SCRIPTS, scripts) != 0)
        return NULL;
    return sc_strndup(path, (size_t)(name - path) - scripts);
}

char *sc_console_script_package(struct sc_helper *helper, const char *path)
{
    SC_AUTO_FREE char *prefix = prefix_of(path);
    struct stat status;
    struct sc_str text = {0};
    if (prefix == NULL)
        return NULL;
    char *package = NULL;
    if (sc_helper_read(helper, path, SC_CONSOLE_SCRIPT_BYTES_MAX, &status, &text) == SC_HELPER_READ)
        package = sc_entry_point_package(sc_str_text(&text), text.length);
    sc_str_done(&text);
    if (package != NULL && is_environment(helper, prefix))
        return package;
    free(package);
    return NULL;
}
