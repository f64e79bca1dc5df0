/* cli/help.c - see help.h. SPDX-License-Identifier: Apache-2.0 */
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

/* The forms a command is written in, one a line. */
static const char *const usages[SC_VERB_COUNT_] = {
#define VERB(id, name, summary, usage, ...) [SC_VERB_##id] = (usage),
#include "cli/options.def"
};

/* What stands below the basic options, or NULL. */
static const char *const closings[SC_VERB_COUNT_] = {
#define VERB(id, name, summary, usage, operands, closing) [SC_VERB_##id] = (closing),
#include "cli/options.def"
};

/* "-o, --outfile=FILE" */
static void add_heading(enum sc_option_id id, struct sc_str *ret_text)
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

/* What the option does, with its default. */
static void add_meaning(enum sc_option_id id, struct sc_str *ret_text)
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

void sc_help_add_wrapped(struct sc_str *text, const char *words, size_t column, size_t indent,
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
    SC_AUTO(sc_str_done) struct sc_str heading = {0};
    SC_AUTO(sc_str_done) struct sc_str words = {0};
    add_heading(id, &heading);
    add_meaning(id, &words);
    sc_str_add(text, "  ");
    add_styled(text, heading.data, STYLE_OPTION, colour);
    size_t column = 2 + heading.length;
    if (column + 2 > HELP_COLUMN) {
        sc_str_add_char(text, '\n');
        column = 0;
    }
    sc_help_add_wrapped(text, sc_str_text(&words), column < HELP_COLUMN ? column : HELP_COLUMN,
                        HELP_COLUMN, width);
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
        sc_help_add_wrapped(text, sc_verb_summaries[verb], 2 + strlen(sc_verb_names[verb]),
                            HELP_COLUMN, width);
    }
}

void sc_help_text(enum sc_verb verb, enum sc_option_group group, size_t width, bool colour,
                  struct sc_str *ret_text)
{
    add_styled(ret_text, "Usage:", STYLE_HEADING, colour);
    sc_str_add_char(ret_text, ' ');
    for (const char *letter = usages[verb]; *letter != '\0'; letter++)
        sc_str_add_format(ret_text, *letter == '\n' ? "%c       " : "%c", *letter);
    sc_str_add(ret_text, "\n\n");
    const char *name = verb == SC_VERB_TOP ? "scalene" : sc_verb_names[verb];
    SC_AUTO_FREE char *summary = sc_format("%s: %s", name, sc_verb_summaries[verb]);
    sc_help_add_wrapped(ret_text, summary, 0, 0, width);
    if (verb == SC_VERB_TOP)
        add_commands(ret_text, width, colour);
    add_options(ret_text, verb, group, width, colour);
    if (closings[verb] != NULL && group == SC_GROUP_BASIC) {
        sc_str_add_char(ret_text, '\n');
        sc_help_add_wrapped(ret_text, closings[verb], 0, 0, width);
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
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    sc_help_text(verb, group, terminal_width(is_terminal), colour, &text);
    (void)fputs(sc_str_text(&text), stdout);
}
