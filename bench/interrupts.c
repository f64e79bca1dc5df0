/*
 * bench/interrupts.c - a loop of additions, bare or interrupted by a signal whose handler does nothing.
 *
 *     interrupts NONE|EVENT INTERVAL_US ROUNDS
 *
 * Prints the wall time of the loop in seconds and the number of signals. EVENT is the perf event on the
 * task clock that the profiler uses below the kernel's tick. Built as a library and preloaded, it interrupts
 * the main thread of any program every $INTERVAL_US.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long signals;
static volatile unsigned long sum;

static void count(int number)
{
    (void)number;
    signals++;
}

static double now_s(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int start_event(unsigned long long interval_ns)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(attributes),
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = interval_ns,
        .wakeup_events = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = (pid_t)syscall(SYS_gettid)};
    int fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
    if (fd < 0 || mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED)
        return -1;
    if (fcntl(fd, F_SETFL, O_ASYNC) != 0 || fcntl(fd, F_SETSIG, SIGURG) != 0)
        return -1;
    return fcntl(fd, F_SETOWN_EX, &owner);
}

static void handle_signals(void)
{
    struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
    (void)sigaction(SIGURG, &action, NULL);
}

__attribute__((constructor)) static void preloaded(void)
{
    const char *interval_us = getenv("INTERVAL_US");
    if (interval_us == NULL)
        return;
    handle_signals();
    if (start_event(strtoull(interval_us, NULL, 10) * 1000U) != 0)
        _exit(1);
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 4)
        return 2;
    handle_signals();
    if (strcmp(arguments[1], "EVENT") == 0 &&
        start_event(strtoull(arguments[2], NULL, 10) * 1000U) != 0) {
        perror("perf event");
        return 1;
    }
    double begun_s = now_s();
    for (unsigned long i = strtoul(arguments[3], NULL, 10); i-- > 0;)
        sum += i * i;
    printf("%.6f %lu\n", now_s() - begun_s, signals);
    return 0;
}
