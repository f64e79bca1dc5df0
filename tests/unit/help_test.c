/*
 * tests/unit/help_test.c - help, manual pages and completion scripts list every option.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/help.h"

#include <string.h>

#include "cli/completion.h"
#include "cli/man.h"
#include "sc_test.h"

static bool holds(const struct sc_str *text, const char *words)
{
    return strstr(sc_str_text(text), words) != NULL;
}

static void each_group_has_its_help(void **state)
{
    (void)state;
    for (int group = SC_GROUP_BASIC; group <= SC_GROUP_ADVANCED; group++) {
        struct sc_str text = {0};
        sc_help_text(SC_VERB_RUN, (enum sc_option_group)group, 80, false, &text);
        for (int i = 0; i < SC_OPT_COUNT_; i++) {
            if (sc_options[i].verb != SC_VERB_RUN)
                continue;
            struct sc_str heading = {0};
            sc_str_add(&heading, "\n  ");
            sc_help_option_heading((enum sc_option_id)i, &heading);
            assert_true(holds(&text, heading.data) == ((int)sc_options[i].group == group));
            sc_str_done(&heading);
        }
        assert_null(strchr(text.data, '\033'));
        sc_str_done(&text);
    }
}

static void help_keeps_its_width(void **state)
{
    (void)state;
    for (size_t width = 60; width <= 100; width += 20) {
        for (int verb = 0; verb < SC_VERB_COUNT_; verb++) {
            struct sc_str text = {0};
            sc_help_text((enum sc_verb)verb, SC_GROUP_ADVANCED, width, false, &text);
            const char *usage_end = strstr(text.data, "\n\n"); /* usage lines are never broken */
            assert_non_null(usage_end);
            for (char *line = strtok(text.data + (usage_end - text.data), "\n"); line != NULL;
                 line = strtok(NULL, "\n"))
                if (strchr(line, ' ') != NULL && strncmp(line, "  -", 3) != 0)
                    assert_true(strlen(line) <= width);
            sc_str_done(&text);
        }
    }
}

static void colour_changes_no_letter(void **state)
{
    (void)state;
    struct sc_str plain = {0};
    struct sc_str coloured = {0};
    struct sc_str stripped = {0};
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
    sc_str_done(&plain);
    sc_str_done(&coloured);
    sc_str_done(&stripped);
}

static void manual_pages_list_every_option(void **state)
{
    (void)state;
    for (int verb = 0; verb < SC_VERB_COUNT_; verb++) {
        struct sc_str page = {0};
        sc_man_page((enum sc_verb)verb, ".SH MORE\nWritten by hand.\n", &page);
        assert_int_equal(strncmp(page.data, ".TH \"scalene", 12), 0);
        assert_true(holds(&page, "Written by hand."));
        for (int i = 0; i < SC_OPT_COUNT_; i++) {
            if ((int)sc_options[i].verb != verb || sc_options[i].group == SC_GROUP_HIDDEN)
                continue;
            struct sc_str name = {0};
            sc_str_add(&name, "\\-\\-");
            for (const char *letter = sc_options[i].name; *letter != '\0'; letter++)
                sc_str_add(&name, *letter == '-' ? "\\-" : (const char[]){*letter, '\0'});
            assert_true(holds(&page, name.data));
            sc_str_done(&name);
        }
        assert_false(holds(&page, "ipython"));
        sc_str_done(&page);
    }
}

static void completions_list_every_option(void **state)
{
    (void)state;
    static const char *const shells[] = {"bash", "zsh", "fish"};
    for (size_t shell = 0; shell < sizeof(shells) / sizeof(shells[0]); shell++) {
        struct sc_str script = {0};
        assert_true(sc_completion_script(shells[shell], &script));
        for (int i = 0; i < SC_OPT_COUNT_; i++)
            if (sc_options[i].group != SC_GROUP_HIDDEN)
                assert_true(holds(&script, sc_options[i].name));
        assert_false(holds(&script, "ipython"));
        sc_str_done(&script);
    }
    struct sc_str none = {0};
    assert_false(sc_completion_script("tcsh", &none));
    assert_int_equal(none.length, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_group_has_its_help),
        cmocka_unit_test(help_keeps_its_width),
        cmocka_unit_test(colour_changes_no_letter),
        cmocka_unit_test(manual_pages_list_every_option),
        cmocka_unit_test(completions_list_every_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
