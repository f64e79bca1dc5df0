/*
 * observer/pid_namespace.h - the numbers of processes and threads that are in a PID namespace below
 * ours.
 *
 * A process in a container has one number there and another one here. Its agent tells the numbers
 * of the process's own namespace; /proc is asked by ours. The kernel says all of them, ours first
 * and the innermost last: NSpid of /proc/PID/task/TID/status, proc(5), since Linux 4.1.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/err.h"
#include "observer/procfs.h"

/* Of namespaces inside each other: MAX_PID_NS_LEVEL of the kernel and the first, pid_namespaces(7).
 */
#define SC_PID_DEPTH_MAX 33U

#define SC_PID_NAMESPACE_OURS    0U
#define SC_PID_NAMESPACE_UNKNOWN UINT64_MAX

/* No process is known by it. */
#define SC_PID_KEY_NONE UINT64_MAX

struct sc_pid_numbers {
    unsigned count;
    pid_t numbers[SC_PID_DEPTH_MAX]; /* ours first, the innermost last; all are above 0 */
};

/* What a process is called where. */
struct sc_pid_names {
    struct sc_pid_numbers numbers; /* at least one */
    uint64_t namespace_id;         /* of the innermost: its inode, or one of the two above */
};

/* Whether /proc is that of our own namespace: of another one, or where there is none, its numbers
 * are those of other processes. False with err set. */
bool sc_pid_proc_is_ours(struct sc_err *err);

/* From the text of status; false, with ret as it was, when it does not say, or not to the end. */
bool sc_pid_numbers_parse(const char *status, struct sc_pid_numbers *ret);

enum sc_proc_answer sc_pid_numbers_read(pid_t pid, pid_t tid, struct sc_pid_numbers *ret);

/* The number in the innermost namespace. */
pid_t sc_pid_own(const struct sc_pid_numbers *numbers);

/* The names of a process. told_pid is the number that it gives itself: it counts where the kernel
 * says nothing, as of one that is gone already. */
void sc_pid_names_read(pid_t pid, pid_t told_pid, struct sc_pid_names *ret);

/* Whether its numbers are others than ours. */
bool sc_pid_is_below(const struct sc_pid_names *names);

/* One number for a process by its number in a namespace, or SC_PID_KEY_NONE where that is not
 * known. */
uint64_t sc_pid_key(uint64_t namespace_id, uint32_t number);

/* The same for the number that a process has in the namespace of another one, which is its own or
 * around it: what that one calls it. */
uint64_t sc_pid_key_for(const struct sc_pid_names *names, const struct sc_pid_names *other);
