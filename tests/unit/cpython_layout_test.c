/*
 * tests/unit/cpython_layout_test.c - choosing a layout, and published offsets that lie.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/find_layout.h"
#include "cpython/layout_data.h"
#include "fake_process.h"
#include "sc_test.h"

static struct fake_process fake;

static const struct sc_debug_positions *positions_of(uint16_t version)
{
    for (size_t i = 0; i < sc_debug_positions_count; i++)
        if (sc_debug_positions[i].python == version)
            return &sc_debug_positions[i];
    fail_msg("no positions for %x", version);
    return NULL;
}

/* Writes a _Py_DebugOffsets that says what the table says; returns its address. */
static uint64_t publish(const struct sc_layout *table)
{
    const struct sc_debug_positions *at = positions_of(table->version);
    fake_start(&fake);
    uint64_t runtime = fake_room(&fake, (size_t)at->debug_size);
    fake_write(&fake, runtime, "xdebugpy", 8);
    fake_put_u64(&fake, runtime, at->version, (uint64_t)table->version << 16 | 0x01f0);
    fake_put_u64(&fake, runtime, at->free_threaded, table->free_threaded);
    fake_put_u64(&fake, runtime, at->rt_struct, 1 << 19);
    fake_put_u64(&fake, runtime, at->is_struct, 1 << 19);
    fake_put_u64(&fake, runtime, at->ts_struct, 1024);
    fake_put_u64(&fake, runtime, at->fr_struct, 96);
    fake_put_u64(&fake, runtime, at->co_struct, 248);
    fake_put_u64(&fake, runtime, at->ob_struct, (uint64_t)table->ob_type + 8);
    fake_put_u64(&fake, runtime, at->by_struct, (uint64_t)table->by_data + 1);
    fake_put_u64(&fake, runtime, at->us_struct, (uint64_t)table->us_compact_data + 8);
    fake_put_u64(&fake, runtime, at->gc_struct, 512);
    int32_t gc = (table->is_gc_collecting - 64) & ~7;
    fake_put_u64(&fake, runtime, at->is_gc, (uint64_t)gc);
    fake_put_u64(&fake, runtime, at->gc_collecting, (uint64_t)(table->is_gc_collecting - gc));
#define PUT(name) fake_put_u64(&fake, runtime, at->name, (uint64_t)table->name)
    PUT(rt_interpreters_head);
    PUT(rt_finalizing);
    PUT(is_next);
    PUT(is_id);
    PUT(is_threads_head);
    PUT(ts_next);
    PUT(ts_interp);
    PUT(ts_frame);
    PUT(ts_thread_id);
    PUT(ts_native_thread_id);
    PUT(fr_code);
    PUT(fr_back);
    PUT(fr_instruction);
    PUT(fr_owner);
    PUT(fr_localsplus);
    PUT(co_filename);
    PUT(co_name);
    PUT(co_qualname);
    PUT(co_first_line);
    PUT(co_line_table);
    PUT(co_code_adaptive);
    PUT(ob_type);
    PUT(by_size);
    PUT(by_data);
    PUT(us_length);
    PUT(us_state);
    PUT(us_ascii_data);
    PUT(us_compact_data);
    if (table->co_tlbc >= 0) {
        PUT(fr_tlbc_index);
        PUT(co_tlbc);
    }
#undef PUT
    return runtime;
}

static enum sc_layout_status init(struct sc_layout *layout, uint16_t version, uint64_t runtime)
{
    return sc_layout_init(layout, version, false, &fake.target, runtime, false);
}

static void assert_same(const struct sc_layout *one, const struct sc_layout *other)
{
    assert_int_equal(one->version, other->version);
    assert_int_equal(one->free_threaded, other->free_threaded);
    assert_int_equal(one->instruction_kind, other->instruction_kind);
    assert_int_equal(one->line_table_kind, other->line_table_kind);
    assert_int_equal(one->first_c_owner, other->first_c_owner);
    assert_int_equal(one->generator_owner, other->generator_owner);
    assert_int_equal(one->code_tag_mask, other->code_tag_mask);
    assert_int_equal(one->instruction_may_lag, other->instruction_may_lag);
    assert_int_equal(one->str_kind_bit, other->str_kind_bit);
    assert_int_equal(one->str_compact_bit, other->str_compact_bit);
    assert_int_equal(one->str_ascii_bit, other->str_ascii_bit);
#define X_SAME(group, field) assert_int_equal(one->group##_##field, other->group##_##field);
    SC_LAYOUT_FIELDS(X_SAME)
#undef X_SAME
}

TEST(test_tables_of_old_versions)
{
    fake_start(&fake);
    for (uint16_t version = SC_PY_OLDEST; version < 0x030d; version++) {
        struct sc_layout layout;
        assert_int_equal(init(&layout, version, 0), SC_LAYOUT_OK);
        assert_int_equal(layout.version, version);
        assert_int_equal(layout.ts_cframe >= 0, version >= 0x030b);
        assert_int_equal(layout.co_qualname >= 0, version >= 0x030b);
        assert_int_equal(layout.is_gc_collecting >= 0, version >= 0x0309);
        assert_true(layout.rt_finalizing > 0);
    }
    assert_int_equal(fake.reads, 0);
}

TEST(test_published_offsets)
{
    for (size_t i = 0; i < sc_layouts_count; i++) {
        struct sc_layout layout;
        if (sc_layouts[i].version < 0x030d)
            continue;
        uint64_t runtime = publish(&sc_layouts[i]);
        assert_int_equal(init(&layout, sc_layouts[i].version, runtime), SC_LAYOUT_OK);
        assert_same(&layout, &sc_layouts[i]);
    }
}

/* What the interpreter publishes wins over the table of its minor version. */
TEST(test_published_offset_wins)
{
    struct sc_layout layout;
    const struct sc_debug_positions *at = positions_of(0x030d);
    uint64_t runtime = publish(&sc_layouts[5]);
    assert_int_equal(sc_layouts[5].version, 0x030d);
    fake_put_u64(&fake, runtime, at->ts_frame, 80);
    fake_put_u64(&fake, runtime, at->co_filename, 16);
    fake_put_u64(&fake, runtime, at->gc_collecting, 44);
    fake_put_u64(&fake, runtime, at->is_gc, 8000);
    assert_int_equal(init(&layout, 0x030d, runtime), SC_LAYOUT_OK);
    assert_int_equal(layout.ts_frame, 80);
    assert_int_equal(layout.co_filename, 16);
    /* what stands beside it has moved, so nobody knows where this is */
    assert_int_equal(layout.co_version, -1);
    assert_int_equal(layout.is_gc_collecting, 8044);
}

TEST(test_any_lie_is_refused)
{
    /* outside of every structure, and not aligned for any field but single bytes */
    static const uint64_t lies[] = {1ull << 63, (1 << 19) - 1, UINT64_MAX, UINT64_MAX - 7};
    for (size_t i = 0; i < sc_layouts_count; i++) {
        const struct sc_layout *table = &sc_layouts[i];
        if (table->version < 0x030d)
            continue;
        const struct sc_debug_positions *at = positions_of(table->version);
        for (size_t j = 0; j < sizeof(lies) / sizeof(lies[0]); j++) {
            struct sc_layout layout;
            uint64_t runtime = 0;
#define X_LIE(name)                                                                                \
    runtime = publish(table);                                                                      \
    if (at->name >= 0 && strcmp(#name, "debug_size") != 0 &&                                       \
        (table->co_tlbc >= 0 || !strstr(#name, "tlbc")) && !strstr(#name, "_struct")) {            \
        fake_put_u64(&fake, runtime, at->name, lies[j]);                                           \
        if (init(&layout, table->version, runtime) != SC_LAYOUT_UNREADABLE)                        \
            fail_msg("%x accepts %s = %llx", table->version, #name, (unsigned long long)lies[j]);  \
    }
            SC_DEBUG_POSITIONS(X_LIE)
#undef X_LIE
        }
    }
}

TEST(test_lies_about_sizes)
{
    static const uint64_t lies[] = {0, 7, UINT64_MAX, 1ull << 40};
    for (size_t i = 0; i < sc_layouts_count; i++) {
        const struct sc_layout *table = &sc_layouts[i];
        if (table->version < 0x030d)
            continue;
        const struct sc_debug_positions *at = positions_of(table->version);
        const int16_t sizes[] = {at->rt_struct, at->is_struct, at->ts_struct,
                                 at->fr_struct, at->co_struct, at->ob_struct,
                                 at->by_struct, at->us_struct, at->gc_struct};
        for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++)
            for (size_t k = 0; k < sizeof(lies) / sizeof(lies[0]); k++) {
                struct sc_layout layout;
                uint64_t runtime = publish(table);
                fake_put_u64(&fake, runtime, sizes[j], lies[k]);
                assert_int_equal(init(&layout, table->version, runtime), SC_LAYOUT_UNREADABLE);
            }
    }
}

/* Fields too far apart for the walker's blocks, though inside their structures. */
TEST(test_blocks_must_fit)
{
    struct sc_layout layout;
    const struct sc_debug_positions *at = positions_of(0x030d);
    uint64_t runtime = publish(&sc_layouts[5]);
    fake_put_u64(&fake, runtime, at->fr_struct, 2048);
    fake_put_u64(&fake, runtime, at->fr_instruction, 1024);
    assert_int_equal(init(&layout, 0x030d, runtime), SC_LAYOUT_UNREADABLE);
    runtime = publish(&sc_layouts[5]);
    fake_put_u64(&fake, runtime, at->by_struct, 2048);
    fake_put_u64(&fake, runtime, at->by_size, 1024);
    assert_int_equal(init(&layout, 0x030d, runtime), SC_LAYOUT_UNREADABLE);
}

TEST(test_cut_memory)
{
    struct sc_layout layout;
    const struct sc_debug_positions *at = positions_of(0x030d);
    uint64_t runtime = publish(&sc_layouts[5]);
    for (uint64_t length = 1; length < (uint64_t)at->gc_collecting + 8; length += 8) {
        fake.hole = runtime + length;
        assert_int_equal(init(&layout, 0x030d, runtime), SC_LAYOUT_UNREADABLE);
    }
    fake.hole = runtime + (uint64_t)at->gc_collecting + 8;
    assert_int_equal(init(&layout, 0x030d, runtime), SC_LAYOUT_OK);
}

TEST(test_failure_leaves_the_output)
{
    struct sc_layout layout = {.version = 1, .ts_frame = 77};
    uint64_t runtime = publish(&sc_layouts[5]);
    fake_put_u64(&fake, runtime, positions_of(0x030d)->gc_collecting, UINT64_MAX);
    assert_int_equal(init(&layout, 0x030d, runtime), SC_LAYOUT_UNREADABLE);
    assert_int_equal(layout.version, 1);
    assert_int_equal(layout.ts_frame, 77);
}

TEST(test_versions_outside)
{
    struct sc_layout layout;
    struct sc_layout newer;
    const struct sc_layout *newest = &sc_layouts[sc_layouts_count - 2];
    uint64_t runtime = publish(newest);
    assert_int_equal(newest->version, SC_PY_NEWEST);
    assert_int_equal(init(&layout, 0x0307, runtime), SC_LAYOUT_TOO_OLD);
    assert_int_equal(init(&layout, SC_PY_NEWEST + 1, runtime), SC_LAYOUT_UNKNOWN);
    /* the published version is not the one asked for */
    assert_int_equal(init(&layout, 0x030e, runtime), SC_LAYOUT_UNREADABLE);
    assert_int_equal(sc_layout_init(&layout, SC_PY_NEWEST + 1, false, &fake.target, runtime, true),
                     SC_LAYOUT_UNREADABLE);
    fake_put_u64(&fake, runtime, positions_of(SC_PY_NEWEST)->version, 0x031000f0);
    assert_int_equal(sc_layout_init(&newer, SC_PY_NEWEST + 1, false, &fake.target, runtime, true),
                     SC_LAYOUT_OK);
    assert_int_equal(newer.version, SC_PY_NEWEST + 1);
    assert_int_equal(newer.co_version, -1);
    assert_int_equal(newer.co_monitoring, -1);
    newer.version = newest->version;
    newer.co_version = newest->co_version;
    newer.co_monitoring = newest->co_monitoring;
    assert_same(&newer, newest);
}
