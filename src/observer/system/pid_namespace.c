/* observer/system/pid_namespace.c - see pid_namespace.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/system/pid_namespace.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "observer/system/procfs.h"

/* The kernel escapes a newline in the process's name, so the label is the kernel's own. */
static const char label[] = "\nNSpid:";

bool sc_pid_proc_is_ours(struct sc_err *err)
{
    char number[24] = {0};
    if (readlink("/proc/self", number, sizeof(number) - 1) <= 0)
        return sc_fail(err, SC_ERR_FAILED, "/proc is not mounted, or not to be read");
    if (strtol(number, NULL, 10) != (long)getpid())
        return sc_fail(err, SC_ERR_FAILED,
                       "/proc shows another PID namespace than this one: mount its own"
                       " (as unshare --mount-proc does)");
    return true;
}

bool sc_pid_numbers_parse(const char *status, struct sc_pid_numbers *ret)
{
    struct sc_pid_numbers found = {0};
    const char *at = strstr(status, label);
    if (at == NULL)
        return false;
    at += sizeof(label) - 1;
    while (*at == '\t' || *at == ' ') {
        char *end = NULL;
        bool is_number = *++at >= '1' && *at <= '9';
        long number = strtol(at, &end, 10);
        if (!is_number || number > INT_MAX || found.count == SC_PID_DEPTH_MAX)
            return false;
        found.numbers[found.count++] = (pid_t)number;
        at = end;
    }
    if (*at != '\n' || found.count == 0) /* cut, perhaps inside a number */
        return false;
    *ret = found;
    return true;
}

enum sc_proc_answer sc_pid_numbers_read(pid_t pid, pid_t tid, struct sc_pid_numbers *ret)
{
    char text[SC_STATUS_BYTES];
    enum sc_proc_answer answer = sc_status_read(pid, tid, text, sizeof(text));
    if (answer == SC_PROC_READ && !sc_pid_numbers_parse(text, ret))
        return SC_PROC_FAILED;
    return answer;
}

pid_t sc_pid_own(const struct sc_pid_numbers *numbers)
{
    return numbers->numbers[numbers->count - 1];
}

bool sc_pid_is_below(const struct sc_pid_names *names)
{
    return names->numbers.count > 1;
}

/* The inode of the process's own namespace. */
static uint64_t read_namespace(pid_t pid)
{
    char path[40];
    struct stat status;
    (void)snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
    return stat(path, &status) == 0 && status.st_ino <= UINT32_MAX ? status.st_ino
                                                                   : SC_PID_NAMESPACE_UNKNOWN;
}

void sc_pid_names_read(pid_t pid, pid_t reported_pid, struct sc_pid_names *ret)
{
    *ret = (struct sc_pid_names){.namespace_id = SC_PID_NAMESPACE_OURS};
    if (sc_pid_numbers_read(pid, pid, &ret->numbers) != SC_PROC_READ) {
        ret->numbers = (struct sc_pid_numbers){.count = 1, .numbers = {pid}};
        if (reported_pid > 0 && reported_pid != pid)
            ret->numbers.numbers[ret->numbers.count++] = reported_pid;
    }
    if (sc_pid_is_below(ret))
        ret->namespace_id = read_namespace(pid);
}

uint64_t sc_pid_key(uint64_t namespace_id, uint32_t number)
{
    return namespace_id <= UINT32_MAX ? namespace_id << 32 | number : SC_PID_KEY_NONE;
}

uint64_t sc_pid_key_for(const struct sc_pid_names *names, const struct sc_pid_names *other)
{
    unsigned level = other->numbers.count;
    if (level > names->numbers.count ||
        (level == names->numbers.count && names->namespace_id != other->namespace_id))
        return SC_PID_KEY_NONE;
    return sc_pid_key(other->namespace_id, (uint32_t)names->numbers.numbers[level - 1]);
}
