/*
 * observer/system/procfs.h - what /proc shows of a process or one of its threads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "observer/system/procfs_text.h"

/* Room for /proc/PID/status: a user's groups, which may be hundreds, stand before what counts. */
#define SC_STATUS_BYTES 16384

/* The result of reading a file of /proc. */
enum sc_proc_answer {
    SC_PROC_READ,
    SC_PROC_GONE,   /* there is no such thread any more */
    SC_PROC_FAILED, /* that cannot be known now, as when no descriptor is left */
};

/* fd is a descriptor of the file, or -1 to open it for this once. Sets ret when it is read. */
enum sc_proc_answer sc_schedstat_read(pid_t pid, pid_t tid, int fd, struct sc_schedstat *ret);

/* A descriptor for sc_schedstat_read, or -1: then the file is opened for each read. Descriptors
 * that are kept open take at most half of the limit. */
int sc_schedstat_open(pid_t pid, pid_t tid);

/* Whether the errno of an attempt to look at the thread says that the system forbids it. Of a
 * thread that is ending the kernel has no memory any more, and gives its files to root: that others
 * are refused them says nothing. */
bool sc_is_refusal(pid_t pid, pid_t tid, int code);

enum sc_blocked_answer {
    SC_BLOCKED_READ,
    SC_BLOCKED_GONE,
    SC_BLOCKED_REFUSED, /* the system lets us see only whether the thread runs */
};

/* fd as for sc_schedstat_read. */
enum sc_blocked_answer sc_blocked_read(pid_t pid, pid_t tid, int fd, struct sc_blocked *ret);

/* A descriptor for sc_blocked_read, or -1, as sc_schedstat_open. */
int sc_blocked_open(pid_t pid, pid_t tid);

/* The start of /proc/PID/task/TID/status, NUL terminated. */
enum sc_proc_answer sc_status_read(pid_t pid, pid_t tid, char *text, size_t capacity);

/* How often the thread has given its CPU away of its own accord, that is, blocked; false when gone.
 */
bool sc_voluntary_switches(pid_t pid, pid_t tid, uint64_t *ret_count);

/* How often the thread has ended a turn on a CPU, of its own accord or not; false when gone. */
bool sc_thread_switches(pid_t pid, pid_t tid, uint64_t *ret_count);

/* Nothing is there when the thread is gone. */
struct sc_stat sc_stat_read(pid_t pid, pid_t tid);

/* A mask in /proc/PID/task/TID/status; field: its name between a newline and a colon. False when
 * gone. */
bool sc_status_mask(pid_t pid, pid_t tid, const char *field, uint64_t *ret_mask);

/* Whether the thread blocks the signal; false when gone. */
bool sc_thread_blocks(pid_t pid, pid_t tid, int signal_number);

/* Writes the ids of the process's threads to ret_tids, at most capacity; returns how many. */
size_t sc_threads_list(pid_t pid, pid_t *ret_tids, size_t capacity);

/* The kernel's name of the thread, at most 63 bytes; "" when it cannot be read. */
void sc_thread_comm(pid_t pid, pid_t tid, char ret_name[64]);

/* The CPU time of a process, in nanoseconds; false when it is gone. */
bool sc_process_cpu(pid_t pid, uint64_t *ret_cpu_ns);

/* Resident memory of a process in bytes; 0 when it is gone. */
uint64_t sc_process_rss(pid_t pid);

/* The process's share of its resident memory, above 0 and up to 1, when each page is divided by the
 * number of processes that have it (proportional set size). 0 when it cannot be read. Takes the
 * kernel about 10 ns per page. */
double sc_process_rss_part(pid_t pid);

/* The largest resident memory of a process so far; 0 when that cannot be read. */
uint64_t sc_process_peak_rss(pid_t pid);

/* The status of a zombie that has failed or was killed, as wait(2) has it; false otherwise, and
 * when it may not be read. */
bool sc_zombie_status(pid_t pid, int *ret_status);

/* A file by its place on its device: it stays the same when it is renamed or deleted. */
struct sc_file_identity {
    uint64_t device;
    uint64_t inode; /* 0: not known */
};

/* The file that the process executes. Does not wait for a file server. */
struct sc_file_identity sc_process_file(pid_t pid);

/* How many processors the process may use, at least 1; those of the machine when that cannot be
 * read. */
unsigned sc_process_processors(pid_t pid);

/* How long ago the process began, less up to a tick of the kernel's; 0 when it is gone. */
uint64_t sc_process_age_ns(pid_t pid);

/* The process's parent; 0 when it is gone. */
pid_t sc_process_parent(pid_t pid);

/* Whether the process runs as another user; false when it is gone. */
bool sc_process_is_other_users(pid_t pid);

/* The start of the process's command line, every word ended by a zero, and one more zero; returns
 * the length without that, 0 when it is gone. */
size_t sc_process_cmdline(pid_t pid, char *text, size_t capacity);

/* The process's command line, blanks between the words; never NULL. Owned by the caller. */
char *sc_process_command(pid_t pid);

/* The absolute path that a link in /proc/PID ("exe", "cwd") names, to be freed, or NULL. The file
 * itself is not touched. */
char *sc_process_link(pid_t pid, const char *name);

/* The directory that the process was in when it began, as its shell says (PWD), to be freed; NULL
 * when it does not. */
char *sc_process_began_in(pid_t pid);

/* True when the process is gone or a zombie. */
bool sc_process_is_over(pid_t pid);

/* CPU seconds of the children that the process has waited for, to 10 ms. */
double sc_children_cpu_s(pid_t pid);
