/*
 * cli/man.c - manual pages, made from the table of options and a hand-written part.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/man.h"

#include <string.h>

#include "cli/help.h"

/* Text as roff wants it: hyphens that can be copied, backslashes, no control line by accident. */
static void add_text(struct sc_str *text, const char *words)
{
    if (*words == '.' || *words == '\'')
        sc_str_add(text, "\\&");
    for (; *words != '\0'; words++) {
        if (*words == '-')
            sc_str_add(text, "\\-");
        else if (*words == '\\')
            sc_str_add(text, "\\e");
        else
            sc_str_add_char(text, *words);
    }
}

static void add_usages(enum sc_verb verb, struct sc_str *text)
{
    sc_str_add(text, ".SH SYNOPSIS\n");
    const char *const *usages = sc_help_usages(verb);
    for (size_t i = 0; usages[i] != NULL; i++) {
        if (i > 0)
            sc_str_add(text, ".br\n");
        add_text(text, usages[i]);
        sc_str_add_char(text, '\n');
    }
}

static void add_options(enum sc_verb verb, enum sc_option_group group, const char *heading,
                        struct sc_str *text)
{
    bool any = false;
    for (int i = 0; i < SC_OPT_COUNT_; i++) {
        enum sc_option_id id = (enum sc_option_id)i;
        if (sc_options[id].verb != verb || sc_options[id].group != group)
            continue;
        if (!any)
            sc_str_add_format(text, ".SH %s\n", heading);
        any = true;
        struct sc_str words = {0};
        sc_help_option_heading(id, &words);
        sc_str_add(text, ".TP\n\\fB");
        add_text(text, sc_str_text(&words));
        sc_str_add(text, "\\fR\n");
        sc_str_clear(&words);
        sc_help_option_text(id, &words);
        add_text(text, sc_str_text(&words));
        sc_str_add(text, ".\n");
        sc_str_done(&words);
    }
}

static void add_commands(struct sc_str *text)
{
    sc_str_add(text, ".SH COMMANDS\n");
    for (int verb = SC_VERB_TOP + 1; verb < SC_VERB_COUNT_; verb++) {
        sc_str_add_format(text, ".TP\n\\fB%s\\fR\n", sc_verb_names[verb]);
        add_text(text, sc_verb_summaries[verb]);
        sc_str_add(text, ".\n");
    }
}

void sc_man_page(enum sc_verb verb, const char *more, struct sc_str *ret_text)
{
    bool is_top = verb == SC_VERB_TOP;
    SC_AUTO_FREE char *name =
        sc_format("scalene%s%s", is_top ? "" : "-", is_top ? "" : sc_verb_names[verb]);
    sc_str_add_format(ret_text, ".TH \"%s\" \"1\" \"%s\" \"Scalene %s\" \"Scalene\"\n", name,
                      SC_VERSION_DATE, SC_VERSION);
    sc_str_add(ret_text, ".SH NAME\n");
    add_text(ret_text, name);
    sc_str_add(ret_text, " \\- ");
    add_text(ret_text, sc_verb_summaries[verb]);
    sc_str_add_char(ret_text, '\n');
    add_usages(verb, ret_text);
    if (is_top)
        add_commands(ret_text);
    add_options(verb, SC_GROUP_BASIC, "OPTIONS", ret_text);
    add_options(verb, SC_GROUP_ADVANCED, "ADVANCED OPTIONS", ret_text);
    sc_str_add(ret_text, more);
}
