/* assist/command.c - see command.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assist/root.h"
#include "base/visible.h"

/* Whether the text is a module's dotted name. */
static bool is_module(const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    return text[0] != '\0' && text[0] != '.' && text[strspn(text, letters)] == '\0';
}

bool sc_ai_command_check(const struct sc_ai_program *program, bool *ret_is_file, struct sc_err *err)
{
    bool is_file = program->program[0] == '/' && access(program->program, R_OK) == 0;
    if (!program->is_own)
        return sc_fail(err, SC_ERR_USAGE,
                       "the command in this profile is not one that you have run here, so it is "
                       "not run: give a command");
    if (!is_file && !is_module(program->program))
        return sc_fail(err, SC_ERR_USAGE,
                       "the profile does not say how the program is started: give a command");
    *ret_is_file = is_file;
    return true;
}

char *sc_ai_command_directory(const char *root)
{
    SC_AUTO_FREE char *here = realpath(".", NULL);
    bool is_inside = here != NULL && sc_ai_is_below(here, root);
    return sc_strdup(is_inside ? here + strlen(root) + 1 : "");
}

/* A word as a shell would have it. */
static void add_word(struct sc_str *line, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./:=@%+,-";
    if (line->length > 0)
        sc_str_add_char(line, ' ');
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        sc_str_add(line, word);
        return;
    }
    sc_str_add_char(line, '\'');
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            sc_str_add(line, "'\\''");
        else
            sc_str_add_char(line, *word);
    }
    sc_str_add_char(line, '\'');
}

static void add_program(struct sc_str *line, const struct sc_ai_program *program,
                        const struct sc_ai_trial *trial, bool is_file)
{
    add_word(line, trial->python != NULL ? trial->python : "python3");
    if (!is_file)
        add_word(line, "-m");
    add_word(line, program->program);
    for (size_t i = 1; i < program->args.count; i++)
        add_word(line, program->args.items[i]);
}

static char *visible(const struct sc_str *text)
{
    struct sc_str shown = {0};
    sc_visible_add(&shown, sc_str_text(text), text->length, SC_VISIBLE_LINE);
    sc_str_add(&shown, "");
    return shown.data;
}

static char *find_folder(const struct sc_ai_proposal *proposal)
{
    SC_AUTO_FREE char *path = realpath(proposal->path, NULL);
    SC_AUTO_FREE char *root = NULL;
    if (path == NULL || !sc_ai_root_find(&proposal->program, path, &root, NULL))
        return NULL;
    SC_AUTO_FREE char *below = sc_ai_command_directory(root);
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    sc_str_add(&text, root);
    if (below[0] != '\0')
        sc_str_add_format(&text, "/%s", below);
    return visible(&text);
}

void sc_ai_command_describe(const struct sc_ai_proposal *proposal, const struct sc_ai_trial *trial,
                            struct sc_ai_command *ret_command)
{
    struct sc_ai_command command = {.folder = find_folder(proposal)};
    SC_AUTO(sc_str_done) struct sc_str line = {0};
    struct sc_err err = {0};
    bool is_file = false;
    if (trial->command != NULL) {
        sc_str_add(&line, "sh -c");
        add_word(&line, trial->command);
    } else if (sc_ai_command_check(&proposal->program, &is_file, &err)) {
        add_program(&line, &proposal->program, trial, is_file);
    }
    if (line.length > 0)
        command.line = visible(&line);
    else
        command.why = sc_strdup(err.text);
    *ret_command = command;
}

void sc_ai_command_done(struct sc_ai_command *command)
{
    free(command->line);
    free(command->why);
    free(command->folder);
    *command = (struct sc_ai_command){0};
}
