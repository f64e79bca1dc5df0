/*
 * tests/unit/facts_test.c - what an agent reports of its interpreter, true or not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/process/facts.h"

#include "base/mem.h"
#include "sc_test.h"

static struct sc_reader reader_of(const struct sc_interpreter_facts *reported)
{
    static struct sc_segment segment;
    struct sc_reader reader = {.segment = &segment};
    segment.facts = (struct sc_segment_facts){.interpreter = *reported};
    return reader;
}

TEST(each_fact_is_taken_as_it_was_reported)
{
    const struct sc_interpreter_facts reported = {
        .version_hex = 0x030d01f0,
        .free_threaded = 7, /* any but 0 */
        .has_jit = 7,
        .runtime = 1,
        .runtime_size = 2,
        .code_type = 3,
        .eval_function = 4,
        .type_call = 5,
        .object_new = 6,
        .object_init = 7,
        .generic_alloc = 8,
        .function_call = 9,
        .method_call = 10,
        .object_new_method = 11,
        .heap_init = 12,
        .heap_new = 13,
        .heap_call = 14,
        .heap_dealloc = 15,
        .frame_dealloc = 16,
        .eval_range_count = SC_EVAL_RANGES_SENT,
        .eval_ranges = {{.start = 17, .end = 18}},
    };
    struct sc_reader reader = reader_of(&reported);
    struct sc_interpreter_facts facts = sc_facts_read(&reader);
    assert_int_equal(facts.version_hex, 0x030d01f0);
    assert_int_equal(facts.version, 0x030d);
    assert_true(facts.free_threaded);
    assert_true(facts.has_jit);
    const uint64_t *in_order[] = {
        &facts.runtime,       &facts.runtime_size, &facts.code_type,         &facts.eval_function,
        &facts.type_call,     &facts.object_new,   &facts.object_init,       &facts.generic_alloc,
        &facts.function_call, &facts.method_call,  &facts.object_new_method, &facts.heap_init,
        &facts.heap_new,      &facts.heap_call,    &facts.heap_dealloc,      &facts.frame_dealloc,
    };
    for (size_t i = 0; i < sizeof(in_order) / sizeof(in_order[0]); i++)
        assert_int_equal(*in_order[i], i + 1);
    assert_int_equal(facts.eval_range_count, SC_EVAL_RANGES_SENT);
    assert_int_equal(facts.eval_ranges[0].start, 17);
    assert_int_equal(facts.eval_ranges[0].end, 18);
}

TEST(more_loops_than_there_is_room_for_are_none)
{
    static const uint32_t counts[] = {SC_EVAL_RANGES_SENT + 1, UINT32_MAX};
    for (size_t i = 0; i < 2; i++) {
        const struct sc_interpreter_facts reported = {.eval_range_count = counts[i]};
        struct sc_reader reader = reader_of(&reported);
        assert_int_equal(sc_facts_read(&reader).eval_range_count, 0);
    }
}

struct row {
    const char *name;
    uint32_t version_hex;
    bool free_threaded;
    bool allow_unknown;
    uint64_t runtime;
    unsigned char head; /* in every byte of what was sent of the runtime */
    bool is_known;
};

/* From 3.13 on an interpreter describes itself at the head of its runtime. */
static const struct row rows[] = {
    {"a version that is known by its number", 0x030b04f0, false, false, 0x1000, 0, true},
    {"one of no use", 0x030700f0, false, false, 0x1000, 0, false},
    {"one of no use is not tried", 0x030700f0, false, true, 0x1000, 0, false},
    {"one without a description", 0x030d00f0, false, false, 0x1000, 0, false},
    {"without the lock", 0x030d00f0, true, false, 0x1000, 0, false},
    {"with one that makes no sense", 0x030d00f0, false, false, 0x1000, 0xff, false},
    {"with one at the end of memory", 0x030d00f0, false, false, UINT64_MAX - 8, 'x', false},
    {"one that nobody knows yet", 0x040000f0, false, false, 0x1000, 0, false},
    {"which may be tried, and shows nothing", 0x040000f0, false, true, 0x1000, 0, false},
};

TEST(a_layout_comes_of_what_was_sent)
{
    FOR_EACH_ROW(row, rows) {
        struct sc_interpreter_facts reported = {.version_hex = row->version_hex,
                                                .free_threaded = row->free_threaded,
                                                .runtime = row->runtime};
        struct sc_layout layout = {.version = 77};
        struct sc_reader reader = reader_of(&reported);
        memset(reader.segment->facts.runtime_head, row->head, SC_RUNTIME_HEAD_BYTES);
        assert_int_equal(sc_facts_layout(&reader, row->allow_unknown, &layout), row->is_known);
        assert_int_equal(layout.version, row->is_known ? row->version_hex >> 16 : 77);
    }
}
