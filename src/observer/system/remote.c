/*
 * observer/system/remote.c - memory of another process, by pages.
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
#include <sys/uio.h>
#include <unistd.h>

#include "base/mem.h"
#include "observer/system/core.h"
#include "observer/system/procfs.h"

#define PAGE_BYTES     4096U
#define PAGES          256U
#define AHEAD          8U /* pages that are read at once, and tables that are kept then */
#define WORDS_PER_CALL 256U

struct sc_remote_pages {
    uint64_t numbers[PAGES]; /* of the pages, + 1; 0: empty */
    unsigned char bytes[PAGES][PAGE_BYTES];
};

static size_t tables(const struct sc_remote *remote)
{
    return remote->reads_ahead ? AHEAD : 1;
}

void sc_remote_use(struct sc_remote *remote, pid_t pid)
{
    if (remote->pid == pid)
        return;
    sc_remote_forget(remote);
    remote->pid = pid;
    remote->forbidden = false;
}

void sc_remote_forget(struct sc_remote *remote)
{
    for (size_t i = 0; remote->pages != NULL && i < tables(remote); i++)
        memset(remote->pages[i].numbers, 0, sizeof(remote->pages[i].numbers));
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

/* Reads pieces of the process, each into one of the same length; returns the bytes that were read
 * before the first that could not be, or -1. */
static ssize_t read_pieces(struct sc_remote *remote, const struct iovec *to,
                           const struct iovec *from, size_t count)
{
    pid_t pid = remote->pid;
    ssize_t got = process_vm_readv(pid, to, count, from, count, 0);
    if (got >= 0 || (errno != EPERM && errno != ENOSYS))
        return got;
    got = read_file(pid, to, from, count);
    /* the file of a process that has ended may not be opened either */
    if (got < 0 && sc_is_refusal(pid, pid, errno == ENOSYS ? EPERM : errno))
        remote->forbidden = true;
    return got;
}

/* Reads neighbouring pages, up to the first that cannot be read. */
static void read_pages(struct sc_remote *remote, struct sc_remote_pages *pages, uint64_t first,
                       size_t count)
{
    struct iovec to[AHEAD];
    struct iovec from[AHEAD];
    size_t at = first % PAGES;
    /* a call that meets a hole ends with the last part before it */
    for (size_t i = 0; i < count; i++) {
        pages->numbers[at + i] = 0;
        to[i] = (struct iovec){.iov_base = pages->bytes[at + i], .iov_len = PAGE_BYTES};
        from[i] = (struct iovec){.iov_base = (void *)(uintptr_t)((first + i) * PAGE_BYTES),
                                 .iov_len = PAGE_BYTES};
    }
    ssize_t got = 0;
    if (remote->core == NULL)
        got = read_pieces(remote, to, from, count);
    else if (sc_core_page(remote->core, first, pages->bytes[at]))
        got = PAGE_BYTES;
    for (size_t i = 0; got >= (ssize_t)((i + 1) * PAGE_BYTES); i++)
        pages->numbers[at + i] = first + i + 1;
}

/* The page of that number of the process, NULL when it cannot be read. */
static const unsigned char *page_of(struct sc_remote *remote, uint64_t number)
{
    if (remote->pages == NULL) { /* few of the pages are ever used: none is cleared */
        remote->pages = sc_realloc(NULL, tables(remote), sizeof(*remote->pages));
        sc_remote_forget(remote);
    }
    struct sc_remote_pages *pages = &remote->pages[number / PAGES % tables(remote)];
    size_t at = number % PAGES;
    uint64_t first = number - number % AHEAD;
    if (remote->reads_ahead && pages->numbers[first % PAGES] != first + 1)
        read_pages(remote, pages, first, AHEAD);
    if (pages->numbers[at] != number + 1)
        read_pages(remote, pages, number, 1);
    return pages->numbers[at] == number + 1 ? pages->bytes[at] : NULL;
}

bool sc_remote_read(void *context, uint64_t address, void *bytes, size_t length)
{
    unsigned char *to = bytes;
    if (length > 0 && address + length - 1 < address)
        return false;
    while (length > 0) {
        size_t offset = address % PAGE_BYTES;
        size_t part = length < PAGE_BYTES - offset ? length : PAGE_BYTES - offset;
        const unsigned char *page = page_of(context, address / PAGE_BYTES);
        if (page == NULL)
            return false;
        memcpy(to, page + offset, part);
        to += part;
        address += part;
        length -= part;
    }
    return true;
}

bool sc_remote_read_now(void *context, uint64_t address, void *bytes, size_t length)
{
    struct sc_remote *remote = context;
    const struct iovec to = {.iov_base = bytes, .iov_len = length};
    const struct iovec from = {.iov_base = (void *)(uintptr_t)address, .iov_len = length};
    if (remote->core != NULL)
        return sc_remote_read(context, address, bytes, length);
    return read_pieces(remote, &to, &from, 1) == (ssize_t)length;
}

bool sc_remote_words(struct sc_remote *remote, struct sc_remote_word *words, size_t count)
{
    struct iovec to[WORDS_PER_CALL];
    struct iovec from[WORDS_PER_CALL];
    for (size_t done = 0; done < count;) {
        size_t held = count - done < WORDS_PER_CALL ? count - done : WORDS_PER_CALL;
        size_t wanted = 0;
        for (size_t i = 0; i < held; i++) {
            struct sc_remote_word *word = &words[done + i];
            to[i] = (struct iovec){.iov_base = word->bytes, .iov_len = word->length};
            from[i] = (struct iovec){.iov_base = (void *)(uintptr_t)word->address,
                                     .iov_len = word->length};
            wanted += word->length;
        }
        if (read_pieces(remote, to, from, held) != (ssize_t)wanted)
            return false;
        done += held;
    }
    return true;
}
