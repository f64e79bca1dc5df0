/* cli/child_run.c - see child_run.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/child_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/own_folder.h"
#include "base/str.h"
#include "base/vec.h"

/* -------- the words of the command -------- */

enum outcome { NOT_MINE, TAKEN, WRONG };

static enum outcome take_option(enum sc_verb verb, char *const *words, size_t *index,
                                struct sc_values *values, struct sc_err *err)
{
    struct sc_found_option found;
    switch (sc_option_find(verb, words[*index], &found, err)) {
    case SC_MATCH_ONE:
        return sc_option_take(values, &found, words, index, err) ? TAKEN : WRONG;
    case SC_MATCH_AMBIGUOUS:
        return WRONG;
    default:
        return NOT_MINE;
    }
}

/* An option of the child's command is checked here, so that a mistake is found at once. Its help is
 * no option of another command. */
static enum outcome copy_option(enum sc_verb verb, char *const *words, size_t *index,
                                struct sc_words *ret_options, struct sc_err *err)
{
    struct sc_found_option found;
    struct sc_values values;
    size_t first = *index;
    enum sc_match match = sc_option_find(verb, words[first], &found, err);
    if (match == SC_MATCH_AMBIGUOUS)
        return WRONG;
    if (match == SC_MATCH_NONE || sc_options[found.id].kind == SC_ARG_ACTION)
        return NOT_MINE;
    sc_values_init(&values);
    bool is_good = sc_option_take(&values, &found, words, index, err);
    sc_values_done(&values);
    for (size_t i = first; is_good && i <= *index; i++)
        sc_vec_push(ret_options, words[i]);
    return is_good ? TAKEN : WRONG;
}

static bool is_pid(const char *word, pid_t *ret_pid)
{
    return word[0] >= '0' && word[0] <= '9' && sc_pid_word_read("", word, ret_pid, NULL);
}

static bool refuse_option(enum sc_verb verb, const char *word, struct sc_err *err)
{
    const char *meant = sc_option_suggest(verb, word);
    if (meant == NULL)
        meant = sc_option_suggest(SC_VERB_RUN, word);
    if (meant != NULL && strcmp(word + 2, meant) == 0) /* help of run, which is none of ours */
        meant = NULL;
    const char *name = sc_verb_names[verb];
    return sc_fail(err, SC_ERR_USAGE, "%s: no such option: '%.100s'%s%s (scalene %s --help)", name,
                   word, meant != NULL ? "; did you mean --" : "", meant != NULL ? meant : "",
                   name);
}

/* From the program's name on: all that follows is the program's. */
static void take_program(char *const *words, struct sc_words *ret_program)
{
    static char separator[] = "---";
    if (strcmp(words[0], "--") != 0 && strcmp(words[0], separator) != 0)
        sc_vec_push(ret_program, separator);
    for (size_t i = 0; words[i] != NULL; i++)
        sc_vec_push(ret_program, words[i]);
}

bool sc_child_words_read(enum sc_verb verb, char *const *words, struct sc_values *values,
                         struct sc_child_words *ret_words, struct sc_err *err)
{
    for (size_t i = 0; words[i] != NULL; i++) {
        const char *word = words[i];
        enum outcome outcome = take_option(verb, words, &i, values, err);
        if (outcome == NOT_MINE)
            outcome = copy_option(SC_VERB_RUN, words, &i, &ret_words->options, err);
        if (outcome == NOT_MINE)
            outcome = copy_option(SC_VERB_ATTACH, words, &i, &ret_words->of_attach, err);
        if (outcome == WRONG)
            return false;
        if (outcome == TAKEN)
            continue;
        bool is_separator = sc_is_among(word, "-- ---");
        if (sc_starts_with(word, "--") && !is_separator)
            return refuse_option(verb, word, err);
        if (ret_words->pid != 0)
            return sc_fail(err, SC_ERR_USAGE, "%s: '%.100s' follows the number of a process",
                           sc_verb_names[verb], word);
        if (is_pid(word, &ret_words->pid))
            continue;
        take_program(words + i, &ret_words->program);
        break;
    }
    if (ret_words->pid == 0 && ret_words->of_attach.count > 0)
        return sc_fail(err, SC_ERR_USAGE, "%s: %.100s is for a process that runs already",
                       sc_verb_names[verb], ret_words->of_attach.items[0]);
    return true;
}

void sc_child_words_done(struct sc_child_words *words)
{
    sc_vec_done(&words->options);
    sc_vec_done(&words->of_attach);
    sc_vec_done(&words->program);
    *words = (struct sc_child_words){0};
}

/* -------- the run -------- */

#define END_LIMIT_MS 5000

static void add_copies(struct sc_texts *ret, const struct sc_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        sc_vec_push(ret, sc_strdup(words->items[i]));
}

static void make_command(const struct sc_child_run *child, const struct sc_child_options *wish,
                         struct sc_texts *ret)
{
    const struct sc_child_words *asked = wish->words;
    sc_vec_push(ret, sc_strdup("scalene"));
    sc_vec_push(ret, sc_strdup(asked->pid != 0 ? "attach" : "run"));
    if (asked->pid != 0)
        sc_vec_push(ret, sc_format("%d", (int)asked->pid));
    add_copies(ret, &asked->options);
    add_copies(ret, &asked->of_attach);
    sc_vec_push(ret, sc_strdup("--quiet"));
    sc_vec_push(ret, sc_format("--profile-interval=%g", wish->interval_s));
    sc_vec_push(ret, sc_strdup("--outfile-as-is"));
    sc_vec_push(ret, sc_format("--outfile=%s", child->profile_path)); /* the last one counts */
    add_copies(ret, &asked->program);
    sc_vec_push(ret, NULL);
}

static bool start(struct sc_child_run *child, const struct sc_child_options *wish,
                  struct sc_err *err)
{
    SC_AUTO_FREE char *self = sc_own_executable();
    SC_AUTO(sc_texts_done) struct sc_texts command = {0};
    make_command(child, wish, &command);
    struct sc_child started = {
        .program = self,
        .words = command.items,
        .streams = SC_CHILD_OUR_STREAMS,
        .end_signal = SIGTERM,
        .is_apart = wish->is_apart,
    };
    SC_AUTO_CLOSE int output = -1;
    if (wish->is_apart) {
        output =
            open(child->output_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
        if (output < 0)
            return sc_fail_errno(err, errno, "'%s' cannot be written", child->output_path);
        started.streams[0] = SC_CHILD_NOTHING;
        started.streams[1] = started.streams[2] = output;
    }
    return sc_child_start(&started, &child->pid, err);
}

bool sc_child_run_start(struct sc_child_run *child, const struct sc_child_options *wish,
                        struct sc_err *err)
{
    *child = (struct sc_child_run){.is_apart = wish->is_apart};
    if (wish->outfile == NULL && (child->folder = sc_new_private_folder(err)) == NULL)
        return false;
    child->profile_path = wish->outfile != NULL ? sc_strdup(wish->outfile)
                                                : sc_format("%s/profile.json", child->folder);
    (void)stat(child->profile_path, &child->seen);
    child->output_path = wish->is_apart ? sc_format("%s/output.txt", child->folder) : NULL;
    bool is_started = start(child, wish, err);
    if (!is_started)
        sc_child_run_done(child);
    return is_started;
}

/* A profile that replaces another is another file. */
static void check_for_new_profile(struct sc_child_run *child)
{
    struct stat now;
    const struct stat *seen = &child->seen;
    if (stat(child->profile_path, &now) != 0)
        return;
    bool is_same = now.st_ino == seen->st_ino && now.st_size == seen->st_size &&
                   now.st_mtim.tv_sec == seen->st_mtim.tv_sec &&
                   now.st_mtim.tv_nsec == seen->st_mtim.tv_nsec;
    child->has_news = child->has_news || !is_same;
    child->seen = now;
}

bool sc_child_run_look(struct sc_child_run *child)
{
    if (child->pid != 0 && sc_child_await(child->pid, 0)) {
        child->status = sc_child_reap(child->pid, NULL);
        child->pid = 0;
    }
    check_for_new_profile(child); /* of a child that has ended the last one is there */
    return child->pid != 0;
}

bool sc_child_run_read(struct sc_child_run *child, struct sc_profile *ret_profile,
                       struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str json = {0};
    child->has_news = false;
    return sc_read_regular_file(child->profile_path, SC_PROFILE_BYTES_MAX, &json, err) &&
           sc_profile_from_json(sc_str_text(&json), json.length, ret_profile, err);
}

void sc_child_run_signal(const struct sc_child_run *child, int number)
{
    if (child->pid != 0)
        (void)kill(child->is_apart ? -child->pid : child->pid, number);
}

void sc_child_run_done(struct sc_child_run *child)
{
    struct stat facts;
    if (child->pid != 0) {
        sc_child_run_signal(child, SIGTERM);
        (void)sc_child_await(child->pid, END_LIMIT_MS);
        child->status = sc_child_kill(child->pid, NULL);
    }
    if (child->folder != NULL)
        (void)unlink(child->profile_path);
    if (child->output_path != NULL && stat(child->output_path, &facts) == 0 && facts.st_size == 0)
        (void)unlink(child->output_path);
    if (child->folder != NULL)
        (void)rmdir(child->folder);
    free(child->folder);
    free(child->profile_path);
    free(child->output_path);
    *child = (struct sc_child_run){0};
}
