/*
 * cli/cmd_merge_neuron.c - `scalene merge-neuron PROFILE TRACE OUT`: what `python3 -m
 * scalene.merge_scalene_neuron_profiles` does.
 *
 * It reads a third file, debug_rank_0.txt in the current directory, as the original does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "cli/command.h"
#include "neuron/merge.h"

#define INPUT_LIMIT_BYTES ((size_t)2 << 30U)
#define DEBUG_FILE        "debug_rank_0.txt"

static const char usage[] =
    "usage: python3 -m scalene.merge_scalene_neuron_profiles PROFILE TRACE OUT\n"
    "\n"
    "Adds the times of a trace of AWS Neuron's profiler to the lines of a profile.\n"
    "\n"
    "  PROFILE   scalene-profile.json, or a page that Scalene has made of one\n"
    "  TRACE     the trace as JSON\n"
    "  OUT       where to write the profile with the times\n"
    "\n"
    "The file " DEBUG_FILE " in the current directory names the source line of every\n"
    "execution. docs/accelerators.md says what is added.\n";

static void print_merged(const char *out, const struct sc_neuron_merged *merged)
{
    (void)printf("scalene: wrote '%s': %.2f ms in %zu executions on %zu lines, %.2f ms on the "
                 "cores; a core was busy in %zu of %zu samples\n",
                 out, merged->runtime_ms, merged->executions, merged->lines, merged->core_ms,
                 merged->overlapping, merged->samples);
    if (merged->executions == 0)
        (void)fprintf(stderr, "scalene: the trace has no nrt_execute event of the process that "
                              "'" DEBUG_FILE "' names, so no line has times\n");
    else if (merged->elsewhere > 0)
        (void)fprintf(
            stderr,
            "scalene: %zu of %zu executions belong to no line of the profile ('" DEBUG_FILE
            "' names another file, or none)\n",
            merged->elsewhere, merged->executions);
}

static void merge(char *const *words, struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str profile = {0};
    SC_AUTO(sc_str_done) struct sc_str trace = {0};
    SC_AUTO(sc_str_done) struct sc_str debug = {0};
    SC_AUTO(sc_str_done) struct sc_str json = {0};
    struct sc_neuron_merged merged;
    if (sc_read_file(words[0], INPUT_LIMIT_BYTES, &profile, err) &&
        sc_read_file(words[1], INPUT_LIMIT_BYTES, &trace, err) &&
        sc_read_file(DEBUG_FILE, INPUT_LIMIT_BYTES, &debug, err) &&
        sc_neuron_merge(&profile, words[0], &trace, words[1], &debug, DEBUG_FILE, &json, &merged,
                        err) &&
        sc_write_private_file(words[2], sc_str_text(&json), json.length, err))
        print_merged(words[2], &merged);
}

int sc_cmd_merge_neuron(char *const *words, struct sc_err *err)
{
    size_t count = 0;
    while (words[count] != NULL)
        count++;
    bool wants_help = count > 0 && sc_is_among(words[0], "--help -h");
    if (wants_help)
        (void)fputs(usage, stdout);
    else if (count != 3)
        (void)sc_fail(err, SC_ERR_USAGE,
                      "merge-neuron: three files are wanted: the profile, the trace, and where to "
                      "write");
    else
        merge(words, err);
    return sc_err_status(err);
}
