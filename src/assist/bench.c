/*
 * assist/bench.c - the copies of a project in which a proposal is tried, and the command for them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assist/apply.h"
#include "assist/command.h"
#include "assist/copy.h"
#include "assist/root.h"
#include "assist/trial.h"
#include "base/child.h"
#include "base/io.h"

/* A run may take this much longer than the one that was profiled. */
#define LIMIT_FACTOR  10.0
#define LIMIT_LEAST_S 60.0
#define LIMIT_MOST_S  1800.0

/* Up to this size of a project, each run gets a fresh copy. */
#define FRESH_BYTES_MAX ((uint64_t)32 << 20)

static bool is_of_name(char byte)
{
    return isalnum((unsigned char)byte) || strchr("_-.~+@%", byte) != NULL ||
           (unsigned char)byte >= 0x80;
}

void sc_ai_replace_path(const char *text, size_t length, const char *from, const char *to,
                        bool is_whole, struct sc_str *ret_text)
{
    size_t size = strlen(from);
    const char *begin = text;
    const char *end = text + length;
    while (text < end) {
        const char *found = memmem(text, (size_t)(end - text), from, size);
        const char *stop = found != NULL ? found : end;
        sc_str_add_bytes(ret_text, text, (size_t)(stop - text));
        if (found == NULL)
            return;
        text = found + size;
        bool is_part =
            (found > begin && is_of_name(found[-1])) || (text < end && is_of_name(text[0]));
        sc_str_add(ret_text, is_whole && is_part ? from : to);
    }
}

static bool make_folder(struct sc_ai_bench *bench, struct sc_err *err)
{
    const char *temporary = getenv("TMPDIR");
    if (temporary == NULL || temporary[0] != '/')
        temporary = "/tmp";
    SC_AUTO_FREE char *pattern = sc_format("%s/scalene-trial-XXXXXX", temporary);
    if (mkdtemp(pattern) == NULL)
        return sc_fail_errno(err, errno, "cannot make a directory in '%s'", temporary);
    bench->folder = realpath(pattern, NULL);
    return bench->folder != NULL || sc_fail_errno(err, errno, "cannot use '%s'", pattern);
}

bool sc_ai_bench_init(struct sc_ai_bench *bench, const struct sc_ai_proposal *proposal,
                      const struct sc_ai_trial *trial, struct sc_err *err)
{
    *bench =
        (struct sc_ai_bench){.program = &proposal->program, .proposal = proposal, .trial = trial};
    SC_AUTO_FREE char *path = sc_ai_real_path(proposal->path, err);
    if (path == NULL)
        return false;
    SC_AUTO(sc_str_done) struct sc_str bytes = {0};
    bool good = sc_ai_root_find(bench->program, path, &bench->root, err) &&
                sc_ai_read_source(path, &bytes, err);
    if (good && !sc_ai_same_lines(sc_str_text(&bytes), bytes.length,
                                  sc_str_text(&proposal->old_text), proposal->old_text.length))
        good = sc_fail(err, SC_ERR_FAILED,
                       "'%s' has changed since the run, so the proposal does not fit it: run and "
                       "ask again",
                       path);
    if (good)
        sc_ai_with_endings(proposal, &bytes, &bench->new_text);
    if (!good || !make_folder(bench, err))
        return false;
    bench->place = sc_strdup(path + strlen(bench->root) + 1);
    bench->directory = sc_ai_command_directory(bench->root);
    bench->scalene = trial->scalene != NULL ? sc_strdup(trial->scalene) : sc_own_executable();
    double limit_s = proposal->program.elapsed_s * LIMIT_FACTOR;
    bench->limit_s = limit_s < LIMIT_LEAST_S  ? LIMIT_LEAST_S
                     : limit_s > LIMIT_MOST_S ? LIMIT_MOST_S
                                              : limit_s;
    SC_AUTO_FREE char *pristine = sc_format("%s/pristine", bench->folder);
    struct sc_copied copied;
    if (!sc_copy_tree(bench->root, pristine, &copied, err))
        return false;
    bench->copies_anew = copied.bytes <= FRESH_BYTES_MAX;
    return true;
}

void sc_ai_bench_done(struct sc_ai_bench *bench)
{
    if (bench->folder != NULL)
        sc_remove_tree(bench->folder);
    free(bench->root);
    free(bench->folder);
    free(bench->place);
    free(bench->directory);
    free(bench->scalene);
    sc_str_done(&bench->new_text);
}

static void add_word(struct sc_texts *words, const char *word)
{
    sc_vec_push(words, sc_strdup(word));
}

/* Adds a word of the profiled command, with its paths replaced by those in the copy. */
static void add_moved(const struct sc_ai_bench *bench, const char *version, const char *word,
                      struct sc_texts *words)
{
    SC_AUTO(sc_str_done) struct sc_str moved = {0};
    sc_ai_replace_path(word, strlen(word), bench->root, version, true, &moved);
    add_word(words, sc_str_text(&moved));
}

bool sc_ai_bench_command(const struct sc_ai_bench *bench, const char *version, const char *outfile,
                         struct sc_texts *ret_words, struct sc_err *err)
{
    const struct sc_ai_program *run = bench->program;
    const char *program = run->program;
    add_word(ret_words, bench->scalene);
    add_word(ret_words, "run");
    add_word(ret_words, "--quiet");
    add_word(ret_words, "--no-stacks");
    /* also short-lived code, and code outside the copy, which must be detected */
    add_word(ret_words, "--profile-all");
    add_word(ret_words, "--cpu-percent-threshold=0");
    add_word(ret_words, "--malloc-threshold=0");
    if (!run->memory)
        add_word(ret_words, "--cpu-only");
    add_word(ret_words, "--outfile-as-is");
    add_word(ret_words, "--outfile");
    add_word(ret_words, outfile);
    if (bench->trial->command != NULL) {
        add_word(ret_words, "--");
        add_word(ret_words, "sh");
        add_word(ret_words, "-c");
        add_moved(bench, version, bench->trial->command, ret_words);
    } else {
        if (bench->trial->python != NULL) {
            add_word(ret_words, "--python");
            add_word(ret_words, bench->trial->python);
        }
        add_word(ret_words, "---");
        bool is_file = false;
        if (!sc_ai_command_check(run, &is_file, err))
            return false;
        if (!is_file)
            add_word(ret_words, "-m");
        add_moved(bench, version, program, ret_words);
        for (size_t i = 1; i < run->args.count; i++)
            add_moved(bench, version, run->args.items[i], ret_words);
    }
    sc_vec_push(ret_words, NULL);
    return true;
}
