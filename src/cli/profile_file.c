/* cli/profile_file.c - see profile_file.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/map.h"
#include "base/str.h"
#include "base/visible.h"
#include "compare/compare.h"
#include "import/import.h"
#include "page/standalone.h"
#include "profile/profile.h"

/* Says a text, which it frees. */
static void say(char *text)
{
    sc_visible_say("scalene: ", text);
    free(text);
}

/* A named pipe is opened only when somebody writes to it, which may be never. */
static void say_if_it_waits(const char *path)
{
    struct stat facts;
    bool is_link = sc_starts_with_any(path, "/dev/ /proc/");
    if (!is_link && stat(path, &facts) == 0 && S_ISFIFO(facts.st_mode))
        say(sc_format("'%s' is a pipe: waiting for a profile to be written to it", path));
}

/* Parts of a version's number that are larger than ours: the profile may hold what we do not know.
 */
static void say_if_it_is_newer(const char *path, const char *version)
{
    unsigned own[3] = {0};
    unsigned its[3] = {0};
    // NOLINTBEGIN(cert-err34-c): what is no number counts as 0
    if (version == NULL || sscanf(SC_VERSION, "%u.%u.%u", &own[0], &own[1], &own[2]) < 1 ||
        sscanf(version, "%u.%u.%u", &its[0], &its[1], &its[2]) < 1)
        return;
    // NOLINTEND(cert-err34-c)
    for (size_t i = 0; i < 3; i++) {
        if (its[i] > own[i])
            say(sc_format(
                "'%s' was written by version %.40s; this is %s, which may not show all of it", path,
                version, SC_VERSION));
        if (its[i] != own[i])
            return;
    }
}

/* The file may be another profiler's. False, and nothing is said, where it is not known to be one.
 */
static bool read_as_other(const char *path, const struct sc_str *bytes, bool is_followed,
                          struct sc_profile *ret_profile, struct sc_err *ret_cause)
{
    SC_AUTO(sc_import_tree_done) struct sc_import_tree tree = {0};
    struct sc_err cause = {0};
    struct stat facts = {0};
    const struct sc_import_format *format = NULL;
    sc_import_tree_init(&tree);
    bool good = sc_import_read(&tree, path, bytes, NULL, &format, &cause);
    if (good && is_followed) {
        good = false;
        *ret_cause = (struct sc_err){0};
        (void)sc_fail(ret_cause, SC_ERR_FAILED,
                      "it is of another profiler (%s), which is shown without --follow",
                      format->title);
    } else if (good) {
        (void)stat(path, &facts);
        say(sc_format("'%s' is read as %s (scalene import)", path, format->title));
        sc_import_build(&tree, path, (uint64_t)facts.st_mtim.tv_sec * 1000000000U, ret_profile);
    } else if (format != NULL) {
        *ret_cause = (struct sc_err){0};
        (void)sc_fail(ret_cause, SC_ERR_FAILED, "it looks like %s, but %s", format->title,
                      cause.text);
    }
    return good;
}

static bool read_profile(const char *path, bool is_followed, struct sc_profile *ret_profile,
                         struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str bytes = {0};
    struct sc_err cause = {0};
    say_if_it_waits(path);
    bool loaded = sc_read_file(path, SC_PROFILE_BYTES_MAX, &bytes, &cause);
    if (!loaded) {
        bool is_absent = access(path, F_OK) != 0;
        (void)sc_fail(err, SC_ERR_FAILED, "%s%s", cause.text,
                      is_absent ? "; 'scalene run program.py' writes a profile" : "");
    } else {
        static const char known[] = "not a profile: ";
        loaded = sc_import_plain(&bytes, SC_PROFILE_BYTES_MAX, &cause) &&
                 (sc_profile_from_json(sc_str_text(&bytes), bytes.length, ret_profile, &cause) ||
                  read_as_other(path, &bytes, is_followed, ret_profile, &cause));
        const char *why = cause.text;
        if (sc_starts_with(why, known))
            why += strlen(known);
        if (!loaded && bytes.length == 0)
            (void)sc_fail(err, SC_ERR_FAILED,
                          "'%.200s' is empty; 'scalene run program.py' writes a profile", path);
        else if (!loaded && sc_ends_with(path, ".py"))
            (void)sc_fail(err, SC_ERR_FAILED,
                          "'%.200s' is a Python program; 'scalene run %.200s' profiles it", path,
                          path);
        else if (!loaded)
            (void)sc_fail(err, SC_ERR_FAILED, "'%.200s' is not a profile: %s", path, why);
    }
    if (loaded)
        say_if_it_is_newer(path, ret_profile->written_by);
    return loaded;
}

bool sc_profile_file_read(const char *path, struct sc_profile *ret_profile, struct sc_err *err)
{
    return read_profile(path, false, ret_profile, err);
}

bool sc_profile_file_read_followed(const char *path, struct sc_profile *ret_profile,
                                   struct sc_err *err)
{
    return read_profile(path, true, ret_profile, err);
}

bool sc_page_file_write(struct sc_page *page, const char *what, const char *path,
                        struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str html = {0};
    sc_page_standalone(page, SC_PAGE_FILE, &html);
    if (!sc_write_private_file(path, html.data, html.length, err))
        return false;
    SC_AUTO_FREE char *shown = sc_visible(path);
    (void)printf("%s saved to: %s\n", what, shown);
    return true;
}

/* -------- several runs -------- */

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
