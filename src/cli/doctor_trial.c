/*
 * cli/doctor_trial.c - which Python would be profiled, and what a run with it gives.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "cli/doctor.h"
#include "cli/interpreter.h"

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

static void check_python(struct sc_diagnosis *diagnosis, const char *python)
{
    const char *origin = NULL;
    struct sc_err err = {0};
    free(sc_interpreter_word(python, &origin));
    SC_AUTO_FREE char *file = sc_interpreter_find(python, &err);
    SC_AUTO_FREE char *build = build_of(&diagnosis->trial);
    if (file == NULL)
        sc_diagnosis_add(diagnosis, "python", SC_CHECK_BAD, sc_strdup(err.text), NULL);
    else
        sc_diagnosis_add(diagnosis, "python", SC_CHECK_GOOD,
                         sc_format("%s (from %s)%s%s", file, origin, build != NULL ? ": " : "",
                                   build != NULL ? build : ""),
                         NULL);
}

static void check_run(struct sc_diagnosis *diagnosis, const struct sc_err *err)
{
    const struct sc_trial *trial = &diagnosis->trial;
    const struct sc_profile *profile = &trial->profile;
    char *why = sc_trial_obstacle(trial, err);
    if (why != NULL) {
        sc_diagnosis_add(diagnosis, "run", SC_CHECK_BAD, why, sc_strdup("no profile"));
        return;
    }
    sc_diagnosis_add(diagnosis, "run", SC_CHECK_GOOD,
                     sc_format("a program of half a second was profiled: %llu samples",
                               (unsigned long long)profile->samples_taken),
                     NULL);
    if (profile->losses[SC_LOSS_NO_TIMER] > 0)
        sc_diagnosis_add(diagnosis, "timers", SC_CHECK_PART,
                         sc_strdup("a thread was given no timer (a limit on pending signals?)"),
                         sc_strdup("such threads are looked at from outside, less often"));
    bool has_memory = profile->memory && profile->alloc_samples > 0;
    sc_diagnosis_add(diagnosis, "memory", has_memory ? SC_CHECK_GOOD : SC_CHECK_PART,
                     sc_strdup(has_memory ? "allocations are seen" : "no allocation was seen"),
                     has_memory ? NULL : sc_strdup("no memory in the profile"));
    /* each refusal has its own check */
    for (uint64_t i = profile->refusal_notes; i < profile->notes.count; i++)
        sc_diagnosis_add(diagnosis, "note", SC_CHECK_PART, sc_strdup(profile->notes.items[i]),
                         NULL);
}

/* Where `scalene run` without -o writes. */
static void check_folder(struct sc_diagnosis *diagnosis)
{
    static const char name[] = "scalene-profile.json";
    if (sc_can_make_file(name))
        sc_diagnosis_add(diagnosis, "folder", SC_CHECK_GOOD,
                         sc_strdup("a profile can be written here"), NULL);
    else
        sc_diagnosis_add(diagnosis, "folder", SC_CHECK_PART,
                         sc_format("the working directory takes no file: %s", strerror(errno)),
                         sc_strdup("name another place for the profile: scalene run -o FILE"));
}

void sc_doctor_try(struct sc_diagnosis *diagnosis, const char *python)
{
    struct sc_err err = {0};
    (void)sc_trial_run("doctor.py", python, &diagnosis->trial, &err);
    check_python(diagnosis, python);
    check_run(diagnosis, &err);
    check_folder(diagnosis);
}
