/*
 * tests/unit/cpython_code_key_test.c - a code object's key is its content, wherever it stands.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/code_key.h"
#include "fake_python.h"
#include "sc_test.h"

enum { SLOTS = 64, TABLE_BYTES = 3000, INTERPRETER = 1 };

static struct fake_python python;
static struct sc_code_key_slot slots[SLOTS];

#define FOR_EACH_LAYOUT(layout)                                                                    \
    for (const struct sc_layout *layout = sc_layouts; layout < sc_layouts + sc_layouts_count;      \
         layout++)

struct made {
    uint64_t code;
    uint64_t filename;
    uint64_t name;
    uint64_t table;
};

static void number(const struct made *made, uint32_t version)
{
    fake_put_u32(&python.process, made->code, python.layout->co_version, version);
}

static struct made make(const char *file, const char *name, size_t table_bytes, uint32_t version)
{
    struct made made = {.filename = fake_text(&python, file),
                        .name = fake_text(&python, name),
                        .table = fake_zeros(&python, table_bytes)};
    made.code = fake_code(&python, 7);
    fake_name_code(&python, made.code, made.filename, made.name, made.table);
    number(&made, version);
    return made;
}

/* With no slots it is made of the content each time. */
static uint64_t key_by(uint64_t code, uint32_t slot_count, uint64_t interpreter)
{
    struct sc_code_facts facts;
    struct sc_code_namer namer = {.layout = python.layout,
                                  .target = &python.process.target,
                                  .keys = {.slots = slots, .count = slot_count},
                                  .interpreter = interpreter};
    assert_true(sc_code_read(python.layout, &python.process.target, code, &facts));
    if (slot_count == 0)
        return sc_code_key_make(&namer, &facts);
    uint64_t token = sc_code_token(&namer, &facts);
    uint64_t key = token != 0 ? sc_code_key_find(&namer, token) : 0;
    if (key != 0 || token == 0)
        return key;
    key = sc_code_key_make(&namer, &facts);
    if (key != 0)
        sc_code_key_keep(&namer, token, key);
    namer.epoch++;
    assert_int_equal(sc_code_key_find(&namer, sc_code_token(&namer, &facts)), 0);
    return key;
}

/* As the agent asks for it; asked twice, so that the second answer may come from what is kept. */
static uint64_t key_of(const struct made *made)
{
    uint64_t key = key_by(made->code, SLOTS, INTERPRETER);
    assert_int_not_equal(key, 0);
    assert_int_equal(key_by(made->code, SLOTS, INTERPRETER), key);
    assert_int_equal(key_by(made->code, 0, 0), key); /* as one that keeps nothing does */
    return key;
}

static void start(const struct sc_layout *layout)
{
    fake_python_start(&python, layout);
    memset(slots, 0, sizeof(slots));
}

TEST(the_same_content_has_the_same_key_anywhere)
{
    FOR_EACH_LAYOUT(layout)
    {
        start(layout);
        struct made one = make("/a/b.py", "C.f", 40, 1);
        struct made other = make("/a/b.py", "C.f", 40, 2);
        assert_int_equal(key_of(&one), key_of(&other));
    }
}

/* Each change leaves all addresses as they are: something else was freed and made again there. */
TEST(other_content_at_the_same_addresses_has_another_key)
{
    static const uint8_t byte = 'x';
    FOR_EACH_LAYOUT(layout)
    {
        start(layout);
        struct made made = make("/folder/one.py", "C.f", TABLE_BYTES, 1);
        uint64_t data = made.table + (uint32_t)layout->by_data;
        const uint64_t changes[] = {
            made.filename + (uint32_t)layout->us_ascii_data + 8,
            made.name + (uint32_t)layout->us_ascii_data + 2,
            data,
            data + TABLE_BYTES - 1,
        };
        uint64_t keys[8] = {key_of(&made)};
        size_t count = 1;
        for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
            fake_write(&python.process, changes[i], &byte, 1);
            number(&made, (uint32_t)count + 1);
            keys[count++] = key_of(&made);
        }
        fake_put_u32(&python.process, made.code, layout->co_first_line, 8);
        number(&made, (uint32_t)count + 1);
        keys[count++] = key_of(&made);
        fake_put_u64(&python.process, made.table, layout->by_size, TABLE_BYTES - 8);
        number(&made, (uint32_t)count + 1);
        keys[count++] = key_of(&made);
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < i; j++)
                assert_int_not_equal(keys[i], keys[j]);
    }
}

static uint64_t key_in(const struct made *made, uint64_t directory)
{
    struct sc_code_facts facts;
    struct sc_code_namer namer = {
        .layout = python.layout, .target = &python.process.target, .directory = directory};
    assert_true(sc_code_read(python.layout, &python.process.target, made->code, &facts));
    return sc_code_key_make(&namer, &facts);
}

TEST(a_relative_name_counts_with_the_directory)
{
    FOR_EACH_LAYOUT(layout)
    {
        start(layout);
        struct made relative = make("b.py", "C.f", 40, 1);
        struct made absolute = make("/a/b.py", "C.f", 40, 1);
        struct made none = make("<string>", "C.f", 40, 1);
        assert_int_not_equal(key_in(&relative, 1), key_in(&relative, 2));
        assert_int_equal(key_in(&relative, 2), key_in(&relative, 2));
        assert_int_equal(key_in(&absolute, 1), key_in(&absolute, 2));
        assert_int_equal(key_in(&none, 1), key_in(&none, 2));
    }
}

TEST(every_byte_of_a_long_table_counts)
{
    static const uint8_t byte = 1;
    FOR_EACH_LAYOUT(layout)
    {
        start(layout);
        struct made made = make("/a.py", "f", TABLE_BYTES, 1);
        uint64_t last = key_by(made.code, 0, 0);
        for (uint32_t i = 0; i < TABLE_BYTES; i++) {
            fake_write(&python.process, made.table + (uint32_t)layout->by_data + i, &byte, 1);
            uint64_t key = key_by(made.code, 0, 0);
            assert_int_not_equal(key, last);
            last = key;
        }
    }
}

TEST(a_number_counts_within_its_interpreter)
{
    FOR_EACH_LAYOUT(layout)
    {
        start(layout);
        struct made made = make("/a/one.py", "f", 40, 5);
        uint64_t key = key_of(&made);
        fake_write(&python.process, made.filename + (uint32_t)layout->us_ascii_data + 3, "two", 3);
        uint64_t other = key_by(made.code, SLOTS, INTERPRETER + 1);
        assert_int_not_equal(other, key);
        assert_int_equal(other, key_by(made.code, SLOTS, 0));
        number(&made, 0); /* the interpreter has run out of them */
        fake_write(&python.process, made.filename + (uint32_t)layout->us_ascii_data + 3, "six", 3);
        other = key_by(made.code, SLOTS, INTERPRETER);
        assert_int_not_equal(other, key);
        assert_int_equal(other, key_by(made.code, 0, 0));
    }
}

/* Where the interpreter numbers its code, the content is not read again. */
TEST(known_code_is_recognised_by_one_read)
{
    FOR_EACH_LAYOUT(layout)
    {
        start(layout);
        struct made made = make("/a/one.py", "f", TABLE_BYTES, 5);
        (void)key_of(&made);
        python.process.reads = 0;
        (void)key_by(made.code, SLOTS, INTERPRETER);
        if (layout->co_version >= 0)
            assert_int_equal(python.process.reads, 1);
        else
            assert_true(python.process.reads < 40);
    }
}

TEST(what_cannot_be_read_has_no_key)
{
    FOR_EACH_LAYOUT(layout)
    {
        start(layout);
        struct made made = make("/a/one.py", "f", 40, 0);
        fake_put_u64(&python.process, made.table, layout->by_size, UINT64_MAX);
        assert_int_equal(key_by(made.code, SLOTS, INTERPRETER), 0);
        assert_int_equal(key_by(made.code, 0, 0), 0);
        fake_put_u64(&python.process, made.table, layout->by_size, 1 << 30);
        assert_int_equal(key_by(made.code, SLOTS, INTERPRETER), 0);
        fake_put_u64(&python.process, made.code, layout->co_line_table, 3);
        assert_int_equal(key_by(made.code, 0, 0), 0);
        fake_put_u64(&python.process, made.code, layout->co_filename, 0);
        assert_int_equal(key_by(made.code, 0, 0), 0);
    }
}

TEST(interpreters_have_numbers_from_3_12_on)
{
    FOR_EACH_LAYOUT(layout)
    {
        start(layout);
        uint64_t interpreter = fake_room(&python.process, 8192);
        fake_put_u64(&python.process, interpreter, layout->is_id, 3);
        fake_put_u64(&python.process, python.thread, layout->ts_interp, interpreter);
        uint64_t expected = layout->version >= 0x030c ? 4 : 0;
        const struct sc_target *target = &python.process.target;
        assert_int_equal(sc_interpreter_number(layout, target, interpreter), expected);
        assert_int_equal(sc_thread_interpreter_number(layout, target, python.thread), expected);
        assert_int_equal(sc_thread_interpreter_number(layout, target, 8), 0);
    }
}
