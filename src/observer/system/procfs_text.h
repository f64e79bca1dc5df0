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

/* The start of a field of /proc/PID/stat by its number in proc(5), from 3 on, the state; NULL when
 * it is not there. */
const char *sc_stat_field(const char *text, int number);

/* The state as proc(5) has it, and the parent; '\0', and 0, when they are not there. */
char sc_stat_state(const char *text, pid_t *ret_parent);

/* Whether the process has ended. One whose first thread has ended goes on while others run. */
bool sc_stat_is_over(const char *text);

/* The status of a zombie that has failed or was killed, as wait(2) has it. */
bool sc_stat_zombie(const char *text, int *ret_status);

/* CPU time of a process or a thread, in ticks of the clock (_SC_CLK_TCK). */
struct sc_cpu_ticks {
    uint64_t user;
    uint64_t kernel;
};

bool sc_stat_ticks(const char *text, struct sc_cpu_ticks *ret);

/* Ticks of CPU time of the children that the process has waited for. */
bool sc_stat_children(const char *text, uint64_t *ret_ticks);

/* The processor that the thread was last given; -1 when it is not there. */
int sc_stat_processor(const char *text);

/* Pages in memory, from /proc/PID/statm; 0 when the number is not there. */
uint64_t sc_statm_resident(const char *text);

/* Puts blanks between the words of /proc/PID/cmdline, of so many bytes; returns its new length. */
size_t sc_cmdline_join(char *text, size_t length);
