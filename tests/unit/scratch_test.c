/*
 * tests/unit/scratch_test.c - buffers for reading stacks, and which frames of a thread have been
 * left.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/scratch.h"

#include "agent/own_stack.h"
#include "agent/state.h"
#include "sc_test.h"

#define SCRATCHES 8U /* as in scratch.c */

struct sc_agent sc_agent;
_Thread_local struct sc_agent_thread sc_agent_thread;

/* What stands beside it in the agent. */
bool sc_announce(const struct sc_target *target, const struct sc_code_facts *facts,
                 struct sc_announce_scratch *scratch)
{
    return false;
}

static uint64_t own_frame(void)
{
    return (uint64_t)(uintptr_t)__builtin_frame_address(0);
}

static int begin(void **state)
{
    sc_scratch_after_fork();
    sc_own_stack_begin_main();
    return sc_agent_thread.stack_end != 0 ? 0 : -1;
}

/* Takes a buffer and is left. */
static __attribute__((noinline)) struct sc_scratch *take_and_leave(void)
{
    struct sc_scratch *scratch = sc_scratch_acquire(1);
    __asm__ volatile("" : : "r"(scratch) : "memory");
    return scratch;
}

TEST_WITHIN(a_buffer_of_a_frame_that_was_left_is_taken_back, begin, NULL)
{
    for (unsigned i = 0; i < 4 * SCRATCHES; i++)
        assert_non_null(take_and_leave());
}

/* Takes one buffer per frame, as handlers that interrupt each other; how many there are. */
static __attribute__((noinline)) unsigned take_deeper(unsigned depth) // NOLINT(misc-no-recursion)
{
    struct sc_scratch *scratch = sc_scratch_acquire(1);
    if (scratch == NULL)
        return depth;
    unsigned count = take_deeper(depth + 1);
    sc_scratch_release(scratch);
    return count;
}

TEST_WITHIN(a_buffer_of_a_frame_further_out_stays_taken, begin, NULL)
{
    assert_int_equal(take_deeper(0), SCRATCHES);
    assert_int_equal(take_deeper(0), SCRATCHES);
}

/* On a stack whose bounds are not known. */
static void *take_all(void *ret_count)
{
    (void)take_and_leave();
    *(unsigned *)ret_count = take_deeper(0);
    return NULL;
}

/* Its stack may lie above ours or below. */
TEST_WITHIN(a_buffer_of_another_thread_stays_taken, begin, NULL)
{
    pthread_t thread;
    unsigned count = 0;
    (void)take_and_leave();
    assert_int_equal(pthread_create(&thread, NULL, take_all, &count), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(count, SCRATCHES - 2);
    sc_scratch_reclaim(own_frame());
    assert_int_equal(take_deeper(0), SCRATCHES - 1); /* without the other's */
}

TEST_WITHIN(frames_of_this_stack_alone_are_judged, begin, NULL)
{
    uint64_t here = own_frame();
    assert_true(sc_own_stack_is_abandoned(here - 64, here));
    assert_true(sc_own_stack_is_abandoned(here, here));
    assert_false(sc_own_stack_is_abandoned(here + 64, here));
    assert_false(sc_own_stack_is_abandoned(here - 64, sc_agent_thread.stack_end + 64));
    assert_false(sc_own_stack_is_abandoned(sc_agent_thread.stack_end - (1ULL << 31), here));
    sc_agent_thread.stack_end = 0; /* not known */
    assert_false(sc_own_stack_is_abandoned(here - 64, here));
}

static uint64_t interrupted;
static volatile sig_atomic_t seemed_left = -1;

static void look(int number)
{
    seemed_left = sc_own_stack_is_abandoned(interrupted, own_frame());
}

static __attribute__((noinline)) void raise_further_in(void)
{
    interrupted = own_frame();
    (void)raise(SIGUSR1);
    __asm__ volatile("" : : : "memory");
}

TEST_WITHIN(from_an_alternate_stack_nothing_is_left, begin, NULL)
{
    _Alignas(64) static unsigned char elsewhere[65536];
    _Alignas(64) unsigned char inside[65536]; /* in this very stack, above what it interrupts */
    struct sigaction action = {.sa_handler = look, .sa_flags = SA_ONSTACK};
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    unsigned char *places[] = {elsewhere, inside};
    for (unsigned i = 0; i < 2; i++) {
        stack_t stack = {.ss_sp = places[i], .ss_size = sizeof(inside)};
        assert_int_equal(sigaltstack(&stack, NULL), 0);
        seemed_left = -1;
        raise_further_in();
        assert_int_equal(seemed_left, 0);
        assert_true(sc_own_stack_is_abandoned(interrupted, own_frame()));
        stack.ss_flags = SS_DISABLE;
        assert_int_equal(sigaltstack(&stack, NULL), 0);
    }
}
