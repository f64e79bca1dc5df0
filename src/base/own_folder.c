/*
 * base/own_folder.c - folders in which no other user can create or replace files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/own_folder.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

const char *sc_path_of_variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] == '/' ? value : NULL;
}

bool sc_is_own_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() &&
           (facts.st_mode & 022) == 0;
}
