/*
 * observer/system/pid_namespace.h - the numbers of processes and threads that are in a PID
 * namespace below ours.
 *
 * A process in a container has one number there and another one here. Its agent reports numbers of
 * the process's own namespace; /proc is read by the numbers of ours. The kernel lists all of them,
 * ours first and the innermost last: NSpid of /proc/PID/task/TID/status, proc(5), since Linux 4.1.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/err.h"
#include "observer/system/procfs.h"

/* So many namespaces can be nested: MAX_PID_NS_LEVEL of the kernel and the initial one,
 * pid_namespaces(7). */
#define SC_PID_DEPTH_MAX 33U

#define SC_PID_NAMESPACE_OURS    0U
#define SC_PID_NAMESPACE_UNKNOWN UINT64_MAX

/* The key of no process. */
#define SC_PID_KEY_NONE UINT64_MAX

struct sc_pid_numbers {
    unsigned count;
    pid_t numbers[SC_PID_DEPTH_MAX]; /* ours first, the innermost last; all are above 0 */
};

/* The numbers of a process in its namespaces. */
struct sc_pid_names {
    struct sc_pid_numbers numbers; /* at least one */
    uint64_t namespace_id;         /* of the innermost: its inode, or one of the two above */
};

/* Whether /proc is mounted and shows our own namespace: in another one the same numbers belong to
 * other processes. False with err set. */
bool sc_pid_proc_is_ours(struct sc_err *err);

/* Reads the numbers from the text of status; false, with ret as it was, when they are not there or
 * are cut off. */
bool sc_pid_numbers_parse(const char *status, struct sc_pid_numbers *ret);

enum sc_proc_answer sc_pid_numbers_read(pid_t pid, pid_t tid, struct sc_pid_numbers *ret);

/* The number in the innermost namespace. */
pid_t sc_pid_own(const struct sc_pid_numbers *numbers);

/* The names of a process. reported_pid is the number that the process itself reports: it is used
 * where the kernel lists none, as for a process that is gone already. */
void sc_pid_names_read(pid_t pid, pid_t reported_pid, struct sc_pid_names *ret);

/* Whether the process has other numbers in its own namespace than in ours. */
bool sc_pid_is_below(const struct sc_pid_names *names);

/* The key of the process with a number in a namespace, or SC_PID_KEY_NONE where that is not
 * known. */
uint64_t sc_pid_key(uint64_t namespace_id, uint32_t number);

/* The same for the number that a process has in the namespace of another process, which is the same
 * namespace or an outer one. */
uint64_t sc_pid_key_for(const struct sc_pid_names *names, const struct sc_pid_names *other);
