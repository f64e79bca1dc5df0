/*
 * cli/cmd_selftest.c - `scalene selftest`: profiles a program that knows what it uses, and shows
 * what was expected beside what was found.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/visible.h"
#include "cli/command.h"
#include "cli/trial.h"

static const char program[] = "selftest.py";

/* What of a function is compared. */
enum quantity { PYTHON_S, NATIVE_S, WAITING_S, ALLOCATED_MB, LIVE_AT_EXIT_MB, COPIED_MB, AWAIT_S };

/* Times are known to a few samples, and some milliseconds at the edges of a function; blocks of
 * megabytes are counted each; copies are sampled. */
static const struct {
    const char *unit;
    double bound;          /* in the unit */
    double bound_fraction; /* of what is expected, in addition */
} quantities[] = {
    [PYTHON_S] = {"s", 0.04, 0.05},        [NATIVE_S] = {"s", 0.04, 0.05},
    [WAITING_S] = {"s", 0.04, 0.05},       [ALLOCATED_MB] = {"MB", 1.0, 0.02},
    [LIVE_AT_EXIT_MB] = {"MB", 1.0, 0.02}, [COPIED_MB] = {"MB", 8.0, 0.05},
    [AWAIT_S] = {"s", 0.06, 0.05},
};

/* The program prints for each function what it has used. */
static const struct {
    const char *function;
    const char *text;
    enum quantity quantity;
} checks[] = {
    {"interprets", "interpreting Python", PYTHON_S},
    {"computes", "in native code", NATIVE_S},
    {"sleeps", "asleep", WAITING_S},
    {"runs_in_a_thread", "in another thread", PYTHON_S},
    {"runs_in_a_child", "in a child process", PYTHON_S},
    {"allocates", "allocated in all", ALLOCATED_MB},
    {"keeps", "held at the end", LIVE_AT_EXIT_MB},
    {"copies", "copied", COPIED_MB},
    {"awaits", "a task awaits", AWAIT_S},
    {"awaits_longer", "another awaits", AWAIT_S},
};

static const struct sc_function *find_function(const struct sc_profile *profile, const char *name)
{
    SC_EACH(const struct sc_file, file, &profile->files) {
        const char *slash = strrchr(file->name, '/');
        if (slash == NULL || strcmp(slash + 1, program) != 0)
            continue;
        for (size_t i = 0; i < file->functions.count; i++)
            if (strcmp(file->functions.items[i].name, name) == 0)
                return &file->functions.items[i];
    }
    return NULL;
}

static double found_of(const struct sc_profile *profile, const struct sc_cost *cost,
                       enum quantity quantity)
{
    const double *time_s = cost->time_s;
    switch (quantity) {
    case PYTHON_S:
        return time_s[SC_TIME_PYTHON];
    case NATIVE_S:
        return time_s[SC_TIME_NATIVE] + time_s[SC_TIME_PARALLEL];
    case WAITING_S:
        return time_s[SC_TIME_IO] + time_s[SC_TIME_SLEEP] + time_s[SC_TIME_OTHER_WAIT];
    case ALLOCATED_MB:
        return cost->malloc_mb;
    case LIVE_AT_EXIT_MB:
        return cost->live_at_exit_mb;
    case COPIED_MB:
        return cost->copy_mb_s * profile->elapsed_s;
    case AWAIT_S:
        return cost->async_await_percent / 100.0 * profile->await_s;
    }
    return 0.0;
}

/* Shows one line; returns whether what was found is what was expected. */
static bool show_check(const struct sc_trial *trial, size_t index)
{
    enum quantity quantity = checks[index].quantity;
    const char *unit = quantities[quantity].unit;
    SC_AUTO_FREE char *value = sc_trial_value(trial, checks[index].function);
    const struct sc_function *function = find_function(&trial->profile, checks[index].function);
    double expected = value != NULL ? strtod(value, NULL) : 0.0;
    double found = function != NULL ? found_of(&trial->profile, &function->cost, quantity) : 0.0;
    double bound = quantities[quantity].bound + quantities[quantity].bound_fraction * expected;
    bool is_right = expected > 0.0 && fabs(found - expected) <= bound;
    int digits = strcmp(unit, "s") == 0 ? 2 : 0;
    (void)printf("%-4s  %-20s %9.*f %-2s %9.*f %-2s  +- %.*f\n", is_right ? "ok" : "OFF",
                 checks[index].text, digits, expected, unit, digits, found, unit, digits, bound);
    return is_right;
}

static void show_line(const char *text)
{
    SC_AUTO_FREE char *visible = sc_visible(text);
    (void)printf("%s\n", visible);
}

/* Returns the exit status. */
static int show(const struct sc_trial *trial)
{
    SC_AUTO_FREE char *obstacle = sc_trial_obstacle(trial, NULL);
    if (obstacle != NULL) {
        show_line(obstacle);
        (void)printf("There is no profile to compare; `scalene doctor` says what is missing.\n");
        return 1;
    }
    size_t right = 0;
    size_t count = sizeof(checks) / sizeof(checks[0]);
    (void)printf("      %-20s %12s %12s\n", "", "expected", "found");
    for (size_t i = 0; i < count; i++)
        right += show_check(trial, i);
    (void)printf("\nCPython %s: %zu of %zu numbers are right.\n",
                 trial->profile.python_version != NULL ? trial->profile.python_version : "?", right,
                 count);
    /* what the system does not permit makes numbers wrong, and is no defect */
    for (size_t i = 0; i < trial->profile.notes.count; i++)
        show_line(trial->profile.notes.items[i]);
    return right == count ? 0 : 1;
}

int sc_cmd_selftest(const struct sc_values *values, const struct sc_words *operands,
                    struct sc_err *err)
{
    (void)operands;
    SC_AUTO(sc_trial_done) struct sc_trial trial = {0};
    return sc_trial_run(program, values->of[SC_OPT_SELFTEST_PYTHON].text, &trial, err)
               ? show(&trial)
               : 1;
}
