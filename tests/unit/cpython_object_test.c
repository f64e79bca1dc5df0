/*
 * tests/unit/cpython_object_test.c - str, bytes and code objects, whole and wrong; thread states.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "cpython/walk.h"
#include "fake_python.h"
#include "sc_test.h"

static struct fake_python python;

#define FOR_EACH_LAYOUT(layout)                                                                    \
    for (const struct sc_layout *layout = sc_layouts; layout < sc_layouts + sc_layouts_count;      \
         layout++)

enum { NOT_COMPACT = 1, ASCII = 2 };

/* A str object of count characters of width bytes each. */
static uint64_t make_text(const void *characters, uint64_t count, uint32_t width, int flags)
{
    const struct sc_layout *layout = python.layout;
    uint64_t text = fake_room(&python.process, 128 + (size_t)(count * width));
    uint32_t bits = width << layout->str_kind_bit;
    if (!(flags & NOT_COMPACT))
        bits |= 1u << layout->str_compact_bit;
    if (flags & ASCII)
        bits |= 1u << layout->str_ascii_bit;
    fake_put_u64(&python.process, text, layout->us_length, count);
    fake_put_u32(&python.process, text, layout->us_state, bits | 1);
    fake_write(&python.process,
               text + (uint32_t)(flags & ASCII ? layout->us_ascii_data : layout->us_compact_data),
               characters, (size_t)(count * width));
    return text;
}

static void assert_text(uint64_t text, size_t capacity, const char *expected)
{
    char bytes[1024];
    size_t length = 0;
    memset(bytes, '#', sizeof(bytes));
    assert_true(
        sc_unicode_read(python.layout, &python.process.target, text, bytes, capacity, &length));
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(bytes, expected, length);
    assert_int_equal(bytes[length], '#');
}

static void assert_no_text(uint64_t text)
{
    char bytes[64];
    size_t length = 77;
    assert_false(sc_unicode_read(python.layout, &python.process.target, text, bytes, sizeof(bytes),
                                 &length));
    assert_int_equal(length, 77);
}

TEST(test_kinds_of_text)
{
    static const uint8_t latin[] = {'g', 'r', 0xf6, 0xdf, 'e', 0xff};
    static const uint16_t two[] = {0x51fd, 'x', 0x3c0, 0xffff};
    static const uint32_t four[] = {0x1f600, 'y', 0xe9, 0x10ffff};
    FOR_EACH_LAYOUT(layout)
    {
        fake_python_start(&python, layout);
        assert_text(make_text("plain.py", 8, 1, ASCII), 64, "plain.py");
        assert_text(make_text("", 0, 1, ASCII), 64, "");
        assert_text(make_text(latin, 6, 1, 0), 64,
                    "gr\xc3\xb6\xc3\x9f"
                    "e\xc3\xbf");
        assert_text(make_text(two, 4, 2, 0), 64, "\xe5\x87\xbdx\xcf\x80\xef\xbf\xbf");
        assert_text(make_text(four, 4, 4, 0), 64, "\xf0\x9f\x98\x80y\xc3\xa9\xf4\x8f\xbf\xbf");
    }
}

/* Bytes of a file name that are no UTF-8 come back as they were; other lone halves cannot. */
TEST(test_surrogates)
{
    static const uint16_t text[] = {'/', 0xdcff, 0xdc80, 0xdc7f, 0xd800, 'x'};
    static const uint32_t too_large[] = {0x110000, 0xffffffff};
    fake_python_start(&python, &sc_layouts[0]);
    assert_text(make_text(text, 6, 2, 0), 64, "/\xff\x80\xef\xbf\xbd\xef\xbf\xbdx");
    assert_text(make_text(too_large, 2, 4, 0), 64, "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(test_text_is_cut_at_a_character)
{
    static const uint16_t text[] = {0x51fd, 0x51fd};
    fake_python_start(&python, &sc_layouts[3]);
    uint64_t wide = make_text(text, 2, 2, 0);
    assert_text(wide, 6, "\xe5\x87\xbd\xe5\x87\xbd");
    assert_text(wide, 5, "\xe5\x87\xbd");
    assert_text(wide, 3, "\xe5\x87\xbd");
    assert_text(wide, 2, "");
    assert_text(wide, 0, "");
    uint64_t ascii = make_text("abcdef", 6, 1, ASCII);
    assert_text(ascii, 4, "abcd");
    assert_text(ascii, 0, "");
}

/* More than one chunk of the reader. */
TEST(test_long_text)
{
    uint16_t text[300];
    char expected[901];
    for (int i = 0; i < 300; i++) {
        text[i] = 0x51fd;
        memcpy(expected + i * 3, "\xe5\x87\xbd", 4);
    }
    fake_python_start(&python, &sc_layouts[5]);
    assert_text(make_text(text, 300, 2, 0), 1000, expected);
}

TEST(test_wrong_text)
{
    FOR_EACH_LAYOUT(layout)
    {
        fake_python_start(&python, layout);
        assert_no_text(make_text("abc", 3, 1, NOT_COMPACT | ASCII));
        assert_no_text(make_text("abc", 1, 3, 0));
        assert_no_text(make_text("abc", 0, 0, 0));
        assert_no_text(make_text("abc", 1, 2, ASCII));
        uint64_t huge = make_text("abc", 3, 1, 0);
        fake_put_u64(&python.process, huge, layout->us_length, UINT64_MAX);
        assert_no_text(huge);
        fake_put_u64(&python.process, huge, layout->us_length, 1ull << 33);
        assert_no_text(huge);
        assert_no_text(0);
        assert_no_text(fake_base + 4);
        uint64_t text = make_text("abc", 3, 1, 0);
        python.process.hole = text + (uint32_t)layout->us_compact_data + 1;
        assert_no_text(text);
    }
}

TEST(test_bytes)
{
    FOR_EACH_LAYOUT(layout)
    {
        size_t length = 0;
        char bytes[8] = {0};
        fake_python_start(&python, layout);
        uint64_t object = fake_object(&python, python.type_type);
        fake_put_u64(&python.process, object, layout->by_size, 5);
        fake_write(&python.process, object + (uint32_t)layout->by_data, "ab\0cd", 5);
        assert_true(sc_bytes_size(layout, &python.process.target, object, &length));
        assert_int_equal(length, 5);
        assert_true(sc_bytes_read(layout, &python.process.target, object, bytes, length));
        assert_memory_equal(bytes, "ab\0cd", 5);
        fake_put_u64(&python.process, object, layout->by_size, UINT64_MAX);
        assert_false(sc_bytes_size(layout, &python.process.target, object, &length));
        fake_put_u64(&python.process, object, layout->by_size, 1ull << 32);
        assert_false(sc_bytes_size(layout, &python.process.target, object, &length));
        assert_false(sc_bytes_size(layout, &python.process.target, object | 1, &length));
        assert_false(sc_bytes_read(layout, &python.process.target, 0, bytes, 1));
        assert_int_equal(length, 5);
    }
}

TEST(test_code)
{
    FOR_EACH_LAYOUT(layout)
    {
        struct sc_code_facts facts;
        fake_python_start(&python, layout);
        uint64_t code = fake_code(&python, 42);
        assert_true(sc_code_read(layout, &python.process.target, code, &facts));
        assert_int_equal(facts.filename, code + 1);
        assert_int_equal(facts.name, code + (layout->co_qualname >= 0 ? 3 : 2));
        assert_int_equal(facts.line_table, code + 4);
        assert_int_equal(facts.first_line, 42);
        assert_int_equal(facts.code, code);
        assert_int_equal(facts.version, 0);
        fake_put_u32(&python.process, code, layout->co_version, 77);
        assert_true(sc_code_read(layout, &python.process.target, code, &facts));
        assert_int_equal(facts.version, layout->version >= 0x030c ? 77 : 0);
        assert_false(sc_code_read(layout, &python.process.target, code + 4, &facts));
        assert_false(sc_code_read(layout, &python.process.target, 0, &facts));
        assert_false(sc_code_read(layout, &python.process.target, fake_base + FAKE_BYTES, &facts));
    }
}

/* Two interpreters with three threads each; a thread's ids are 100 i + j and 5000 + 100 i + j. */
static void make_threads(uint64_t *ret_runtime, uint64_t threads[2][3])
{
    const struct sc_layout *layout = python.layout;
    /* as large as the structures up to their used fields */
    uint64_t next = 0;
    *ret_runtime = fake_room(&python.process, 1024);
    for (uint64_t i = 2; i-- > 0;) {
        uint64_t interpreter = fake_room(&python.process, (size_t)layout->is_threads_head + 16);
        uint64_t next_thread = 0;
        fake_put_u64(&python.process, interpreter, layout->is_next, next);
        next = interpreter;
        for (uint64_t j = 3; j-- > 0;) {
            uint64_t thread = fake_room(&python.process, 512);
            fake_put_u64(&python.process, thread, layout->ts_next, next_thread);
            fake_put_u64(&python.process, thread, layout->ts_native_thread_id, 100 * i + j + 1);
            fake_put_u64(&python.process, thread, layout->ts_thread_id, 5000 + 100 * i + j);
            next_thread = threads[i][j] = thread;
        }
        fake_put_u64(&python.process, interpreter, layout->is_threads_head, next_thread);
    }
    fake_put_u64(&python.process, *ret_runtime, layout->rt_interpreters_head, next);
}

TEST(test_find_thread)
{
    FOR_EACH_LAYOUT(layout)
    {
        uint64_t runtime = 0;
        uint64_t threads[2][3];
        const struct sc_target *target = &python.process.target;
        bool by_native_id = layout->ts_native_thread_id >= 0;
        fake_python_start(&python, layout);
        make_threads(&runtime, threads);
        for (uint64_t i = 0; i < 2; i++)
            for (uint64_t j = 0; j < 3; j++) {
                uint64_t native_id = 100 * i + j + 1;
                uint64_t pthread_self = 5000 + 100 * i + j;
                assert_int_equal(
                    sc_thread_state_find(layout, target, runtime, native_id, pthread_self),
                    threads[i][j]);
                /* only the one that the version keeps counts */
                assert_int_equal(sc_thread_state_find(layout, target, runtime,
                                                      by_native_id ? native_id : 9,
                                                      by_native_id ? 9 : pthread_self),
                                 threads[i][j]);
            }
        assert_int_equal(sc_thread_state_find(layout, target, runtime, 9, 9), 0);
        assert_int_equal(sc_thread_state_find(layout, target, runtime, 0, 0), 0);
        assert_int_equal(sc_thread_state_find(layout, target, 8, 1, 5000), 0);
    }
}

TEST(test_who_ends_the_interpreter)
{
    FOR_EACH_LAYOUT(layout)
    {
        uint64_t runtime = 0;
        uint64_t threads[2][3];
        const struct sc_target *target = &python.process.target;
        fake_python_start(&python, layout);
        make_threads(&runtime, threads);
        assert_false(sc_thread_is_finalizing(layout, target, runtime, threads[0][0]));
        assert_false(sc_thread_is_finalizing(layout, target, runtime, 0));
        fake_put_u64(&python.process, runtime, layout->rt_finalizing, threads[0][0]);
        assert_true(sc_thread_is_finalizing(layout, target, runtime, threads[0][0]));
        assert_false(sc_thread_is_finalizing(layout, target, runtime, threads[0][1]));
        assert_false(sc_thread_is_finalizing(layout, target, 8, threads[0][0]));
    }
}

TEST(test_circular_lists)
{
    FOR_EACH_LAYOUT(layout)
    {
        uint64_t runtime = 0;
        uint64_t threads[2][3];
        uint64_t interpreter = 0;
        fake_python_start(&python, layout);
        make_threads(&runtime, threads);
        const struct sc_target *target = &python.process.target;
        fake_put_u64(&python.process, threads[0][2], layout->ts_next, threads[0][0]);
        assert_int_equal(sc_thread_state_find(layout, target, runtime, 9, 9), 0);
        fake_put_u64(&python.process, threads[0][2], layout->ts_next, 0);
        assert_true(fake_read(&python.process, runtime + (uint32_t)layout->rt_interpreters_head,
                              &interpreter, 8));
        fake_put_u64(&python.process, interpreter, layout->is_next, interpreter);
        python.process.reads = 0;
        assert_int_equal(sc_thread_state_find(layout, target, runtime, 9, 9), 0);
        assert_true(python.process.reads < 10000);
        fake_put_u64(&python.process, interpreter, layout->is_next, 3);
        assert_int_equal(sc_thread_state_find(layout, target, runtime, 9, 9), 0);
    }
}
