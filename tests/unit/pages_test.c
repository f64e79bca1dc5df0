/*
 * tests/unit/pages_test.c - which pages of a process are there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/system/pages.h"

#include "observer/system/procfs.h"
#include "sc_test.h"

#define PRESENT (UINT64_C(1) << 63)
#define SWAPPED (UINT64_C(1) << 62)
#define MB      ((size_t)1 << 20)
#define NOBODY  65534

struct row {
    const char *name;
    uint64_t words[3];
    struct sc_pages_range range; /* the words are of the pages at 0x1000, 0x2000 and 0x3000 */
    uint64_t expected_bytes;
};

static const struct row rows[] = {
    {"all", {PRESENT, PRESENT, PRESENT}, {0x1000, 0x4000}, 0x3000},
    {"none", {0, 0, 0}, {0x1000, 0x4000}, 0},
    {"one that is swapped out", {0, SWAPPED, 0}, {0x1000, 0x4000}, 0x1000},
    {"one that only has other marks", {0, UINT64_C(1) << 61, 0}, {0x1000, 0x4000}, 0},
    {"a part of the first", {PRESENT, 0, 0}, {0x1f00, 0x4000}, 0x100},
    {"a part of the last", {0, 0, PRESENT}, {0x1000, 0x3010}, 0x10},
    {"a part of one", {PRESENT, PRESENT, PRESENT}, {0x2100, 0x2200}, 0x100},
    {"nothing", {PRESENT, PRESENT, PRESENT}, {0x2100, 0x2100}, 0},
};

TEST(words_are_counted)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t bytes = sc_pages_in_words(rows[i].words, 3, 0x1000, 0x1000, rows[i].range);
        if (bytes != rows[i].expected_bytes)
            fail_msg("%s: %llu bytes", rows[i].name, (unsigned long long)bytes);
    }
}

/* Both ways of asking, about memory of our own that is touched in part. */
TEST(both_ways_agree)
{
    unsigned char *block =
        mmap(NULL, 64 * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(block != MAP_FAILED);
    assert_int_equal(madvise(block, 64 * MB, MADV_NOHUGEPAGE), 0);
    memset(block + 8 * MB, 1, 16 * MB);
    memset(block + 40 * MB, 1, 4 * MB);
    uint64_t start = (uint64_t)(uintptr_t)block;
    for (int is_old = 0; is_old < 2; is_old++) {
        struct sc_pages pages = {.fd = -1};
        struct sc_pages_range all = {start, start + 64 * MB};
        struct sc_pages_range part = {start + 9 * MB + 5, start + 10 * MB};
        uint64_t bytes = 0;
        assert_true(sc_pages_count(&pages, getpid(), all, &bytes));
        pages.is_old = is_old != 0 || pages.is_old;
        assert_true(sc_pages_count(&pages, getpid(), all, &bytes));
        assert_int_equal(bytes, 20 * MB);
        assert_true(sc_pages_count(&pages, getpid(), part, &bytes));
        assert_int_equal(bytes, MB - 5);
        sc_pages_close(&pages);
    }
    (void)munmap(block, 64 * MB);
}

/* Reserved, and used at both ends and in the middle. */
TEST(of_terabytes_the_present_pages_are_counted)
{
    size_t size = (size_t)8 << 40;
    struct sc_pages pages = {.fd = -1};
    unsigned char *block = mmap(NULL, size, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED) /* a limit of address space */
        skip();
    assert_int_equal(madvise(block, size, MADV_NOHUGEPAGE), 0);
    block[0] = block[size - 1] = 1;
    memset(block + size / 2 - MB, 1, 100 * MB);
    uint64_t start = (uint64_t)(uintptr_t)block;
    uint64_t bytes = 0;
    bool is_counted =
        sc_pages_count(&pages, getpid(), (struct sc_pages_range){start, start + size}, &bytes);
    assert_int_equal(is_counted, !pages.is_old);
    if (is_counted)
        assert_int_equal(bytes, 100 * MB + 2 * pages.page_bytes);
    sc_pages_close(&pages);
    (void)munmap(block, size);
}

/* A program can say that its block is as large as it likes. */
TEST(what_would_take_for_ever_is_not_asked)
{
    for (int is_old = 0; is_old < 2; is_old++) {
        struct sc_pages pages = {.fd = -1, .is_old = is_old != 0};
        uint64_t bytes = 7;
        uint64_t limit = sc_pages_limit(&pages);
        assert_false(
            sc_pages_count(&pages, getpid(), (struct sc_pages_range){0, UINT64_MAX}, &bytes));
        assert_false(
            sc_pages_count(&pages, getpid(), (struct sc_pages_range){4096, limit + 4097}, &bytes));
        assert_int_equal(bytes, 7);
        assert_false(pages.is_refused);
        sc_pages_close(&pages);
    }
}

TEST(one_that_is_gone_is_no_refusal)
{
    struct sc_pages pages = {.fd = -1};
    uint64_t bytes = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(sc_pages_count(&pages, child, (struct sc_pages_range){0x1000, 0x2000}, &bytes));
    assert_false(pages.is_refused);
}

/* Run by a user other than root: 0 when neither the pages of a process that has ended, and is not
 * waited for, count as refused, nor what it waits for. */
static int look_at_a_zombie(void)
{
    struct sc_pages pages = {.fd = -1};
    struct sc_blocked blocked;
    siginfo_t info;
    uint64_t bytes = 0;
    if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
        return 2;
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) != 0)
        return 2;
    bool counted = sc_pages_count(&pages, child, (struct sc_pages_range){0x1000, 0x2000}, &bytes);
    bool is_refused = sc_blocked_read(child, child, -1, &blocked) == SC_BLOCKED_REFUSED;
    return counted || pages.is_refused || is_refused;
}

TEST(one_that_is_not_waited_for_is_no_refusal)
{
    int status = 0;
    pid_t other = fork();
    if (other == 0)
        _exit(look_at_a_zombie());
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(status, 0);
}
