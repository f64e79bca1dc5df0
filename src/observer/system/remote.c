/*
 * observer/system/remote.c - memory of another process, a page at a time.
 *
 * One process_vm_readv costs about as much for a page as for a word, and the frames of a thread lie
 * close together. Filters of system calls in containers refuse it to all, and emulators lack it,
 * where /proc/PID/mem has the same bytes under the same permissions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/system/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "observer/system/core.h"
#include "observer/system/procfs.h"

#define PAGE_BYTES 4096U
#define PAGES      256U

struct sc_remote_pages {
    uint64_t numbers[PAGES]; /* of the pages, + 1; 0: empty */
    unsigned char bytes[PAGES][PAGE_BYTES];
};

void sc_remote_forget(struct sc_remote *remote)
{
    if (remote->pages != NULL)
        memset(remote->pages->numbers, 0, sizeof(remote->pages->numbers));
}

void sc_remote_done(struct sc_remote *remote)
{
    free(remote->pages);
    remote->pages = NULL;
}

/* Opened for each read: after an exec, a descriptor would be that of the old program's memory. */
static ssize_t read_file(pid_t pid, const struct iovec *to, const struct iovec *from, size_t count)
{
    ssize_t sum = 0;
    ssize_t got = 0;
    SC_AUTO_FREE char *path = sc_format("/proc/%d/mem", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    for (size_t i = 0; i < count && (i == 0 || got == (ssize_t)to[i - 1].iov_len); i++) {
        got = preadv(fd, &to[i], 1, (off_t)(uintptr_t)from[i].iov_base);
        sum += got > 0 ? got : 0;
    }
    int code = errno;
    (void)close(fd);
    errno = code;
    return sum > 0 ? sum : got;
}

ssize_t sc_remote_readv(pid_t pid, const struct iovec *to, const struct iovec *from, size_t count,
                        bool *ret_forbidden)
{
    ssize_t got = process_vm_readv(pid, to, count, from, count, 0);
    if (got >= 0 || (errno != EPERM && errno != ENOSYS))
        return got;
    got = read_file(pid, to, from, count);
    /* the file of a process that has ended may not be opened either */
    if (got < 0 && sc_is_refusal(pid, pid, errno == ENOSYS ? EPERM : errno))
        *ret_forbidden = true;
    return got;
}

static const unsigned char *page_of(void *context, uint64_t number)
{
    struct sc_remote *remote = context;
    if (remote->pages == NULL) { /* few of the pages are ever used: none is cleared */
        remote->pages = sc_realloc(NULL, 1, sizeof(*remote->pages));
        sc_remote_forget(remote);
    }
    struct sc_remote_pages *pages = remote->pages;
    size_t at = number % PAGES;
    if (pages->numbers[at] == number + 1)
        return pages->bytes[at];
    pages->numbers[at] = 0;
    if (remote->core != NULL) {
        if (!sc_core_page(remote->core, number, pages->bytes[at]))
            return NULL;
        pages->numbers[at] = number + 1;
        return pages->bytes[at];
    }
    struct iovec to = {.iov_base = pages->bytes[at], .iov_len = PAGE_BYTES};
    struct iovec from = {.iov_base = (void *)(uintptr_t)(number * PAGE_BYTES),
                         .iov_len = PAGE_BYTES};
    if (sc_remote_readv(remote->pid, &to, &from, 1, &remote->forbidden) != (ssize_t)PAGE_BYTES)
        return NULL;
    pages->numbers[at] = number + 1;
    return pages->bytes[at];
}

bool sc_remote_copy(sc_remote_page *find_page, void *context, uint64_t address, void *bytes,
                    size_t length)
{
    unsigned char *to = bytes;
    if (length > 0 && address + length - 1 < address)
        return false;
    while (length > 0) {
        size_t offset = address % PAGE_BYTES;
        size_t part = length < PAGE_BYTES - offset ? length : PAGE_BYTES - offset;
        const unsigned char *page = find_page(context, address / PAGE_BYTES);
        if (page == NULL)
            return false;
        memcpy(to, page + offset, part);
        to += part;
        address += part;
        length -= part;
    }
    return true;
}

bool sc_remote_read(void *context, uint64_t address, void *bytes, size_t length)
{
    return sc_remote_copy(page_of, context, address, bytes, length);
}
