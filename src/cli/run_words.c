/* cli/run_words.c - see run_words.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_words.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/paths.h"
#include "cli/script.h"

struct reader {
    char *const *words;
    size_t index;
    struct sc_values *values;
    struct sc_run_words *out;
    bool ours; /* our options are still taken: no separator was seen */
    struct sc_err *err;
};

/* Python's own flags: letters that stand alone, and letters with an argument. -h, -V and -? are not
 * here, since they run no program. */
#define PLAIN_FLAGS    "bBdEiIOPqRsStuvx"
#define ARGUMENT_FLAGS "WX"

enum outcome { NOT_MINE, TAKEN, WRONG };

/* Whether an option behind the program's name is ours: what the original lacks is the program's, so
 * also --no-NAME but of two. */
static bool is_ours_behind(const struct sc_found_option *found)
{
    bool is_pair = found->id == SC_OPT_STACKS || found->id == SC_OPT_ASYNC;
    return found->exact && (sc_options[found->id].traits & SC_TRAIT_FIRST) == 0 &&
           (!found->negated || is_pair);
}

static enum outcome take_option(struct reader *reader, bool before_program)
{
    const char *word = reader->words[reader->index];
    struct sc_found_option found;
    /* after the program's name an ambiguous prefix is the program's own option */
    struct sc_err *err = before_program ? reader->err : NULL;
    enum sc_match match = sc_option_find(SC_VERB_RUN, word, &found, err);
    if (match == SC_MATCH_AMBIGUOUS)
        return before_program ? WRONG : NOT_MINE;
    if (match == SC_MATCH_NONE)
        return NOT_MINE;
    if (!before_program && !is_ours_behind(&found))
        return NOT_MINE;
    if (!sc_option_take(reader->values, &found, reader->words, &reader->index, reader->err)) {
        if (!before_program && reader->err != NULL) {
            struct sc_err cause = *reader->err;
            *reader->err = (struct sc_err){0};
            (void)sc_fail(reader->err, cause.kind, "%.300s " SC_PROGRAMS_OWN, cause.text);
        }
        return WRONG;
    }
    if (!before_program && found.id == SC_OPT_CONFIG)
        reader->out->config_is_behind = true;
    return TAKEN;
}

static void found_program(struct reader *reader, enum sc_program_kind kind, char *program)
{
    reader->out->found = true;
    reader->out->kind = kind;
    reader->out->program = program;
}

/* -m and -c end Python's own options; what they name is the rest of the word, or the next word. */
static enum outcome take_end_flag(struct reader *reader, char letter, char *rest)
{
    enum sc_program_kind kind = letter == 'm' ? SC_PROGRAM_MODULE : SC_PROGRAM_CODE;
    if (*rest == '\0') {
        rest = reader->words[reader->index + 1];
        if (rest == NULL) {
            (void)sc_fail(reader->err, SC_ERR_USAGE, "run: -%c needs %s", letter,
                          letter == 'm' ? "the name of a module" : "Python code");
            return WRONG;
        }
        reader->index++;
    }
    found_program(reader, kind, rest);
    return TAKEN;
}

/* Whether every letter up to one that takes the rest of the word is a flag of Python. */
static bool is_python_flags(const char *word, bool code_allowed)
{
    if (word[0] != '-' || word[1] == '\0')
        return false;
    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        if (strchr(ARGUMENT_FLAGS, *letter) != NULL || *letter == 'm' ||
            (*letter == 'c' && code_allowed))
            return true;
        if (strchr(PLAIN_FLAGS, *letter) == NULL)
            return false;
    }
    return true;
}

static enum outcome take_python_flags(struct reader *reader)
{
    char *word = reader->words[reader->index];
    /* before a separator -c means our configuration file */
    bool code_allowed = !reader->ours;
    if (!is_python_flags(word, code_allowed))
        return NOT_MINE;
    for (char *letter = word + 1; *letter != '\0'; letter++) {
        if (*letter == 'm' || *letter == 'c') {
            if (letter > word + 1) {
                /* "-um pkg": hand on "-u"; the line may be read again, by a run that compare starts
                 */
                reader->out->flags = sc_strndup(word, (size_t)(letter - word));
                sc_vec_push(&reader->out->interpreter, reader->out->flags);
            }
            return take_end_flag(reader, *letter, letter + 1);
        }
        if (strchr(ARGUMENT_FLAGS, *letter) == NULL)
            continue;
        sc_vec_push(&reader->out->interpreter, word);
        if (letter[1] != '\0')
            return TAKEN;
        char *argument = reader->words[reader->index + 1];
        if (argument == NULL) {
            (void)sc_fail(reader->err, SC_ERR_USAGE, "run: -%c needs an argument", *letter);
            return WRONG;
        }
        sc_vec_push(&reader->out->interpreter, argument);
        reader->index++;
        return TAKEN;
    }
    sc_vec_push(&reader->out->interpreter, word);
    return TAKEN;
}

/* A file, a folder that Python runs, or the name of a script for Python on PATH ("gunicorn"). */
static bool is_program(const char *word)
{
    if (strcmp(word, "-") == 0 || sc_ends_with(word, ".py"))
        return true;
    struct stat status;
    if (stat(word, &status) != 0) {
        SC_AUTO_FREE char *command = strchr(word, '/') == NULL ? sc_path_find_command(word) : NULL;
        SC_AUTO_FREE char *python = command != NULL ? sc_script_python(command) : NULL;
        return python != NULL;
    }
    if (!S_ISDIR(status.st_mode))
        return true;
    SC_AUTO_FREE char *main_file = sc_format("%s/__main__.py", word);
    return access(main_file, F_OK) == 0;
}

/* Without "#!" a shell would run it, for want of another interpreter; some file systems mark all
 * files executable. */
static bool is_pythons(const char *path)
{
    char head[2] = "";
    SC_AUTO_CLOSE int fd = sc_ends_with(path, ".py") ? sc_open_regular(path) : -1;
    return fd >= 0 && (read(fd, head, sizeof(head)) != 2 || memcmp(head, "#!", 2) != 0);
}

/* "python", "/usr/bin/python3.12", "./server": a command that runs the program. A file of such a
 * name in the working directory is a program. */
static bool is_command(const char *word)
{
    const char *name = sc_after_last(word, '/');
    bool is_named_so =
        sc_starts_with(name, "python") &&
        name[strlen("python") + strspn(name + strlen("python"), "0123456789.")] == '\0';
    if (name == word && (!is_named_so || is_program(word)))
        return false;
    SC_AUTO_FREE char *command = sc_path_find_command(word);
    return command != NULL && (is_named_so || sc_script_is_machine_code(command));
}

/* All words so far were meant for Scalene, also what only other versions know: as no program has
 * been named, none can be the program's. */
static void ignore_words(struct reader *reader)
{
    struct sc_run_words *out = reader->out;
    for (size_t i = 0; i < out->args.count; i++)
        sc_vec_push(&out->ignored, out->args.items[i]);
    out->args.count = 0;
    out->missing = NULL;
    reader->ours = false;
}

/* "--theirs out.json prog.py": a file behind an option that we do not know may be its value, if
 * something that is surely a program comes later. */
static bool may_be_a_value(const struct reader *reader)
{
    const struct sc_words *args = &reader->out->args;
    size_t index = reader->index;
    if (args->count == 0 || args->items[args->count - 1] != reader->words[index - 1] ||
        reader->words[index - 1][0] != '-' || sc_ends_with(reader->words[index], ".py"))
        return false;
    for (index++; reader->words[index] != NULL; index++)
        if (sc_ends_with(reader->words[index], ".py"))
            return true;
    return false;
}

static bool has_old_value(const char *word)
{
    return sc_is_one_of(word, strcspn(word, "="), "--column-width --port");
}

bool sc_run_words_is_old(const char *word)
{
    return has_old_value(word) ||
           sc_is_among(word, "--cli --cpu --html --json --no-browser --viewer --web");
}

/* What the options without verbs chose is chosen by `scalene view` now, or always done. */
static bool take_old_option(struct reader *reader)
{
    char *word = reader->words[reader->index];
    if (!sc_run_words_is_old(word))
        return false;
    if (strcmp(word, "--cpu") == 0) { /* chose the CPU's time alone, or beside --memory and --gpu */
        reader->values->of[SC_OPT_CPU_ONLY].flag = true;
        return true;
    }
    reader->out->ignored_is_behind |= reader->out->found;
    sc_vec_push(&reader->out->ignored, word);
    char *value = reader->words[reader->index + 1];
    if (has_old_value(word) && strchr(word, '=') == NULL && value != NULL) {
        sc_vec_push(&reader->out->ignored, value);
        reader->index++;
    }
    return true;
}

static enum outcome take_word_before_program(struct reader *reader)
{
    char *word = reader->words[reader->index];
    if (reader->ours) {
        enum outcome outcome = take_option(reader, true);
        if (outcome != NOT_MINE)
            return outcome;
    }
    enum outcome outcome = take_python_flags(reader);
    if (outcome != NOT_MINE)
        return outcome;
    if (is_command(word) && reader->out->interpreter.count == 0 && !may_be_a_value(reader)) {
        ignore_words(reader); /* as behind a separator: "scalene --- python -m pkg" */
        found_program(reader, SC_PROGRAM_COMMAND, word);
        return TAKEN;
    }
    if ((word[0] != '-' || word[1] == '\0') && is_program(word) && !may_be_a_value(reader)) {
        found_program(reader, SC_PROGRAM_FILE, word);
        return TAKEN;
    }
    /* An option we do not know, or its value: the program's, though the program comes later. */
    sc_vec_push(&reader->out->args, word);
    if (word[0] != '-' && reader->out->missing == NULL)
        reader->out->missing = word;
    if (reader->ours && sc_starts_with(word, "--") && reader->out->typo == NULL) {
        reader->out->typo_meant = sc_option_suggest(SC_VERB_RUN, word);
        reader->out->typo = reader->out->typo_meant != NULL ? word : NULL;
    }
    return TAKEN;
}

/* `-- COMMAND ARGS`, `-- PROGRAM.py ARGS` or `-- -m MODULE ARGS`. */
static bool take_behind_separator(struct reader *reader)
{
    struct sc_run_words *out = reader->out;
    char *first = reader->words[reader->index + 1];
    if (first == NULL)
        return sc_fail(reader->err, SC_ERR_USAGE, "run: no command follows '--'");
    ignore_words(reader);
    SC_AUTO_FREE char *command = sc_path_find_command(first);
    if (command != NULL ? is_pythons(command) : first[0] == '-' || is_program(first))
        return true; /* a program for Python, which is read as one without the separator */
    if (out->interpreter.count > 0)
        return sc_fail(reader->err, SC_ERR_USAGE,
                       "run: '%.100s' is for Python, and a command follows '--'",
                       out->interpreter.items[0]);
    reader->index++;
    found_program(reader, SC_PROGRAM_COMMAND, first);
    return true;
}

static bool wants_help(const struct sc_values *values)
{
    return values->of[SC_OPT_HELP].flag || values->of[SC_OPT_HELP_ADVANCED].flag;
}

/* Whether "--" comes before anything that is surely a program. */
static bool has_separator(char *const *words)
{
    for (; *words != NULL && !sc_ends_with(*words, ".py") && strcmp(*words, "-m") != 0; words++)
        if (strcmp(*words, "--") == 0)
            return true;
    return false;
}

bool sc_run_words_read(char *const *words, bool is_old, struct sc_values *values,
                       struct sc_run_words *ret_words, struct sc_err *err)
{
    struct reader reader = {
        .words = words, .values = values, .out = ret_words, .ours = true, .err = err};
    bool is_for_us = has_separator(words); /* what comes before the program */
    for (; words[reader.index] != NULL && !wants_help(values); reader.index++) {
        char *word = words[reader.index];
        if (reader.ours && strcmp(word, "---") == 0) {
            reader.ours = false;
            continue;
        }
        if (reader.ours && (is_old || (is_for_us && !ret_words->found)) && take_old_option(&reader))
            continue;
        if (!ret_words->found) {
            if (reader.ours && strcmp(word, "--") == 0) {
                if (!take_behind_separator(&reader))
                    return false;
                continue;
            }
            if (take_word_before_program(&reader) == WRONG)
                return false;
            continue;
        }
        if (reader.ours && strcmp(word, "--") == 0)
            reader.ours = false; /* the program gets the separator, as from Python itself */
        enum outcome outcome = reader.ours ? take_option(&reader, false) : NOT_MINE;
        if (outcome == WRONG)
            return false;
        if (outcome == NOT_MINE)
            sc_vec_push(&ret_words->args, word);
    }
    return true;
}

void sc_run_words_done(struct sc_run_words *words)
{
    sc_vec_done(&words->interpreter);
    free(words->flags);
    sc_vec_done(&words->args);
    sc_vec_done(&words->ignored);
    memset(words, 0, sizeof(*words));
}
