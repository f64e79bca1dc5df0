/*
 * cli/output_file.c - where a command writes what it makes of a file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/output_file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/str.h"

const char *sc_output_beside(const char *input, const char *other)
{
    struct stat facts;
    bool is_open = sc_starts_with(input, "/dev/") || sc_starts_with(input, "/proc/");
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
