/*
 * tests/unit/help_test.c - help lists every option, and keeps to its width.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/help.h"

#include "sc_test.h"

/* Whether an entry of the list begins with this option. */
static bool lists(const struct sc_str *text, const struct sc_option *option)
{
    SC_AUTO_FREE char *name = sc_format("\n  --%s", option->name);
    SC_AUTO_FREE char *both = sc_format("\n  -%c, --%s", option->short_name, option->name);
    const char *words = option->short_name != 0 ? both : name;
    const char *found = sc_str_text(text);
    while ((found = strstr(found, words)) != NULL)
        if (strchr(",= \n", *(found += strlen(words))) != NULL)
            return true;
    return false;
}

TEST(each_group_has_its_help)
{
    for (int group = SC_GROUP_BASIC; group <= SC_GROUP_ADVANCED; group++) {
        OWN(sc_str, text) = {0};
        sc_help_text(SC_VERB_RUN, (enum sc_option_group)group, 80, false, &text);
        for (int i = 0; i < SC_OPT_COUNT_; i++)
            if (sc_options[i].verb == SC_VERB_RUN)
                assert_true(lists(&text, &sc_options[i]) == ((int)sc_options[i].group == group));
        assert_null(strchr(text.data, '\033'));
    }
}

TEST(help_keeps_its_width)
{
    for (size_t width = 60; width <= 100; width += 20) {
        for (int verb = 0; verb < SC_VERB_COUNT_; verb++) {
            OWN(sc_str, text) = {0};
            sc_help_text((enum sc_verb)verb, SC_GROUP_ADVANCED, width, false, &text);
            const char *usage_end = strstr(text.data, "\n\n"); /* usage lines are never broken */
            assert_non_null(usage_end);
            for (char *line = strtok(text.data + (usage_end - text.data), "\n"); line != NULL;
                 line = strtok(NULL, "\n"))
                if (strchr(line, ' ') != NULL && strncmp(line, "  -", 3) != 0)
                    assert_true(strlen(line) <= width);
        }
    }
}

TEST(colour_changes_no_letter)
{
    OWN(sc_str, plain) = {0};
    OWN(sc_str, coloured) = {0};
    OWN(sc_str, stripped) = {0};
    sc_help_text(SC_VERB_RUN, SC_GROUP_ADVANCED, 80, false, &plain);
    sc_help_text(SC_VERB_RUN, SC_GROUP_ADVANCED, 80, true, &coloured);
    for (const char *letter = coloured.data; *letter != '\0'; letter++) {
        if (*letter == '\033')
            letter = strchr(letter, 'm');
        else
            sc_str_add_char(&stripped, *letter);
    }
    assert_true(coloured.length > plain.length);
    assert_string_equal(stripped.data, plain.data);
}
