/*
 * tests/unit/unwind_test.c - unwinding: real stacks, made-up records, hostile bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unwind/unwind.h"

#include <ucontext.h>

#include "channel/format.h"
#include "sc_test.h"
#include "unwind/record.h"

#define ADDRESSES 64

static bool read_plainly(void *context, uint64_t address, void *bytes, size_t length)
{
    memcpy(bytes, (const void *)address, length);
    return true;
}

static bool read_nothing(void *context, uint64_t address, void *bytes, size_t length)
{
    return false;
}

static const struct sc_target plain_memory = {read_plainly, NULL};
static const struct sc_target no_memory = {read_nothing, NULL};

/* What the handler finds. */
static struct {
    struct sc_eval_ranges ranges;
    const struct sc_target *target;
    uint64_t addresses[ADDRESSES];
    size_t capacity;
    size_t count;
    bool past_loops;
    size_t loops;
    enum sc_unwind_end end;
} found;

static void on_signal(int number, siginfo_t *info, void *context)
{
    if (!found.past_loops) {
        found.end = sc_unwind(context, found.target, &found.ranges, found.addresses, found.capacity,
                              &found.count);
        return;
    }
    struct sc_registers registers;
    sc_machine_load(context, &registers);
    found.end = sc_unwind_past_loops(&registers, found.target, &found.ranges, found.loops,
                                     found.addresses, found.capacity, &found.count);
}

static int compare(const void *first, const void *second)
{
    (void)raise(SIGUSR1);
    return *(const int *)first - *(const int *)second;
}

/* Its caller's way to compare() goes through the C library's qsort. */
__attribute__((noinline)) static void loop(void)
{
    int values[2] = {2, 1};
    qsort(values, 2, sizeof(values[0]), compare);
    assert_int_equal(values[0], 1);
}

static int set_up(void **state)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    memset(&found, 0, sizeof(found));
    found.target = &plain_memory;
    found.capacity = ADDRESSES;
    sc_unwind_init();
    sc_unwind_modules_ask_loader(true);
    return sigaction(SIGUSR1, &action, NULL);
}

TEST_WITHIN(test_reaches_the_loop, set_up, NULL)
{
    sc_eval_ranges_find(&found.ranges, &plain_memory, (uint64_t)loop, 0);
    assert_int_equal(found.ranges.count, 1);
    loop();
    assert_int_equal(found.end, SC_UNWIND_EVAL);
    assert_true(found.count >= 3);
    assert_true(sc_eval_ranges_hold(&found.ranges, found.addresses[found.count - 1] - 1));
    for (size_t i = 0; i + 1 < found.count; i++)
        assert_false(sc_eval_ranges_hold(&found.ranges, found.addresses[i]));
}

static int compare_in_a_loop(const void *first, const void *second)
{
    loop();
    return *(const int *)first - *(const int *)second;
}

/* Another one, outside of the first. */
__attribute__((noinline)) static void outer_loop(void)
{
    int values[2] = {2, 1};
    qsort(values, 2, sizeof(values[0]), compare_in_a_loop);
    assert_int_equal(values[0], 1);
}

static size_t marked(void)
{
    size_t count = 0;
    for (size_t i = 0; i < found.count; i++)
        count += (found.addresses[i] & SC_ADDRESS_IN_LOOP) != 0;
    return count;
}

TEST_WITHIN(test_goes_past_loops, set_up, NULL)
{
    struct sc_eval_ranges outer;
    sc_eval_ranges_find(&found.ranges, &plain_memory, (uint64_t)loop, 0);
    sc_eval_ranges_find(&outer, &plain_memory, (uint64_t)outer_loop, 0);
    bool is_first = found.ranges.ranges[0].start < outer.ranges[0].start;
    found.ranges.ranges[1] = is_first ? outer.ranges[0] : found.ranges.ranges[0];
    found.ranges.ranges[0] = is_first ? found.ranges.ranges[0] : outer.ranges[0];
    found.ranges.count = 2;
    found.past_loops = true;
    for (found.loops = 1; found.loops <= 2; found.loops++) {
        outer_loop();
        assert_int_equal(found.end, SC_UNWIND_EVAL);
        assert_int_equal(marked(), found.loops);
        assert_true((found.addresses[found.count - 1] & SC_ADDRESS_IN_LOOP) != 0);
    }
    found.loops = 0;
    outer_loop();
    assert_int_equal(found.end, SC_UNWIND_ROOT);
    assert_int_equal(marked(), 2);
    assert_true((found.addresses[found.count - 1] & SC_ADDRESS_IN_LOOP) == 0);
    found.past_loops = false;
    outer_loop();
    assert_int_equal(found.end, SC_UNWIND_EVAL);
    assert_int_equal(marked(), 0);
}

TEST_WITHIN(test_list_of_modules_gives_the_same, set_up, NULL)
{
    sc_eval_ranges_find(&found.ranges, &plain_memory, (uint64_t)loop, 0);
    loop();
    uint64_t before[ADDRESSES];
    size_t count = found.count;
    memcpy(before, found.addresses, sizeof(before));
    sc_unwind_modules_gather();
    sc_unwind_modules_ask_loader(false);
    loop();
    assert_int_equal(found.end, SC_UNWIND_EVAL);
    assert_int_equal(found.count, count);
    assert_memory_equal(found.addresses, before, count * sizeof(before[0]));
}

TEST_WITHIN(test_ends_at_the_outermost_frame, set_up, NULL)
{
    loop();
    assert_int_equal(found.end, SC_UNWIND_ROOT);
}

TEST_WITHIN(test_ends_at_capacity, set_up, NULL)
{
    found.capacity = 2;
    loop();
    assert_int_equal(found.end, SC_UNWIND_LIMIT);
    assert_int_equal(found.count, 2);
}

TEST_WITHIN(test_unreadable_stack_is_lost, set_up, NULL)
{
    found.target = &no_memory;
    loop();
    assert_int_equal(found.end, SC_UNWIND_LOST);
    assert_int_equal(found.count, 1);
}

static struct sc_unwind_module module_of(uint64_t start, size_t length)
{
    return (struct sc_unwind_module){.start = start,
                                     .end = start + length,
                                     .header = start,
                                     .plain_start = start,
                                     .plain_end = start + length,
                                     .target = &no_memory};
}

/* A module made by hand: one CIE, one FDE for 100 bytes of code, and the table. Offsets are from
 * the start of the array, which stands for the module. */
enum {
    COMMON_AT = 32,
    RECORD_AT = 64,
    CODE_AT = 128,
    CODE_BYTES = 100,
    MODULE_BYTES = 256,
};

struct made {
    _Alignas(16) uint8_t bytes[MODULE_BYTES];
    struct sc_unwind_module module;
    struct sc_unwind_table table;
};

static void put4(struct made *made, size_t at, uint32_t value)
{
    memcpy(made->bytes + at, &value, sizeof(value));
}

/* Call frame instructions as x86-64 compilers write them. */
static const uint8_t common_program[] = {0x0c, 7, 8, 0x90, 1}; /* CFA = rsp + 8, ra at CFA - 8 */
static const uint8_t program[] = {
    0x41,        /* after 1 byte */
    0x0e, 16,    /* CFA = rsp + 16 */
    0x86, 2,     /* rbp at CFA - 16 */
    0x43,        /* after 4 bytes */
    0x0d, 6,     /* CFA = rbp + 16 */
    0x4a,        /* after 14 bytes */
    0x0a,        /* remember */
    0x0c, 7,  8, /* CFA = rsp + 8 */
    0xc6,        /* rbp is where it was */
    0x41,        /* after 15 bytes */
    0x0b,        /* as remembered */
};

static void make_module(struct made *made)
{
    memset(made, 0, sizeof(*made));
    made->bytes[0] = 1;
    made->bytes[1] = 0x1b;
    made->bytes[2] = 0x03;
    made->bytes[3] = 0x3b;
    put4(made, 8, 1);
    put4(made, 12, CODE_AT);
    put4(made, 16, RECORD_AT);
    put4(made, COMMON_AT, RECORD_AT - COMMON_AT - 4);
    static const uint8_t common[] = {1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b};
    memcpy(made->bytes + COMMON_AT + 8, common, sizeof(common));
    memcpy(made->bytes + COMMON_AT + 17, common_program, sizeof(common_program));
    put4(made, RECORD_AT, CODE_AT - RECORD_AT - 4);
    put4(made, RECORD_AT + 4, RECORD_AT + 4 - COMMON_AT);
    put4(made, RECORD_AT + 8, CODE_AT - RECORD_AT - 8); /* relative to the field */
    put4(made, RECORD_AT + 12, CODE_BYTES);
    memcpy(made->bytes + RECORD_AT + 17, program, sizeof(program));
    uint64_t start = (uint64_t)made->bytes;
    made->module = module_of(start, MODULE_BYTES);
    assert_true(sc_unwind_table_open(&made->module, &made->table));
}

static struct sc_unwind_row row_at(const struct made *made, uint64_t offset)
{
    struct sc_unwind_record record;
    struct sc_unwind_row row;
    size_t used;
    uint64_t start = made->module.start;
    assert_true(sc_unwind_record_read(&made->module, start + RECORD_AT, &record));
    assert_int_equal(record.start, start + CODE_AT);
    assert_int_equal(record.end, start + CODE_AT + CODE_BYTES);
    assert_true(sc_unwind_row_find(&made->module, &record, start + CODE_AT + offset, &row, &used));
    return row;
}

static void assert_row(const struct made *made, uint64_t offset, int column, int frame, int saved)
{
    struct sc_unwind_row row = row_at(made, offset);
    assert_false(row.frame_is_expression);
    assert_int_equal(row.frame_column, column);
    assert_int_equal(row.frame_offset, frame);
    assert_int_equal(row.kinds[0], SC_RULE_OFFSET);
    assert_int_equal(row.values[0], -8);
    assert_int_equal(row.kinds[1], saved != 0 ? SC_RULE_OFFSET : SC_RULE_SAME);
    assert_int_equal(row.values[1], saved);
}

TEST(test_rows)
{
    struct made made;
    make_module(&made);
    assert_row(&made, 0, 7, 8, 0);
    assert_row(&made, 1, 7, 16, -16);
    assert_row(&made, 3, 7, 16, -16);
    assert_row(&made, 4, 6, 16, -16);
    assert_row(&made, 14, 7, 8, 0);
    assert_row(&made, 15, 6, 16, -16);
    assert_row(&made, 99, 6, 16, -16);
}

TEST(test_search)
{
    struct made made;
    struct sc_unwind_entry entry;
    uint32_t index = 7;
    make_module(&made);
    uint64_t code = made.module.start + CODE_AT;
    assert_true(sc_unwind_table_search(&made.table, code + 50, &index, &entry));
    assert_int_equal(index, 0);
    assert_int_equal(entry.start, code);
    assert_int_equal(entry.record, made.module.start + RECORD_AT);
    assert_false(sc_unwind_table_search(&made.table, code - 1, &index, &entry));
}

/* A table of many entries, searched from every hint that other addresses leave behind. */
TEST(test_search_in_a_long_table)
{
    enum { COUNT = 500, STEP = 200 };
    static _Alignas(8) uint8_t bytes[12 + 8 * COUNT + COUNT * STEP];
    uint32_t head[3] = {0x3b031b01, 0, COUNT};
    memcpy(bytes, head, sizeof(head));
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t pair[2] = {12 + 8 * COUNT + i * STEP, i};
        memcpy(bytes + 12 + 8 * (size_t)i, pair, sizeof(pair));
    }
    uint64_t start = (uint64_t)bytes;
    struct sc_unwind_module module = module_of(start, sizeof(bytes));
    struct sc_unwind_table table;
    assert_true(sc_unwind_table_open(&module, &table));
    uint32_t random = 1;
    for (int i = 0; i < 5000; i++) {
        random = random * 1103515245 + 12345;
        uint32_t offset = (random >> 8) % (COUNT * STEP);
        uint32_t index;
        struct sc_unwind_entry entry;
        assert_true(
            sc_unwind_table_search(&table, start + 12 + 8 * COUNT + offset, &index, &entry));
        assert_int_equal(index, offset / STEP);
        assert_int_equal(entry.record, start + index);
    }
}

TEST(test_memo_holds_while_the_record_does)
{
    struct made made;
    struct sc_unwind_record record;
    struct sc_unwind_row row;
    struct sc_unwind_row remembered;
    size_t used;
    make_module(&made);
    uint64_t pc = made.module.start + CODE_AT + 20;
    assert_true(sc_unwind_record_read(&made.module, made.module.start + RECORD_AT, &record));
    assert_true(sc_unwind_row_find(&made.module, &record, pc, &row, &used));
    assert_false(sc_unwind_memo_get(&made.table, pc, &remembered));
    sc_unwind_memo_put(&made.table, pc, 0, &record, used, &row);
    assert_true(sc_unwind_memo_get(&made.table, pc, &remembered));
    assert_int_equal(remembered.frame_column, row.frame_column);
    assert_int_equal(remembered.frame_offset, row.frame_offset);
    assert_memory_equal(remembered.kinds, row.kinds, sizeof(row.kinds));
    assert_memory_equal(remembered.values, row.values, sizeof(row.values));
    /* another library at the same place */
    made.bytes[RECORD_AT + 19] = 24;
    assert_false(sc_unwind_memo_get(&made.table, pc, &remembered));
    made.bytes[RECORD_AT + 19] = 16;
    assert_true(sc_unwind_memo_get(&made.table, pc, &remembered));
    put4(&made, 12, CODE_AT + 30);
    assert_false(sc_unwind_memo_get(&made.table, pc, &remembered));
}

static uint64_t evaluate(const uint8_t *expression, size_t length, uint64_t stack, uint64_t pc,
                         bool *ret_constant)
{
    uint8_t bytes[40] = {(uint8_t)length};
    memcpy(bytes + 1, expression, length);
    uint64_t start = (uint64_t)bytes;
    struct sc_unwind_module module = module_of(start, sizeof(bytes));
    struct sc_registers registers = {.known = UINT32_MAX};
    registers.values[7] = stack;
    registers.values[6] = stack + 64;
    registers.values[16] = pc;
    uint64_t value = 0;
    assert_true(sc_unwind_expression(&module, &plain_memory, &registers, start, false, 0, &value,
                                     ret_constant));
    return value;
}

TEST(test_expressions)
{
    bool constant = false;
    /* of a procedure linkage table: breg7 8; breg16 0; lit15; and; lit11; ge; lit3; shl; plus */
    static const uint8_t linkage[] = {0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
    assert_int_equal(evaluate(linkage, sizeof(linkage), 1000, 0x40a, &constant), 1008);
    assert_true(constant);
    assert_int_equal(evaluate(linkage, sizeof(linkage), 1000, 0x40b, &constant), 1016);
    /* of a function that aligns its stack: breg6 -8; deref */
    static const uint8_t aligned[] = {0x76, 0x78, 0x06};
    uint64_t stack[16] = {[7] = 4242};
    assert_int_equal(evaluate(aligned, sizeof(aligned), (uint64_t)stack, 0, &constant), 4242);
    assert_false(constant);
}

/* Whatever the bytes are, nothing outside the module is read and everything ends. */
TEST(test_random_records)
{
    struct made made;
    uint32_t random = 12345;
    for (int round = 0; round < 20000; round++) {
        make_module(&made);
        for (int i = 0; i < 1 + round % 8; i++) {
            random = random * 1103515245 + 12345;
            made.bytes[COMMON_AT + (random >> 8) % (CODE_AT - COMMON_AT)] ^=
                (uint8_t)(random >> 24 | 1);
        }
        struct sc_unwind_record record;
        struct sc_unwind_row row;
        size_t used;
        uint64_t pc = made.module.start + CODE_AT + 20;
        if (!sc_unwind_record_read(&made.module, made.module.start + RECORD_AT, &record) ||
            pc < record.start || pc >= record.end ||
            !sc_unwind_row_find(&made.module, &record, pc, &row, &used))
            continue;
        assert_true(row.frame_is_expression || row.frame_column < SC_COLUMNS);
        assert_true(used <= MODULE_BYTES);
    }
}

TEST(test_system_call)
{
    static const uint8_t code[] = {0x90, 0x90, 0x0f, 0x05, 0xc3, 0x90, 0x90};
    ucontext_t context = {0};
    greg_t *pc = &context.uc_mcontext.gregs[REG_RIP];
    *pc = (greg_t)(code + 2);
    assert_true(sc_context_in_system_call(&context, &plain_memory));
    *pc = (greg_t)(code + 4);
    assert_true(sc_context_in_system_call(&context, &plain_memory));
    *pc = (greg_t)(code + 3);
    assert_false(sc_context_in_system_call(&context, &plain_memory));
    assert_false(sc_context_in_system_call(&context, &no_memory));
}

TEST(test_system_call_that_fails)
{
    static const uint8_t code[8] = {0x90, 0x0f, 0x05, 0xc3};
    ucontext_t context = {0};
    greg_t *gregs = context.uc_mcontext.gregs;
    gregs[REG_RIP] = (greg_t)(code + 1);
    gregs[REG_RAX] = 61;
    gregs[REG_RSI] = 2;
    struct sc_system_call call;
    sc_context_system_call(&context, &call);
    assert_int_equal(call.number, 61);
    assert_int_equal(call.second, 2);
    assert_true(sc_context_makes_system_call(&context, &plain_memory));
    assert_false(sc_context_makes_system_call(&context, &no_memory));
    assert_false(sc_context_has_begun_system_call(&context));
    gregs[REG_RCX] = (greg_t)(code + 3);
    assert_true(sc_context_has_begun_system_call(&context));
    sc_context_fail_system_call(&context, 4);
    assert_int_equal(gregs[REG_RAX], -4);
    assert_ptr_equal((const uint8_t *)gregs[REG_RIP], code + 3);
    assert_false(sc_context_makes_system_call(&context, &plain_memory)); /* it was one */
    assert_true(sc_context_in_system_call(&context, &plain_memory));
}

TEST(test_pointers_in_registers)
{
    ucontext_t context = {0};
    uint64_t values[32];
    context.uc_mcontext.gregs[REG_RBX] = 150;
    context.uc_mcontext.gregs[REG_R12] = 200;
    size_t count = sc_context_pointers(&context, 100, 200, values);
    assert_int_equal(count, 16);
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    assert_int_equal(sum, 150);
}
