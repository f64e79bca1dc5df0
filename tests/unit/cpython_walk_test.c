/*
 * tests/unit/cpython_walk_test.c - stacks that are whole, odd, cut, circular or wrong.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/walk.h"
#include "fake_python.h"
#include "sc_test.h"

static struct fake_python python;

/* Runs the rest of a test once per layout, and names the layout that fails. */
#define FOR_EACH_LAYOUT(layout)                                                                    \
    for (const struct sc_layout *layout = sc_layouts; layout < sc_layouts + sc_layouts_count;      \
         layout++)

static bool has_owner(const struct sc_layout *layout)
{
    return layout->fr_owner >= 0;
}

static const struct sc_layout *layout_of(uint16_t version, bool free_threaded)
{
    FOR_EACH_LAYOUT(layout)
    if (layout->version == version && layout->free_threaded == free_threaded)
        return layout;
    fail_msg("no layout for %x", version);
    return NULL;
}

static enum sc_walk_end end_of_walk(size_t *ret_frames)
{
    struct sc_walk walk;
    struct sc_py_frame frame;
    *ret_frames = 0;
    fake_walk(&python, &walk);
    while (*ret_frames < 1000 && sc_walk_next(&walk, &frame))
        ++*ret_frames;
    return walk.end;
}

static void assert_end(enum sc_walk_end end, size_t frames)
{
    size_t found = 0;
    enum sc_walk_end found_end = end_of_walk(&found);
    if (found_end != end || found != frames)
        fail_msg("version %x%s: end %d after %zu frames, expected %d after %zu",
                 python.layout->version, python.layout->free_threaded ? "t" : "", found_end, found,
                 end, frames);
}

TEST(test_three_frames)
{
    FOR_EACH_LAYOUT(layout)
    {
        struct sc_walk walk;
        struct sc_py_frame frame;
        uint64_t frames[3];
        uint64_t codes[3];
        uint64_t back = 0;
        fake_python_start(&python, layout);
        for (int i = 0; i < 3; i++) {
            codes[i] = fake_code(&python, 1);
            back = frames[i] = fake_frame(&python, codes[i], 10 + i, back);
        }
        fake_walk(&python, &walk);
        for (int i = 2; i >= 0; i--) {
            uint16_t unit = 0;
            python.process.reads = 0;
            assert_true(sc_walk_next(&walk, &frame));
            /* each read may be a system call: one for the frame and one for its code */
            assert_int_equal(python.process.reads, 2);
            assert_int_equal(frame.address, frames[i]);
            assert_int_equal(frame.code, codes[i]);
            assert_int_equal(frame.instruction, (10 + i) * 2);
            assert_int_equal(frame.bytecode, fake_bytecode(&python, codes[i]));
            assert_true(sc_frame_opcode(layout, &python.process.target, &frame, &unit));
            assert_int_equal(unit, 0xaa00 | (10 + i));
        }
        assert_false(sc_walk_next(&walk, &frame));
        assert_int_equal(walk.end, SC_WALK_ROOT);
        assert_false(sc_walk_next(&walk, &frame));
    }
}

TEST(test_before_the_first_instruction)
{
    FOR_EACH_LAYOUT(layout)
    {
        struct sc_walk walk;
        struct sc_py_frame frame;
        uint16_t unit = 0;
        fake_python_start(&python, layout);
        (void)fake_frame(&python, fake_code(&python, 1), -1, 0);
        fake_walk(&python, &walk);
        assert_true(sc_walk_next(&walk, &frame));
        assert_int_equal(frame.instruction, -1);
        assert_false(sc_frame_opcode(layout, &python.process.target, &frame, &unit));
    }
}

TEST(test_instruction_outside_of_the_code)
{
    static const int32_t units[] = {-2, -1000, FAKE_CODE_UNITS, 1 << 28, 1 << 30};
    FOR_EACH_LAYOUT(layout)
    {
        if (layout->instruction_kind != SC_INSTRUCTION_POINTER)
            continue;
        for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
            fake_python_start(&python, layout);
            uint64_t code = fake_code(&python, 1);
            uint64_t frame = fake_frame(&python, code, 0, 0);
            fake_put_u64(&python.process, frame, layout->fr_instruction,
                         fake_bytecode(&python, code) + (uint64_t)units[i] * 2);
            assert_end(SC_WALK_BAD_FRAME, 0);
        }
        fake_python_start(&python, layout);
        uint64_t code = fake_code(&python, 1);
        uint64_t frame = fake_frame(&python, code, 0, 0);
        fake_put_u64(&python.process, frame, layout->fr_instruction,
                     fake_bytecode(&python, code) + 5);
        assert_end(SC_WALK_BAD_FRAME, 0);
    }
}

TEST(test_index_outside_of_any_code)
{
    for (uint16_t version = 0x0308; version <= 0x030a; version++) {
        fake_python_start(&python, layout_of(version, false));
        uint64_t frame = fake_frame(&python, fake_code(&python, 1), 0, 0);
        fake_put_u32(&python.process, frame, python.layout->fr_instruction, INT32_MAX);
        assert_end(SC_WALK_BAD_FRAME, 0);
        fake_put_u32(&python.process, frame, python.layout->fr_instruction, 0x80000000);
        assert_end(SC_WALK_ROOT, 1);
    }
}

TEST(test_no_frames)
{
    FOR_EACH_LAYOUT(layout)
    {
        fake_python_start(&python, layout);
        assert_end(SC_WALK_ROOT, 0);
        python.thread = 0;
        assert_end(SC_WALK_ROOT, 0);
        python.thread = 4096;
        assert_end(SC_WALK_UNREADABLE, 0);
    }
}

TEST(test_bad_pointers)
{
    static const struct {
        uint64_t address;
        enum sc_walk_end end;
    } cases[] = {
        {1, SC_WALK_BAD_FRAME},          {fake_base + 12, SC_WALK_BAD_FRAME},
        {UINT64_MAX, SC_WALK_BAD_FRAME}, {UINT64_MAX - 7, SC_WALK_UNREADABLE},
        {0x1000, SC_WALK_UNREADABLE},    {fake_base + FAKE_BYTES - 8, SC_WALK_UNREADABLE},
    };
    FOR_EACH_LAYOUT(layout)
    {
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            fake_python_start(&python, layout);
            uint64_t code = fake_code(&python, 1);
            uint64_t frame = fake_frame(&python, code, 3, cases[i].address);
            assert_end(cases[i].end, 1);
            fake_put_u64(&python.process, frame, layout->fr_back, 0);
            /* a code pointer with its tag bits is no misaligned one */
            if (layout->code_tag_mask == 0 || cases[i].address % 8 == 0) {
                fake_put_u64(&python.process, frame, layout->fr_code, cases[i].address);
                assert_end(cases[i].end, 0);
            }
        }
    }
}

TEST(test_not_a_code_object)
{
    FOR_EACH_LAYOUT(layout)
    {
        fake_python_start(&python, layout);
        uint64_t outer = fake_frame(&python, fake_code(&python, 1), 3, 0);
        uint64_t frame = fake_frame(&python, fake_code(&python, 1), 3, outer);
        /* its type is nothing */
        uint64_t thing = fake_object(&python, fake_base + 8);
        fake_put_u64(&python.process, frame, layout->fr_code, thing);
        assert_end(SC_WALK_BAD_FRAME, 0);
        /* an object of another class: a frame of C from 3.11 on */
        uint64_t other_type = fake_object(&python, python.type_type);
        fake_put_u64(&python.process, frame, layout->fr_code, fake_object(&python, other_type));
        if (has_owner(layout))
            assert_end(SC_WALK_ROOT, 1);
        else
            assert_end(SC_WALK_BAD_FRAME, 0);
    }
}

TEST(test_frames_of_c_are_skipped)
{
    FOR_EACH_LAYOUT(layout)
    {
        struct sc_walk walk;
        struct sc_py_frame frame;
        if (layout->first_c_owner > 4)
            continue;
        fake_python_start(&python, layout);
        uint64_t code = fake_code(&python, 1);
        uint64_t outer = fake_frame(&python, code, 5, 0);
        uint64_t shim = fake_frame(&python, code, 0, outer);
        fake_put_u8(&python.process, shim, layout->fr_owner, layout->first_c_owner);
        fake_put_u64(&python.process, shim, layout->fr_code, 0);
        uint64_t inner = fake_frame(&python, code, 7, shim);
        fake_put_u8(&python.process, inner, layout->fr_owner, layout->generator_owner);
        fake_walk(&python, &walk);
        assert_true(sc_walk_next(&walk, &frame));
        assert_int_equal(frame.address, inner);
        assert_int_equal(frame.owner, layout->generator_owner);
        assert_true(sc_walk_next(&walk, &frame));
        assert_int_equal(frame.address, outer);
        assert_int_equal(frame.owner, 0);
        assert_false(sc_walk_next(&walk, &frame));
        assert_int_equal(walk.end, SC_WALK_ROOT);
    }
}

/* The frame of _Py_InitCleanup: code of no line, whose file and name are one string. */
TEST(test_init_trampoline_is_skipped)
{
    FOR_EACH_LAYOUT(layout)
    {
        if (!has_owner(layout))
            continue;
        fake_python_start(&python, layout);
        uint64_t code = fake_code(&python, 0);
        uint64_t outer = fake_frame(&python, fake_code(&python, 1), 5, 0);
        uint64_t frame = fake_frame(&python, code, 1, outer);
        assert_end(SC_WALK_ROOT, 2);
        fake_put_u64(&python.process, code, layout->co_filename, code + 2);
        assert_end(SC_WALK_ROOT, 1);
        /* not beyond its four instructions, and not in a generator */
        fake_place(&python, frame, fake_bytecode(&python, code), 4);
        assert_end(SC_WALK_ROOT, 2);
        fake_place(&python, frame, fake_bytecode(&python, code), 1);
        fake_put_u8(&python.process, frame, layout->fr_owner, layout->generator_owner);
        assert_end(SC_WALK_ROOT, 2);
    }
}

TEST(test_circles)
{
    FOR_EACH_LAYOUT(layout)
    {
        fake_python_start(&python, layout);
        uint64_t code = fake_code(&python, 1);
        uint64_t one = fake_frame(&python, code, 5, 0);
        uint64_t two = fake_frame(&python, code, 6, one);
        /* two frames in a circle end only by the caller's bound */
        fake_put_u64(&python.process, one, layout->fr_back, two);
        assert_end(SC_WALK_MORE, 1000);
        fake_put_u64(&python.process, one, layout->fr_back, one);
        assert_end(SC_WALK_BAD_FRAME, 1);
        /* but a circle of frames of C has no caller to end it */
        if (layout->first_c_owner > 4)
            continue;
        fake_put_u64(&python.process, one, layout->fr_back, two);
        fake_put_u8(&python.process, one, layout->fr_owner, layout->first_c_owner);
        fake_put_u8(&python.process, two, layout->fr_owner, layout->first_c_owner);
        python.process.reads = 0;
        assert_end(SC_WALK_BAD_FRAME, 0);
        assert_true(python.process.reads < 200);
    }
}

/* Puts a newer C frame, which holds frame, above the one in use; returns its address. */
static uint64_t push_cframe(uint64_t frame)
{
    uint64_t newest = fake_room(&python.process, FAKE_OBJECT_BYTES);
    fake_put_u64(&python.process, newest, python.layout->cf_current_frame, frame);
    fake_put_u64(&python.process, newest, python.layout->cf_previous, python.cframe);
    fake_put_u64(&python.process, python.thread, python.layout->ts_cframe, newest);
    return newest;
}

/* 3.11 and 3.12: the newest C frame is in place, but its frame is what the C stack held before. */
TEST(test_half_made_c_frame)
{
    static const uint64_t leftovers[] = {0, 2, UINT64_MAX, 0x1000, fake_base + FAKE_BYTES / 2};
    for (uint16_t version = 0x030b; version <= 0x030c; version++)
        for (size_t i = 0; i < sizeof(leftovers) / sizeof(leftovers[0]); i++) {
            fake_python_start(&python, layout_of(version, false));
            (void)fake_frame(&python, fake_code(&python, 1), 5, 0);
            uint64_t newest = push_cframe(leftovers[i]);
            assert_end(SC_WALK_ROOT, 1);
            /* tried once only */
            fake_put_u64(&python.process, python.cframe, python.layout->cf_current_frame, 2);
            fake_put_u64(&python.process, python.cframe, python.layout->cf_previous, newest);
            assert_end(SC_WALK_BAD_FRAME, 0);
        }
}

/* 3.12: the C frame's frame is the new one, or the loop's own shim, not linked to the caller yet.
 */
TEST(test_half_made_frame)
{
    static const uint64_t leftovers[] = {0, 2, 0x1000, fake_base + FAKE_BYTES / 2};
    for (size_t i = 0; i < sizeof(leftovers) / sizeof(leftovers[0]); i++)
        for (int is_shim = 0; is_shim <= 1; is_shim++) {
            fake_python_start(&python, layout_of(0x030c, false));
            const struct sc_layout *layout = python.layout;
            uint64_t code = fake_code(&python, 1);
            uint64_t outer = fake_frame(&python, code, 5, 0);
            uint64_t caller = fake_frame(&python, code, 5, outer);
            uint64_t frame = fake_frame(&python, code, 5, leftovers[i]);
            fake_run(&python, caller);
            if (is_shim)
                fake_put_u8(&python.process, frame, layout->fr_owner, layout->first_c_owner);
            (void)push_cframe(frame);
            assert_end(SC_WALK_ROOT, is_shim ? 2 : 3);
            /* further out nothing is half made */
            fake_put_u64(&python.process, frame, layout->fr_back, caller);
            fake_put_u64(&python.process, caller, layout->fr_back, leftovers[i]);
            if (leftovers[i] != 0 && !is_shim) {
                size_t frames = 0;
                assert_int_not_equal(end_of_walk(&frames), SC_WALK_ROOT);
                assert_int_equal(frames, 2);
            }
        }
}

TEST(test_tagged_code)
{
    FOR_EACH_LAYOUT(layout)
    {
        for (uint64_t tag = 1; tag < 8; tag++) {
            fake_python_start(&python, layout);
            uint64_t code = fake_code(&python, 1);
            uint64_t frame = fake_frame(&python, code, 5, 0);
            fake_put_u64(&python.process, frame, layout->fr_code, code | tag);
            if ((tag & ~(uint64_t)layout->code_tag_mask) == 0)
                assert_end(SC_WALK_ROOT, 1);
            else
                assert_end(SC_WALK_BAD_FRAME, 0);
        }
    }
}

TEST(test_thread_local_bytecode)
{
    FOR_EACH_LAYOUT(layout)
    {
        struct sc_walk walk;
        struct sc_py_frame frame;
        if (layout->co_tlbc < 0)
            continue;
        assert_true(layout->free_threaded && layout->version >= 0x030e);
        fake_python_start(&python, layout);
        uint64_t code = fake_code(&python, 1);
        uint64_t copies = fake_room(&python.process, 64);
        uint64_t copy = fake_room(&python.process, (size_t)FAKE_CODE_UNITS * 2);
        fake_put_u64(&python.process, code, layout->co_tlbc, copies);
        fake_put_u64(&python.process, copies, 0, 3);
        fake_put_u64(&python.process, copies, 8, fake_bytecode(&python, code));
        fake_put_u64(&python.process, copies, 24, copy);
        uint64_t at = fake_frame(&python, code, 0, 0);
        fake_put_u32(&python.process, at, layout->fr_tlbc_index, 2);
        fake_place(&python, at, copy, 9);
        fake_walk(&python, &walk);
        assert_true(sc_walk_next(&walk, &frame));
        assert_int_equal(frame.bytecode, copy);
        assert_int_equal(frame.instruction, 18);
        /* index 1 is a copy that does not exist, 3 is past the end, a negative one far past it */
        fake_put_u32(&python.process, at, layout->fr_tlbc_index, 1);
        assert_end(SC_WALK_BAD_FRAME, 0);
        fake_put_u32(&python.process, at, layout->fr_tlbc_index, 3);
        assert_end(SC_WALK_BAD_FRAME, 0);
        fake_put_u32(&python.process, at, layout->fr_tlbc_index, UINT32_MAX);
        assert_end(SC_WALK_BAD_FRAME, 0);
        fake_put_u32(&python.process, at, layout->fr_tlbc_index, 2);
        fake_put_u64(&python.process, code, layout->co_tlbc, 0);
        assert_end(SC_WALK_BAD_FRAME, 0);
    }
}

TEST(test_memory_that_ends)
{
    FOR_EACH_LAYOUT(layout)
    {
        size_t frames = 0;
        fake_python_start(&python, layout);
        uint64_t back = 0;
        for (int i = 0; i < 3; i++)
            back = fake_frame(&python, fake_code(&python, 1), 5, back);
        for (uint64_t length = 1; length < python.process.used; length += 32) {
            python.process.hole = fake_base + length;
            enum sc_walk_end end = end_of_walk(&frames);
            assert_true(end == SC_WALK_UNREADABLE || end == SC_WALK_BAD_FRAME ||
                        (end == SC_WALK_ROOT && frames == 3));
        }
    }
}
