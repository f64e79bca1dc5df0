/*
 * observer/system/pages.h - which pages of a process are present: the kernel provides a page when
 * it is first touched, and takes it back when the process asks for that by madvise.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Of one process. Initialise with {.fd = -1}. */
struct sc_pages {
    int fd; /* of /proc/PID/pagemap: shows no pages of a program executed after open */
    uint64_t page_bytes;
    bool is_refused; /* the system does not let us read it */
    bool is_old;     /* the kernel knows no PAGEMAP_SCAN (before 6.7) */
};

/* A range of addresses. */
struct sc_pages_range {
    uint64_t start;
    uint64_t end;
};

/* How many bytes of the range are present, in memory or swapped out. Of a page that lies partly in
 * the range, that part counts. Pages that were only read, and so hold only zeros, do not count
 * where the kernel shows that. Takes about 2 ns for a page that is present, and next to nothing for
 * others. False when the pages cannot be read (is_refused), would take too long (sc_pages_limit),
 * or the process is gone. */
bool sc_pages_count(struct sc_pages *pages, pid_t pid, struct sc_pages_range range,
                    uint64_t *ret_bytes);

/* A range longer than this, in bytes, is not counted: a program can reserve the whole address
 * space. */
uint64_t sc_pages_limit(const struct sc_pages *pages);

void sc_pages_close(struct sc_pages *pages);
/* Bytes of the range in pages that are present, from words as in /proc/PID/pagemap. The first is
 * that of the page at first_page. */
uint64_t sc_pages_in_words(const uint64_t *words, size_t count, uint64_t first_page,
                           uint64_t page_bytes, struct sc_pages_range range);
