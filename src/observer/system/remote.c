/*
 * observer/system/remote.c - memory of another process, a page at a time.
 *
 * One process_vm_readv costs about as much for a page as for a word, and the frames of a thread lie
 * close together.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/system/remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/mem.h"

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
    struct iovec to = {.iov_base = pages->bytes[at], .iov_len = PAGE_BYTES};
    struct iovec from = {.iov_base = (void *)(uintptr_t)(number * PAGE_BYTES),
                         .iov_len = PAGE_BYTES};
    ssize_t got = process_vm_readv(remote->pid, &to, 1, &from, 1, 0);
    if (got != (ssize_t)PAGE_BYTES) {
        if (got < 0 && (errno == EPERM || errno == ENOSYS))
            remote->forbidden = true;
        return NULL;
    }
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
