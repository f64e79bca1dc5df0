/*
 * tests/unit/classify_test.c - the rule that distinguishes Python from native, on this test program
 * itself.
 *
 * The program plays the interpreter: it has functions with the names of CPython's, and the stacks
 * are real ones, taken at their innermost function.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/classify/classify.h"

#include <dlfcn.h>

#include "observer/classify/call.h"
#include "observer/classify/roles.h"
#include "sc_test.h"

/* Opcodes of 3.11 (Include/opcode.h, v3.11.7). */
enum {
    BINARY_OP = 122,
    CALL = 171,
    CALL_PY_EXACT_ARGS = 23,
    PRECALL_NO_KW_BUILTIN_O = 76,
};

typedef int inner_function(int);

/* Not inlined, no tail call: the result is used after the call. */
#define FUNCTION __attribute__((noinline))

int _PyObject_MakeTpCall(inner_function *inner);
int _PyFunction_Vectorcall(int value);
int PyType_GenericAlloc(int value);
int type_call(inner_function *inner);
int object_new(int value);
int _Py_HandlePending(int value);
int _Py_Dealloc(int value);

static struct {
    uint64_t addresses[16];
    size_t count;
} stack;

static volatile int sink;

/* Called where a sample is to be taken: keeps the return addresses up to the caller of loop(). */
FUNCTION static int sample(int value)
{
    void *frames[] = {__builtin_return_address(0)};
    stack.addresses[0] = (uint64_t)frames[0];
    return value + sink;
}

/* Every function notes where it will return to, innermost last; the order is turned at the end. */
static void note(void *return_address)
{
    stack.addresses[++stack.count] = (uint64_t)return_address;
}

#define NOTE() note(__builtin_return_address(0))

FUNCTION static int builtin(int value)
{
    NOTE();
    return sample(value) + 1;
}

FUNCTION static int helper(int value)
{
    NOTE();
    return sample(value) + 2;
}

FUNCTION int _PyFunction_Vectorcall(int value)
{
    NOTE();
    return sample(value) + 3;
}

FUNCTION int PyType_GenericAlloc(int value)
{
    NOTE();
    return sample(value) + 4;
}

FUNCTION int object_new(int value)
{
    NOTE();
    return sample(value) + 5;
}

FUNCTION int _Py_HandlePending(int value)
{
    NOTE();
    return builtin(value) + 6;
}

FUNCTION int _Py_Dealloc(int value)
{
    NOTE();
    return builtin(value) + 14;
}

/* With NULL it does work of its own. */
FUNCTION int _PyObject_MakeTpCall(inner_function *inner)
{
    NOTE();
    return inner != NULL ? inner(1) + 7 : helper(1) + 7;
}

static inner_function *volatile type_slot;

FUNCTION int type_call(inner_function *inner)
{
    NOTE();
    return inner != NULL ? inner(1) + 8 : sample(1) + 8;
}

FUNCTION static int type_call_of_slot(int value)
{
    return type_call(type_slot) + value;
}

FUNCTION static int new_wrapper(int value)
{
    NOTE();
    inner_function *volatile inner = object_new;
    return inner(value) + 9;
}

enum { RUN_PLUMBING, RUN_POINTER, RUN_CHORES, RUN_TYPE };
static int what;

/* Plays the evaluation loop. */
FUNCTION static int loop(inner_function *volatile inner)
{
    switch (what) {
    case RUN_PLUMBING:
        return _PyObject_MakeTpCall(inner) + 10;
    case RUN_CHORES:
        return _Py_HandlePending(1) + 11;
    case RUN_TYPE:
        return type_call(inner) + 12;
    default:
        return inner(1) + 13;
    }
}

static struct sc_classifier *classifier;
static struct sc_interpreter_facts facts;

static int set_up(void **state)
{
    facts = (struct sc_interpreter_facts){
        .version = 0x030b,
        .eval_function = (uint64_t)loop,
    };
    classifier = sc_classifier_new((struct sc_subject){.pid = getpid()}, NULL, &facts, NULL);
    return classifier == NULL;
}

static int tear_down(void **state)
{
    sc_classifier_free(classifier);
    return 0;
}

static struct sc_sample_view view(int opcode)
{
    return (struct sc_sample_view){
        .addresses = stack.addresses,
        .address_count = stack.count + 1,
        .reached_eval = true,
        .has_python_frame = true,
        .has_code_unit = true,
        .code_unit = (uint16_t)opcode,
    };
}

/* Runs the loop, and classifies the innermost point of what it called. */
static enum sc_sample_kind kind(int opcode, int run, inner_function *inner)
{
    memset(&stack, 0, sizeof(stack));
    what = run;
    sink = loop(inner);
    for (size_t i = 1, k = stack.count; i < k; i++, k--) {
        uint64_t address = stack.addresses[i];
        stack.addresses[i] = stack.addresses[k];
        stack.addresses[k] = address;
    }
    struct sc_sample_view taken = view(opcode);
    return sc_classify(classifier, &taken);
}

TEST(test_callee_behind_plumbing)
{
    assert_int_equal(kind(CALL, RUN_PLUMBING, builtin), SC_SAMPLE_NATIVE);
    assert_int_equal(kind(CALL, RUN_POINTER, builtin), SC_SAMPLE_NATIVE);
    assert_int_equal(kind(CALL, RUN_PLUMBING, _PyFunction_Vectorcall), SC_SAMPLE_PYTHON);
    assert_int_equal(kind(CALL, RUN_POINTER, _PyFunction_Vectorcall), SC_SAMPLE_PYTHON);
}

/* A function without a known name that plumbing calls directly is not what was to be called. */
TEST(test_helper_of_plumbing)
{
    assert_int_equal(kind(CALL, RUN_PLUMBING, NULL), SC_SAMPLE_PYTHON);
}

TEST(test_creation)
{
    assert_int_equal(kind(CALL, RUN_TYPE, PyType_GenericAlloc), SC_SAMPLE_PYTHON);
    assert_int_equal(kind(CALL, RUN_TYPE, object_new), SC_SAMPLE_PYTHON);
    assert_int_equal(kind(CALL, RUN_TYPE, NULL), SC_SAMPLE_PYTHON);
    assert_int_equal(kind(CALL, RUN_TYPE, builtin), SC_SAMPLE_NATIVE);
    type_slot = object_new;
    assert_int_equal(kind(CALL, RUN_POINTER, type_call_of_slot), SC_SAMPLE_PYTHON);
    assert_int_equal(kind(CALL, RUN_POINTER, new_wrapper), SC_SAMPLE_PYTHON);
    assert_int_equal(kind(PRECALL_NO_KW_BUILTIN_O, RUN_POINTER, new_wrapper), SC_SAMPLE_PYTHON);
}

TEST(test_opcode_decides)
{
    assert_int_equal(kind(BINARY_OP, RUN_POINTER, builtin), SC_SAMPLE_PYTHON);
    assert_int_equal(kind(CALL_PY_EXACT_ARGS, RUN_POINTER, builtin), SC_SAMPLE_PYTHON);
    assert_int_equal(kind(PRECALL_NO_KW_BUILTIN_O, RUN_POINTER, builtin), SC_SAMPLE_NATIVE);
}

/* The interpreter looks after signals and threads between instructions, whatever they call. */
TEST(test_chores)
{
    assert_int_equal(kind(CALL, RUN_CHORES, NULL), SC_SAMPLE_PYTHON);
    assert_int_equal(kind(PRECALL_NO_KW_BUILTIN_O, RUN_CHORES, NULL), SC_SAMPLE_PYTHON);
}

/* Whatever it calls for that. */
TEST(test_ending_an_object_is_freeing)
{
    (void)kind(BINARY_OP, RUN_POINTER, _Py_Dealloc);
    struct sc_sample_view taken = view(BINARY_OP);
    assert_true(sc_classify_frees(classifier, &taken));
    taken.is_collecting = true;
    assert_false(sc_classify_frees(classifier, &taken));
    (void)kind(BINARY_OP, RUN_POINTER, builtin);
    taken = view(BINARY_OP);
    assert_false(sc_classify_frees(classifier, &taken));
}

TEST(test_extension_modules_are_native)
{
    void *extension = dlsym(RTLD_DEFAULT, "_cmocka_run_group_tests");
    assert_non_null(extension);
    (void)kind(BINARY_OP, RUN_POINTER, builtin);
    stack.addresses[0] = (uint64_t)extension;
    struct sc_sample_view taken = view(BINARY_OP);
    assert_int_equal(sc_classify(classifier, &taken), SC_SAMPLE_NATIVE);
}

TEST(test_libc_belongs_to_the_interpreter)
{
    (void)kind(BINARY_OP, RUN_POINTER, builtin);
    stack.addresses[0] = (uint64_t)dlsym(RTLD_DEFAULT, "memcmp");
    struct sc_sample_view taken = view(BINARY_OP);
    assert_int_equal(sc_classify(classifier, &taken), SC_SAMPLE_PYTHON);
    taken = view(PRECALL_NO_KW_BUILTIN_O);
    assert_int_equal(sc_classify(classifier, &taken), SC_SAMPLE_NATIVE);
}

TEST(test_code_made_at_run_time_is_of_whoever_has_a_compiler)
{
    static const enum sc_sample_kind by_jit[] = {SC_SAMPLE_NATIVE, SC_SAMPLE_PYTHON};
    void *made = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(made, MAP_FAILED);
    (void)kind(CALL, RUN_POINTER, builtin);
    stack.addresses[0] = (uint64_t)made;
    for (int has_jit = 0; has_jit <= 1; has_jit++) {
        const struct sc_interpreter_facts made_by = {
            .version = 0x030e, .eval_function = (uint64_t)loop, .has_jit = has_jit != 0};
        struct sc_classifier *other =
            sc_classifier_new((struct sc_subject){.pid = getpid()}, NULL, &made_by, NULL);
        struct sc_sample_view taken = view(44); /* a TO_BOOL_INT of 3.14: no call */
        assert_int_equal(sc_classify(other, &taken), by_jit[has_jit]);
        sc_classifier_free(other);
    }
    (void)munmap(made, 4096);
}

TEST(test_without_a_run)
{
    (void)kind(CALL, RUN_POINTER, builtin);
    struct sc_sample_view taken = view(CALL);
    taken.in_system_call = true;
    assert_int_equal(sc_classify(classifier, &taken), SC_SAMPLE_KERNEL);
    taken.in_system_call = false;
    taken.has_python_frame = false;
    assert_int_equal(sc_classify(classifier, &taken), SC_SAMPLE_NATIVE);
    taken.has_code_unit = false;
    taken.is_ending = true; /* the interpreter's own work, which has no frame any more */
    assert_int_equal(sc_classify(classifier, &taken), SC_SAMPLE_PYTHON);
    taken.is_ending = false;
    taken.has_code_unit = taken.has_python_frame = true;
    taken.address_count = 1;
    assert_int_equal(sc_classify(classifier, &taken), SC_SAMPLE_PYTHON);
    taken.reached_eval = false;
    assert_int_equal(sc_classify(classifier, &taken), SC_SAMPLE_NATIVE);
    taken.code_unit = BINARY_OP;
    assert_int_equal(sc_classify(classifier, &taken), SC_SAMPLE_PYTHON);
    taken.address_count = 0;
    assert_int_equal(sc_classify(classifier, &taken), SC_SAMPLE_PYTHON);
}

TEST(test_roles_of_names)
{
    OWN(sc_intern, names);
    sc_role_names_init(&names);
    assert_int_equal(sc_role_of_name(&names, "type_call"), SC_ROLE_TYPE_CALL);
    assert_int_equal(sc_role_of_name(&names, "type_call.cold"), SC_ROLE_TYPE_CALL);
    assert_int_equal(sc_role_of_name(&names, "_PyObject_MakeTpCall"), SC_ROLE_PLUMBING);
    assert_int_equal(sc_role_of_name(&names, "_PyObject_MakeTp"), SC_ROLE_OTHER);
    assert_int_equal(sc_role_of_name(&names, "type_call2"), SC_ROLE_OTHER);
    assert_int_equal(sc_role_of_name(&names, "list_sort_impl"), SC_ROLE_OTHER);
    assert_int_equal(sc_role_of_name(&names, ""), SC_ROLE_OTHER);
    assert_int_equal(sc_role_of_name(&names, "take_gil"), SC_ROLE_CHORES); /* the last of all */
}

#ifdef __x86_64__
TEST(test_forms_of_calls)
{
    static const struct {
        uint8_t bytes[SC_CALL_BYTES];
        enum sc_call_form form;
    } cases[] = {
        {{0, 0, 0, 0xe8, 0x10, 0, 0, 0}, SC_CALL_DIRECT},
        {{0, 0, 0, 0, 0, 0, 0xff, 0xd0}, SC_CALL_INDIRECT},                  /* *%rax */
        {{0, 0, 0, 0, 0, 0x41, 0xff, 0xd4}, SC_CALL_INDIRECT},               /* *%r12 */
        {{0, 0, 0, 0, 0, 0xff, 0x50, 0x18}, SC_CALL_INDIRECT},               /* *0x18(%rax) */
        {{0, 0, 0xff, 0x90, 0x28, 1, 0, 0}, SC_CALL_INDIRECT},               /* *0x128(%rax) */
        {{0, 0, 0xff, 0x15, 0x28, 1, 0, 0}, SC_CALL_INDIRECT},               /* *0x128(%rip) */
        {{0, 0xff, 0x94, 0x24, 0x28, 1, 0, 0}, SC_CALL_INDIRECT},            /* *0x128(%rsp) */
        {{0, 0xff, 0x14, 0xc5, 0x28, 1, 0, 0}, SC_CALL_INDIRECT},            /* *0x128(,%rax,8) */
        {{0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xe0}, SC_CALL_UNKNOWN}, /* jmp *%rax */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t target = 0;
        assert_int_equal(sc_call_form(cases[i].bytes, 1000, &target), cases[i].form);
        if (cases[i].form == SC_CALL_DIRECT)
            assert_int_equal(target, 1016);
    }
    static const uint8_t code[] = {0x90, 0x0f, 0x84, 10, 0, 0, 0, 0xe9, 0x20, 0, 0, 0};
    assert_true(sc_call_jumps_into(code, sizeof(code), 100, 117, 118));
    assert_true(sc_call_jumps_into(code, sizeof(code), 100, 144, 145));
    assert_false(sc_call_jumps_into(code, sizeof(code), 100, 118, 144));
}
#endif

TESTS_WITHIN(set_up, tear_down)
