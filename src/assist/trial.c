/* assist/trial.c - see trial.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/trial.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assist/copy.h"
#include "assist/keys.h"
#include "base/io.h"
#include "benchmark/timed_run.h"

#define OUTPUT_LIMIT_BYTES ((size_t)16 << 20)

/* Our environment without keys, and with paths replaced by those in the copy. Owned. */
static void make_environment(const struct sc_ai_bench *bench, const char *version,
                             struct sc_texts *ret_entries)
{
    sc_ai_keyless_environment(ret_entries);
    for (size_t i = 0; i < ret_entries->count; i++) {
        char *entry = ret_entries->items[i];
        struct sc_str moved = {0};
        if (!sc_starts_with(entry, "PYTHONPATH=") && !sc_starts_with(entry, "PWD="))
            continue;
        sc_ai_replace_path(entry, strlen(entry), bench->root, version, true, &moved);
        free(entry);
        ret_entries->items[i] = moved.data;
    }
    /* compiled files of the other version must not be used */
    sc_vec_push(ret_entries, sc_strdup("PYTHONDONTWRITEBYTECODE=1"));
    sc_vec_push(ret_entries, NULL);
}

/* Makes a version's directory, or keeps the one that is there unless each run needs a new copy. */
static bool prepare(struct sc_ai_bench *bench, bool is_changed, const char *version,
                    struct sc_err *err)
{
    if (access(version, F_OK) == 0) {
        if (!bench->copies_anew)
            return true;
        sc_remove_tree(version);
    }
    SC_AUTO_FREE char *pristine = sc_format("%s/pristine", bench->folder);
    struct sc_copied copied;
    if (!sc_copy_tree(pristine, version, &copied, err))
        return false;
    SC_AUTO_FREE char *path = sc_format("%s/%s", version, bench->place);
    if (access(path, F_OK) != 0)
        return sc_fail(err, SC_ERR_FAILED, "'%s' is of those files that are not copied",
                       bench->place);
    return !is_changed ||
           sc_write_file(path, sc_str_text(&bench->new_text), bench->new_text.length, err);
}

/* Records when code of the project ran that is not in a copy of it. */
static void look_at_file(const struct sc_ai_bench *bench, const char *name, struct sc_ai_run *run)
{
    SC_AUTO_FREE char *root = sc_format("%s/", bench->root);
    SC_AUTO_FREE char *folder = sc_format("%s/", bench->folder);
    if (!sc_starts_with(name, root) || sc_starts_with(name, folder))
        return;
    /* virtual environments in the project are left out of the copy on purpose */
    SC_AUTO_FREE char *copied = sc_format("%s/pristine/%s", bench->folder, name + strlen(root));
    run->uses_original = run->uses_original || access(copied, F_OK) == 0;
}

/* Whether the line is only the head of a definition, which runs when its module is imported. */
static bool is_head(const char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
        length--;
    if (text[0] == '@' || text[0] == '#')
        return true;
    bool is_open = length > 0 && strchr(":,(", text[length - 1]) != NULL;
    return is_open && (sc_starts_with(text, "def ") || sc_starts_with(text, "async def ") ||
                       sc_starts_with(text, "class "));
}

/* Whether anything was measured at a line or in what it called. */
static bool is_seen(const struct sc_cost *cost)
{
    return cost->samples > 0 || cost->mallocs > 0 || cost->cumulative_percent > 0.0 ||
           cost->cpu_python_percent + cost->cpu_native_percent + cost->system_percent > 0.0 ||
           cost->malloc_mb + cost->peak_mb + cost->copy_mb_s > 0.0 ||
           cost->async_await_percent > 0.0 || cost->gpu_s + cost->gpu_percent > 0.0;
}

static bool reaches_lines(const struct sc_ai_bench *bench, const struct sc_profile *profile,
                          const char *path, bool is_changed)
{
    const struct sc_ai_proposal *proposal = bench->proposal;
    uint32_t first = is_changed ? proposal->new_first : proposal->first;
    uint32_t last = is_changed ? proposal->new_last : proposal->last;
    SC_EACH(const struct sc_file, file, &profile->files) {
        if (strcmp(file->name, path) != 0)
            continue;
        SC_EACH(const struct sc_line, line, &file->lines) {
            bool is_within = line->lineno >= first && line->lineno <= last;
            if (is_within && !is_head(line->text) && is_seen(&line->cost))
                return true;
        }
    }
    return false;
}

static void read_profile(const struct sc_ai_bench *bench, const char *path, const char *source,
                         bool is_changed, struct sc_ai_run *run)
{
    SC_AUTO(sc_str_done) struct sc_str bytes = {0};
    struct sc_profile profile = {0};
    if (sc_read_file(path, SC_PROFILE_BYTES_MAX, &bytes, NULL) &&
        sc_profile_from_json(sc_str_text(&bytes), bytes.length, &profile, NULL)) {
        run->has_profile = true;
        run->reaches_lines = reaches_lines(bench, &profile, source, is_changed);
        run->elapsed_s = profile.elapsed_s;
        run->footprint_mb = profile.max_footprint_mb;
        run->rss_mb = profile.max_rss_mb;
        for (size_t i = 0; i < profile.processes.count; i++)
            if (profile.processes.items[i].max_rss_mb > run->rss_mb)
                run->rss_mb = profile.processes.items[i].max_rss_mb;
        for (size_t i = 0; i < profile.files.count; i++)
            look_at_file(bench, profile.files.items[i].name, run);
        for (size_t i = 0; i < profile.hidden_files.count; i++)
            look_at_file(bench, profile.hidden_files.items[i].name, run);
        sc_profile_done(&profile);
    }
}

static bool read_output(const char *path, const char *version, struct sc_ai_run *run,
                        struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str bytes = {0};
    bool good = sc_read_file(path, OUTPUT_LIMIT_BYTES, &bytes, NULL);
    if (good)
        sc_ai_replace_path(sc_str_text(&bytes), bytes.length, version, "DIRECTORY", false,
                           &run->output);
    else
        (void)sc_fail(err, SC_ERR_FAILED,
                      "the program writes more than %zu MB, too much to be compared",
                      OUTPUT_LIMIT_BYTES >> 20U);
    return good;
}

static bool launch(struct sc_ai_bench *bench, const char *version, const char *output,
                   char *const *words, struct sc_ai_run *ret_run, struct sc_err *err)
{
    SC_AUTO_FREE char *directory = sc_format("%s/%s", version, bench->directory);
    SC_AUTO(sc_texts_done) struct sc_texts environment = {0};
    make_environment(bench, version, &environment);
    const struct sc_timed_command command = {
        .words = words,
        .environment = environment.items,
        .directory = access(directory, F_OK) == 0 ? directory : version,
        .output = output,
        .limit_s = bench->limit_s,
        .is_cancelled = bench->trial->is_cancelled,
        .context = bench->trial->context,
    };
    struct sc_timed_run timed = {0};
    bool good = sc_timed_run(&command, &timed, err);
    ret_run->wall_s = timed.elapsed_s;
    ret_run->status = timed.status;
    return good;
}

bool sc_ai_bench_run(struct sc_ai_bench *bench, bool is_changed, struct sc_ai_run *ret_run,
                     struct sc_err *err)
{
    /* names of the same length, so that the length of a path has no effect */
    SC_AUTO_FREE char *version =
        sc_format("%s/%s", bench->folder, is_changed ? "proposal" : "original");
    SC_AUTO_FREE char *outfile = sc_format("%s/result.json", bench->folder);
    SC_AUTO_FREE char *output = sc_format("%s/output", bench->folder);
    SC_AUTO_FREE char *source = sc_format("%s/%s", version, bench->place);
    struct sc_texts words = {0};
    struct sc_ai_run run = {0};
    (void)unlink(outfile);
    bool good = prepare(bench, is_changed, version, err) &&
                sc_ai_bench_command(bench, version, outfile, &words, err) &&
                launch(bench, version, output, words.items, &run, err) &&
                read_output(output, version, &run, err);
    if (good)
        read_profile(bench, outfile, source, is_changed, &run);
    sc_texts_done(&words);
    if (good)
        *ret_run = run;
    else
        sc_ai_run_done(&run);
    return good;
}

void sc_ai_run_done(struct sc_ai_run *run)
{
    sc_str_done(&run->output);
}
