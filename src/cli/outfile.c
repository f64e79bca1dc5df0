/* cli/outfile.c - see outfile.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "cli/paths.h"

#define EXTENSION ".json"

static char *with_json(const char *path)
{
    const char *name = sc_after_last(path, '/');
    const char *dot = strrchr(name, '.');
    /* ".profile" is a name, not an extension, and "a.{host}" ends with what is still unknown */
    bool is_extension = dot != NULL && dot != name && strchr(dot, '{') == NULL;
    size_t length = is_extension ? (size_t)(dot - path) : strlen(path);
    return sc_format("%.*s" EXTENSION, (int)length, path);
}

/* Fills the places of a name that ends with the extension. Ranks that would write over one
 * another's file have their number in its name. */
static bool fill(const char *pattern, const struct sc_name_facts *facts, char **ret_name,
                 struct sc_err *err)
{
    int stem = (int)(strlen(pattern) - strlen(EXTENSION));
    SC_AUTO_FREE char *own = sc_name_is_shared(pattern, facts->labels)
                                 ? sc_format("%.*s-rank{rank}" EXTENSION, stem, pattern)
                                 : sc_strdup(pattern);
    return sc_name_fill(own, facts, ret_name, err);
}

static bool check_writable(const char *path, struct sc_err *err)
{
    struct stat status;
    if (stat(path, &status) == 0) {
        if (S_ISDIR(status.st_mode))
            return sc_fail(err, SC_ERR_FAILED,
                           "cannot write the profile to '%s', which is a directory; give a file "
                           "with -o",
                           path);
        if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
            return sc_fail_errno(err, errno, "cannot write the profile to '%s'", path);
        return true;
    }
    if (errno == ENAMETOOLONG || errno == ELOOP)
        return sc_fail_errno(err, errno, "cannot write the profile to '%s' (see -o)", path);
    SC_AUTO_FREE char *directory = sc_path_directory(path);
    if (!sc_can_make_file(path))
        return sc_fail_errno(err, errno, "cannot write the profile into '%s' (see -o)", directory);
    return true;
}

bool sc_outfile_resolve(const char *command, const char *given, const struct sc_name_facts *facts,
                        char **ret_path, struct sc_err *err)
{
    SC_AUTO_FREE char *expanded = sc_path_expand(given);
    struct stat status;
    bool exists = stat(expanded, &status) == 0;
    size_t length = strlen(expanded);
    if ((exists && S_ISDIR(status.st_mode)) || (length > 0 && expanded[length - 1] == '/'))
        return sc_fail(err, SC_ERR_FAILED,
                       "%s: --outfile: '%s' is a directory; give the name of a file", command,
                       given);
    bool is_open = exists && !S_ISREG(status.st_mode);
    SC_AUTO_FREE char *pattern = is_open ? sc_strdup(expanded) : with_json(expanded);
    SC_AUTO_FREE char *name = NULL;
    if (is_open || facts == NULL)
        name = sc_strdup(pattern);
    else if (!fill(pattern, facts, &name, err))
        return false;
    char *path = sc_path_absolute(name);
    if (!check_writable(path, err)) {
        free(path);
        return false;
    }
    *ret_path = path;
    return true;
}

const char *sc_output_beside(const char *input, const char *other)
{
    struct stat facts;
    bool is_open = sc_starts_with_any(input, "/dev/ /proc/");
    bool is_special = stat(input, &facts) == 0 && !S_ISREG(facts.st_mode);
    return is_open || is_special ? other : input;
}

bool sc_output_is_same(const char *one, const char *other)
{
    struct stat first;
    struct stat second;
    return stat(one, &first) == 0 && stat(other, &second) == 0 && S_ISREG(first.st_mode) &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool sc_output_stdout(const struct sc_str *bytes, struct sc_err *err)
{
    if (fwrite(sc_str_text(bytes), 1, bytes->length, stdout) == bytes->length &&
        fflush(stdout) == 0)
        return true;
    (void)sc_fail_errno(err, errno, "the output cannot be written");
    clearerr(stdout); /* it is said once */
    return false;
}
