/* observer/system/descriptors.c - see descriptors.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/system/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#define FILES_WANTED 8192

static uint64_t lacking; /* of this process, as the limit is */

void sc_descriptors_raise_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    if (limit.rlim_cur >= FILES_WANTED)
        return;
    limit.rlim_cur = limit.rlim_max > FILES_WANTED ? FILES_WANTED : limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

void sc_descriptors_reserve(int *reserved_fd)
{
    if (*reserved_fd < 0)
        *reserved_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* The kernel gives out the lowest free descriptor: one in the upper half of the limit shows that
 * the lower half is taken. */
int sc_descriptors_keep(int fd)
{
    struct rlimit limit;
    if (fd < 0 || (getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)fd < limit.rlim_cur / 2))
        return fd;
    (void)close(fd);
    return -1;
}

int sc_descriptors_count(int fd)
{
    lacking += fd < 0 && (errno == EMFILE || errno == ENFILE);
    return fd;
}

uint64_t sc_descriptors_lacking(void)
{
    return lacking;
}
