/* cli/profile_runs.c - see profile_runs.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile_runs.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/map.h"
#include "base/str.h"
#include "base/visible.h"
#include "cli/profile_file.h"
#include "compare/compare.h"

#define RUNS_MAX 1000U

static int is_profile_name(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && sc_ends_with(entry->d_name, ".json");
}

/* Folders and pipes of such a name are no profiles: a pipe would be waited for. */
bool sc_profile_paths_add(struct sc_profile_paths *paths, const char *operand, const char *command,
                          struct sc_err *err)
{
    struct stat facts;
    if (stat(operand, &facts) != 0 || !S_ISDIR(facts.st_mode)) {
        sc_vec_push(paths, sc_strdup(operand));
        return true;
    }
    SC_AUTO_FREE struct dirent **entries = NULL;
    int count = scandir(operand, &entries, is_profile_name, alphasort);
    size_t before = paths->count;
    for (int i = 0; i < count; i++) {
        char *file = sc_format("%s/%s", operand, entries[i]->d_name);
        free(entries[i]);
        if (stat(file, &facts) == 0 && !S_ISREG(facts.st_mode))
            free(file);
        else
            sc_vec_push(paths, file);
    }
    return paths->count > before ||
           sc_fail(err, SC_ERR_FAILED, "%s: there is no profile (*.json) in '%.200s'", command,
                   operand);
}

void sc_profile_paths_once(struct sc_profile_paths *paths)
{
    SC_AUTO(sc_map_done) struct sc_map files = {0};
    size_t count = 0;
    for (size_t i = 0; i < paths->count; i++) {
        struct stat facts;
        char *path = paths->items[i];
        bool is_file = stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
        uint64_t key = is_file ? sc_mix(facts.st_dev, facts.st_ino) : 0;
        if (is_file && sc_map_get(&files, key) != SC_NONE) {
            SC_AUTO_FREE char *said = sc_format("'%s' is given twice, and counts once", path);
            sc_visible_say("scalene: ", said);
            free(path);
            continue;
        }
        if (is_file)
            sc_map_put(&files, key, 0);
        paths->items[count++] = path;
    }
    paths->count = count;
}

void sc_profile_paths_done(struct sc_profile_paths *paths)
{
    sc_vec_free(paths);
}

bool sc_profile_runs_add(struct sc_profile_runs *runs, const char *path, const char *command,
                         struct sc_err *err)
{
    struct sc_profile profile = {0};
    struct sc_err cause = {0};
    if (runs->count >= RUNS_MAX)
        return sc_fail(err, SC_ERR_FAILED, "%s: more than %u profiles of one version", command,
                       RUNS_MAX);
    if (!sc_profile_file_read(path, &profile, &cause))
        return sc_fail(err, cause.kind, "%s: %s", command, cause.text);
    if (sc_profile_is_empty(&profile)) {
        sc_profile_done(&profile);
        return sc_fail(err, SC_ERR_FAILED, "%s: there is no profile data in '%.200s'", command,
                       path);
    }
    if (runs->count > 0)
        sc_comparison_slim(&profile, &runs->items[0]);
    sc_vec_push(runs, profile);
    return true;
}

void sc_profile_runs_done(struct sc_profile_runs *runs)
{
    sc_vec_done_each(runs, sc_profile_done);
}
