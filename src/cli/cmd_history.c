/*
 * cli/cmd_history.c - `scalene history`: at which version a program became slower, or needs more
 * memory.
 *
 * Profiles are read twice, first for what decides their order: those of all versions together would
 * not go into memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "benchmark/timed_run.h"
#include "cli/command.h"
#include "cli/profile_file.h"
#include "render/history.h"
#include "render/screen.h"

/* Of git: it goes through all commits. Beyond that the order is not known. */
#define GIT_LIMIT_S     60.0
#define GIT_LIMIT_BYTES (256U << 20)

/* The commits and all before them, one on each line, the oldest first, as git knows them in this
 * folder; NULL: it does not know them all, or is not there. What it says besides is no commit. */
static char *ask_git(const struct sc_history *history)
{
    SC_AUTO_FREE struct sc_history_commits commits = sc_history_commits(history);
    if (commits.count < 2)
        return NULL;
    static const char *const asked[] = {"git", "rev-list", "--topo-order", "--reverse"};
    SC_AUTO_FREE SC_VEC(char *) words = {0};
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
        sc_vec_push(&words, (char *)asked[i]);
    for (size_t i = 0; i < commits.count; i++)
        sc_vec_push(&words, (char *)commits.items[i]);
    sc_vec_push(&words, NULL);
    SC_AUTO_CLOSE int fd = memfd_create("commits", MFD_CLOEXEC);
    if (fd < 0)
        return NULL;
    SC_AUTO_FREE char *output = sc_format("/proc/%d/fd/%d", (int)getpid(), fd);
    const struct sc_timed_command command = {
        .words = words.items, .environment = environ, .output = output, .limit_s = GIT_LIMIT_S};
    struct sc_timed_run run = {0};
    struct sc_str text = {0};
    bool is_known = sc_timed_run(&command, &run, NULL) && run.status == 0 &&
                    sc_read_file(output, GIT_LIMIT_BYTES, &text, NULL);
    if (!is_known)
        sc_str_done(&text);
    return is_known ? sc_str_take(&text) : NULL;
}

static bool read_order(struct sc_history *history, const struct sc_words *operands, bool by_time,
                       struct sc_err *err)
{
    SC_AUTO(sc_profile_paths_done) struct sc_profile_paths paths = {0};
    for (size_t i = 0; i < operands->count; i++)
        if (!sc_profile_paths_add(&paths, operands->items[i], "history", err))
            return false;
    sc_profile_paths_once(&paths);
    for (size_t i = 0; i < paths.count; i++) {
        struct stat facts;
        SC_AUTO(sc_profile_runs_done) struct sc_profile_runs one = {0};
        bool is_open = stat(paths.items[i], &facts) == 0 && !S_ISREG(facts.st_mode);
        if (is_open)
            (void)sc_fail(err, SC_ERR_FAILED,
                          "history: '%.200s' is no regular file, and profiles are read twice",
                          paths.items[i]);
        if (is_open || !sc_profile_runs_add(&one, paths.items[i], "history", err))
            return false;
        sc_history_add(history, paths.items[i], &one.items[0]);
    }
    SC_AUTO_FREE char *order = by_time ? NULL : ask_git(history);
    sc_history_order(history, order);
    return history->versions.count > 1 ||
           sc_fail(err, SC_ERR_FAILED,
                   "history: all these profiles are of one version: there is nothing to compare");
}

static bool read_version(const struct sc_history *history, size_t version,
                         struct sc_profile_runs *ret_runs, struct sc_err *err)
{
    const struct sc_history_version *of = &history->versions.items[version];
    for (size_t i = 0; i < of->count; i++)
        if (!sc_profile_runs_add(ret_runs, history->runs.items[of->first + i].path, "history", err))
            return false;
    return true;
}

/* Each version with the one before; two of them are in memory at once. */
static bool compare_all(const struct sc_history *history, struct sc_history_view *view,
                        struct sc_err *err)
{
    struct sc_profile_runs sides[2] = {{0}, {0}};
    bool done = read_version(history, 0, &sides[0], err);
    for (size_t i = 1; i < history->versions.count && done; i++) {
        done = read_version(history, i, &sides[1], err);
        if (!done)
            break;
        const struct sc_match_profiles profiles[2] = {{sides[0].items, sides[0].count},
                                                      {sides[1].items, sides[1].count}};
        SC_AUTO(sc_comparison_done) struct sc_comparison comparison = {0};
        sc_comparison_init(&comparison, profiles, history->versions.count - 1);
        sc_history_view_add(view, i, &comparison);
        sc_profile_runs_done(&sides[0]);
        sides[0] = sides[1];
        sides[1] = (struct sc_profile_runs){0};
    }
    sc_profile_runs_done(&sides[0]);
    sc_profile_runs_done(&sides[1]);
    return done;
}

int sc_cmd_history(const struct sc_values *values, const struct sc_words *operands,
                   struct sc_err *err)
{
    bool is_json = values->of[SC_OPT_HISTORY_JSON].flag;
    SC_AUTO(sc_history_done) struct sc_history history = {0};
    SC_AUTO(sc_history_view_done) struct sc_history_view view = {0};
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    struct sc_screen screen = sc_screen_of(is_json ? -1 : STDOUT_FILENO); /* -1: no pager */
    if (operands->count == 0) {
        (void)sc_fail(err, SC_ERR_USAGE, "history: name profiles, or a folder of them");
        return 0;
    }
    if (!read_order(&history, operands, values->of[SC_OPT_HISTORY_BY_TIME].flag, err))
        return 0;
    sc_history_view_init(&view, &history, &screen.rendering, is_json);
    if (compare_all(&history, &view, err)) {
        sc_history_view_end(&view, &text);
        (void)sc_screen_show(&screen, STDOUT_FILENO, &text, err);
    }
    return 0;
}
