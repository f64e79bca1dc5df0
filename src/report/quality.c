/*
 * report/quality.c - how far the numbers can be trusted, what they cost, and what is missing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "report/number.h"
#include "report/report.h"

enum { HIDDEN_SHOWN = 3 };

/* Files that are not shown are mentioned from this share on. */
#define HIDDEN_MIN_PERCENT 1.0

#define PREEMPTED_MIN_PERCENT 10.0

/* Less than this, or than this share of resident memory, is not mentioned. */
#define CHURN_MIN_MB          1.0
#define UNACCOUNTED_MIN_MB    16.0
#define UNACCOUNTED_MIN_SHARE 0.1

static void say(struct sc_overview *overview, struct sc_str *sentence)
{
    if (sentence->length > 0)
        sc_vec_push(&overview->quality, sc_strdup(sentence->data));
    sc_str_done(sentence);
}

/* The widest error among the lines that have a number to be wrong. */
static double widest_error(const struct sc_profile *profile)
{
    double widest = 0.0;
    SC_EACH(const struct sc_file, file, &profile->files) {
        for (size_t l = 0; l < file->lines.count; l++) {
            const struct sc_cost *cost = &file->lines.items[l].cost;
            if (sc_cost_time_percent(cost) >= 1.0)
                widest = fmax(widest, sc_clamp(cost->cpu_share_error, 0.0, 100.0));
        }
    }
    return widest;
}

static void say_samples(const struct sc_profile *profile, struct sc_overview *overview)
{
    struct sc_str text = {0};
    if (profile->samples_taken == 0 && profile->samples_waiting == 0)
        return;
    sc_str_add_format(&text, "%s sample%s of running threads",
                      sc_number_count(profile->samples_taken).text,
                      profile->samples_taken == 1 ? "" : "s");
    if (profile->interval_s > 0.0)
        sc_str_add_format(&text, ", one per %s of CPU time",
                          sc_number_duration(profile->interval_s).text);
    if (profile->samples_waiting > 0)
        sc_str_add_format(&text, "; %s sample%s of waiting threads",
                          sc_number_count(profile->samples_waiting).text,
                          profile->samples_waiting == 1 ? "" : "s");
    double error = widest_error(profile);
    if (error > 0.0)
        sc_str_add_format(&text, "; a line's share is within %.1f points (95%% confidence)", error);
    say(overview, &text);
}

/* Of blocks that could not be followed, what is said of memory says it. */
static const struct {
    const char *one; /* behind the number; NULL: without it */
    const char *many;
} loss_words[SC_LOST_COUNT_] = {
    [SC_LOST_SAMPLE] = {"sample was lost", "samples were lost"},
    [SC_LOST_STACK] = {"stack is not whole", "stacks are not whole"},
    [SC_LOST_UNSEEN] = {NULL, "not everything could be followed"},
    [SC_LOST_TASK] = {NULL, "some looks at tasks are missing"},
    [SC_LOST_WORK] = {NULL, "some of the GPU's work is missing from lines"},
    [SC_LOST_LABEL] = {NULL, "some units of work are missing or too long"},
    [SC_LOST_FILE] = {NULL, "some files could not be read"},
};

static uint64_t loss_sum(const struct sc_profile *profile, enum sc_loss_kind kind)
{
    uint64_t sum = 0;
    for (int i = 0; i < SC_LOSS_COUNT_; i++)
        sum += sc_loss_kinds[i] == kind ? profile->losses[i] : 0;
    return sum;
}

/* ": 12 times the buffer to the observer was full, 3 times ..." */
static void add_losses(const struct sc_profile *profile, enum sc_loss_kind kind,
                       struct sc_str *text)
{
    const char *separator = ": ";
    for (int i = 0; i < SC_LOSS_COUNT_; i++) {
        uint64_t count = sc_loss_kinds[i] == kind ? profile->losses[i] : 0;
        if (count == 0)
            continue;
        sc_str_add_format(text, "%s%s %s %s", separator, sc_number_count(count).text,
                          count == 1 ? "time" : "times", sc_loss_texts[i]);
        separator = ", ";
    }
}

static void say_losses(const struct sc_profile *profile, struct sc_overview *overview)
{
    uint64_t lost = loss_sum(profile, SC_LOST_SAMPLE);
    uint64_t all = lost + profile->samples_taken + profile->samples_waiting;
    bool is_whole = profile->samples_taken > 0;
    for (enum sc_loss_kind kind = 0; kind < SC_LOST_COUNT_; kind++) {
        uint64_t count = loss_sum(profile, kind);
        struct sc_str text = {0};
        is_whole = is_whole && count == 0;
        if (count == 0 || loss_words[kind].many == NULL)
            continue;
        if (loss_words[kind].one != NULL)
            sc_str_add_format(&text, "%s ", sc_number_count(count).text);
        sc_str_add(&text, count == 1 && loss_words[kind].one != NULL ? loss_words[kind].one
                                                                     : loss_words[kind].many);
        if (kind == SC_LOST_SAMPLE)
            sc_str_add_format(&text, " (%s)",
                              sc_number_fine_percent(100.0 * (double)lost / (double)all).text);
        add_losses(profile, kind, &text);
        say(overview, &text);
    }
    if (is_whole)
        sc_vec_push(&overview->quality, sc_strdup("nothing was lost"));
}

/* What the footprint is measured from, and what it cannot include. */
static void say_memory(const struct sc_profile *profile, struct sc_overview *overview)
{
    struct sc_str text = {0};
    if (!overview->has_memory || profile->allocated_mb + profile->churn_mb <= 0.0)
        return;
    sc_str_add_format(&text, "%s allocated, %s copied, from %s records",
                      sc_number_megabytes(profile->allocated_mb).text,
                      sc_number_megabytes(profile->copied_mb).text,
                      sc_number_count(profile->alloc_samples).text);
    if (profile->churn_mb >= CHURN_MIN_MB)
        sc_str_add_format(&text, "; not in it: %s of small objects that were freed at once",
                          sc_number_megabytes(profile->churn_mb).text);
    if (profile->memory_lost_mb > 0.0)
        sc_str_add_format(&text, "; %s more lost",
                          sc_number_megabytes(profile->memory_lost_mb).text);
    if (loss_sum(profile, SC_LOST_BLOCK) > 0)
        add_losses(profile, SC_LOST_BLOCK, &text);
    say(overview, &text);
    if (profile->unaccounted_mb < UNACCOUNTED_MIN_MB ||
        profile->unaccounted_mb < UNACCOUNTED_MIN_SHARE * profile->max_rss_mb)
        return;
    sc_str_add_format(&text,
                      "%s of resident memory are not accounted for: freed, but kept by the "
                      "allocator, or taken in ways that cannot be seen (allocators inside "
                      "libraries, shared memory, pages that a forked child has written)",
                      sc_number_megabytes(profile->unaccounted_mb).text);
    say(overview, &text);
}

/* A busy machine makes the run longer; shares are computed so that they do not change with it. */
static void say_preempted(const struct sc_profile *profile, struct sc_overview *overview)
{
    double seconds = sc_clamp(profile->time_s[SC_TIME_PREEMPTED_PYTHON], 0.0, 1e9) +
                     sc_clamp(profile->time_s[SC_TIME_PREEMPTED_NATIVE], 0.0, 1e9) +
                     sc_clamp(profile->time_s[SC_TIME_PREEMPTED_KERNEL], 0.0, 1e9);
    if (overview->total_s <= 0.0 || 100.0 * seconds / overview->total_s < PREEMPTED_MIN_PERCENT)
        return;
    sc_vec_push(&overview->quality,
                sc_format("%s of the time the program was ready to run but had no CPU: the machine "
                          "was busy, so the elapsed time says little",
                          sc_number_percent(100.0 * seconds / overview->total_s).text));
}

static void say_cost(const struct sc_profile *profile, struct sc_overview *overview)
{
    struct sc_str text = {0};
    double handler_s = sc_clamp(profile->handler_cpu_s, 0.0, 1e9);
    double observer_s = sc_clamp(profile->observer_cpu_s, 0.0, 1e9);
    if (handler_s + observer_s <= 0.0)
        return;
    sc_str_add_format(&text, "profiling took %s of CPU time",
                      sc_number_duration(handler_s + observer_s).text);
    if (overview->cpu_s > 0.0)
        sc_str_add_format(
            &text, ", %s of the program's",
            sc_number_fine_percent(100.0 * (handler_s + observer_s) / overview->cpu_s).text);
    sc_str_add_format(&text, ": %s inside the program", sc_number_duration(handler_s).text);
    sc_str_add_format(&text, ", %s beside it", sc_number_duration(observer_s).text);
    say(overview, &text);
}

static void say_hidden(const struct sc_profile *profile, struct sc_overview *overview)
{
    struct sc_str text = {0};
    double sum = 0.0;
    for (size_t i = 0; i < profile->hidden_files.count; i++)
        sum += sc_clamp(profile->hidden_files.items[i].percent, 0.0, 100.0);
    if (sum < HIDDEN_MIN_PERCENT && !(profile->files.count == 0 && sum > 0.0))
        return;
    sc_str_add_format(&text, "%s of the time is in files that are not shown",
                      sc_number_percent(sum).text);
    const char *separator = ": ";
    for (size_t i = 0; i < profile->hidden_files.count && i < HIDDEN_SHOWN; i++) {
        const struct sc_hidden_file *file = &profile->hidden_files.items[i];
        sc_str_add_format(&text, "%s%s %s (%s)", separator, file->name,
                          sc_number_percent(file->percent).text, file->reason);
        separator = ", ";
    }
    if (profile->hidden_files.count > HIDDEN_SHOWN)
        sc_str_add_format(&text, ", and %zu more", profile->hidden_files.count - HIDDEN_SHOWN);
    say(overview, &text);
}

void sc_report_quality(struct sc_report *report)
{
    const struct sc_profile *profile = report->profile;
    struct sc_overview *overview = &report->overview;
    for (size_t i = 0; i < profile->notes.count; i++)
        sc_vec_push(&overview->quality, sc_strdup(profile->notes.items[i]));
    say_hidden(profile, overview);
    if (overview->unlisted_percent >= HIDDEN_MIN_PERCENT)
        sc_vec_push(&overview->quality,
                    sc_format("%s of the time is in files that this profile does not list",
                              sc_number_percent(overview->unlisted_percent).text));
    say_preempted(profile, overview);
    say_samples(profile, overview);
    say_losses(profile, overview);
    say_memory(profile, overview);
    say_cost(profile, overview);
    if (profile->foreign)
        sc_vec_push(&overview->quality,
                    sc_strdup("written by the original Scalene: it does not say what was lost, "
                              "what profiling cost or what the threads waited for"));
}
