/*
 * tests/unit/cpu_moment_test.c - what the kernel notes at an alarm, as it lies in the ring, and
 * what it never writes there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/system/cpu_moment.h"

#include "sc_test.h"

enum { RING_BYTES = 16384, STACK_BYTES = 4096, WORDS_MAX = 2048, CLOCK = 77 };

#define PC ((uint64_t)0x7f0000001000)
#define SP ((uint64_t)0x7ffe00002000)

struct world {
    struct perf_event_mmap_page ring;
    unsigned char data[RING_BYTES];
    struct sc_cpu_moment moment;
};

static size_t registers(void)
{
    struct perf_event_attr attributes = {0};
    sc_cpu_moment_ask(&attributes);
    return (size_t)__builtin_popcountll(attributes.sample_regs_user);
}

static void put(struct world *world, const void *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        world->data[world->ring.data_head++ % RING_BYTES] = ((const unsigned char *)bytes)[i];
}

/* What a record has that may be odd. */
struct odd {
    uint32_t type;
    uint16_t misc;
    uint64_t abi, room, copied, lacking_bytes;
};

static const struct odd plain = {.type = PERF_RECORD_SAMPLE,
                                 .misc = PERF_RECORD_MISC_USER,
                                 .abi = PERF_SAMPLE_REGS_ABI_64,
                                 .room = STACK_BYTES,
                                 .copied = 1000};

/* Every register has the value SP, which the stack pointer needs, but one: the program counter. */
static void put_record(struct world *world, const struct odd *odd, uint64_t clock_ns)
{
    uint64_t words[WORDS_MAX] = {clock_ns, odd->abi};
    size_t count = 2;
    for (size_t i = 0; i < registers(); i++)
        words[count++] = SP;
#if defined(__x86_64__)
    words[2 + 8] = PC;
#else
    words[2 + 32] = PC;
#endif
    words[count++] = odd->room;
    for (size_t i = 0; i < odd->room / 8 && i < WORDS_MAX / 2; i++)
        words[count++] = i;
    words[count++] = odd->copied;
    struct perf_event_header header = {
        .type = odd->type,
        .misc = odd->misc,
        .size = (uint16_t)(sizeof(header) + count * 8 - odd->lacking_bytes)};
    put(world, &header, sizeof(header));
    put(world, words, header.size - sizeof(header));
}

static bool take(struct world *world)
{
    return sc_cpu_moment_take(&world->ring, world->data, RING_BYTES, &world->moment);
}

TEST(a_moment_is_what_the_kernel_has_copied)
{
    struct world world = {0};
    assert_false(take(&world));
    /* wherever it lies, also around the end of the ring; the last one counts */
    for (uint64_t at = 0; at < 3 * RING_BYTES; at += RING_BYTES / 8 + 8) {
        world.ring.data_head = world.ring.data_tail = at;
        put_record(&world, &plain, CLOCK + 1);
        put_record(&world, &plain, CLOCK + at);
        assert_true(take(&world));
        assert_int_equal(world.moment.clock_ns, CLOCK + at);
        assert_int_equal(world.ring.data_tail, world.ring.data_head);
        assert_false(world.moment.in_kernel);
        assert_int_equal(world.moment.registers.pc, PC);
        assert_int_equal(world.moment.registers.values[sc_machine.stack_column], SP);
        assert_int_equal(world.moment.registers.known & sc_machine.preserved, sc_machine.preserved);
        assert_int_equal(world.moment.registers.in_memory, 0);
        assert_int_equal(world.moment.stack_start, SP);
        assert_int_equal(world.moment.stack_bytes, 1000);
        assert_int_equal(((uint64_t *)(void *)world.moment.stack)[3], 3);
        assert_false(take(&world));
    }
}

TEST(what_is_no_moment_is_passed_over)
{
    const struct {
        const char *name;
        struct odd odd;
    } rows[] = {
        {"samples are lost", {PERF_RECORD_LOST, 0, 2, STACK_BYTES, 8, 0}},
        {"registers of 32 bits", {PERF_RECORD_SAMPLE, 2, 1, STACK_BYTES, 8, 0}},
        {"a thread of the kernel", {PERF_RECORD_SAMPLE, 1, 0, 0, 0, 0}},
        {"more room than was asked for", {PERF_RECORD_SAMPLE, 2, 2, 8200, 8, 0}},
        {"more copied than there is room", {PERF_RECORD_SAMPLE, 2, 2, STACK_BYTES, 4104, 0}},
        {"it ends in the stack", {PERF_RECORD_SAMPLE, 2, 2, STACK_BYTES, 8, 80}},
        {"it ends in the registers", {PERF_RECORD_SAMPLE, 2, 2, STACK_BYTES, 8, 4200}},
        {"it ends at once", {PERF_RECORD_SAMPLE, 2, 2, 0, 0, 16 + 8 * 19}},
    };
    FOR_EACH_ROW(row, rows) {
        struct world world = {0};
        put_record(&world, &row->odd, CLOCK);
        assert_false(take(&world));
        assert_int_equal(world.ring.data_tail, world.ring.data_head);
        /* what comes before or behind it counts */
        put_record(&world, &plain, CLOCK);
        put_record(&world, &row->odd, CLOCK + 1);
        assert_true(take(&world));
        put_record(&world, &row->odd, CLOCK + 1);
        put_record(&world, &plain, CLOCK + 2);
        assert_true(take(&world));
        assert_int_equal(world.moment.clock_ns, CLOCK + 2);
    }
}

/* A header that the kernel has not finished, or never would write. */
TEST(a_ring_that_makes_no_sense_is_emptied)
{
    const struct perf_event_header headers[] = {
        {.type = PERF_RECORD_SAMPLE, .size = 0},
        {.type = PERF_RECORD_SAMPLE, .size = sizeof(headers[0]) - 1},
        {.type = PERF_RECORD_SAMPLE, .size = sizeof(headers[0]) + 1},
    };
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        struct world world = {0};
        put(&world, &headers[i], sizeof(headers[i]));
        assert_false(take(&world));
        assert_int_equal(world.ring.data_tail, world.ring.data_head);
    }
    struct world world = {.ring = {.data_head = 5, .data_tail = UINT64_MAX - RING_BYTES}};
    assert_false(take(&world));
    assert_int_equal(world.ring.data_tail, 5);
}

static uint64_t memory_at; /* where the bytes of memory lie */
static unsigned char memory[16];

static bool read_memory(void *context, uint64_t address, void *bytes, size_t length)
{
    if (address < memory_at || address - memory_at > sizeof(memory) - length)
        return false;
    memcpy(bytes, memory + (address - memory_at), length);
    return true;
}

static const struct sc_target now = {.read = read_memory};

TEST(a_call_is_known_by_the_instruction_before)
{
#if defined(__x86_64__)
    const unsigned char call[] = {0x0f, 0x05};
#else
    const unsigned char call[] = {0x01, 0x00, 0x00, 0xd4};
#endif
    struct world world = {0};
    struct odd in_kernel = plain;
    in_kernel.misc = PERF_RECORD_MISC_KERNEL;
    put_record(&world, &in_kernel, CLOCK);
    assert_true(take(&world) && world.moment.in_kernel);
    memory_at = PC - sizeof(call);
    memset(memory, 0, sizeof(memory));
    assert_false(sc_cpu_moment_in_call(&world.moment, &now)); /* a page fault */
    memcpy(memory, call, sizeof(call));
    assert_true(sc_cpu_moment_in_call(&world.moment, &now));
    world.moment.in_kernel = false; /* it has returned */
    assert_false(sc_cpu_moment_in_call(&world.moment, &now));
    world.moment.in_kernel = true;
    memory_at = PC; /* cannot be read */
    assert_false(sc_cpu_moment_in_call(&world.moment, &now));
}

TEST(the_stack_is_that_of_the_moment_as_far_as_it_was_copied)
{
    struct world world = {0};
    struct sc_cpu_moment_memory both = {.moment = &world.moment, .now = &now};
    uint64_t word = 0;
    put_record(&world, &plain, CLOCK);
    assert_true(take(&world));
    memory_at = SP + 1000;
    memset(memory, 0xab, sizeof(memory));
    assert_true(sc_cpu_moment_read(&both, SP, &word, 8) && word == 0);
    assert_true(sc_cpu_moment_read(&both, SP + 992, &word, 8) && word == 124);
    assert_false(sc_cpu_moment_read(&both, SP + 996, &word, 8));
    assert_true(sc_cpu_moment_read(&both, SP + 1000, &word, 8) && word == 0xababababababababU);
    assert_false(sc_cpu_moment_read(&both, SP - 8, &word, 8));
    assert_false(sc_cpu_moment_read(&both, UINT64_MAX, &word, 8));
}
