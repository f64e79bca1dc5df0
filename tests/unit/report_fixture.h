/*
 * tests/unit/report_fixture.h - small profiles for the tests of reports and renderers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile/profile.h"
#include "report/report.h"
#include "sc_test.h"

static inline struct sc_file *fixture_file(struct sc_profile *profile, const char *name)
{
    sc_vec_push(&profile->files, (struct sc_file){.name = sc_strdup(name)});
    return &profile->files.items[profile->files.count - 1];
}

/* The next line of the file; loops are set by the caller. */
static inline struct sc_line *fixture_line(struct sc_file *file, const char *text, double python,
                                           double native, double system)
{
    struct sc_line line = {.lineno = (uint32_t)file->lines.count + 1, .text = sc_strdup(text)};
    line.cost.cpu_python_percent = python;
    line.cost.cpu_native_percent = native;
    line.cost.system_percent = system;
    line.region.start_outermost_loop = line.region.end_outermost_loop = line.lineno;
    file->percent_cpu_time += python + native + system;
    sc_vec_push(&file->lines, line);
    return &file->lines.items[file->lines.count - 1];
}

/* A file with these lines, which cost nothing yet. */
static inline struct sc_file *fixture_source(struct sc_profile *profile, const char *name,
                                             const char *text)
{
    struct sc_file *file = fixture_file(profile, name);
    while (*text != '\0') {
        size_t length = strcspn(text, "\n") + 1;
        SC_AUTO_FREE char *line = sc_strndup(text, length);
        fixture_line(file, line, 0.0, 0.0, 0.0);
        text += length;
    }
    return file;
}

static inline void fixture_function(struct sc_file *file, const char *name, uint32_t lineno,
                                    double python, double with_calls)
{
    struct sc_function function = {.name = sc_strdup(name), .lineno = lineno};
    function.cost.cpu_python_percent = python;
    function.cost.cumulative_percent = with_calls;
    sc_vec_push(&file->functions, function);
}

/* The texts of the frames have to outlive the profile. */
static inline void fixture_stack(struct sc_profile *profile, uint64_t count,
                                 const struct sc_profile_frame *frames, size_t depth)
{
    struct sc_profile_stack stack = {.count = count};
    for (size_t i = 0; i < depth; i++)
        sc_vec_push(&stack.frames, frames[i]);
    sc_vec_push(&profile->combined_stacks, stack);
}

static inline void fixture_thread(struct sc_profile *profile, const char *name, double cpu_s)
{
    struct sc_thread thread = {.name = sc_strdup(name), .cpu_s = cpu_s, .has_python = true};
    thread.tid = 100 + profile->threads.count;
    sc_vec_push(&profile->threads, thread);
}

static inline struct sc_report report_of(const struct sc_profile *profile)
{
    struct sc_report report;
    sc_report_init(&report, profile, false);
    return report;
}

/* The same, in place of an earlier one. */
static inline void report_again(struct sc_report *report, const struct sc_profile *profile)
{
    sc_report_done(report);
    *report = report_of(profile);
}

static inline bool finds(const struct sc_report *report, const char *part)
{
    for (size_t i = 0; i < report->overview.findings.count; i++) {
        if (strstr(report->overview.findings.items[i].text, part) != NULL)
            return true;
    }
    return false;
}

/* The first finding of that id, NULL if there is none. */
static inline const struct sc_finding *finding_of(const struct sc_report *report, const char *id)
{
    for (size_t i = 0; i < report->overview.findings.count; i++) {
        if (strcmp(report->overview.findings.items[i].id, id) == 0)
            return &report->overview.findings.items[i];
    }
    return NULL;
}

static inline void assert_says(const struct sc_finding *finding, const char *words)
{
    const char *text = finding != NULL ? finding->text : "nothing";
    if (strstr(text, words) == NULL)
        fail_msg("'%s' is not in '%s'", words, text);
}
