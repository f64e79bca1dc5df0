/*
 * cli/doctor_system.c - what the kernel permits, and how it measures.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "channel/task_clock.h"
#include "cli/doctor.h"
#include "observer/system/permits.h"
#include "observer/system/procfs.h"

#define TEXT_BYTES_MAX ((size_t)64 << 10)

/* The file's first number, or fallback. */
static long number_in(const char *path, long fallback)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    char *end = NULL;
    long number = fallback;
    if (sc_read_file(path, TEXT_BYTES_MAX, &text, NULL)) {
        long read = strtol(sc_str_text(&text), &end, 10);
        number = end != sc_str_text(&text) ? read : fallback;
    }
    return number;
}

/* The number behind this name ("Seccomp:") in our own status, or -1. */
static long status_number(const char *name)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    long number = -1;
    if (sc_read_file("/proc/self/status", TEXT_BYTES_MAX, &text, NULL)) {
        const char *line = strstr(sc_str_text(&text), name);
        number = line != NULL ? strtol(line + strlen(name), NULL, 10) : -1;
    }
    return number;
}

static void check_kernel(struct sc_diagnosis *diagnosis)
{
    struct utsname name = {0};
    unsigned major = 0;
    unsigned minor = 0;
    (void)uname(&name);
    bool is_old = sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
                  (major < 5 || (major == 5 && minor < 10));
    sc_diagnosis_add(diagnosis, "kernel", is_old ? SC_CHECK_PART : SC_CHECK_GOOD,
                     sc_format("%s %s, %s, a tick every %.3g ms", name.sysname, name.release,
                               name.machine, (double)sc_jiffy_ns() / 1e6),
                     is_old ? sc_strdup("before 5.10 a sample may end a poll or a sleep that is "
                                        "just beginning with EINTR; Python calls again")
                            : NULL);
}

static void check_task_clock(struct sc_diagnosis *diagnosis)
{
    int fd = sc_task_clock_open(1000000);
    int code = errno;
    if (fd >= 0) {
        (void)close(fd);
        sc_diagnosis_add(diagnosis, "perf", SC_CHECK_GOOD,
                         sc_strdup("perf events are permitted: samples can be finer than ticks"),
                         NULL);
        return;
    }
    long level = number_in("/proc/sys/kernel/perf_event_paranoid", -2);
    SC_AUTO_FREE char *setting =
        level == -2 ? sc_strdup("") : sc_format("; kernel.perf_event_paranoid is %ld", level);
    sc_diagnosis_add(diagnosis, "perf", SC_CHECK_PART,
                     sc_format("perf events are not permitted (%s%s)", strerror(code), setting),
                     sc_format("no samples finer than the kernel's tick of %.3g ms, whatever "
                               "--cpu-sampling-rate says",
                               (double)sc_jiffy_ns() / 1e6));
}

static void add_permit(struct sc_diagnosis *diagnosis, const char *id, bool is_refused,
                       const char *what, const char *cost)
{
    sc_diagnosis_add(diagnosis, id, is_refused ? SC_CHECK_PART : SC_CHECK_GOOD,
                     sc_format("the system %s %s", is_refused ? "forbids" : "permits", what),
                     is_refused ? sc_strdup(cost) : NULL);
}

static void check_permits(struct sc_diagnosis *diagnosis)
{
    struct sc_refusals refused = {0};
    if (!sc_permits_try(&refused)) {
        sc_diagnosis_add(diagnosis, "read_memory", SC_CHECK_PART,
                         sc_format("no process could be started: %s", strerror(errno)), NULL);
        return;
    }
    add_permit(diagnosis, "read_memory", refused.memory, "reading the program's memory",
               SC_COST_OF_MEMORY);
    add_permit(diagnosis, "read_waits", refused.calls, "asking what it waits for",
               SC_COST_OF_CALLS);
    add_permit(diagnosis, "read_maps", refused.maps, "asking which files it has loaded",
               SC_COST_OF_MAPS);
    add_permit(diagnosis, "read_pages", refused.pages, "asking which pages it has touched",
               SC_COST_OF_PAGES);
}

/* The CPUs that the control group may use on average, or 0 without such a limit. */
static double quota(void)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    double quota_us = 0;
    double period_us = 0;
    bool is_limited = sc_read_file("/sys/fs/cgroup/cpu.max", TEXT_BYTES_MAX, &text, NULL) &&
                      sscanf(sc_str_text(&text), "%lf %lf", &quota_us, &period_us) == 2;
    if (!is_limited) { /* version 1 */
        quota_us = (double)number_in("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", -1);
        period_us = (double)number_in("/sys/fs/cgroup/cpu/cpu.cfs_period_us", 0);
    }
    return quota_us > 0 && period_us > 0 ? quota_us / period_us : 0;
}

static void check_processors(struct sc_diagnosis *diagnosis)
{
    unsigned usable = sc_process_processors(0);
    double limit = quota();
    SC_AUTO_FREE char *group =
        limit > 0 ? sc_format(", on average %.3g (control group)", limit) : sc_strdup("");
    bool is_one = usable == 1;
    sc_diagnosis_add(
        diagnosis, "processors", is_one ? SC_CHECK_PART : SC_CHECK_GOOD,
        sc_format("%u of %ld can be used%s", usable, sysconf(_SC_NPROCESSORS_ONLN), group),
        is_one ? sc_strdup("threads that block the sampling signal are found too "
                           "often where they call the system")
               : NULL);
}

/* Nothing if the limit could not be read (the status of getrlimit), or if there is none. */
static void add_limit(struct sc_str *text, int status, const struct rlimit *limit, const char *name)
{
    if (status == 0 && limit->rlim_cur != RLIM_INFINITY)
        sc_str_add_format(text, "%s%s %llu", text->length > 0 ? ", " : "", name,
                          (unsigned long long)limit->rlim_cur);
}

static void check_limits(struct sc_diagnosis *diagnosis)
{
    struct sc_str text = {0};
    struct rlimit limit;
    add_limit(&text, getrlimit(RLIMIT_AS, &limit), &limit, "bytes of address space");
    add_limit(&text, getrlimit(RLIMIT_DATA, &limit), &limit, "bytes of data");
    add_limit(&text, getrlimit(RLIMIT_FSIZE, &limit), &limit, "bytes a file");
    add_limit(&text, getrlimit(RLIMIT_NOFILE, &limit), &limit, "open files");
    add_limit(&text, getrlimit(RLIMIT_SIGPENDING, &limit), &limit, "pending signals and timers");
    sc_diagnosis_add(diagnosis, "limits", SC_CHECK_GOOD,
                     text.length > 0 ? sc_str_take(&text) : sc_strdup("none"), NULL);
}

/* A shell in a user namespace has a map that is not the identity of all numbers. */
static bool is_in_user_namespace(void)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    unsigned long first = 0;
    unsigned long outer = 0;
    unsigned long count = 0;
    bool is_read = sc_read_file("/proc/self/uid_map", TEXT_BYTES_MAX, &text, NULL) &&
                   sscanf(sc_str_text(&text), "%lu %lu %lu", &first, &outer, &count) == 3;
    return is_read && (first != 0 || outer != 0 || count != UINT32_MAX);
}

static void check_sandbox(struct sc_diagnosis *diagnosis)
{
    struct sc_str text = {0};
    if (status_number("NoNewPrivs:") == 1)
        sc_str_add(&text, "no new privileges, ");
    if (status_number("Seccomp:") > 0)
        sc_str_add(&text, "seccomp, ");
    if (is_in_user_namespace())
        sc_str_add(&text, "a user namespace, ");
    if (access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0)
        sc_str_add(&text, "a container, ");
    long scope = number_in("/proc/sys/kernel/yama/ptrace_scope", -1);
    if (scope > 0)
        sc_str_add_format(&text, "ptrace_scope %ld, ", scope);
    if (text.length > 0)
        text.data[text.length - 2] = '\0';
    sc_diagnosis_add(diagnosis, "sandbox", SC_CHECK_GOOD,
                     text.length > 0 ? sc_str_take(&text) : sc_strdup("none seen"), NULL);
}

void sc_doctor_ask_system(struct sc_diagnosis *diagnosis)
{
    check_kernel(diagnosis);
    check_processors(diagnosis);
    check_task_clock(diagnosis);
    if (sc_diagnosis_is_good(diagnosis)) /* else /proc may be that of other processes */
        check_permits(diagnosis);
    check_limits(diagnosis);
    check_sandbox(diagnosis);
}
