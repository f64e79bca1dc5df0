/* base/own_folder.c - see own_folder.h. SPDX-License-Identifier: Apache-2.0 */
#include "base/own_folder.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/mem.h"

#define ROOM_BYTES ((unsigned long long)1 << 20) /* more than a small profile needs */

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

/* A full file system may still take an empty folder. */
static bool has_room(const char *folder)
{
    struct statvfs system;
    return statvfs(folder, &system) != 0 ||
           (unsigned long long)system.f_bavail * system.f_frsize >= ROOM_BYTES;
}

char *sc_new_private_folder(struct sc_err *err)
{
    const char *const places[] = {sc_path_of_variable("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm",
                                  "."};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        if (places[i] == NULL)
            continue;
        SC_AUTO_FREE char *root = realpath(places[i], NULL);
        char *folder = sc_format("%s/scalene-XXXXXX", root != NULL ? root : places[i]);
        if (mkdtemp(folder) != NULL) {
            if (has_room(folder))
                return folder;
            (void)rmdir(folder);
            errno = ENOSPC;
        }
        free(folder);
    }
    (void)sc_fail_errno(
        err, errno,
        "no folder takes a file, neither $TMPDIR nor /tmp, /var/tmp, /dev/shm or the "
        "working directory");
    return NULL;
}
