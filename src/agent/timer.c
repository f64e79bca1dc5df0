/*
 * agent/timer.c - the timer and the perf event that sample a thread.
 *
 * Intervals are drawn evenly from half to one and a half times the wanted mean, so that a program
 * that does the same thing every few milliseconds is not sampled at the same point each time. The
 * kernel rounds up to jiffies, which adds half a jiffy on average; that is subtracted beforehand.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/timer.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/budget.h"
#include "agent/clock.h"
#include "agent/overdue.h"
#include "agent/rules.h"
#include "agent/timers.h"
#include "channel/task_clock.h"

#ifndef sigev_notify_thread_id /* glibc before 2.38 has the member without its documented name */
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define PERF_PAGE_BYTES 4096U /* only the header page: no data is needed */

static struct sc_overdue_place place;

SC_SIGNAL_SAFE static uint64_t nanoseconds(struct timespec time)
{
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

SC_SIGNAL_SAFE static struct timespec timespec_of(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000U),
                             .tv_nsec = (long)(ns % 1000000000U)};
}

/* With a perf event, which samples user code often enough, the timer's mean interval is at least a
 * jiffy. */
SC_SIGNAL_SAFE uint64_t sc_timer_interval_ns(const struct sc_agent_thread *thread)
{
    uint64_t mean_ns =
        sc_pace_interval_ns(&sc_agent.pace, sc_agent.jiffy_ns, sc_clock_ns(CLOCK_MONOTONIC));
    return thread->uses_perf && sc_agent.jiffy_ns > mean_ns ? sc_agent.jiffy_ns : mean_ns;
}

SC_SIGNAL_SAFE static struct itimerspec next_interval(struct sc_agent_thread *thread,
                                                      uint64_t least_ns, bool has_waited)
{
    uint64_t mean = has_waited ? sc_pace_waiting_ns(&sc_agent.pace, sc_agent.jiffy_ns)
                               : sc_timer_interval_ns(thread);
    uint64_t random = sc_stream_random(&thread->random);
    uint64_t drawn = sc_budget_interval_ns(mean, sc_agent.jiffy_ns / 2, least_ns, random);
    if (has_waited && mean <= sc_agent.jiffy_ns && least_ns == 0)
        drawn = 1; /* each tick that hits the thread, however little it has used */
    /* the period is a fallback: ticks go on even if the timer is not rearmed */
    return (struct itimerspec){
        .it_value = timespec_of(drawn),
        .it_interval = timespec_of(mean),
    };
}

SC_SIGNAL_SAFE static struct itimerspec first_interval(struct sc_agent_thread *thread)
{
    uint64_t mean = sc_timer_interval_ns(thread);
    uint64_t random = sc_stream_random(&thread->random);
    return (struct itimerspec){
        .it_value = timespec_of(sc_budget_first_interval_ns(mean, sc_agent.jiffy_ns, random)),
        .it_interval = timespec_of(mean),
    };
}

/* The kernel's ticks in an interval, at the last of which the timer expires, are all but that one
 * counted here, and that one when it comes. */
SC_SIGNAL_SAFE static void count_ticks(struct sc_agent_thread *thread,
                                       const struct itimerspec *interval)
{
    if (thread->uses_perf || sc_agent.jiffy_ns == 0)
        return;
    uint64_t ticks = thread->ticks + nanoseconds(interval->it_value) / sc_agent.jiffy_ns;
    thread->ticks = (uint16_t)(ticks < UINT16_MAX ? ticks : UINT16_MAX);
}

SC_SIGNAL_SAFE static bool start_posix_timer(struct sc_agent_thread *thread, clockid_t clock)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SC_TICK_SIGNAL};
    event.sigev_value.sival_ptr = &sc_agent;
    event.sigev_notify_thread_id = thread->tid;
    int id = 0;
    if (syscall(SYS_timer_create, clock, &event, &id) != 0)
        return false;
    sc_timers_add(id);
    thread->timer_id = id;
    thread->has_timer = true;
    struct itimerspec interval = first_interval(thread);
    count_ticks(thread, &interval);
    return syscall(SYS_timer_settime, id, 0, &interval, NULL) == 0;
}

bool sc_timer_start_for(pid_t tid)
{
    /* a copy with only what start_posix_timer needs; the thread's own state is not changed */
    struct sc_agent_thread thread = {.tid = tid, .random = sc_clock_ns(CLOCK_MONOTONIC) | 1U};
    return start_posix_timer(&thread, sc_clock_of_thread(tid));
}

/* Uses bare system calls: a signal handler of the program may reach this by unblocking the signal,
 * and our hook of mmap must not count the page as the program's. */
SC_SIGNAL_SAFE static bool start_perf_event(struct sc_agent_thread *thread)
{
    int fd = sc_task_clock_open(sc_agent.pace.interval_ns);
    if (fd < 0)
        return false;
    struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = thread->tid};
    long page = syscall(SYS_mmap, NULL, PERF_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    bool is_mapped = page != -1;
    /* the handler reads uses_perf, so that is set before the first sample can come */
    thread->perf_fd = fd;
    thread->perf_page = is_mapped ? (void *)page : NULL; // NOLINT(performance-no-int-to-ptr)
    thread->uses_perf = is_mapped && syscall(SYS_fcntl, fd, F_SETFL, O_ASYNC) == 0 &&
                        syscall(SYS_fcntl, fd, F_SETSIG, SC_TICK_SIGNAL) == 0 &&
                        syscall(SYS_fcntl, fd, F_SETOWN_EX, &owner) == 0;
    thread->uses_perf = thread->uses_perf && syscall(SYS_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0) == 0;
    (void)syscall(SYS_close, fd);
    if (!thread->uses_perf && is_mapped)
        (void)syscall(SYS_munmap, page, PERF_PAGE_BYTES);
    return thread->uses_perf;
}

SC_SIGNAL_SAFE bool sc_timer_start(struct sc_agent_thread *thread)
{
    if (sc_agent.pace.interval_ns < sc_agent.jiffy_ns)
        (void)start_perf_event(thread);
    return start_posix_timer(thread, CLOCK_THREAD_CPUTIME_ID) || thread->uses_perf;
}

SC_SIGNAL_SAFE void sc_timer_rearm(struct sc_agent_thread *thread, uint64_t least_ns,
                                   uint64_t late_ns, bool has_waited)
{
    if (!thread->has_timer || sc_agent.is_sealed)
        return;
    struct itimerspec interval = next_interval(thread, least_ns, has_waited);
    count_ticks(thread, &interval);
    if (late_ns > 0) {
        uint64_t drawn_ns = nanoseconds(interval.it_value);
        interval.it_value = timespec_of(drawn_ns > late_ns ? drawn_ns - late_ns : 1);
    }
    (void)syscall(SYS_timer_settime, thread->timer_id, 0, &interval, NULL);
}

SC_SIGNAL_SAFE void sc_timer_note_tick(uint64_t time_ns)
{
    sc_overdue_note(&place, time_ns, sc_agent.jiffy_ns);
}

/* By now the kernel has rearmed the timer for the next end of its period. */
SC_SIGNAL_SAFE uint64_t sc_timer_overdue_ns(struct sc_agent_thread *thread, uint64_t time_ns,
                                            uint64_t cpu_ns, int overruns)
{
    struct itimerspec next = {0};
    if (!thread->has_timer || sc_agent.is_sealed || overruns < 0 ||
        syscall(SYS_timer_gettime, thread->timer_id, &next) != 0)
        return 0;
    uint64_t next_ns = sc_clock_ns(CLOCK_THREAD_CPUTIME_ID) + nanoseconds(next.it_value);
    uint64_t since_due_ns = ((uint64_t)overruns + 1) * nanoseconds(next.it_interval);
    if (since_due_ns > next_ns || next_ns - since_due_ns > cpu_ns)
        return 0;
    struct sc_overdue overdue = {
        .due_ago_ns = cpu_ns - (next_ns - since_due_ns),
        .tick_ago_ns = sc_overdue_since_tick_ns(&place, time_ns, sc_agent.jiffy_ns),
        .jiffy_ns = sc_agent.jiffy_ns,
        .mean_ns = sc_timer_interval_ns(thread),
    };
    return sc_overdue_ns(&overdue, &thread->random);
}

SC_SIGNAL_SAFE static void stop_perf_event(struct sc_agent_thread *thread)
{
    if (thread->uses_perf)
        (void)syscall(SYS_munmap, thread->perf_page, PERF_PAGE_BYTES);
    thread->uses_perf = false;
}

SC_SIGNAL_SAFE void sc_timer_stop(struct sc_agent_thread *thread)
{
    if (sc_agent.is_sealed)
        return;
    if (thread->has_timer)
        sc_timers_delete(thread->timer_id);
    thread->has_timer = false;
    stop_perf_event(thread);
}

/* Stops the timer, and stores when it was due: a tick that falls due meanwhile comes when the
 * thread resumes, as a pending signal would. */
SC_SIGNAL_SAFE void sc_timer_suspend(struct sc_agent_thread *thread)
{
    stop_perf_event(thread); /* an event cannot be halted without its descriptor */
    if (!thread->has_timer)
        return;
    struct itimerspec off = {0};
    struct itimerspec left = {0};
    (void)syscall(SYS_timer_settime, thread->timer_id, 0, &off, &left);
    thread->due_cpu_ns = sc_clock_ns(CLOCK_THREAD_CPUTIME_ID) + nanoseconds(left.it_value);
}

SC_SIGNAL_SAFE bool sc_timer_resume(struct sc_agent_thread *thread)
{
    if (!thread->has_timer)
        return sc_timer_start(thread);
    if (sc_agent.pace.interval_ns < sc_agent.jiffy_ns)
        (void)start_perf_event(thread);
    struct itimerspec interval = next_interval(thread, 0, false);
    interval.it_value = timespec_of(thread->due_cpu_ns);
    return syscall(SYS_timer_settime, thread->timer_id, TIMER_ABSTIME, &interval, NULL) == 0;
}
