/*
 * tests/unit/handler_test.c - what a tick sends of the moment that it stands for.
 *
 * The thread has no Python frames here, and its native ones are made up.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/handler.h"

#include "agent/current_instruction.h"
#include "agent/home.h"
#include "agent/scratch.h"
#include "agent/state.h"
#include "agent/thread_state.h"
#include "agent/timer.h"
#include "channel/reader.h"
#include "sc_test.h"
#include "unwind/machine.h"

#define FUNCTION UINT64_C(0x7000000000)
#define LATE_NS  3000000U

struct sc_agent sc_agent;
_Thread_local struct sc_agent_thread sc_agent_thread;
const struct sc_machine sc_machine;

/* What stands beside it in the agent, as far as it is asked. */
static struct sc_scratch scratch;
static bool in_system_call;
static long waits;
static uint64_t noted_ns;
static uint64_t rearmed_ns;
static bool rearmed_after_wait;

struct sc_scratch *sc_scratch_acquire(uint64_t now_ns)
{
    return &scratch;
}

void sc_scratch_release(struct sc_scratch *given)
{
}

void sc_scratch_reclaim(uint64_t here)
{
}

void sc_scratch_read_of(struct sc_scratch *reading, const struct sc_target *target, uint64_t state)
{
}

uint64_t sc_scratch_key(struct sc_scratch *reading, const struct sc_target *target, uint64_t code)
{
    return 0;
}

size_t sc_loops_wanted(const struct sc_sample_frame *frames, uint32_t count)
{
    return 0;
}

uint64_t sc_own_thread_state(void)
{
    return 0;
}

bool sc_safe_read(void *context, uint64_t address, void *bytes, size_t length)
{
    return false;
}

void sc_current_instruction_correct(const void *context, const struct sc_target *target,
                                    struct sc_py_frame *frame)
{
}

bool sc_home_is_this_process(void)
{
    return true;
}

void sc_machine_load(const void *ucontext, struct sc_registers *ret_registers)
{
    *ret_registers = (struct sc_registers){0};
}

enum sc_unwind_end sc_unwind(const void *ucontext, const struct sc_target *target,
                             const struct sc_eval_ranges *ranges, uint64_t *ret_addresses,
                             size_t capacity, size_t *ret_count)
{
    assert_true(capacity > 0);
    ret_addresses[0] = FUNCTION;
    *ret_count = 1;
    return SC_UNWIND_ROOT;
}

enum sc_unwind_end sc_unwind_past_loops(struct sc_registers *registers,
                                        const struct sc_target *target,
                                        const struct sc_eval_ranges *ranges, size_t loops,
                                        uint64_t *ret_addresses, size_t capacity, size_t *ret_count)
{
    return sc_unwind(registers, target, ranges, ret_addresses, capacity, ret_count);
}

bool sc_context_in_system_call(const void *ucontext, const struct sc_target *target)
{
    return in_system_call;
}

uint64_t sc_timer_interval_ns(const struct sc_agent_thread *thread)
{
    return UINT64_MAX;
}

void sc_timer_rearm(struct sc_agent_thread *thread, uint64_t least_ns, uint64_t late_ns,
                    bool has_waited)
{
    rearmed_ns = late_ns;
    rearmed_after_wait = has_waited;
}

void sc_timer_note_tick(uint64_t time_ns)
{
    noted_ns = time_ns;
}

uint64_t sc_timer_overdue_ns(struct sc_agent_thread *thread, uint64_t time_ns, uint64_t cpu_ns,
                             int overruns)
{
    return LATE_NS;
}

int getrusage(__rusage_who_t who, struct rusage *usage)
{
    *usage = (struct rusage){.ru_nvcsw = waits};
    return 0;
}

static struct sc_reader reader;

static int begin(void **state)
{
    struct sc_err err = {0};
    int fd = memfd_create("handler_test", MFD_ALLOW_SEALING);
    if (fd < 0 || ftruncate(fd, (off_t)sizeof(*sc_agent.segment)) != 0 ||
        fcntl(fd, F_ADD_SEALS, SC_SEGMENT_SEALS) != 0)
        return -1;
    struct sc_segment *segment =
        mmap(NULL, sizeof(*segment), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (segment == MAP_FAILED)
        return -1;
    segment->magic = SC_CHANNEL_MAGIC;
    segment->version = SC_CHANNEL_VERSION;
    segment->size_bytes = (uint32_t)sizeof(*segment);
    segment->pace.interval_ns = 1000000;
    sc_agent.segment = segment;
    sc_agent.with_stacks = true;
    atomic_store(&sc_agent.active, true);
    return sc_reader_open(&reader, fd, &err) ? 0 : -1;
}

static int end(void **state)
{
    (void)munmap(sc_agent.segment, sizeof(*sc_agent.segment));
    sc_reader_close(&reader);
    return 0;
}

static const struct sc_record_sample *tick(bool is_fine)
{
    const siginfo_t info = {.si_code = is_fine ? POLL_IN : SI_TIMER};
    enum sc_record_kind kind = SC_RECORD_NONE;
    sc_agent_thread = (struct sc_agent_thread){.registered = true, .tid = 77};
    noted_ns = 0;
    rearmed_ns = UINT64_MAX;
    rearmed_after_wait = false;
    sc_tick(&info, NULL);
    const struct sc_record_sample *record = sc_reader_next(&reader, &kind);
    assert_non_null(record);
    assert_int_equal(kind, SC_RECORD_SAMPLE);
    return record;
}

TEST_WITHIN(a_tick_at_the_end_of_a_call_is_dated_to_when_it_was_due, begin, end)
{
    static const struct {
        const char *name;
        bool in_system_call;
        bool has_slept;
        bool is_fine;
        uint64_t late_ns;
        uint64_t rearmed_ns;
    } rows[] = {
        {.name = "in the program's own code"},
        {.name = "in a call", .in_system_call = true, .late_ns = LATE_NS, .rearmed_ns = LATE_NS},
        {.name = "in a call in which it slept", .in_system_call = true, .has_slept = true},
        ROW(.name = "of a perf event", .in_system_call = true, .is_fine = true,
            .rearmed_ns = UINT64_MAX),
    };
    FOR_EACH_ROW(row, rows) {
        in_system_call = row->in_system_call;
        waits = row->has_slept;
        const struct sc_record_sample *record = tick(row->is_fine);
        assert_int_equal(record->late_ns, row->late_ns);
        assert_int_equal(rearmed_ns, row->rearmed_ns);
        assert_int_equal(rearmed_after_wait, row->has_slept);
        assert_int_equal((record->flags & SC_SAMPLE_WAITED) != 0, row->has_slept);
        assert_int_equal(noted_ns, row->in_system_call ? 0 : record->time_ns);
    }
}

TEST_WITHIN(a_sample_says_which_thread_was_where, begin, end)
{
    in_system_call = true;
    waits = 0;
    const struct sc_record_sample *record = tick(false);
    assert_int_equal(record->tid, 77);
    assert_int_equal(record->flags, SC_SAMPLE_IN_SYSTEM_CALL | SC_SAMPLE_WHOLE);
    assert_int_equal(record->frame_count, 0);
    assert_int_equal(record->address_count, 1);
    assert_int_equal(*(const uint64_t *)(record + 1), FUNCTION);
    assert_int_equal(record->kept_place, SC_KEPT_NOWHERE);
    assert_int_equal(sc_agent.segment->samples, sc_agent.segment->attempts);
    assert_false(sc_agent_thread.in_handler);
}
