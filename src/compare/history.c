/* compare/history.c - see history.h. SPDX-License-Identifier: Apache-2.0 */
#include "compare/history.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/git_commit.h"
#include "base/sort.h"
#include "profile/labels.h"

enum { DIGITS_SHOWN = 10 };

struct place {
    double rank; /* of the version */
    struct sc_history_run run;
};

void sc_history_add(struct sc_history *history, const char *path, const struct sc_profile *profile)
{
    const char *commit = sc_label_of(&profile->labels, SC_LABEL_COMMIT);
    bool is_known = commit != NULL && sc_is_git_commit(commit, strlen(commit));
    double started_s = profile->start_time_absolute_s;
    struct stat facts;
    if (started_s <= 0.0 && stat(path, &facts) == 0) /* other profilers' files do not say */
        started_s = (double)facts.st_mtim.tv_sec;
    sc_vec_push(&history->runs,
                (struct sc_history_run){.path = sc_strdup(path),
                                        .commit = is_known ? sc_strdup(commit) : NULL,
                                        .started_s = started_s});
}

static bool is_one_version(const struct sc_history_run *a, const struct sc_history_run *b)
{
    return a == b || (a->commit != NULL && b->commit != NULL && strcmp(a->commit, b->commit) == 0);
}

struct sc_history_commits sc_history_commits(const struct sc_history *history)
{
    struct sc_history_commits commits = {0};
    for (size_t i = 0; i < history->runs.count; i++) {
        const char *commit = history->runs.items[i].commit;
        bool is_new = commit != NULL;
        for (size_t k = 0; k < commits.count && is_new; k++)
            is_new = strcmp(commits.items[k], commit) != 0;
        if (is_new)
            sc_vec_push(&commits, commit);
        if (commit == NULL)
            commits.count = 0;
        if (commit == NULL)
            break;
    }
    return commits;
}

/* The offset of the line that is the commit; negative: there is none. */
static double rank_of(const char *order, const char *commit)
{
    size_t length = strlen(commit);
    for (const char *line = order; *line != '\0';) {
        size_t whole = strcspn(line, "\n");
        if (whole == length && memcmp(line, commit, length) == 0)
            return (double)(line - order);
        line += whole + (line[whole] == '\n');
    }
    return -1.0;
}

static bool has_all(const struct sc_history *history, const char *order)
{
    for (size_t i = 0; i < history->runs.count; i++) {
        const char *commit = history->runs.items[i].commit;
        if (commit == NULL || rank_of(order, commit) < 0.0)
            return false;
    }
    return true;
}

SC_ORDERED_BY(compare_places, struct place, SC_RISING(rank),
              a->run.commit != NULL && b->run.commit != NULL ? strcmp(a->run.commit, b->run.commit)
                                                             : 0,
              SC_RISING(run.started_s), strcmp(a->run.path, b->run.path));

static double first_start_of(const struct sc_history *history, const struct sc_history_run *run)
{
    double first_s = run->started_s;
    for (size_t i = 0; i < history->runs.count; i++)
        if (is_one_version(run, &history->runs.items[i]) &&
            history->runs.items[i].started_s < first_s)
            first_s = history->runs.items[i].started_s;
    return first_s;
}

void sc_history_order(struct sc_history *history, const char *order)
{
    SC_AUTO_FREE SC_VEC(struct place) places = {0};
    history->is_by_commit = order != NULL && has_all(history, order);
    SC_EACH(const struct sc_history_run, run, &history->runs) {
        double rank =
            history->is_by_commit ? rank_of(order, run->commit) : first_start_of(history, run);
        sc_vec_push(&places, (struct place){rank, *run});
    }
    sc_vec_sort(&places, compare_places);
    for (size_t i = 0; i < places.count; i++) {
        history->runs.items[i] = places.items[i].run;
        if (i == 0 || !is_one_version(&places.items[i - 1].run, &places.items[i].run))
            sc_vec_push(&history->versions,
                        (struct sc_history_version){.first = i,
                                                    .started_s = places.items[i].run.started_s});
        history->versions.items[history->versions.count - 1].count++;
    }
}

char *sc_history_name(const struct sc_history *history, size_t version)
{
    const struct sc_history_run *run = &history->runs.items[history->versions.items[version].first];
    return run->commit != NULL ? sc_format("%.*s", DIGITS_SHOWN, run->commit)
                               : sc_strdup(sc_after_last(run->path, '/'));
}

void sc_history_done(struct sc_history *history)
{
    for (size_t i = 0; i < history->runs.count; i++) {
        free(history->runs.items[i].path);
        free(history->runs.items[i].commit);
    }
    sc_vec_done(&history->runs);
    sc_vec_done(&history->versions);
}
