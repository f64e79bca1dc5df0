/*
 * tests/unit/blocked_stack_test.c - the native stack of a thread of this very process that is
 * blocked, and what is made of one that makes no sense. Its code and records are of x86_64.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/waiting/blocked_stack.h"

#include <stdatomic.h>
#include <ucontext.h>

#include "observer/process/process.h"
#include "observer/sample/callers.h"
#include "observer/sample/stack.h"
#include "sc_test.h"

#define FINDS_PER_POLL 32
#define CALLERS_MAX    64
#define NODES_MAX      ((size_t)1 << 16)
#define CODE_KEY       7
#define LATE_TICKS     10000

/* A chain of calls down to a system call, with records of each kind: "loop" stands for the
 * evaluation loop; the frame of "outer" is found by rbp, which "middle" leaves alone and "inner"
 * has saved; the call of "middle" is its last instruction, and what follows has no records. */
long chain_loop(int fd, char *byte, size_t count);
extern char chain_loop_end[], chain_first[], chain_first_end[], chain_outer[], chain_outer_back[],
    chain_outer_end[], chain_middle[], chain_middle_end[], chain_inner[], chain_inner_end[];
/* clang-format off */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl chain_loop\n"
        "chain_loop:\n"
        ".cfi_startproc\n"
        "sub $8, %rsp\n"
        ".cfi_adjust_cfa_offset 8\n"
        "call chain_first\n"
        "add $8, %rsp\n"
        ".cfi_adjust_cfa_offset -8\n"
        "ret\n"
        ".cfi_endproc\n"
        "chain_loop_end:\n"
        "chain_first:\n"
        ".cfi_startproc\n"
        "sub $8, %rsp\n"
        ".cfi_adjust_cfa_offset 8\n"
        "call chain_outer\n"
        "add $8, %rsp\n"
        ".cfi_adjust_cfa_offset -8\n"
        "ret\n"
        ".cfi_endproc\n"
        "chain_first_end:\n"
        "chain_outer:\n"
        ".cfi_startproc\n"
        "push %rbp\n"
        ".cfi_adjust_cfa_offset 8\n"
        ".cfi_rel_offset %rbp, 0\n"
        "mov %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "sub $48, %rsp\n"
        "call chain_middle\n"
        "chain_outer_back:\n"
        "leave\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n"
        "chain_outer_end:\n"
        "chain_middle:\n"
        ".cfi_startproc\n"
        "sub $24, %rsp\n"
        ".cfi_adjust_cfa_offset 24\n"
        "call chain_inner\n"
        ".cfi_endproc\n"
        "chain_middle_end:\n"
        "add $24, %rsp\n"
        "ret\n"
        "chain_inner:\n"
        ".cfi_startproc\n"
        "push %rbp\n"
        ".cfi_adjust_cfa_offset 8\n"
        ".cfi_rel_offset %rbp, 0\n"
        "xor %ebp, %ebp\n"
        "xor %eax, %eax\n" /* read */
        "syscall\n"
        "pop %rbp\n"
        ".cfi_adjust_cfa_offset -8\n"
        ".cfi_restore %rbp\n"
        "ret\n"
        ".cfi_endproc\n"
        "chain_inner_end:\n");
/* clang-format on */

static int pipe_fds[2];
static atomic_int blocked_tid;

static void *run(void *byte)
{
    atomic_store(&blocked_tid, gettid());
    return chain_loop(pipe_fds[0], byte, 1) == 1 ? byte : NULL;
}

struct world {
    struct sc_collect collect;
    struct sc_process process;
    struct sc_sample_frame frame;
    struct sc_sent_stack python;
    struct sc_blocked blocked;
    pid_t tid;
    pthread_t thread;
    char byte;
    bool may_grow; /* what the last look has said */
    bool is_forged;
    uint64_t forged; /* what then stands in all of the stack */
};

static bool read_stack(void *context, uint64_t address, void *bytes, size_t length)
{
    struct world *world = context;
    if (!world->is_forged)
        return sc_remote_read(&world->process.stacks.remote, address, bytes, length);
    for (size_t i = 0; i < length; i++)
        ((char *)bytes)[i] = ((const char *)&world->forged)[i % 8];
    return true;
}

static void block_a_thread(struct world *world)
{
    atomic_store(&blocked_tid, 0);
    assert_int_equal(pipe(pipe_fds), 0);
    assert_int_equal(pthread_create(&world->thread, NULL, run, &world->byte), 0);
    for (;;) {
        world->tid = atomic_load(&blocked_tid);
        if (world->tid != 0 &&
            sc_blocked_read(getpid(), world->tid, -1, &world->blocked) == SC_BLOCKED_READ &&
            !world->blocked.running && world->blocked.number == SYS_read)
            return;
        (void)usleep(1000);
    }
}

static void world_init(struct world *world)
{
    struct {
        struct sc_record_code record;
        char text[8];
    } code = {.record = {.code_key = CODE_KEY, .first_line = 5, .file_length = 5, .name_length = 1},
              .text = "/a.pyf"};
    *world = (struct world){.frame = {.code_key = CODE_KEY}};
    world->python = (struct sc_sent_stack){.frames = &world->frame, .frame_count = 1};
    struct sc_process *process = &world->process;
    sc_collect_init(&world->collect, 0, 0);
    process->pid = getpid();
    process->collect = &world->collect;
    process->stacks.remote.pid = getpid();
    process->stacks.target = (struct sc_target){.read = read_stack, .context = world};
    process->facts.eval_range_count = 2; /* one that is elsewhere, and the loop */
    process->facts.eval_ranges[0] = (struct sc_code_range){.start = 1, .end = 2};
    process->facts.eval_ranges[1] =
        (struct sc_code_range){.start = (uintptr_t)chain_loop, .end = (uintptr_t)chain_loop_end};
    process->stacks.native =
        (struct sc_native){.collect = &world->collect, .symbols = sc_symbols_new(NULL)};
    const struct sc_interpreter_facts none = {.version = 0x030b};
    process->classifier =
        sc_classifier_new((struct sc_subject){.pid = getpid()}, NULL, &none, NULL);
    sc_codes_init(&process->stacks.codes, &world->collect, SC_LINE_TABLE_LOCATION);
    sc_codes_add_record(&process->stacks.codes, &code.record, NULL, NULL);
    block_a_thread(world);
}

static void world_done(struct world *world)
{
    struct sc_process *process = &world->process;
    assert_int_equal(write(pipe_fds[1], "x", 1), 1);
    (void)pthread_join(world->thread, NULL);
    (void)close(pipe_fds[0]);
    (void)close(pipe_fds[1]);
    sc_blocked_stacks_done(&process->stacks.blocked);
    sc_native_done(&process->stacks.native);
    sc_symbols_free(process->stacks.native.symbols);
    sc_classifier_free(process->classifier);
    sc_codes_done(&process->stacks.codes);
    sc_remote_done(&process->stacks.remote);
    sc_collect_done(&world->collect);
}

/* One character for a frame: "p" Python's, "k" the kernel, "i", "m", "o", "f" and "l" of the
 * chain, "?" any other; outermost first. */
static char letter_of(struct world *world, uint32_t node)
{
    const struct {
        char letter;
        const char *start, *end;
    } functions[] = {{'l', (const char *)(uintptr_t)chain_loop, chain_loop_end},
                     {'f', chain_first, chain_first_end},
                     {'o', chain_outer, chain_outer_end},
                     {'m', chain_middle, chain_middle_end},
                     {'i', chain_inner, chain_inner_end}};
    const struct sc_code *code = &world->collect.codes.items[world->collect.nodes.items[node].code];
    const char *module = sc_intern_text(&world->collect.names, code->file);
    struct sc_modules *modules = sc_classifier_modules(world->process.classifier);
    const struct sc_mapping *own = sc_modules_find(modules, (uintptr_t)chain_inner);
    if (!sc_code_is_native(code))
        return 'p';
    if (strcmp(module, SC_MODULE_KERNEL) == 0)
        return 'k';
    uint64_t address = code->offset - own->file_offset + own->start;
    for (size_t i = 0; strcmp(module, own->path) == 0 && i < 5; i++) {
        if (address >= (uintptr_t)functions[i].start && address < (uintptr_t)functions[i].end)
            return functions[i].letter;
    }
    return '?';
}

enum { TEXT_MAX = 100 };

static const char *text_of(struct world *world, uint32_t node)
{
    static char text[TEXT_MAX + 1];
    char *at = text + TEXT_MAX;
    for (*at = '\0'; node != 0 && at > text; node = world->collect.nodes.items[node].parent)
        *--at = letter_of(world, node);
    return at;
}

static uint32_t look(struct world *world, pid_t tid)
{
    sc_remote_forget(&world->process.stacks.remote);
    return sc_blocked_stack(&world->process, tid, &world->python, &world->blocked,
                            &world->may_grow);
}

/* The same when all that it needs has been read. */
static uint32_t look_at_last(struct world *world)
{
    struct sc_blocked_stacks *stacks = &world->process.stacks.blocked;
    uint32_t node = 0;
    size_t known = stacks->nodes.count;
    for (int i = 0; i < LATE_TICKS && stacks->nodes.count == known; i++) {
        world->process.gap.polled_ns++;
        node = look(world, world->tid);
        if (stacks->nodes.count == known)
            (void)usleep(1000);
    }
    assert_int_equal(stacks->nodes.count, known + 1);
    return node;
}

TEST(a_blocked_thread_is_followed_up_to_the_loop)
{
    WORLD(world);
    assert_string_equal(text_of(&world, look_at_last(&world)), "pfomik");
}

TEST(where_the_loop_is_not_known_the_caller_of_the_kernel_stands_alone)
{
    WORLD(world);
    world.process.facts.eval_range_count = 0;
    assert_string_equal(text_of(&world, look_at_last(&world)), "pik");
}

TEST(what_is_not_in_a_call_is_python_alone)
{
    WORLD(world);
    struct sc_symbols *symbols = world.process.stacks.native.symbols;
    struct sc_classifier *classifier = world.process.classifier;
    assert_string_equal(text_of(&world, sc_blocked_stack(&world.process, world.tid, &world.python,
                                                         NULL, &world.may_grow)),
                        "p");
    world.process.stacks.native.symbols = NULL;
    assert_string_equal(text_of(&world, look(&world, world.tid)), "p");
    world.process.stacks.native.symbols = symbols;
    world.process.classifier = NULL;
    uint32_t node = look(&world, world.tid);
    world.process.classifier = classifier;
    assert_string_equal(text_of(&world, node), "p");
    world.blocked.instruction = 0;
    assert_string_equal(text_of(&world, look(&world, world.tid)), "p");
    assert_int_equal(world.process.stacks.blocked.nodes.count, 0);
}

TEST(a_place_that_is_known_is_not_followed_again)
{
    WORLD(world);
    uint32_t node = look_at_last(&world);
    world.process.stacks.blocked.found_in_poll = 0;
    world.is_forged = true; /* it would not be found again */
    assert_int_equal(look(&world, world.tid), node);
    assert_int_equal(world.process.stacks.blocked.found_in_poll, 0);
    /* elsewhere on its stack it may have come there another way */
    world.blocked.stack += 8;
    assert_int_not_equal(look(&world, world.tid), node);
    assert_int_equal(world.process.stacks.blocked.found_in_poll, 1);
    /* with other modules nothing is known */
    world.is_forged = false;
    world.blocked.stack -= 8;
    assert_int_equal(world.process.stacks.blocked.nodes.count, 2);
    world.process.stacks.blocked.generation--;
    assert_int_equal(look(&world, world.tid), node);
    assert_int_equal(world.process.stacks.blocked.nodes.count, 1);
}

TEST(a_tick_has_time_for_so_many)
{
    WORLD(world);
    uint32_t whole = look_at_last(&world);
    world.process.gap.polled_ns++;
    for (int i = 1; i <= FINDS_PER_POLL; i++)
        assert_int_equal(look(&world, world.tid + i), whole);
    size_t known = world.process.stacks.blocked.nodes.count;
    pid_t late = world.tid + FINDS_PER_POLL + 1;
    assert_string_equal(text_of(&world, look(&world, late)), "pik");
    assert_true(world.may_grow);
    /* which is not taken for all there is */
    assert_int_equal(world.process.stacks.blocked.nodes.count, known);
    world.process.gap.polled_ns++;
    assert_int_equal(look(&world, late), whole);
    assert_false(world.may_grow);
    assert_int_equal(world.process.stacks.blocked.nodes.count, known + 1);
}

/* What stands on the stack, and what the system says of it, may be anything. */
TEST(a_stack_that_makes_no_sense_ends_where_it_does)
{
    enum { FORGED = 1, OTHER_STACK = 2, OTHER_PLACE = 4 };
    const struct {
        const char *name;
        unsigned what;
        uint64_t value;
        const char *text;
    } rows[] = {
        {"no stack", OTHER_STACK, 0, "pik"},
        {"at the end of memory", OTHER_STACK, UINT64_MAX - 3, "pik"},
        {"above all memory", OTHER_STACK, UINT64_C(1) << 63, "pik"},
        {"an instruction in no memory", OTHER_PLACE, 0x10, "pk"},
        {"at the end of memory, too", OTHER_PLACE, UINT64_MAX, "pk"},
        {"a frame found by a register that is not known", OTHER_PLACE, (uintptr_t)chain_outer_back,
         "pok"},
        {"it returns to 0", FORGED, 0, "pik"},
        {"to nowhere: that is seen one further", FORGED, 0x10, "pik"},
        {"to the end of memory", FORGED, UINT64_MAX, "pik"},
        {"a caller's frame below its callee's", FORGED, (uintptr_t)chain_outer_back, "poik"},
    };
    WORLD(world);
    struct sc_blocked blocked = world.blocked;
    (void)look_at_last(&world);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        (void)printf("  %s\n", rows[i].name);
        world.blocked = blocked;
        if (rows[i].what == OTHER_STACK)
            world.blocked.stack = rows[i].value;
        if (rows[i].what == OTHER_PLACE)
            world.blocked.instruction = rows[i].value;
        world.is_forged = rows[i].what == FORGED;
        world.forged = rows[i].value;
        world.process.gap.polled_ns++;
        assert_string_equal(text_of(&world, look(&world, world.tid - 1 - (pid_t)i)), rows[i].text);
    }
}

TEST(a_stack_without_an_end_is_cut)
{
    WORLD(world);
    (void)look_at_last(&world);
    world.is_forged = true; /* all of it returns to "middle" */
    world.forged = (uintptr_t)chain_middle_end;
    const char *text = text_of(&world, look(&world, world.tid - 1));
    assert_int_equal(strlen(text), 1 + CALLERS_MAX + 1);
    assert_int_equal(strspn(text + 1, "m"), CALLERS_MAX - 1);
    assert_string_equal(text + CALLERS_MAX, "ik");
}

TEST(ever_new_places_take_no_more_memory)
{
    WORLD(world);
    world.process.facts.eval_range_count = 0; /* nothing is followed */
    for (size_t i = 0; i < NODES_MAX + 10; i++) {
        world.process.gap.polled_ns++;
        world.blocked.stack += 8;
        (void)look(&world, world.tid);
        assert_true(world.process.stacks.blocked.nodes.count <= NODES_MAX);
    }
    assert_int_equal(world.process.stacks.blocked.nodes.count, 10);
}

#define NO_PLACE UINT64_C(0x1000)

/* In each place is the end of a signal's handler, and what it has interrupted is at that place. */
static bool read_endless_signals(void *context, uint64_t address, void *bytes, size_t length)
{
    static const uint8_t sigreturn[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
    ucontext_t *interrupted = context;
    bool is_code = address == NO_PLACE;
    assert_int_equal(length, is_code ? sizeof(sigreturn) : sizeof(*interrupted));
    memcpy(bytes, is_code ? (const void *)sigreturn : interrupted, length);
    return true;
}

TEST(signals_that_interrupt_each_other_for_ever_end)
{
    WORLD(world);
    ucontext_t interrupted = {0};
    struct sc_registers registers;
    struct sc_callers callers;
    interrupted.uc_mcontext.gregs[REG_RIP] = (long long)NO_PLACE;
    sc_machine_load(&interrupted, &registers);
    struct sc_target stack = {.read = read_endless_signals, .context = &interrupted};
    sc_callers_find(&world.process, &stack, registers, CALLERS_MAX, false, &callers);
    assert_false(callers.is_whole);
    assert_in_range(callers.count, 0, 1);
}
