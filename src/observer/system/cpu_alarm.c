/* observer/system/cpu_alarm.c - see cpu_alarm.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/system/cpu_alarm.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "observer/system/cpu_moment.h"
#include "observer/system/descriptors.h"

void sc_cpu_alarm_catch(sigset_t *set)
{
    (void)sigaddset(set, SC_CPU_ALARM_SIGNAL);
    (void)sigaddset(set, SIGIO);
    (void)signal(SC_CPU_ALARM_SIGNAL, SIG_IGN);
    (void)signal(SIGIO, SIG_IGN);
}

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Whole pages. */
static size_t ring_bytes(void)
{
    return page_bytes() < SC_MOMENT_RING_BYTES ? SC_MOMENT_RING_BYTES : page_bytes();
}

struct sc_cpu_alarm sc_cpu_alarm_open(pid_t tid, uint64_t interval_ns, bool has_ring)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(attributes),
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = interval_ns,
        .wakeup_events = 1,
        .exclude_hv = 1,
    };
    const struct f_owner_ex owner = {.type = F_OWNER_PID, .pid = getpid()};
    struct sc_cpu_alarm alarm = {.fd = -1};
    if (has_ring)
        sc_cpu_moment_ask(&attributes);
    alarm.fd = sc_descriptors_keep(
        (int)syscall(SYS_perf_event_open, &attributes, tid, -1, -1, PERF_FLAG_FD_CLOEXEC));
    if (alarm.fd < 0)
        return (struct sc_cpu_alarm){.fd = -1};
    void *ring = MAP_FAILED;
    if (has_ring)
        ring = mmap(NULL, page_bytes() + ring_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, alarm.fd,
                    0);
    alarm.ring = ring != MAP_FAILED ? ring : NULL;
    if (fcntl(alarm.fd, F_SETOWN_EX, &owner) != 0 ||
        fcntl(alarm.fd, F_SETSIG, SC_CPU_ALARM_SIGNAL) != 0 ||
        fcntl(alarm.fd, F_SETFL, O_ASYNC | O_NONBLOCK) != 0)
        sc_cpu_alarm_close(&alarm);
    return alarm;
}

void sc_cpu_alarm_close(struct sc_cpu_alarm *alarm)
{
    if (alarm->ring != NULL)
        (void)munmap(alarm->ring, page_bytes() + ring_bytes());
    if (alarm->fd >= 0)
        (void)close(alarm->fd);
    *alarm = (struct sc_cpu_alarm){.fd = -1};
}

void sc_cpu_alarm_set(const struct sc_cpu_alarm *alarm, uint64_t interval_ns)
{
    (void)ioctl(alarm->fd, PERF_EVENT_IOC_PERIOD, &interval_ns);
}

bool sc_cpu_alarm_moment(const struct sc_cpu_alarm *alarm, struct sc_cpu_moment *ret)
{
    return alarm->ring != NULL &&
           sc_cpu_moment_take(alarm->ring, (const unsigned char *)alarm->ring + page_bytes(),
                              ring_bytes(), ret);
}

uint64_t sc_cpu_alarm_clock_ns(const struct sc_cpu_alarm *alarm)
{
    uint64_t ns = 0;
    return read(alarm->fd, &ns, sizeof(ns)) == (ssize_t)sizeof(ns) ? ns : 0;
}
