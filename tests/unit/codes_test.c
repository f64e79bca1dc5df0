/*
 * tests/unit/codes_test.c - what the observer knows of code stays bounded, and is still right.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/stack/codes.h"

#include "fake_python.h"
#include "sc_test.h"

#define PER_ROUND_MAX ((size_t)1 << 15)

enum { TABLE_BYTES = 40, BIG_BYTES = 250000 };

struct world {
    struct sc_collect collect;
    struct sc_codes codes;
    unsigned rounds;
};

static void world_init(struct world *world)
{
    *world = (struct world){0};
    sc_collect_init(&world->collect, 0, 0);
    sc_codes_init(&world->codes, &world->collect, SC_LINE_TABLE_LNOTAB);
}

static void world_done(struct world *world)
{
    sc_codes_done(&world->codes);
    sc_collect_done(&world->collect);
}

/* A code of the file a.py, whose second statement begins at byte 10 and by lines later. */
static void name_code(struct world *world, uint64_t key, uint32_t first_line, uint8_t lines,
                      size_t table_bytes)
{
    static union {
        struct sc_record_code record;
        char bytes[sizeof(struct sc_record_code) + 5 + 8 + BIG_BYTES];
    } sent;
    char *texts = sent.bytes + sizeof(sent.record);
    sent.record = (struct sc_record_code){
        .code_key = key,
        .first_line = first_line,
        .file_length = 5,
        .name_length = 8,
        .line_table_length = (uint32_t)table_bytes,
    };
    (void)snprintf(texts, 14, "/a.py%08x", (unsigned)(key & 0xff));
    memset(texts + 13, 0, table_bytes);
    texts[13] = 10;
    texts[14] = (char)lines;
    texts[15] = 100;
    memcpy(texts + 17, &key, sizeof(key)); /* no two tables are the same */
    sc_codes_add_record(&world->codes, &sent.record, NULL, NULL);
    /* as when the ring has been drained */
    if (sc_codes_are_many(&world->codes)) {
        sc_codes_begin_round(&world->codes);
        world->rounds++;
    }
}

static uint32_t line_of(struct world *world, uint64_t key)
{
    uint32_t node = sc_codes_frame(&world->codes, 0, key, 12);
    return node != 0 ? world->collect.nodes.items[node].line : 0;
}

static size_t known_count(const struct world *world)
{
    return world->codes.now.known.count + world->codes.last.known.count;
}

TEST(code_made_for_ever_takes_no_more_memory)
{
    WORLD(world);
    name_code(&world, 1, 100, 7, TABLE_BYTES);
    for (uint64_t key = 1000; key < 1000000; key++) {
        name_code(&world, key, 1 + (uint32_t)(key % 50), 3, TABLE_BYTES);
        assert_int_equal(line_of(&world, key), 4 + key % 50);
        if (key % 1000 == 0) /* what goes on being used goes on being known */
            assert_int_equal(line_of(&world, 1), 107);
        assert_true(known_count(&world) <= 2 * PER_ROUND_MAX);
        assert_true(world.codes.now.lines.count <= 2 * PER_ROUND_MAX);
        assert_true(world.codes.now.table_bytes <= 2 * PER_ROUND_MAX * TABLE_BYTES);
    }
    assert_true(world.rounds > 20);
    assert_int_equal(world.codes.unknown, 0);
}

TEST(long_tables_count_by_their_bytes)
{
    WORLD(world);
    for (uint64_t key = 1; key < 500; key++) {
        name_code(&world, key, 5, 2, BIG_BYTES);
        assert_true(world.codes.now.table_bytes <= ((size_t)16 << 20) + BIG_BYTES);
        assert_int_equal(line_of(&world, key), 7);
    }
    assert_true(world.rounds >= 5);
}

TEST(what_was_forgotten_is_counted_and_can_be_sent_again)
{
    WORLD(world);
    name_code(&world, 1, 100, 7, TABLE_BYTES);
    sc_codes_begin_round(&world.codes);
    sc_codes_begin_round(&world.codes);
    assert_int_equal(line_of(&world, 1), 0);
    assert_int_equal(world.codes.unknown, 1);
    name_code(&world, 1, 200, 7, TABLE_BYTES); /* another one at the same address */
    assert_int_equal(line_of(&world, 1), 207);
    sc_codes_begin_round(&world.codes);
    name_code(&world, 1, 300, 7, TABLE_BYTES); /* known, and so left as it is */
    assert_int_equal(line_of(&world, 1), 207);
    assert_int_equal(world.codes.unknown, 1);
}

TEST(marks_find_code_of_the_last_round)
{
    struct sc_record_mark mark = {.code_key = 1};
    WORLD(world);
    name_code(&world, 1, 100, 7, TABLE_BYTES);
    sc_codes_begin_round(&world.codes);
    sc_codes_mark(&world.codes, &mark);
    assert_int_equal(world.collect.marked.count, 1);
}

/* The record of a code object whose table is long: it is read where the object stands. */
static void name_large_code(struct world *world, const struct fake_python *python, uint64_t key,
                            uint64_t code)
{
    static const struct {
        struct sc_record_code record;
        char texts[8];
    } plain = {.record = {.first_line = 100, .file_length = 5, .name_length = 1},
               .texts = "/a.pyf"};
    union {
        struct sc_record_code record;
        char bytes[sizeof(plain)];
    } sent;
    memcpy(sent.bytes, &plain, sizeof(plain));
    sent.record.code_key = key;
    sent.record.large_code = code;
    sc_codes_add_record(&world->codes, &sent.record, python->layout, &python->process.target);
}

TEST(lines_are_not_those_of_code_in_the_place_of_the_named_one)
{
    static struct fake_python python;
    static const uint8_t lines[] = {10, 7, 100, 0};
    struct sc_code_facts facts;
    WORLD(world);
    fake_python_start(&python, &sc_layouts[0]);
    uint64_t table = fake_zeros(&python, sizeof(lines));
    fake_write(&python.process, table + (uint32_t)python.layout->by_data, lines, sizeof(lines));
    uint64_t code = fake_code(&python, 100);
    fake_name_code(&python, code, fake_text(&python, "/a.py"), fake_text(&python, "f"), table);
    assert_true(sc_code_read(python.layout, &python.process.target, code, &facts));
    uint64_t key = sc_code_key_make(
        &(struct sc_code_namer){.layout = python.layout, .target = &python.process.target}, &facts);
    name_large_code(&world, &python, key, code);
    name_large_code(&world, &python, key + 1, code);
    assert_int_equal(line_of(&world, key), 107);
    assert_int_equal(world.codes.unknown, 0);
    assert_int_equal(line_of(&world, key + 1), 100); /* where it begins, all that is known */
    assert_int_equal(world.codes.unknown, 1);
}
