/*
 * cli/cmd_export.c - `scalene export`: a profile in the format of another program.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/visible.h"
#include "cli/command.h"
#include "cli/outfile.h"
#include "cli/profile_file.h"
#include "export/export.h"

/* One more than there may ever be formats. */
#define FORMATS_MAX 32

static void fail_format(const char *word, struct sc_err *err)
{
    const char *names[FORMATS_MAX];
    SC_AUTO(sc_str_done) struct sc_str all = {0};
    for (size_t i = 0; i < sc_export_format_count; i++) {
        names[i] = sc_export_formats[i].name;
        sc_str_add_format(&all, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    const char *meant = word != NULL ? sc_word_suggest(word, names, sc_export_format_count) : NULL;
    if (word == NULL)
        (void)sc_fail(err, SC_ERR_USAGE, "export: --format says which: %s", sc_str_text(&all));
    else
        (void)sc_fail(err, SC_ERR_USAGE,
                      "export: there is no format '%.40s'%s%s%s; the formats are %s", word,
                      meant != NULL ? " (did you mean " : "", meant != NULL ? meant : "",
                      meant != NULL ? "?)" : "", sc_str_text(&all));
}

/* Beside the profile, with the format's extension in place of ".json" or ".json.gz"; of a pipe, or
 * /dev/stdin, here. Owned. */
static char *default_file(const char *profile, const struct sc_export_format *format)
{
    profile = sc_output_beside(profile, SC_DEFAULT_PROFILE);
    size_t extra = sc_ends_with(profile, ".json.gz") ? strlen(".json.gz")
                   : sc_ends_with(profile, ".json")  ? strlen(".json")
                                                     : 0;
    return sc_format("%.*s%s", (int)(strlen(profile) - extra), profile, format->extension);
}

static bool write_out(const struct sc_export_format *format, const char *outfile,
                      const struct sc_str *bytes, struct sc_err *err)
{
    if (outfile != NULL) {
        SC_AUTO_FREE char *shown = sc_visible(outfile);
        return sc_write_private_file(outfile, sc_str_text(bytes), bytes->length, err) &&
               printf("Exported to: %s (for %s)\n", shown, format->title) >= 0;
    }
    return sc_output_stdout(bytes, err);
}

/* outfile: NULL is standard output. */
static bool export_profile(const struct sc_export_format *format, const char *path,
                           const char *outfile, struct sc_err *err)
{
    SC_AUTO(sc_profile_done) struct sc_profile profile = {0};
    SC_AUTO(sc_str_done) struct sc_str bytes = {0};
    if (!sc_profile_file_read(path, &profile, err))
        return false;
    bool done = false;
    if (sc_export_has_data(&profile)) {
        format->write(&profile, &bytes);
        done = write_out(format, outfile, &bytes, err);
    } else {
        const char *note = profile.notes.count > 0 ? profile.notes.items[0] : NULL;
        (void)sc_fail(err, SC_ERR_FAILED, "there is no profile data in '%.200s'%s%s", path,
                      note != NULL ? ": " : "", note != NULL ? note : "");
    }
    return done;
}

int sc_cmd_export(const struct sc_values *values, const struct sc_words *files, struct sc_err *err)
{
    const char *word = sc_value_given(&values->of[SC_OPT_EXPORT_FORMAT]);
    const char *given = sc_value_given(&values->of[SC_OPT_EXPORT_OUTFILE]);
    const char *path = files->count > 0 ? files->items[0] : SC_DEFAULT_PROFILE;
    const struct sc_export_format *format = NULL;
    if (files->count > 1)
        return sc_fail(err, SC_ERR_USAGE, "export: only one profile can be exported");
    if (word != NULL)
        format = sc_export_find(word);
    else if (given != NULL)
        format = sc_export_of_file(given);
    if (format == NULL) {
        fail_format(word, err);
        return 1;
    }
    bool is_stdout = given != NULL && strcmp(given, "-") == 0;
    SC_AUTO_FREE char *made = given == NULL ? default_file(path, format) : NULL;
    const char *outfile = is_stdout ? NULL : made != NULL ? made : given;
    if (outfile != NULL && sc_output_is_same(path, outfile))
        (void)sc_fail(err, SC_ERR_FAILED, "export: '%.200s' is the profile itself", outfile);
    else if (is_stdout && format->is_binary && isatty(STDOUT_FILENO))
        (void)sc_fail(err, SC_ERR_FAILED, "export: %s is nothing for a terminal; -o FILE writes it",
                      format->name);
    else
        (void)export_profile(format, path, outfile, err);
    return 0;
}
