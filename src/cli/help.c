/*
 * cli/help.c - help texts, made from the table of options.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_DEFAULT 80
#define WIDTH_LEAST   40
#define WIDTH_MOST    100
#define HELP_COLUMN   26 /* where the texts of options and commands begin */

/* SGR sequences */
#define STYLE_HEADING "1;34"
#define STYLE_OPTION  "1;36"
#define STYLE_COMMAND "1;35"

static const char *const top_usages[] = {"scalene COMMAND ...", NULL};
static const char *const run_usages[] = {
    "scalene run [options] program.py [arguments]",
    "scalene run [options] -m module [arguments]",
    "scalene run [options] --- -c code [arguments]",
    "scalene run [options] -- command [arguments]",
    NULL,
};
static const char *const view_usages[] = {"scalene view [options] [profile.json]", NULL};
static const char *const optimize_usages[] = {"scalene optimize [options] FILE:LINE[-LAST]", NULL};
static const char *const profile_usages[] = {"scalene profile --on|--off --pid=PID", NULL};
static const char *const doctor_usages[] = {"scalene doctor [options]", NULL};
static const char *const selftest_usages[] = {"scalene selftest [options]", NULL};
static const char *const gpu_modes_usages[] = {"scalene set-nvidia-gpu-modes [--yes]", NULL};
static const char *const completion_usages[] = {"scalene completion bash|zsh|fish", NULL};
static const char *const help_usages[] = {"scalene help [COMMAND]", NULL};

const char *const *sc_help_usages(enum sc_verb verb)
{
    static const char *const *const usages[SC_VERB_COUNT_] = {
        [SC_VERB_TOP] = top_usages,         [SC_VERB_RUN] = run_usages,
        [SC_VERB_VIEW] = view_usages,       [SC_VERB_OPTIMIZE] = optimize_usages,
        [SC_VERB_PROFILE] = profile_usages, [SC_VERB_COMPLETION] = completion_usages,
        [SC_VERB_HELP] = help_usages,       [SC_VERB_GPU_MODES] = gpu_modes_usages,
        [SC_VERB_DOCTOR] = doctor_usages,   [SC_VERB_SELFTEST] = selftest_usages,
    };
    return usages[verb];
}

/* A sentence below the options, or NULL. */
static const char *closing(enum sc_verb verb, enum sc_option_group group)
{
    if (verb == SC_VERB_TOP)
        return "`scalene help COMMAND` shows more about a command.";
    if (verb == SC_VERB_RUN && group == SC_GROUP_BASIC)
        return "Options that scalene does not know go to the program. `---` ends the options of "
               "scalene; `--` does so too and names any command that starts a Python. There are "
               "more options: `scalene run --help-advanced`.";
    if (verb == SC_VERB_OPTIMIZE)
        return "Keys come from the environment: ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, "
               "AZURE_OPENAI_API_KEY and AZURE_OPENAI_ENDPOINT, AWS_ACCESS_KEY_ID and "
               "AWS_SECRET_ACCESS_KEY, SCALENE_AI_KEY.";
    if (verb == SC_VERB_GPU_MODES)
        return "Switches on persistence and accounting mode of all NVIDIA GPUs, until the machine "
               "restarts, and says what that means. Only root may.";
    if (verb == SC_VERB_DOCTOR)
        return "Ends with 0 where a profile can be had, perhaps without parts of it, and with 1 "
               "where none can.";
    if (verb == SC_VERB_SELFTEST)
        return "Takes some seconds. Ends with 0 where all numbers are within the bounds that it "
               "states, and with 1 otherwise.";
    if (verb == SC_VERB_COMPLETION)
        return "For bash: scalene completion bash > "
               "~/.local/share/bash-completion/completions/scalene";
    return NULL;
}

void sc_help_option_heading(enum sc_option_id id, struct sc_str *ret_text)
{
    const struct sc_option *option = &sc_options[id];
    if (option->short_name != 0)
        sc_str_add_format(ret_text, "-%c, ", option->short_name);
    sc_str_add_format(ret_text, "--%s", option->name);
    if (option->kind == SC_ARG_SWITCH)
        sc_str_add_format(ret_text, ", --no-%s", option->name);
    if (option->metavar != NULL)
        sc_str_add_format(ret_text, "=%s", option->metavar);
}

void sc_help_option_text(enum sc_option_id id, struct sc_str *ret_text)
{
    const struct sc_option *option = &sc_options[id];
    sc_str_add(ret_text, option->help);
    const char *fallback = option->fallback;
    if (sc_option_takes_value(id) && fallback != NULL && fallback[0] != '\0')
        sc_str_add_format(ret_text, " (default: %s)",
                          strcmp(fallback, "inf") == 0 ? "never" : fallback);
    if (option->kind == SC_ARG_SWITCH)
        sc_str_add(ret_text, " (default: yes)");
    if ((option->traits & SC_TRAIT_IGNORED) != 0)
        sc_str_add(ret_text, " [has no effect]");
}

static void add_styled(struct sc_str *text, const char *words, const char *style, bool colour)
{
    if (colour)
        sc_str_add_format(text, "\033[%sm%s\033[0m", style, words);
    else
        sc_str_add(text, words);
}

static void add_spaces(struct sc_str *text, size_t count)
{
    while (count-- > 0)
        sc_str_add_char(text, ' ');
}

/* Adds words from column on, wrapped at width, each new line indented by indent. */
static void add_wrapped(struct sc_str *text, const char *words, size_t column, size_t indent,
                        size_t width)
{
    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        if (column > indent && column + 1 + length > width) {
            sc_str_add_char(text, '\n');
            column = 0;
        } else if (column > indent) {
            sc_str_add_char(text, ' ');
            column++;
        }
        if (column < indent) {
            add_spaces(text, indent - column);
            column = indent;
        }
        sc_str_add_bytes(text, words, length);
        column += length;
        words += length;
        words += strspn(words, " ");
    }
    sc_str_add_char(text, '\n');
}

static void add_option(struct sc_str *text, enum sc_option_id id, size_t width, bool colour)
{
    struct sc_str heading = {0};
    struct sc_str words = {0};
    sc_help_option_heading(id, &heading);
    sc_help_option_text(id, &words);
    sc_str_add(text, "  ");
    add_styled(text, heading.data, STYLE_OPTION, colour);
    size_t column = 2 + heading.length;
    if (column + 2 > HELP_COLUMN) {
        sc_str_add_char(text, '\n');
        column = 0;
    }
    add_wrapped(text, sc_str_text(&words), column < HELP_COLUMN ? column : HELP_COLUMN, HELP_COLUMN,
                width);
    sc_str_done(&heading);
    sc_str_done(&words);
}

static void add_options(struct sc_str *text, enum sc_verb verb, enum sc_option_group group,
                        size_t width, bool colour)
{
    bool any = false;
    for (int id = 0; id < SC_OPT_COUNT_; id++) {
        if (sc_options[id].verb != verb || sc_options[id].group != group)
            continue;
        if (!any) {
            sc_str_add_char(text, '\n');
            add_styled(text,
                       group == SC_GROUP_ADVANCED ? "Advanced options:" : "Options:", STYLE_HEADING,
                       colour);
            sc_str_add_char(text, '\n');
        }
        any = true;
        add_option(text, (enum sc_option_id)id, width, colour);
    }
}

static void add_commands(struct sc_str *text, size_t width, bool colour)
{
    sc_str_add_char(text, '\n');
    add_styled(text, "Commands:", STYLE_HEADING, colour);
    sc_str_add_char(text, '\n');
    for (int verb = SC_VERB_TOP + 1; verb < SC_VERB_COUNT_; verb++) {
        sc_str_add(text, "  ");
        add_styled(text, sc_verb_names[verb], STYLE_COMMAND, colour);
        add_wrapped(text, sc_verb_summaries[verb], 2 + strlen(sc_verb_names[verb]), HELP_COLUMN,
                    width);
    }
}

void sc_help_text(enum sc_verb verb, enum sc_option_group group, size_t width, bool colour,
                  struct sc_str *ret_text)
{
    const char *const *usages = sc_help_usages(verb);
    for (size_t i = 0; usages[i] != NULL; i++) {
        if (i == 0)
            add_styled(ret_text, "Usage:", STYLE_HEADING, colour);
        else
            sc_str_add(ret_text, "      ");
        sc_str_add_format(ret_text, " %s\n", usages[i]);
    }
    sc_str_add_char(ret_text, '\n');
    const char *name = verb == SC_VERB_TOP ? "scalene" : sc_verb_names[verb];
    SC_AUTO_FREE char *summary = sc_format("%s: %s", name, sc_verb_summaries[verb]);
    add_wrapped(ret_text, summary, 0, 0, width);
    if (verb == SC_VERB_TOP)
        add_commands(ret_text, width, colour);
    add_options(ret_text, verb, group, width, colour);
    const char *last = closing(verb, group);
    if (last != NULL) {
        sc_str_add_char(ret_text, '\n');
        add_wrapped(ret_text, last, 0, 0, width);
    }
}

static size_t terminal_width(bool is_terminal)
{
    struct winsize size;
    size_t width = WIDTH_DEFAULT;
    if (is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col;
    return width < WIDTH_LEAST ? WIDTH_LEAST : width > WIDTH_MOST ? WIDTH_MOST : width;
}

void sc_help_show(enum sc_verb verb, enum sc_option_group group)
{
    bool is_terminal = isatty(STDOUT_FILENO) == 1;
    const char *no_color = getenv("NO_COLOR");
    bool colour = is_terminal && (no_color == NULL || no_color[0] == '\0');
    struct sc_str text = {0};
    sc_help_text(verb, group, terminal_width(is_terminal), colour, &text);
    (void)fputs(sc_str_text(&text), stdout);
    sc_str_done(&text);
}
