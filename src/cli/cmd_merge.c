/*
 * cli/cmd_merge.c - `scalene merge`: the profiles of many ranks as one, and which rank is slow.
 *
 * Profiles are read one after the other, and only sums are kept.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/visible.h"
#include "cli/command.h"
#include "cli/outfile.h"
#include "cli/profile_file.h"
#include "profile/labels.h"
#include "profile/sparse.h"
#include "ranks/profile_sums.h"
#include "render/ranks.h"
#include "render/screen.h"

struct merge {
    struct sc_profile_paths files;
    struct sc_ranks ranks;
    struct sc_profile_sums sums;
    struct sc_texts notes;
    struct sc_stragglers stragglers;
};

static void merge_done(struct merge *merge)
{
    sc_profile_paths_done(&merge->files);
    sc_ranks_done(&merge->ranks);
    sc_profile_sums_done(&merge->sums);
    sc_texts_done(&merge->notes);
    sc_stragglers_done(&merge->stragglers);
}

static bool read_one(const char *path, struct sc_profile *ret_profile, struct sc_err *err)
{
    struct sc_err cause = {0};
    if (!sc_profile_file_read(path, ret_profile, &cause))
        return sc_fail(err, cause.kind, "merge: %s", cause.text);
    const struct sc_labels *labels = &ret_profile->labels;
    bool is_merged = sc_label_of(labels, SC_LABEL_RANKS) != NULL ||
                     sc_label_of(labels, SC_LABEL_PROFILES) != NULL;
    if (!is_merged && !ret_profile->foreign)
        return true;
    sc_profile_done(ret_profile);
    return sc_fail(err, SC_ERR_FAILED,
                   is_merged
                       ? "merge: '%.200s' is of many ranks already"
                       : "merge: '%.200s' was written by the original Scalene, whose profiles "
                         "have no seconds of lines",
                   path);
}

/* The label whose values are the ranks: rank where both profiles have it, else host where theirs
 * differ. NULL: each file is a rank. */
static const char *label_of(const struct sc_profile *first, const struct sc_profile *second)
{
    static const char *const names[] = {SC_LABEL_RANK, SC_LABEL_HOST};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *one = sc_label_of(&first->labels, names[i]);
        const char *other = sc_label_of(&second->labels, names[i]);
        bool is_rank = strcmp(names[i], SC_LABEL_RANK) == 0;
        if (one != NULL && other != NULL && (is_rank || strcmp(one, other) != 0))
            return names[i];
    }
    return NULL;
}

static bool add_profile(struct merge *merge, const struct sc_profile *profile, const char *file,
                        struct sc_err *err)
{
    const char *by = merge->ranks.by;
    if (!sc_ranks_add(&merge->ranks, profile, file, err))
        return false;
    const char *value = by != NULL ? sc_label_of(&profile->labels, by) : file;
    SC_AUTO_FREE char *name =
        by != NULL ? sc_format("%s %s", by, value) : sc_strdup(sc_after_last(file, '/'));
    if (sc_profile_is_empty(profile))
        sc_vec_push(&merge->notes, sc_format("The profile of %s is empty.", name));
    else
        sc_profile_sums_add(&merge->sums, profile, name);
    return true;
}

/* Without --by, the first two profiles decide which label's values are the ranks. */
static bool add_profiles(struct merge *merge, const char *by, struct sc_err *err)
{
    struct sc_profile profiles[2] = {{0}, {0}};
    size_t ahead = 0;
    bool good = true;
    while (good && ahead < 2 && ahead < merge->files.count)
        good = read_one(merge->files.items[ahead], &profiles[ahead], err) && ++ahead > 0;
    merge->ranks.by = by == NULL                ? label_of(&profiles[0], &profiles[ahead > 1])
                      : strcmp(by, "file") == 0 ? NULL
                                                : by;
    for (size_t i = 0; good && i < merge->files.count; i++) {
        struct sc_profile *profile = &profiles[i < ahead ? i : 0];
        good = (i < ahead || read_one(merge->files.items[i], profile, err)) &&
               add_profile(merge, profile, merge->files.items[i], err);
        sc_profile_done(profile);
    }
    sc_profile_done(&profiles[0]);
    sc_profile_done(&profiles[1]);
    return good;
}

/* How the profiles fit together, a sentence each. */
static void add_notes(struct merge *merge)
{
    const struct sc_profile_sums *sums = &merge->sums;
    struct sc_texts *notes = &merge->notes;
    SC_AUTO(sc_str_done) struct sc_str missing = {0};
    size_t count = sc_ranks_missing(&merge->ranks, &missing);
    if (count > 0)
        sc_vec_push(notes,
                    sc_format("%s %s of %llu %s missing.", count == 1 ? "Rank" : "Ranks",
                              sc_str_text(&missing), (unsigned long long)merge->ranks.world_size,
                              count == 1 ? "is" : "are"));
    if (merge->ranks.sizes_differ)
        sc_vec_push(notes, sc_strdup("The profiles are of runs with different numbers of ranks."));
    if (sums->has_other_versions)
        sc_vec_push(notes, sc_strdup("The profiles are of different versions of Scalene or of "
                                     "Python."));
    if (sums->has_other_modes)
        sc_vec_push(notes, sc_strdup("Some profiles have time on a CPU alone, others all time."));
    if (sums->with_memory > 0 && sums->with_memory < sums->count)
        sc_vec_push(notes, sc_format("Memory is that of %u of %u profiles.", sums->with_memory,
                                     sums->count));
    if (sums->other_lines > 0)
        sc_vec_push(notes, sc_format("Ranks have run different code, first seen in '%s'; lines are "
                                     "compared by their numbers.",
                                     sums->first_other));
}

/* What of the sum is no measurement: how it was made, and what it has not. */
static void describe_sum(struct merge *merge)
{
    struct sc_profile *sum = &merge->sums.profile;
    bool is_rank = merge->ranks.by != NULL && strcmp(merge->ranks.by, SC_LABEL_RANK) == 0;
    SC_AUTO_FREE char *count = sc_format("%u", merge->sums.count);
    sc_labels_set(&sum->labels, is_rank ? SC_LABEL_RANKS : SC_LABEL_PROFILES, count);
    sc_vec_push(
        &sum->notes,
        sc_format("This is the sum of %u profiles: times, memory and peaks are added up over "
                  "them. Timelines, curves and units of work are in each one's own profile.",
                  merge->sums.count));
    for (size_t i = 0; i < merge->notes.count; i++)
        sc_vec_push(&sum->notes, sc_strdup(merge->notes.items[i]));
}

static bool write_sum(struct merge *merge, const char *given, struct sc_err *err)
{
    struct sc_profile *sum = &merge->sums.profile;
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    SC_AUTO_FREE char *path = NULL;
    bool is_stdout = strcmp(given, "-") == 0;
    if (!is_stdout && !sc_outfile_resolve("merge", given, NULL, &path, err))
        return false;
    for (size_t i = 0; !is_stdout && i < merge->files.count; i++) {
        if (sc_output_is_same(merge->files.items[i], path))
            return sc_fail(err, SC_ERR_FAILED, "merge: '%.200s' is one of the profiles", path);
    }
    describe_sum(merge);
    sc_report_note_findings(sum);
    sc_profile_make_sparse(sum);
    sc_profile_to_json(sum, &text);
    if (is_stdout)
        return sc_output_stdout(&text, err);
    if (!sc_write_private_file(path, sc_str_text(&text), text.length, err))
        return false;
    SC_AUTO_FREE char *said =
        sc_format("wrote '%s'; scalene view %s shows all ranks together", path, path);
    sc_visible_say("scalene: ", said);
    return true;
}

static bool show(const struct merge *merge, bool is_json, struct sc_err *err)
{
    struct sc_screen screen = sc_screen_of(is_json ? -1 : STDOUT_FILENO); /* -1: no pager */
    struct sc_ranks_view shown = {&merge->ranks, &merge->stragglers, &merge->notes};
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    if (is_json)
        sc_render_ranks_json(&shown, &text);
    else
        sc_render_ranks(&shown, &screen.rendering, &text);
    return sc_screen_show(&screen, STDOUT_FILENO, &text, err);
}

int sc_cmd_merge(const struct sc_values *values, const struct sc_words *words, struct sc_err *err)
{
    const char *outfile = sc_value_given(&values->of[SC_OPT_MERGE_OUTFILE]);
    SC_AUTO(merge_done) struct merge merge = {0};
    if (words->count == 0)
        return sc_fail(err, SC_ERR_USAGE, "merge: name the profiles of the ranks, or their folder");
    for (size_t i = 0; i < words->count; i++) {
        if (!sc_profile_paths_add(&merge.files, words->items[i], "merge", err))
            return 1;
    }
    sc_profile_paths_once(&merge.files);
    if (!add_profiles(&merge, sc_value_given(&values->of[SC_OPT_MERGE_BY]), err))
        return 1;
    if (merge.sums.count == 0)
        return sc_fail(err, SC_ERR_FAILED, "merge: there is no data in these profiles");
    sc_ranks_finish(&merge.ranks);
    sc_stragglers_find(&merge.ranks, &merge.stragglers);
    sc_profile_sums_finish(&merge.sums);
    add_notes(&merge);
    if (outfile != NULL && !write_sum(&merge, outfile, err))
        return 1;
    bool is_shown = outfile == NULL || strcmp(outfile, "-") != 0;
    return !is_shown || show(&merge, values->of[SC_OPT_MERGE_JSON].flag, err) ? 0 : 1;
}
