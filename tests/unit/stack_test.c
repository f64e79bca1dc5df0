/*
 * tests/unit/stack_test.c - Python and native frames in the order of the calls, as tables: what the
 * agent sends, and the stack that it makes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/sample/stack.h"

#include "sc_test.h"

/* Frames and addresses are letters, innermost first, as they are sent.
 *   frames: "a".."d" are known code, "z" is not; "*" behind one: it was called through C
 *   addresses: "m".."p" functions of the interpreter and its modules, "u" the program's own, "h"
 * one that is not shown; "|" is an address in an evaluation loop The stack that comes of it is
 * written from the outermost frame inwards; "K" is the kernel. */
struct row {
    const char *name;
    const char *frames;
    const char *addresses;
    uint16_t flags;
    const char *stack;
};

#define WHOLE  SC_SAMPLE_WHOLE
#define CUT    SC_SAMPLE_CUT
#define KERNEL SC_SAMPLE_IN_SYSTEM_CALL

static const struct row rows[] = {
    {"Python alone", "ab", "|", 0, "ba"},
    {"native code inside the innermost loop", "ab", "mn|", 0, "banm"},
    {"one that is not shown", "a", "mhn|", 0, "anm"},
    {"code that nobody has named", "azb", "m|", 0, "bam"},
    {"what is outside of all loops is start-up", "a", "m|no", WHOLE, "am"},
    {"from the program's own function on it is not", "a", "m|nuo", WHOLE, "unam"},
    {"but only where the stack goes to its end", "a", "m|nuo", 0, "am"},
    {"native code between two groups", "ab*c", "m|n|o", 0, "cbnam"},
    {"each in its place", "ab*c*d", "m|n|o|p", 0, "dcobnam"},
    {"several functions between two groups", "ab*", "|nmo|", 0, "bomna"},
    {"neighbouring addresses in loops are one loop", "ab*", "m||n|||o", 0, "bnam"},
    {"a mark on the innermost frame is no boundary: it calls C", "a*", "m|n|o", 0, "anm"},
    {"and what is outside of that is not start-up", "a*", "m|n|u", WHOLE, "uanm"},
    {"nor one of several groups", "a*b*", "m|n|o|p", 0, "boanm"},
    {"where it has not yet called a loop", "a*", "m", 0, "am"},
    {"a loop that has no frame yet, which only the numbers show", "a", "m|n|o", WHOLE, "anm"},
    {"numbers say nothing of a stack that is cut", "a", "m|n|o", WHOLE | CUT, "am"},
    {"whose outer end is none", "a", "m|n|u", WHOLE | CUT, "am"},
    {"or of one that is broken", "a", "m|n|o", WHOLE | SC_SAMPLE_BROKEN, "am"},
    {"own functions outside of a loop that is just beginning", "a", "m|n|u", WHOLE, "uanm"},
    {"more groups than loops: the innermost are matched", "ab*c*d", "m|n", 0, "dc?bnam"},
    {"more loops than groups: the outer ones are left", "a", "m|n|o", 0, "am"},
    {"a system call", "a", "m|", KERNEL, "amK"},
    {"no loop at all", "ab", "mn", 0, "banm"},
    {"no address at all", "ab*", "", 0, "b?a"},
    {"no frame: a native thread's is distinguished", "", "m|", 0, ""},
};

struct world {
    struct sc_collect collect;
    struct sc_process process;
    struct sc_symbols *symbols;
};

/* Where the function of that letter is. */
static uint64_t address_of(char letter)
{
    return 0x7000000000 + 0x1000 * (uint64_t)letter;
}

static void know(struct world *world, uint64_t address, uint32_t code, bool is_users)
{
    struct sc_native *native = &world->process.stacks.native;
    sc_map_put(&native->by_address, address, (uint32_t)native->known.count);
    sc_vec_push(&native->known, (struct sc_native_frame){.code = code, .is_users = is_users});
}

static void know_function(struct world *world, char letter)
{
    const char module[] = {'/', letter, '\0'};
    uint32_t code = letter == 'h' ? SC_NONE : sc_collect_native(&world->collect, module, 0);
    know(world, address_of(letter), code, letter == 'u');
    /* a return address stands behind the call */
    know(world, address_of(letter) - 1, code, letter == 'u');
}

static void know_code(struct world *world, char letter)
{
    struct {
        struct sc_record_code record;
        char text[8];
    } bytes = {.record = {.code_key = (uint64_t)letter,
                          .first_line = 1,
                          .file_length = 2,
                          .name_length = 1},
               .text = {'/', letter, letter}};
    sc_codes_add_record(&world->process.stacks.codes, &bytes.record, NULL, NULL);
}

/* A process that is this one, with made-up functions. */
static void world_init(struct world *world)
{
    static const struct sc_interpreter_facts facts = {.version = 0x030b};
    *world = (struct world){.symbols = sc_symbols_new(NULL)};
    sc_collect_init(&world->collect, 0, 0);
    struct sc_process *process = &world->process;
    process->collect = &world->collect;
    process->classifier =
        sc_classifier_new((struct sc_subject){.pid = getpid()}, NULL, &facts, NULL);
    assert_non_null(process->classifier);
    process->stacks.native = (struct sc_native){
        .collect = &world->collect,
        .symbols = world->symbols,
        .generation = sc_modules_generation(sc_classifier_modules(process->classifier))};
    sc_codes_init(&process->stacks.codes, &world->collect, SC_LINE_TABLE_LOCATION);
    for (char letter = 'a'; letter <= 'd'; letter++)
        know_code(world, letter);
    for (const char *letter = "mnopuh"; *letter != '\0'; letter++)
        know_function(world, *letter);
}

static void world_done(struct world *world)
{
    sc_native_done(&world->process.stacks.native);
    sc_codes_done(&world->process.stacks.codes);
    sc_classifier_free(world->process.classifier);
    sc_collect_done(&world->collect);
    sc_symbols_free(world->symbols);
}

enum { LETTERS_MAX = 16 };

struct sent {
    struct sc_sample_frame frames[LETTERS_MAX];
    uint64_t addresses[LETTERS_MAX];
    struct sc_sent_stack stack;
};

static void send(struct sent *ret_sent, const char *frames, const char *addresses, uint16_t flags)
{
    *ret_sent = (struct sent){.stack = {.flags = flags}};
    ret_sent->stack.frames = ret_sent->frames;
    ret_sent->stack.addresses = ret_sent->addresses;
    for (; *frames != '\0'; frames++) {
        if (*frames == '*')
            ret_sent->frames[ret_sent->stack.frame_count - 1].flags = SC_FRAME_CALLS_C;
        else
            ret_sent->frames[ret_sent->stack.frame_count++].code_key = (uint64_t)*frames;
    }
    for (; *addresses != '\0'; addresses++)
        ret_sent->addresses[ret_sent->stack.address_count++] =
            *addresses == '|' ? address_of('m') | SC_ADDRESS_IN_LOOP : address_of(*addresses);
}

/* The stack of a node, outermost first. */
static const char *text_of(const struct sc_collect *collect, uint32_t node,
                           char ret_text[LETTERS_MAX + 1])
{
    char *at = ret_text + LETTERS_MAX;
    *at = '\0';
    for (; node != 0; node = collect->nodes.items[node].parent) {
        const struct sc_code *code = &collect->codes.items[collect->nodes.items[node].code];
        const char *file = sc_intern_text(&collect->names, code->file);
        assert_true(at > ret_text);
        *--at = strcmp(file, SC_MODULE_KERNEL) == 0   ? 'K'
                : strcmp(file, SC_MODULE_UNREAD) == 0 ? '?'
                                                      : file[1];
    }
    return at;
}

TEST(frames_stand_in_the_order_of_calls)
{
    char text[LETTERS_MAX + 1];
    WORLD(world);
    FOR_EACH_ROW(row, rows) {
        struct sent sent;
        send(&sent, row->frames, row->addresses, row->flags);
        uint32_t node = sc_stack_of(&world.process, &sent.stack);
        assert_string_equal(text_of(&world.collect, node, text), row->stack);
    }
}

TEST(without_rights_or_symbols_python_stands_alone)
{
    struct sent sent;
    char text[LETTERS_MAX + 1];
    WORLD(world);
    send(&sent, "ab*zc", "m|n|o", WHOLE | KERNEL);
    world.process.stacks.native.symbols = NULL;
    assert_string_equal(text_of(&world.collect, sc_stack_of(&world.process, &sent.stack), text),
                        "cba");
    assert_int_equal(sc_stack_below(&world.process, &sent.stack, 3), 3);
}

TEST(native_frames_alone_stand_below_a_node)
{
    struct sent sent;
    struct sent native;
    char text[LETTERS_MAX + 1];
    WORLD(world);
    send(&sent, "ab", "|", 0);
    uint32_t node = sc_stack_of(&world.process, &sent.stack);
    send(&native, "", "mn|ho|u", KERNEL);
    uint32_t below = sc_stack_below(&world.process, &native.stack, node);
    assert_string_equal(text_of(&world.collect, below, text), "bauonmK");
    assert_int_equal(sc_stack_python_part(&world.collect, below), node);
    assert_int_equal(sc_stack_python_part(&world.collect, node), node);
    below = sc_stack_below(&world.process, &native.stack, 0);
    assert_string_equal(text_of(&world.collect, below, text), "uonmK");
    assert_int_equal(sc_stack_python_part(&world.collect, below), 0);
}

TEST(what_is_sent_stands_behind_the_record)
{
    struct {
        struct sc_record_sample record;
        struct sc_sample_frame frames[2];
        uint64_t addresses[3];
    } sample = {.record = {.frame_count = 2, .address_count = 3, .flags = WHOLE}};
    struct {
        struct sc_record_stack record;
        struct sc_sample_frame frames[1];
        uint64_t addresses[1];
    } allocation = {.record = {.frame_count = 1, .address_count = 1, .flags = CUT}};
    struct sc_sent_stack sent = sc_sent_sample(&sample.record);
    assert_ptr_equal(sent.frames, sample.frames);
    assert_ptr_equal(sent.addresses, sample.addresses);
    assert_int_equal(sent.frame_count, 2);
    assert_int_equal(sent.address_count, 3);
    assert_int_equal(sent.flags, WHOLE);
    sent = sc_sent_allocation(&allocation.record);
    assert_ptr_equal(sent.frames, allocation.frames);
    assert_ptr_equal(sent.addresses, allocation.addresses);
    assert_int_equal(sent.frame_count, 1);
    assert_int_equal(sent.address_count, 1);
    assert_int_equal(sent.flags, CUT);
}
