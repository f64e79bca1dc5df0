/*
 * tests/unit/kept_stacks_test.c - deep stacks are sent as what has changed, and come out whole.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/stack/kept_stacks.h"

#include "agent/kept.h"
#include "sc_test.h"

enum { DEPTH_MAX = 600, ADDRESSES = 2, EPOCH = 77 };

/* A record and its parts. */
struct sent {
    struct sc_record_sample head;
    struct sc_sample_frame frames[DEPTH_MAX];
    uint64_t addresses[ADDRESSES];
};

/* Frames innermost first; the frame at height h (0 is the outermost) is made of h and of what. */
struct stack {
    uint32_t count;
    struct sc_sample_frame frames[DEPTH_MAX];
};

static struct stack make_stack(uint32_t count)
{
    struct stack stack = {.count = count};
    for (uint32_t height = 0; height < count; height++)
        stack.frames[count - 1 - height] =
            (struct sc_sample_frame){.code_key = 100 + height % 3, .instruction = (int32_t)height};
    return stack;
}

/* As the agent's handler does it. Returns how many frames were sent. */
static uint32_t send_stack(uint32_t tid, uint64_t epoch, const struct stack *stack,
                           struct sent *ret)
{
    struct sc_kept *kept = sc_kept_acquire(tid, epoch);
    assert_non_null(kept);
    uint32_t common = sc_kept_count_common(kept, stack->frames, stack->count);
    uint32_t count = stack->count - common;
    ret->head = (struct sc_record_sample){.tid = tid,
                                          .frame_count = count,
                                          .address_count = ADDRESSES,
                                          .kept_place = sc_kept_index(kept),
                                          .kept_count = common};
    for (uint32_t i = 0; i < count; i++)
        ret->frames[i] = stack->frames[i];
    uint64_t *addresses = (uint64_t *)(ret->frames + count);
    addresses[0] = 0x1000 + stack->count;
    addresses[1] = 0x2000;
    ret->head.kept_number = sc_kept_store(kept, stack->frames, stack->count, common);
    sc_kept_release(kept);
    return count;
}

static void assert_whole(const struct sc_record_sample *whole, const struct stack *stack)
{
    assert_non_null(whole);
    assert_int_equal(whole->frame_count, stack->count);
    assert_int_equal(whole->kept_count, 0);
    const struct sc_sample_frame *frames = (const struct sc_sample_frame *)(whole + 1);
    for (uint32_t i = 0; i < stack->count; i++) {
        assert_int_equal(frames[i].code_key, stack->frames[i].code_key);
        assert_int_equal(frames[i].instruction, stack->frames[i].instruction);
        assert_int_equal(frames[i].flags, stack->frames[i].flags);
    }
    const uint64_t *addresses = (const uint64_t *)(frames + stack->count);
    assert_int_equal(whole->address_count, ADDRESSES);
    assert_int_equal(addresses[0], 0x1000 + stack->count);
    assert_int_equal(addresses[1], 0x2000);
}

TEST(only_what_has_changed_is_sent)
{
    OWN(sc_kept_stacks, kept) = {0};
    static struct sent sent;
    struct stack stack = make_stack(500);
    assert_int_equal(send_stack(1, EPOCH, &stack, &sent), 500);
    assert_whole(sc_kept_stacks_complete(&kept, &sent.head), &stack);
    stack.frames[0].instruction = 4; /* the innermost has gone on */
    assert_int_equal(send_stack(1, EPOCH, &stack, &sent), 1);
    assert_whole(sc_kept_stacks_complete(&kept, &sent.head), &stack);
    assert_int_equal(send_stack(1, EPOCH, &stack, &sent), 0);
    assert_whole(sc_kept_stacks_complete(&kept, &sent.head), &stack);
    struct stack deeper = make_stack(520);
    assert_int_equal(send_stack(1, EPOCH, &deeper, &sent), 21);
    assert_whole(sc_kept_stacks_complete(&kept, &sent.head), &deeper);
    struct stack shorter = make_stack(300);
    assert_int_equal(send_stack(1, EPOCH, &shorter, &sent), 0);
    assert_whole(sc_kept_stacks_complete(&kept, &sent.head), &shorter);
}

TEST(a_change_far_outside_is_not_missed)
{
    OWN(sc_kept_stacks, kept) = {0};
    static struct sent sent;
    struct stack stack = make_stack(500);
    (void)send_stack(2, EPOCH, &stack, &sent);
    assert_whole(sc_kept_stacks_complete(&kept, &sent.head), &stack);
    stack.frames[498].instruction = 99; /* the same recursion, begun from another line */
    assert_int_equal(send_stack(2, EPOCH, &stack, &sent), 499);
    assert_whole(sc_kept_stacks_complete(&kept, &sent.head), &stack);
    stack.frames[400].flags = SC_FRAME_CALLS_C;
    assert_int_equal(send_stack(2, EPOCH, &stack, &sent), 401);
    assert_whole(sc_kept_stacks_complete(&kept, &sent.head), &stack);
}

TEST(more_threads_than_places_share_them)
{
    OWN(sc_kept_stacks, kept) = {0};
    static struct sent sent;
    struct stack stack = make_stack(400);
    for (uint32_t turn = 0; turn < 3; turn++) {
        for (uint32_t tid = 10; tid < 10 + 2 * SC_KEPT_STACKS; tid++) {
            stack.frames[0].instruction = (int32_t)(1000 * turn + tid);
            assert_int_equal(send_stack(tid, EPOCH, &stack, &sent), 400);
            assert_whole(sc_kept_stacks_complete(&kept, &sent.head), &stack);
        }
    }
}

TEST(no_place_is_waited_for)
{
    struct sc_kept *taken[SC_KEPT_STACKS];
    for (uint32_t i = 0; i < SC_KEPT_STACKS; i++) {
        taken[i] = sc_kept_acquire(100 + i, EPOCH);
        assert_non_null(taken[i]);
    }
    assert_null(sc_kept_acquire(200, EPOCH));
    sc_kept_after_fork();
    struct sc_kept *kept = sc_kept_acquire(200, EPOCH);
    assert_non_null(kept);
    sc_kept_release(kept);
}

TEST(another_observer_gets_the_whole_stack)
{
    OWN(sc_kept_stacks, kept) = {0};
    static struct sent sent;
    struct stack stack = make_stack(300);
    (void)send_stack(3, EPOCH, &stack, &sent);
    assert_int_equal(send_stack(3, EPOCH + 1, &stack, &sent), 300);
    assert_whole(sc_kept_stacks_complete(&kept, &sent.head), &stack);
}

TEST(what_does_not_follow_is_not_completed)
{
    OWN(sc_kept_stacks, kept) = {0};
    static struct sent sent;
    struct stack stack = make_stack(300);
    (void)send_stack(4, EPOCH, &stack, &sent);
    assert_whole(sc_kept_stacks_complete(&kept, &sent.head), &stack);
    stack.frames[0].instruction = 1;
    (void)send_stack(4, EPOCH, &stack, &sent); /* and this one is lost on its way */
    stack.frames[0].instruction = 2;
    (void)send_stack(4, EPOCH, &stack, &sent);
    assert_null(sc_kept_stacks_complete(&kept, &sent.head));
    /* one that claims more than there is */
    sent.head.kept_count = 1;
    assert_null(sc_kept_stacks_complete(&kept, &sent.head));
}

TEST(a_record_of_its_own_stays_as_it_is)
{
    OWN(sc_kept_stacks, kept) = {0};
    struct sc_record_sample record = {.kept_place = SC_KEPT_NOWHERE};
    assert_ptr_equal(sc_kept_stacks_complete(&kept, &record), &record);
}
