/*
 * tests/unit/outside_test.c - a thread that runs is read while its frames change.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/sample/outside.h"

#include "watched_process.h"

/* The stack of the thread at each walk is a letter, the last one for all further ones:
 *   "c" outer > inner, whose instruction calls something; "e" the same, in no call
 *   "n" outer > inner further on, in a call; "o" another frame of the same code as inner, in a call
 *   "x" another outermost frame > inner; "y" one of other code in its place
 *   "." no frame; "!" what cannot be read; "l" frames without an end, "m" from the
 * other of the two on */
struct row {
    const char *name;
    const char *walks;
    bool is_good;
    enum sc_sample_kind kind;
    const char *stack; /* lines, outermost first */
    size_t walks_made;
};

/* two walks that agree, then up to three looks at the innermost frame */
static const struct row rows[] = {
    {"it stands in a call at every look", "c", true, SC_SAMPLE_NATIVE, "3>5", 5},
    {"it stands still, and in no call", "e", true, SC_SAMPLE_PYTHON, "3>5", 2},
    {"it goes on between the walks: what the first saw", "cn", true, SC_SAMPLE_PYTHON, "3>5", 2},
    {"it goes on at a look", "cccn", true, SC_SAMPLE_PYTHON, "3>5", 4},
    {"it goes on at the last look", "ccccn", true, SC_SAMPLE_PYTHON, "3>5", 5},
    {"it has been called again from the same place", "cco", true, SC_SAMPLE_PYTHON, "3>5", 3},
    {"it has returned at a look", "cc.", true, SC_SAMPLE_PYTHON, "3>5", 3},
    {"another outermost frame: again", "xc", true, SC_SAMPLE_NATIVE, "3>5", 7},
    {"other code in the outermost frame: again", "yc", true, SC_SAMPLE_NATIVE, "3>5", 7},
    {"it had no frame yet: again", ".c", true, SC_SAMPLE_NATIVE, "3>5", 7},
    {"it has none any more: again", "c..", true, SC_SAMPLE_NATIVE, "", 4},
    {"it has none", ".", true, SC_SAMPLE_NATIVE, "", 2},
    {"what is no frame: again", "!c", true, SC_SAMPLE_NATIVE, "3>5", 6},
    {"four times and no more", "!!!!c", false, SC_SAMPLE_NATIVE, "", 4},
    {"the last time is as good as any", "!!!c", true, SC_SAMPLE_NATIVE, "3>5", 8},
    {"it is at an end each time", "cxcxcxcxc", false, SC_SAMPLE_NATIVE, "", 8},
};

struct world {
    struct watched *watched;
    const char *walks;
    uint64_t outer, inner, again, other, loop, middle, outer_code, other_code;
    uint64_t bytecode; /* of inner */
};

static struct world world;

enum { CALL = 171, NO_CALL = 1 }; /* 3.11's CALL and POP_TOP */

static void put_opcode(uint8_t opcode)
{
    fake_write(&world.watched->python.process, world.bytecode + 20, &opcode, 1);
}

static void be(char letter)
{
    struct fake_python *python = &world.watched->python;
    struct fake_process *process = &python->process;
    const struct sc_layout *layout = python->layout;
    put_opcode(letter == 'e' ? NO_CALL : CALL);
    fake_put_u64(process, world.inner, layout->fr_back, letter == 'x' ? world.other : world.outer);
    uint64_t outer_code = letter == 'y' ? world.other_code : world.outer_code;
    fake_put_u64(process, world.outer, layout->fr_code, outer_code);
    fake_place(python, world.outer, fake_bytecode(python, outer_code), 10);
    fake_place(python, world.inner, world.bytecode, letter == 'n' ? 11 : 10);
    uint64_t innermost = world.inner;
    if (letter == '.')
        innermost = 0;
    else if (letter == '!')
        innermost = fake_base + FAKE_BYTES;
    else if (letter == 'o')
        innermost = world.again;
    else if (letter == 'l')
        innermost = world.loop;
    else if (letter == 'm')
        innermost = world.middle;
    fake_run(python, innermost);
}

static void next_walk(struct watched *watched)
{
    be(world.walks[0]);
    if (world.walks[1] != '\0')
        world.walks++;
}

static struct sc_watched_thread *world_init(const char *walks)
{
    struct watched *watched = watched_new();
    struct fake_python *python = &watched->python;
    world = (struct world){.watched = watched, .walks = walks};
    world.outer_code = watched_code(watched, 3);
    world.other_code = watched_code(watched, 4);
    uint64_t code = watched_code(watched, 5);
    world.bytecode = fake_bytecode(python, code);
    world.outer = fake_frame(python, world.outer_code, 10, 0);
    world.other = fake_frame(python, world.outer_code, 10, 0);
    world.inner = fake_frame(python, code, 10, world.outer);
    world.again = fake_frame(python, code, 10, world.outer);
    world.loop = fake_frame(python, code, 10, 0);
    world.middle = fake_frame(python, code, 10, world.loop);
    fake_put_u64(&python->process, world.loop, python->layout->fr_back, world.middle);
    watched->before_walk = next_walk;
    return watched_thread(watched, gettid());
}

TEST(what_moves_is_read_again_or_not_believed)
{
    FOR_EACH_ROW(row, rows) {
        struct sc_watched_thread *thread = world_init(row->walks);
        struct sc_outside seen = {.node = 1, .kind = SC_SAMPLE_KERNEL};
        bool is_good = sc_outside_read(&world.watched->process, thread, NULL, &seen);
        assert_int_equal(is_good, row->is_good);
        assert_int_equal(seen.kind, row->kind);
        assert_string_equal(watched_stack(world.watched, seen.node), row->stack);
        assert_int_equal(world.watched->walks, row->walks_made);
        watched_free(world.watched);
    }
}

TEST(frames_without_an_end_are_cut)
{
    struct sc_watched_thread *thread = world_init("l");
    struct sc_outside seen;
    size_t depth = 0;
    assert_true(sc_outside_read(&world.watched->process, thread, NULL, &seen));
    for (uint32_t node = seen.node; node != 0;
         node = world.watched->collect.nodes.items[node].parent)
        depth++;
    assert_int_equal(depth, 512);
    watched_free(world.watched);
    /* where both are cut the outermost frames are not known */
    thread = world_init("lm");
    assert_true(sc_outside_read(&world.watched->process, thread, NULL, &seen));
    assert_int_equal(seen.kind, SC_SAMPLE_PYTHON);
    watched_free(world.watched);
    /* one walk that comes to an end does not agree with one that does not */
    thread = world_init("lclclclc");
    assert_false(sc_outside_read(&world.watched->process, thread, NULL, &seen));
    watched_free(world.watched);
}

TEST(code_without_a_name_is_no_stack)
{
    struct sc_watched_thread *thread = world_init("c");
    struct fake_python *python = &world.watched->python;
    struct sc_outside seen = {.node = 1};
    fake_put_u64(&python->process, world.outer_code, python->layout->co_filename, 0);
    assert_false(sc_outside_read(&world.watched->process, thread, NULL, &seen));
    assert_int_equal(seen.node, 0);
    watched_free(world.watched);
}

/* A thread without a state of Python's runs native code, if that could be looked at. */
TEST(a_thread_that_is_not_pythons_is_native)
{
    for (int i = 0; i < 3; i++) {
        struct sc_watched_thread *thread = world_init("c");
        struct sc_process *process = &world.watched->process;
        struct sc_outside seen = {.node = 1, .kind = SC_SAMPLE_KERNEL};
        thread->tid++;
        process->stacks.remote.forbidden = i == 1;
        process->threads.remote.forbidden = i == 2;
        assert_int_equal(sc_outside_read(process, thread, NULL, &seen), i == 0);
        assert_int_equal(seen.node, 0);
        assert_int_equal(seen.kind, SC_SAMPLE_NATIVE);
        watched_free(world.watched);
    }
}

enum { IN_CALL = 0x1000, IN_LOOP = 0x2000, IN_FUNCTION = 0x3000 }; /* from fake_base on */

/* What the kernel has noted counts where the thread cannot have gone far since. */
TEST(a_moment_tells_what_a_thread_did)
{
    enum { NOTHING, LONG_AGO = 2, LONGER_AGO = 11, LOOP_IS_NOT_KNOWN = 100, NO_CLASSIFIER };
    const struct {
        const char *name;
        const char *walks;
        unsigned what; /* or its age, in ms */
        uint64_t pc;
        enum sc_sample_kind kind;
        bool is_used;
    } moments[] = {
        {"in a system call", "c", 0, IN_CALL, SC_SAMPLE_KERNEL, true},
        {"in a function that an instruction has called", "e", 0, IN_CALL, SC_SAMPLE_KERNEL, true},
        {"in the loop, though it stands in a call now", "c", 0, IN_LOOP, SC_SAMPLE_PYTHON, true},
        {"in a function", "c", 0, IN_FUNCTION, SC_SAMPLE_NATIVE, true},
        {"in a function, which no call has called", "e", 0, IN_FUNCTION, SC_SAMPLE_PYTHON, true},
        {"long ago", "e", LONG_AGO, IN_CALL, SC_SAMPLE_PYTHON, false},
        {"long ago, and it stands in a call", "c", LONG_AGO, IN_CALL, SC_SAMPLE_KERNEL, true},
        {"longer ago", "c", LONGER_AGO, IN_CALL, SC_SAMPLE_NATIVE, false},
        {"the loop is not known", "e", LOOP_IS_NOT_KNOWN, IN_FUNCTION, SC_SAMPLE_PYTHON, false},
        {"in a call, which is known", "e", LOOP_IS_NOT_KNOWN, IN_CALL, SC_SAMPLE_KERNEL, true},
        {"the modules are not known", "c", NO_CLASSIFIER, IN_CALL, SC_SAMPLE_NATIVE, false},
        {"without frames", ".", 0, IN_CALL, SC_SAMPLE_KERNEL, true},
        {"without frames, in a function", ".", 0, IN_FUNCTION, SC_SAMPLE_NATIVE, true},
    };
    const unsigned char system_call[] = {0x01, 0x00, 0x0f, 0x05};
    FOR_EACH_ROW(row, moments) {
        struct sc_watched_thread *thread = world_init(row->walks);
        struct sc_process *process = &world.watched->process;
        struct sc_cpu_moment moment = {.clock_ns = MS, .in_kernel = row->pc == IN_CALL};
        const uint64_t clock_ns = (row->what < LOOP_IS_NOT_KNOWN ? row->what + 1 : 1) * MS;
        struct sc_outside seen;
        moment.registers.pc = fake_base + row->pc;
        fake_write(&world.watched->python.process, fake_base + IN_CALL - 4, system_call, 4);
        thread->alarm.fd = memfd_create("clock", MFD_CLOEXEC);
        assert_int_equal(pwrite(thread->alarm.fd, &clock_ns, 8, 0), 8);
        process->facts.eval_range_count = row->what != LOOP_IS_NOT_KNOWN;
        process->facts.eval_ranges[0] =
            (struct sc_code_range){fake_base + IN_LOOP, fake_base + IN_LOOP + 1};
        if (row->what != NO_CLASSIFIER)
            process->classifier = sc_classifier_new((struct sc_subject){.pid = getpid()}, NULL,
                                                    &process->facts, NULL);
        assert_true(sc_outside_read(process, thread, &moment, &seen));
        assert_int_equal(seen.kind, row->kind);
        assert_int_equal(seen.has_moment, row->is_used);
        assert_int_equal(seen.in_call, row->is_used && row->pc == IN_CALL);
        assert_string_equal(watched_stack(world.watched, seen.node),
                            row->walks[0] == '.' ? "" : "3>5");
        (void)close(thread->alarm.fd);
        sc_classifier_free(process->classifier);
        watched_free(world.watched);
    }
}
