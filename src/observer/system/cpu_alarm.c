/*
 * observer/system/cpu_alarm.c - perf_event_open(2), with the signals of fcntl(2) (F_SETSIG).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/system/cpu_alarm.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

void sc_cpu_alarm_catch(sigset_t *set)
{
    (void)sigaddset(set, SC_CPU_ALARM_SIGNAL);
    (void)sigaddset(set, SIGIO);
    (void)signal(SC_CPU_ALARM_SIGNAL, SIG_IGN);
    (void)signal(SIGIO, SIG_IGN);
}

int sc_cpu_alarm_open(pid_t tid, uint64_t interval_ns)
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
    int fd = (int)syscall(SYS_perf_event_open, &attributes, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fcntl(fd, F_SETOWN_EX, &owner) == 0 && fcntl(fd, F_SETSIG, SC_CPU_ALARM_SIGNAL) == 0 &&
        fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) == 0)
        return fd;
    (void)close(fd);
    return -1;
}

void sc_cpu_alarm_set(int fd, uint64_t interval_ns)
{
    (void)ioctl(fd, PERF_EVENT_IOC_PERIOD, &interval_ns);
}
