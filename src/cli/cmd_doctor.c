/*
 * cli/cmd_doctor.c - `scalene doctor`: says what can be profiled here, and why not the rest.
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

#include "accelerator/accelerator.h"
#include "assist/providers.h"
#include "assist/settings.h"
#include "base/io.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/visible.h"
#include "channel/task_clock.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/interpreter.h"
#include "cli/trial.h"
#include "observer/system/permits.h"
#include "observer/system/procfs.h"
#include "render/screen.h"
#include "server/browser.h"

enum check_state {
    GOOD,
    PART, /* profiling works without it */
    BAD,  /* nothing can be profiled */
};

struct check {
    const char *id;
    enum check_state state;
    char *found;
    char *cost; /* what a profile lacks because of it, and what helps; NULL: nothing */
};

struct diagnosis {
    SC_VEC(struct check) checks;
    struct sc_trial trial;
};

/* Takes found and cost, which may be NULL. */
static void add(struct diagnosis *diagnosis, const char *id, enum check_state state, char *found,
                char *cost)
{
    struct check check = {id, state, found, cost};
    sc_vec_push(&diagnosis->checks, check);
}

static bool is_good(const struct diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->checks.count; i++)
        if (diagnosis->checks.items[i].state == BAD)
            return false;
    return true;
}

static void diagnosis_done(struct diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->checks.count; i++) {
        free(diagnosis->checks.items[i].found);
        free(diagnosis->checks.items[i].cost);
    }
    sc_vec_done(&diagnosis->checks);
    sc_trial_done(&diagnosis->trial);
}

/* -------- which Python would be profiled, and what a run with it gives -------- */

static bool says_yes(const struct sc_trial *trial, const char *key)
{
    SC_AUTO_FREE char *value = sc_trial_value(trial, key);
    return value != NULL && strcmp(value, "1") == 0;
}

/* "CPython 3.12.1, free-threaded", as the interpreter itself says, or NULL when it has not run. */
static char *build_of(const struct sc_trial *trial)
{
    SC_AUTO_FREE char *name = sc_trial_value(trial, "implementation");
    SC_AUTO_FREE char *version = sc_trial_value(trial, "version");
    if (name == NULL || version == NULL)
        return NULL;
    return sc_format("%s %s%s%s", strcmp(name, "cpython") == 0 ? "CPython" : name, version,
                     says_yes(trial, "free_threaded") ? ", free-threaded" : "",
                     says_yes(trial, "debug") ? ", debug build" : "");
}

static void check_python(struct diagnosis *diagnosis, const char *python)
{
    const char *origin = NULL;
    struct sc_err err = {0};
    free(sc_interpreter_word(python, &origin));
    SC_AUTO_FREE char *file = sc_interpreter_find(python, &err);
    SC_AUTO_FREE char *build = build_of(&diagnosis->trial);
    if (file == NULL)
        add(diagnosis, "python", BAD, sc_strdup(err.text), NULL);
    else
        add(diagnosis, "python", GOOD,
            sc_format("%s (from %s)%s%s", file, origin, build != NULL ? ": " : "",
                      build != NULL ? build : ""),
            NULL);
}

static void check_run(struct diagnosis *diagnosis, const struct sc_err *err)
{
    const struct sc_trial *trial = &diagnosis->trial;
    const struct sc_profile *profile = &trial->profile;
    char *why = sc_trial_obstacle(trial, err);
    if (why != NULL) {
        add(diagnosis, "run", BAD, why, sc_strdup("no profile"));
        return;
    }
    add(diagnosis, "run", GOOD,
        sc_format("a program of half a second was profiled: %llu samples",
                  (unsigned long long)profile->samples_taken),
        NULL);
    if (profile->losses[SC_LOSS_NO_TIMER] > 0)
        add(diagnosis, "timers", PART,
            sc_strdup("a thread was given no timer (a limit on pending signals?)"),
            sc_strdup("such threads are looked at from outside, less often"));
    bool has_memory = profile->memory && profile->alloc_samples > 0;
    add(diagnosis, "memory", has_memory ? GOOD : PART,
        sc_strdup(has_memory ? "allocations are seen" : "no allocation was seen"),
        has_memory ? NULL : sc_strdup("no memory in the profile"));
    /* each refusal has its own check */
    for (uint64_t i = profile->refusal_notes; i < profile->notes.count; i++)
        add(diagnosis, "note", PART, sc_strdup(profile->notes.items[i]), NULL);
}

/* Where `scalene run` without -o writes. */
static void check_folder(struct diagnosis *diagnosis)
{
    static const char name[] = "scalene-profile.json";
    if (sc_can_make_file(name))
        add(diagnosis, "folder", GOOD, sc_strdup("a profile can be written here"), NULL);
    else
        add(diagnosis, "folder", PART,
            sc_format("the working directory takes no file: %s", strerror(errno)),
            sc_strdup("name another place for the profile: scalene run -o FILE"));
}

static void try_run(struct diagnosis *diagnosis, const char *python)
{
    struct sc_err err = {0};
    (void)sc_trial_run("doctor.py", python, &diagnosis->trial, &err);
    check_python(diagnosis, python);
    check_run(diagnosis, &err);
    check_folder(diagnosis);
}

/* -------- what the kernel permits, and how it measures -------- */

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

static void check_kernel(struct diagnosis *diagnosis)
{
    struct utsname name = {0};
    unsigned major = 0;
    unsigned minor = 0;
    (void)uname(&name);
    bool is_old = sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
                  (major < 5 || (major == 5 && minor < 10));
    add(diagnosis, "kernel", is_old ? PART : GOOD,
        sc_format("%s %s, %s, a tick every %.3g ms", name.sysname, name.release, name.machine,
                  (double)sc_jiffy_ns() / 1e6),
        is_old ? sc_strdup("before 5.10 a sample may end a poll or a sleep that is "
                           "just beginning with EINTR; Python calls again")
               : NULL);
}

static void check_task_clock(struct diagnosis *diagnosis)
{
    int fd = sc_task_clock_open(1000000);
    int code = errno;
    if (fd >= 0) {
        (void)close(fd);
        add(diagnosis, "perf", GOOD,
            sc_strdup("perf events are permitted: samples can be finer than ticks"), NULL);
        return;
    }
    long level = number_in("/proc/sys/kernel/perf_event_paranoid", -2);
    SC_AUTO_FREE char *setting =
        level == -2 ? sc_strdup("") : sc_format("; kernel.perf_event_paranoid is %ld", level);
    add(diagnosis, "perf", PART,
        sc_format("perf events are not permitted (%s%s)", strerror(code), setting),
        sc_format("no samples finer than the kernel's tick of %.3g ms, whatever "
                  "--cpu-sampling-rate says",
                  (double)sc_jiffy_ns() / 1e6));
}

static void add_permit(struct diagnosis *diagnosis, const char *id, bool is_refused,
                       const char *what, const char *cost)
{
    add(diagnosis, id, is_refused ? PART : GOOD,
        sc_format("the system %s %s", is_refused ? "forbids" : "permits", what),
        is_refused ? sc_strdup(cost) : NULL);
}

static void check_permits(struct diagnosis *diagnosis)
{
    struct sc_refusals refused = {0};
    if (!sc_permits_try(&refused)) {
        add(diagnosis, "read_memory", PART,
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

static void check_processors(struct diagnosis *diagnosis)
{
    unsigned usable = sc_process_processors(0);
    double limit = quota();
    SC_AUTO_FREE char *group =
        limit > 0 ? sc_format(", on average %.3g (control group)", limit) : sc_strdup("");
    bool is_one = usable == 1;
    add(diagnosis, "processors", is_one ? PART : GOOD,
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

static void check_limits(struct diagnosis *diagnosis)
{
    struct sc_str text = {0};
    struct rlimit limit;
    add_limit(&text, getrlimit(RLIMIT_AS, &limit), &limit, "bytes of address space");
    add_limit(&text, getrlimit(RLIMIT_DATA, &limit), &limit, "bytes of data");
    add_limit(&text, getrlimit(RLIMIT_FSIZE, &limit), &limit, "bytes a file");
    add_limit(&text, getrlimit(RLIMIT_NOFILE, &limit), &limit, "open files");
    add_limit(&text, getrlimit(RLIMIT_SIGPENDING, &limit), &limit, "pending signals and timers");
    add(diagnosis, "limits", GOOD, text.length > 0 ? sc_str_take(&text) : sc_strdup("none"), NULL);
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

static void check_sandbox(struct diagnosis *diagnosis)
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
    add(diagnosis, "sandbox", GOOD, text.length > 0 ? sc_str_take(&text) : sc_strdup("none seen"),
        NULL);
}

static void ask_system(struct diagnosis *diagnosis)
{
    check_kernel(diagnosis);
    check_processors(diagnosis);
    check_task_clock(diagnosis);
    if (is_good(diagnosis)) /* else /proc may be that of other processes */
        check_permits(diagnosis);
    check_limits(diagnosis);
    check_sandbox(diagnosis);
}

/* -------- the rest, and the command -------- */

static const struct {
    const char *json;
    const char *word;
    const char *style; /* SGR sequence */
} states[] = {
    [GOOD] = {"ok", "ok", "32"},
    [PART] = {"part", "part", "33"},
    [BAD] = {"no", "NO", "1;31"},
};

static void check_devices(struct diagnosis *diagnosis)
{
    SC_AUTO(sc_str_done) struct sc_str notes = {0};
    struct sc_device devices[SC_DEVICES_MAX] = {0};
    size_t count = 0;
    void *state = NULL;
    const struct sc_accelerator *const *kind = sc_accelerator_table;
    for (; *kind != NULL && state == NULL; kind++)
        state = (*kind)->open(&notes);
    if (state != NULL) {
        count = kind[-1]->devices(state, devices, SC_DEVICES_MAX);
        kind[-1]->close(state);
    }
    char *found = count > 0 ? sc_format("%zu found, the first is %s", count, devices[0].name)
                            : sc_strdup("none found, nor a driver for one");
    if (count == 0 && notes.length > 0) {
        free(found);
        found = sc_strdup(notes.data);
        found[strcspn(found, "\n")] = '\0';
    }
    bool is_missing = count == 0 && notes.length > 0;
    add(diagnosis, "gpu", is_missing ? PART : GOOD, found,
        is_missing ? sc_strdup("no GPU time and no GPU memory") : NULL);
}

static void check_screen(struct diagnosis *diagnosis)
{
    struct sc_screen screen = sc_screen_of(STDOUT_FILENO);
    add(diagnosis, "terminal", GOOD,
        sc_format("%s%u columns, %s, %s", screen.is_terminal ? "" : "no terminal: ",
                  screen.rendering.width, screen.rendering.unicode ? "UTF-8" : "ASCII alone",
                  screen.rendering.color ? "colours" : "no colours"),
        NULL);
    bool has_browser = sc_browser_is_possible();
    add(diagnosis, "browser", has_browser ? GOOD : PART,
        sc_strdup(has_browser ? "can be opened" : "no graphical browser was found"),
        has_browser ? NULL
                    : sc_strdup("scalene view writes the page to a file; use --cli, "
                                "or --no-browser to serve it"));
}

static void check_services(struct diagnosis *diagnosis)
{
    SC_AUTO(sc_str_done) struct sc_str names = {0};
    for (size_t i = 0; sc_ai_providers[i] != NULL; i++) {
        SC_AUTO(sc_ai_settings_done) struct sc_ai_settings settings = {0};
        sc_ai_settings_init(&settings, sc_ai_providers[i]);
        bool is_set = false;
        for (size_t k = 0; k < sc_ai_providers[i]->field_count; k++)
            is_set = is_set || settings.values[k].origin == SC_AI_ENVIRONMENT;
        if (is_set)
            sc_str_add_format(&names, "%s%s", names.length > 0 ? ", " : "", sc_ai_providers[i]->id);
    }
    add(diagnosis, "ai", GOOD,
        names.length > 0
            ? sc_format("in the environment: %s", names.data)
            : sc_strdup("no service is set up in the environment; ollama needs no key"),
        NULL);
}

static void show_json(const struct diagnosis *diagnosis)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    struct sc_json_out out = {.text = &text};
    sc_json_begin(&out, '{');
    SC_JSON_OBJECTS(&out, "checks", const struct check, check, &diagnosis->checks) {
        sc_json_text_under(&out, "cost", check->cost != NULL ? check->cost : "");
        sc_json_text_under(&out, "found", check->found);
        sc_json_text_under(&out, "id", check->id);
        sc_json_text_under(&out, "state", states[check->state].json);
    }
    sc_json_bool_under(&out, "works", is_good(diagnosis));
    sc_json_end(&out, '}');
    (void)printf("%s\n", sc_str_text(&text));
}

#define TEXT_COLUMN 20U

static void show_text(const struct diagnosis *diagnosis)
{
    struct sc_screen screen = sc_screen_of(STDOUT_FILENO);
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    SC_EACH(const struct check, check, &diagnosis->checks) {
        const char *style = screen.rendering.color ? states[check->state].style : NULL;
        sc_str_add_format(&text, "%s%s%s%-6s%s%-14s", style != NULL ? "\033[" : "",
                          style != NULL ? style : "", style != NULL ? "m" : "",
                          states[check->state].word, style != NULL ? "\033[0m" : "", check->id);
        SC_AUTO_FREE char *found = sc_visible(check->found);
        sc_help_add_wrapped(&text, found, TEXT_COLUMN, TEXT_COLUMN, screen.rendering.width);
        if (check->cost == NULL)
            continue;
        SC_AUTO_FREE char *why = sc_visible(check->cost);
        SC_AUTO_FREE char *cost = sc_format("-> %s", why);
        sc_str_add_format(&text, "%*s", (int)TEXT_COLUMN, "");
        sc_help_add_wrapped(&text, cost, TEXT_COLUMN, TEXT_COLUMN, screen.rendering.width);
    }
    bool works = is_good(diagnosis);
    bool is_whole = true;
    for (size_t i = 0; i < diagnosis->checks.count; i++)
        is_whole = is_whole && diagnosis->checks.items[i].state == GOOD;
    sc_str_add(&text, !works     ? "\nProfiling does not work here.\n"
                      : is_whole ? "\nProfiling works.\n"
                                 : "\nProfiling works, without what the lines with 'part' say.\n");
    (void)fputs(sc_str_text(&text), stdout);
}

int sc_cmd_doctor(const struct sc_values *values, const struct sc_words *operands,
                  struct sc_err *err)
{
    (void)operands;
    (void)err;
    SC_AUTO(diagnosis_done) struct diagnosis diagnosis = {0};
    try_run(&diagnosis, values->of[SC_OPT_DOCTOR_PYTHON].text);
    ask_system(&diagnosis);
    check_devices(&diagnosis);
    check_screen(&diagnosis);
    check_services(&diagnosis);
    if (values->of[SC_OPT_DOCTOR_JSON].flag)
        show_json(&diagnosis);
    else
        show_text(&diagnosis);
    return is_good(&diagnosis) ? 0 : 1;
}
