/*
 * tests/unit/safe_read_test.c - the agent's reads: right bytes, and no fault whatever the address.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/safe_read.h"

#include "sc_test.h"

#define PAGE 4096U

static bool read_at(uint64_t address, void *bytes, size_t length)
{
    struct sc_safe_reader reader = {0};
    return sc_safe_read(&reader, address, bytes, length);
}

TEST(all_sizes_and_alignments)
{
    unsigned char from[64];
    for (unsigned i = 0; i < sizeof(from); i++)
        from[i] = (unsigned char)(i * 7 + 1);
    for (size_t at = 0; at < 16; at++) {
        for (size_t length = 0; length < 40; length++) {
            unsigned char to[40] = {0};
            assert_true(read_at((uint64_t)(uintptr_t)(from + at), to, length));
            assert_memory_equal(to, from + at, length);
        }
    }
}

TEST(what_cannot_be_read_is_refused)
{
    static const uint64_t nowhere[] = {0,          1,          8,          4095,
                                       0x10000000, UINT64_MAX, 1ULL << 47, 0x8000000000000000U};
    unsigned char bytes[16];
    for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++)
        assert_false(read_at(nowhere[i], bytes, 8));
    assert_false(read_at(UINT64_MAX - 3, bytes, 16)); /* wraps round */
}

TEST(the_edge_of_a_mapping)
{
    unsigned char *pages =
        mmap(NULL, (size_t)3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    memset(pages, 5, (size_t)3 * PAGE);
    assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
    unsigned char bytes[16];
    uint64_t edge = (uint64_t)(uintptr_t)pages + PAGE;
    assert_true(read_at(edge - 8, bytes, 8));
    assert_false(read_at(edge - 7, bytes, 8));
    assert_false(read_at(edge, bytes, 1));
    assert_true(read_at(edge + PAGE, bytes, 16));
    /* from the first page over the second into the third */
    unsigned char many[2 * PAGE];
    assert_false(read_at(edge - 8, many, sizeof(many)));
    assert_int_equal(munmap(pages, (size_t)3 * PAGE), 0);
    assert_false(read_at(edge - 8, bytes, 8));
}

TEST(many_pages_with_one_reader)
{
    size_t count = (size_t)4 * SC_SAFE_PAGES;
    unsigned char *pages =
        mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    struct sc_safe_reader reader = {0};
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < count; i++) {
            pages[i * PAGE] = (unsigned char)(i + 1);
            unsigned char byte = 0;
            assert_true(sc_safe_read(&reader, (uint64_t)(uintptr_t)(pages + i * PAGE), &byte, 1));
            assert_int_equal(byte, (unsigned char)(i + 1));
        }
    }
    assert_int_equal(munmap(pages, count * PAGE), 0);
}

TEST(what_is_sure_is_not_remembered)
{
    /* the stack of a thread, which libc unmaps when that has ended, and nobody sees it */
    unsigned char *stack =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(stack, MAP_FAILED);
    uint64_t start = (uint64_t)(uintptr_t)stack;
    struct sc_safe_reader reader = {.sure_start = start + 64, .sure_end = start + PAGE};
    unsigned char bytes[8];
    assert_true(sc_safe_read(&reader, start + 64, bytes, sizeof(bytes)));
    assert_int_equal(munmap(stack, PAGE), 0);
    reader.sure_start = reader.sure_end = 0;
    assert_false(sc_safe_read(&reader, start + 64, bytes, sizeof(bytes)));
}
