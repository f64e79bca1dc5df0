/*
 * observer/system/pages.c - which pages of a process are present.
 *
 * Both ways to read this are in Linux's Documentation/admin-guide/mm/pagemap.rst. Each request is
 * for a part of the range: while it is answered, the process cannot map or unmap memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/system/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "observer/system/procfs.h"

#define PART_BYTES ((uint64_t)64 << 20)

/* Where a part has no page that is present, the next may be twice as large, up to this. */
#define EMPTY_PART_BYTES ((uint64_t)64 << 30)
#define PART_NS          1000000U /* unless it takes longer than that */

/* Take some 10 ms where no page is present: 4 million words, or the 2,048 requests for all that a
 * program has of addresses. */
#define SCAN_MAX_BYTES  ((uint64_t)1 << 47)
#define WORDS_MAX_BYTES ((uint64_t)16 << 30)

#define REGIONS_MAX   512U
#define WORDS_MAX     4096U
#define WORD_IS_THERE (UINT64_C(3) << 62) /* present, or swapped out */

/* struct pm_scan_arg, struct page_region and their numbers, which older headers lack. */
struct region {
    uint64_t start;
    uint64_t end;
    uint64_t categories;
};

struct scan {
    uint64_t size;
    uint64_t flags;
    uint64_t start;
    uint64_t end;
    uint64_t walk_end;
    uint64_t regions;
    uint64_t regions_max;
    uint64_t max_pages;
    uint64_t inverted;
    uint64_t required;
    uint64_t any_of;
    uint64_t wanted;
};

#define IS_PRESENT 8U
#define IS_SWAPPED 16U
#define IS_ZERO    32U
#define SCAN       _IOWR('f', 16, struct scan)

/* How many bytes two ranges have in common. */
static uint64_t common_bytes(struct sc_pages_range a, struct sc_pages_range b)
{
    uint64_t first = a.start > b.start ? a.start : b.start;
    uint64_t last = a.end < b.end ? a.end : b.end;
    return first < last ? last - first : 0;
}

uint64_t sc_pages_in_words(const uint64_t *words, size_t count, uint64_t first_page,
                           uint64_t page_bytes, struct sc_pages_range range)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t page = first_page + i * page_bytes;
        if ((words[i] & WORD_IS_THERE) != 0)
            bytes += common_bytes((struct sc_pages_range){page, page + page_bytes}, range);
    }
    return bytes;
}

/* False with is_old set when the kernel does not know the request. */
static bool scan(struct sc_pages *pages, struct sc_pages_range range, uint64_t *ret_bytes)
{
    struct region regions[REGIONS_MAX];
    uint64_t at = range.start & -pages->page_bytes;
    uint64_t last = (range.end + pages->page_bytes - 1) & -pages->page_bytes;
    uint64_t bytes = 0;
    uint64_t part = PART_BYTES;
    while (at < last) {
        struct scan scan = {
            .size = sizeof(scan),
            .start = at,
            .end = last - at > part ? at + part : last,
            .regions = (uint64_t)(uintptr_t)regions,
            .regions_max = REGIONS_MAX,
            .max_pages = PART_BYTES / pages->page_bytes,
            .inverted = IS_ZERO,
            .required = IS_ZERO,
            .any_of = IS_PRESENT | IS_SWAPPED,
            .wanted = IS_PRESENT,
        };
        uint64_t begun_ns = sc_now_ns();
        int count = ioctl(pages->fd, SCAN, &scan);
        if (count < 0 && errno == EINTR)
            continue;
        pages->is_old = count < 0 && (errno == ENOTTY || errno == EINVAL);
        if (count < 0 || scan.walk_end <= at)
            return false;
        for (int i = 0; i < count; i++)
            bytes += common_bytes((struct sc_pages_range){regions[i].start, regions[i].end}, range);
        at = scan.walk_end;
        /* the program cannot map memory meanwhile, and pages of zeros are walked one by one */
        if (count > 0 || sc_now_ns() - begun_ns > PART_NS)
            part = PART_BYTES;
        else if (part < EMPTY_PART_BYTES)
            part *= 2;
    }
    *ret_bytes = bytes;
    return true;
}

static bool read_words(const struct sc_pages *pages, struct sc_pages_range range,
                       uint64_t *ret_bytes)
{
    static uint64_t words[WORDS_MAX];
    uint64_t at = range.start & -pages->page_bytes;
    uint64_t bytes = 0;
    while (at < range.end) {
        uint64_t left = (range.end - at + pages->page_bytes - 1) / pages->page_bytes;
        size_t wanted = left < WORDS_MAX ? (size_t)left : WORDS_MAX;
        ssize_t got = pread(pages->fd, words, wanted * sizeof(words[0]),
                            (off_t)(at / pages->page_bytes * sizeof(words[0])));
        size_t count = got > 0 ? (size_t)got / sizeof(words[0]) : 0;
        if (count == 0)
            return false;
        bytes += sc_pages_in_words(words, count, at, pages->page_bytes, range);
        at += count * pages->page_bytes;
    }
    *ret_bytes = bytes;
    return true;
}

static bool open_pages(struct sc_pages *pages, pid_t pid)
{
    char path[40];
    (void)snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
    pages->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    pages->fd = open(path, O_RDONLY | O_CLOEXEC);
    pages->is_refused = pages->fd < 0 && sc_is_refusal(pid, pid, errno);
    return pages->fd >= 0;
}

uint64_t sc_pages_limit(const struct sc_pages *pages)
{
    return pages->is_old ? WORDS_MAX_BYTES : SCAN_MAX_BYTES;
}

bool sc_pages_count(struct sc_pages *pages, pid_t pid, struct sc_pages_range range,
                    uint64_t *ret_bytes)
{
    if (pages->is_refused || (pages->fd < 0 && !open_pages(pages, pid)))
        return false;
    uint64_t size = range.end > range.start ? range.end - range.start : 0;
    if (range.end > UINT64_MAX - pages->page_bytes) /* no such address: the record is wrong */
        return false;
    if (!pages->is_old && size <= sc_pages_limit(pages) && scan(pages, range, ret_bytes))
        return true;
    return pages->is_old && size <= sc_pages_limit(pages) && read_words(pages, range, ret_bytes);
}

void sc_pages_close(struct sc_pages *pages)
{
    sc_close(&pages->fd);
}
