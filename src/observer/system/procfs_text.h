/*
 * observer/system/procfs_text.h - parses the texts of /proc; no file is read here.
 *
 * A text ends in a NUL. It may be cut anywhere, and some texts hold the process's name, which the
 * process chooses itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* /proc/PID/task/TID/schedstat. It exists also without CONFIG_SCHEDSTATS. */
struct sc_schedstat {
    uint64_t run_ns;   /* on a CPU */
    uint64_t delay_ns; /* runnable without a CPU */
    uint64_t slices;   /* times it was given a CPU */
};

/* /proc/PID/task/TID/syscall: where a thread is blocked. */
struct sc_blocked {
    bool running;    /* on a CPU or waiting for one: the rest is not set */
    bool is_refused; /* the system shows no more than that: the rest is not set */
    long number;     /* of the system call; -1 when blocked outside of one */
    uint64_t arguments[6];
    uint64_t stack;       /* stack pointer */
    uint64_t instruction; /* that follows the system call; 0 outside of one */
};

/* /proc/PID/task/TID/schedstat. False, with ret as it was, when it is not three numbers. */
bool sc_schedstat_parse(const char *text, struct sc_schedstat *ret);

/* /proc/PID/task/TID/syscall. */
bool sc_blocked_parse(const char *text, struct sc_blocked *ret);

/* A number of /proc/PID/status; field: its name between a newline and a colon, with both. */
bool sc_status_parse(const char *text, const char *field, uint64_t *ret_value);

/* Numbers of /proc/PID/stat, by their places in proc(5). Times are in ticks (_SC_CLK_TCK). */
enum sc_stat_place {
    SC_STAT_PARENT = 4,
    SC_STAT_USER_TICKS = 14,
    SC_STAT_KERNEL_TICKS = 15,
    SC_STAT_CHILDREN_USER_TICKS = 16, /* of children that were waited for */
    SC_STAT_CHILDREN_KERNEL_TICKS = 17,
    SC_STAT_THREADS = 20,
    SC_STAT_STARTED_TICKS = 22, /* since the start of the machine */
    SC_STAT_STACK_START = 28,
    SC_STAT_PROCESSOR = 39, /* the last one */
    SC_STAT_ARGUMENTS_START = 48,
    SC_STAT_ARGUMENTS_END = 49,
    SC_STAT_ENVIRONMENT_END = 51,
    SC_STAT_EXIT_STATUS = 52, /* as wait(2) has it */
    SC_STAT_PLACES
};

struct sc_stat {
    char state;                       /* as proc(5) has it; '\0': not there */
    uint64_t numbers[SC_STAT_PLACES]; /* 0: not there */
};

struct sc_stat sc_stat_parse(const char *text);

/* CPU time of a process or a thread, in ticks of the clock (_SC_CLK_TCK). */
struct sc_cpu_ticks {
    uint64_t user;
    uint64_t kernel;
};

static inline struct sc_cpu_ticks sc_stat_ticks(const struct sc_stat *stat)
{
    return (struct sc_cpu_ticks){.user = stat->numbers[SC_STAT_USER_TICKS],
                                 .kernel = stat->numbers[SC_STAT_KERNEL_TICKS]};
}

/* Pages in memory, from /proc/PID/statm; 0 when the number is not there. */
uint64_t sc_statm_resident(const char *text);

/* Puts blanks between the words of /proc/PID/cmdline, of so many bytes; returns its new length. */
size_t sc_cmdline_join(char *text, size_t length);
