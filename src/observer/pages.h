/*
 * observer/pages.h - which pages of a process are there: the kernel gives them when they are first
 * touched, and takes them back by madvise.
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
    int fd; /* of /proc/PID/pagemap: what the process executes later is not in it */
    uint64_t page_bytes;
    bool is_refused; /* the system does not let us look */
    bool is_old;     /* the kernel knows no PAGEMAP_SCAN (before 6.7) */
};

/* A range of addresses. */
struct sc_pages_range {
    uint64_t start;
    uint64_t end;
};

/* How many bytes of the range are there, in memory or swapped out. Of a page that the range has
 * a part of, that part. Pages that were only read, where there is nothing but zeros, are not there
 * as far as the kernel tells. Takes about 2 ns a page that is there, and next to nothing for
 * others. False when that cannot be asked (is_refused), would take too long (sc_pages_limit), or
 * the process is gone. */
bool sc_pages_count(struct sc_pages *pages, pid_t pid, struct sc_pages_range range,
                    uint64_t *ret_bytes);

/* A longer range, in bytes, is not asked for: a program can reserve as much as there are addresses.
 */
uint64_t sc_pages_limit(const struct sc_pages *pages);

void sc_pages_close(struct sc_pages *pages);
/* How many bytes two ranges have in common. */
uint64_t sc_pages_common(struct sc_pages_range a, struct sc_pages_range b);

/* Bytes of the range in pages that are there, of words as /proc/PID/pagemap has them. The first is
 * that of the page at first_page. */
uint64_t sc_pages_in_words(const uint64_t *words, size_t count, uint64_t first_page,
                           uint64_t page_bytes, struct sc_pages_range range);
