/*
 * cli/cmd_import.c - `scalene import`: makes a profile of what another profiler has written.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/visible.h"
#include "cli/command.h"
#include "cli/outfile.h"
#include "import/import.h"
#include "profile/profile.h"
#include "profile/sparse.h"
#include "report/report.h"

/* Adds one file to the tree. */
static bool add_file(struct sc_import_tree *tree, const char *path,
                     const struct sc_import_format *format, uint64_t *ret_changed_ns,
                     struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str bytes = {0};
    struct sc_err cause = {0};
    const struct sc_import_format *found = NULL;
    bool good = sc_import_load(path, &bytes, ret_changed_ns, &cause);
    if (!good)
        (void)sc_fail(err, SC_ERR_FAILED, "import: %s", cause.text);
    else if (!(good = sc_import_plain(&bytes, SC_IMPORT_BYTES_MAX, &cause) &&
                      sc_import_read(tree, path, &bytes, format, &found, &cause)))
        (void)sc_fail(err, SC_ERR_FAILED, "import: '%.200s' cannot be read: %s", path, cause.text);
    return good;
}

/* Whether the output would replace what is read. */
static bool is_input(const struct sc_words *files, const char *path)
{
    bool is_one = false;
    for (size_t i = 0; i < files->count; i++)
        is_one |= sc_output_is_same(files->items[i], path);
    return is_one;
}

/* outfile: "-" is standard output. */
static void write_out(const char *outfile, const struct sc_str *json, struct sc_err *err)
{
    SC_AUTO_FREE char *shown = sc_visible(outfile);
    if (strcmp(outfile, "-") == 0)
        (void)sc_output_stdout(json, err);
    else if (sc_write_private_file(outfile, json->data, json->length, err))
        (void)printf("Profile saved to: %s\nIt is shown by: scalene view %s\n", shown, shown);
}

/* Files of several processes, or of several runs, become one profile with the sum of their costs.
 */
static void import(const struct sc_words *files, const char *outfile, double interval_s,
                   const struct sc_import_format *format, struct sc_err *err)
{
    SC_AUTO(sc_import_tree_done) struct sc_import_tree tree = {0};
    SC_AUTO(sc_profile_done) struct sc_profile profile = {0};
    SC_AUTO(sc_str_done) struct sc_str json = {0};
    uint64_t changed_ns = 0;
    SC_AUTO_FREE char *beside =
        sc_format("%s.scalene.json", sc_output_beside(files->items[0], "imported"));
    const char *path = outfile != NULL ? outfile : beside;
    bool good = !is_input(files, path) ||
                sc_fail(err, SC_ERR_FAILED, "import: '%.200s' is one of the files to read", path);
    sc_import_tree_init(&tree);
    tree.interval_s = interval_s;
    for (size_t i = 0; i < files->count && good; i++)
        good = add_file(&tree, files->items[i], format, &changed_ns, err);
    if (good) {
        sc_import_build(&tree, files->items[0], changed_ns, &profile);
        sc_report_note_findings(&profile);
        sc_profile_make_sparse(&profile);
        sc_profile_to_json(&profile, &json);
        write_out(path, &json, err);
    }
}

int sc_cmd_import(const struct sc_values *values, const struct sc_words *files, struct sc_err *err)
{
    const char *name = sc_value_given(&values->of[SC_OPT_IMPORT_FORMAT]);
    const struct sc_import_format *format = NULL;
    if (files->count == 0)
        (void)sc_fail(err, SC_ERR_USAGE, "import: name the files to read");
    else if (name == NULL || (format = sc_import_format_named(name, err)) != NULL)
        import(files, sc_value_given(&values->of[SC_OPT_IMPORT_OUTFILE]),
               values->of[SC_OPT_IMPORT_INTERVAL].number, format, err);
    return 0;
}
