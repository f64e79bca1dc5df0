/*
 * tests/unit/options_test.c - the table of options: finding, taking and setting.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/options.h"

#include "sc_test.h"

TEST(the_table_is_sound)
{
    for (int i = 0; i < SC_OPT_COUNT_; i++) {
        const struct sc_option *option = &sc_options[i];
        bool takes = sc_option_takes_value((enum sc_option_id)i);
        assert_true(takes == (option->metavar != NULL));
        assert_true(option->group == SC_GROUP_HIDDEN || option->help[0] != '\0');
        assert_true((option->kind == SC_ARG_ACTION) == (option->fallback == NULL));
        assert_true(option->low <= option->high);
        for (int j = 0; j < i; j++) {
            if (sc_options[j].verb != option->verb)
                continue;
            assert_string_not_equal(sc_options[j].name, option->name);
            if (option->short_name != 0)
                assert_int_not_equal(sc_options[j].short_name, option->short_name);
        }
    }
}

TEST(defaults_are_set)
{
    OWN(sc_values, values);
    sc_values_init(&values);
    assert_string_equal(values.of[SC_OPT_OUTFILE].text, "scalene-profile.json");
    assert_true(values.of[SC_OPT_CPU_SAMPLING_RATE].number > 0.0099);
    assert_true(isinf(values.of[SC_OPT_PROFILE_INTERVAL].number));
    assert_int_equal(values.of[SC_OPT_ALLOCATION_SAMPLING_WINDOW].count, 8192);
    assert_true(values.of[SC_OPT_STACKS].flag);
    assert_false(values.of[SC_OPT_PROFILE_ALL].flag);
    assert_null(values.of[SC_OPT_CONFIG].text);
    assert_int_equal(values.of[SC_OPT_PROFILE_ONLY].list.count, 0);
    for (int i = 0; i < SC_OPT_COUNT_; i++)
        assert_int_equal(values.of[i].source, SC_FROM_DEFAULT);
}

static void assert_found(const char *word, enum sc_option_id id, bool negated, bool exact,
                         const char *value)
{
    struct sc_found_option found;
    struct sc_err err = {0};
    assert_int_equal(sc_option_find(SC_VERB_RUN, word, &found, &err), SC_MATCH_ONE);
    assert_int_equal(found.id, id);
    assert_true(found.negated == negated);
    assert_true(found.exact == exact);
    if (value == NULL)
        assert_null(found.value);
    else
        assert_string_equal(found.value, value);
}

TEST(options_are_found_by_name_prefix_and_letter)
{
    assert_found("--cpu-only", SC_OPT_CPU_ONLY, false, true, NULL);
    assert_found("--cpu-o", SC_OPT_CPU_ONLY, false, false, NULL);
    assert_found("--profile-a", SC_OPT_PROFILE_ALL, false, false, NULL);
    assert_found("--memory", SC_OPT_MEMORY, false, true, NULL); /* also begins another name */
    assert_found("--on", SC_OPT_ON, false, true, NULL);
    assert_found("--no-stacks", SC_OPT_STACKS, true, true, NULL);
    assert_found("--no-a", SC_OPT_ASYNC, true, false, NULL);
    assert_found("--outfile=a=b", SC_OPT_OUTFILE, false, true, "a=b");
    assert_found("--outfile=", SC_OPT_OUTFILE, false, true, "");
    assert_found("-o", SC_OPT_OUTFILE, false, true, NULL);
    assert_found("-oa.json", SC_OPT_OUTFILE, false, false, "a.json");
    assert_found("-c", SC_OPT_CONFIG, false, true, NULL);
}

TEST(what_is_no_option_is_not_found)
{
    static const char *const words[] = {"--",  "-",   "",     "x.py",     "--json", "--no-browser",
                                        "-u",  "-hx", "--=x", "--no-pid", "--html", "---",
                                        "cpu", "--i", "--pi", "--reduced"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct sc_found_option found;
        struct sc_err err = {0};
        assert_int_equal(sc_option_find(SC_VERB_RUN, words[i], &found, &err), SC_MATCH_NONE);
        assert_int_equal(err.kind, SC_ERR_NONE);
    }
}

TEST(a_prefix_of_several_is_an_error_that_names_them)
{
    struct sc_found_option found;
    struct sc_err err = {0};
    assert_int_equal(sc_option_find(SC_VERB_RUN, "--cpu", &found, &err), SC_MATCH_AMBIGUOUS);
    assert_int_equal(err.kind, SC_ERR_USAGE);
    assert_non_null(strstr(err.text, "--cpu-only"));
    assert_non_null(strstr(err.text, "--cpu-sampling-rate"));
    struct sc_err second = {0};
    assert_int_equal(sc_option_find(SC_VERB_RUN, "--no", &found, &second), SC_MATCH_AMBIGUOUS);
    assert_non_null(strstr(second.text, "--no-async"));
    /* `scalene` itself takes no prefixes */
    assert_int_equal(sc_option_find(SC_VERB_TOP, "--vers", &found, &second), SC_MATCH_NONE);
}

static enum sc_err_kind set(struct sc_values *values, enum sc_option_id id, const char *text)
{
    struct sc_err err = {0};
    bool good = sc_value_set(values, id, text, SC_FROM_COMMAND, "--it", &err);
    assert_true(good == (err.kind == SC_ERR_NONE));
    if (!good)
        assert_int_equal(strncmp(err.text, "--it: ", 6), 0);
    return err.kind;
}

TEST(values_are_checked)
{
    static const struct {
        enum sc_option_id id;
        const char *text;
        bool good;
    } cases[] = {
        {SC_OPT_CPU_SAMPLING_RATE, "0.001", true},
        {SC_OPT_CPU_SAMPLING_RATE, "1e-2", true},
        {SC_OPT_CPU_SAMPLING_RATE, "0", false},
        {SC_OPT_CPU_SAMPLING_RATE, "-1", false},
        {SC_OPT_CPU_SAMPLING_RATE, "nan", false},
        {SC_OPT_CPU_SAMPLING_RATE, "inf", false},
        {SC_OPT_CPU_SAMPLING_RATE, "0.01s", false},
        {SC_OPT_CPU_SAMPLING_RATE, "", false},
        {SC_OPT_PROFILE_INTERVAL, "inf", true},
        {SC_OPT_PROFILE_INTERVAL, ".inf", true},
        {SC_OPT_PROFILE_INTERVAL, "2", true},
        {SC_OPT_PROFILE_INTERVAL, "0", false},
        {SC_OPT_CPU_PERCENT_THRESHOLD, "0", true},
        {SC_OPT_CPU_PERCENT_THRESHOLD, "100.5", false},
        {SC_OPT_MALLOC_THRESHOLD, "0", true},
        {SC_OPT_MALLOC_THRESHOLD, "-1", false},
        {SC_OPT_MALLOC_THRESHOLD, "1.5", false},
        {SC_OPT_MALLOC_THRESHOLD, "99999999999999999999999", false},
        {SC_OPT_ALLOCATION_SAMPLING_WINDOW, "0", false},
        {SC_OPT_OUTFILE, "", false},
        {SC_OPT_GPU, "true", true},
        {SC_OPT_GPU, "Off", true},
        {SC_OPT_GPU, "3", false},
    };
    OWN(sc_values, values);
    sc_values_init(&values);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        enum sc_err_kind kind = set(&values, cases[i].id, cases[i].text);
        assert_int_equal(kind, cases[i].good ? SC_ERR_NONE : SC_ERR_USAGE);
    }
}

TEST(the_higher_source_wins_in_any_order)
{
    OWN(sc_values, values);
    sc_values_init(&values);
    (void)sc_value_set(&values, SC_OPT_OUTFILE, "command", SC_FROM_COMMAND, "", NULL);
    (void)sc_value_set(&values, SC_OPT_OUTFILE, "config", SC_FROM_CONFIG, "", NULL);
    assert_string_equal(values.of[SC_OPT_OUTFILE].text, "command");
    (void)sc_value_set(&values, SC_OPT_OUTFILE, "again", SC_FROM_COMMAND, "", NULL);
    assert_string_equal(values.of[SC_OPT_OUTFILE].text, "again");
    (void)sc_value_set(&values, SC_OPT_PROFILE_ALL, "true", SC_FROM_CONFIG, "", NULL);
    (void)sc_value_set(&values, SC_OPT_PROFILE_ALL, "false", SC_FROM_COMMAND, "", NULL);
    assert_false(values.of[SC_OPT_PROFILE_ALL].flag);
    /* a bad value of a lower source is still reported */
    struct sc_err err = {0};
    (void)sc_value_set(&values, SC_OPT_PROFILE_ALL, "maybe", SC_FROM_CONFIG, "f:1", &err);
    assert_int_equal(err.kind, SC_ERR_FAILED);
}

TEST(lists_drop_empty_items_and_are_replaced)
{
    OWN(sc_values, values);
    sc_values_init(&values);
    const struct sc_value *only = &values.of[SC_OPT_PROFILE_ONLY];
    sc_value_add_item(&values, SC_OPT_PROFILE_ONLY, "x,y", SC_FROM_CONFIG);
    sc_value_add_item(&values, SC_OPT_PROFILE_ONLY, "", SC_FROM_CONFIG);
    assert_int_equal(only->list.count, 1);
    assert_string_equal(only->list.items[0], "x,y");
    assert_int_equal(set(&values, SC_OPT_PROFILE_ONLY, ",a,,b b,"), SC_ERR_NONE);
    assert_int_equal(only->list.count, 2);
    assert_string_equal(only->list.items[0], "a");
    assert_string_equal(only->list.items[1], "b b");
    sc_value_add_item(&values, SC_OPT_PROFILE_ONLY, "late", SC_FROM_CONFIG);
    assert_int_equal(only->list.count, 2);
    assert_int_equal(set(&values, SC_OPT_PROFILE_ONLY, ""), SC_ERR_NONE);
    assert_int_equal(only->list.count, 0);
}

/* Parses the words of `scalene view`, cut at spaces, and returns what went wrong. */
static struct sc_err parse_view(char *line, struct sc_values *values, struct sc_words *operands)
{
    struct sc_err err = {0};
    char *words[8] = {NULL};
    size_t count = 0;
    for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " "))
        words[count++] = word;
    sc_values_init(values);
    (void)sc_options_parse(SC_VERB_VIEW, words, values, operands, &err);
    return err;
}

TEST(other_commands_are_strict)
{
    struct sc_values values;
    struct sc_words operands = {0};
    char good[] = "--cli -r a.json -- --cli";
    assert_int_equal(parse_view(good, &values, &operands).kind, SC_ERR_NONE);
    assert_true(values.of[SC_OPT_VIEW_CLI].flag && values.of[SC_OPT_VIEW_REDUCED].flag);
    assert_int_equal(operands.count, 2);
    assert_string_equal(operands.items[1], "--cli");
    sc_values_done(&values);
    char bad[] = "--clii";
    struct sc_err err = parse_view(bad, &values, &operands);
    assert_int_equal(err.kind, SC_ERR_USAGE);
    assert_non_null(strstr(err.text, "did you mean --cli"));
    sc_values_done(&values);
    char valued[] = "--cli=yes";
    assert_int_equal(parse_view(valued, &values, &operands).kind, SC_ERR_USAGE);
    sc_values_done(&values);
    sc_vec_done(&operands);
}

TEST(slips_are_recognised_and_other_words_are_not)
{
    static const char *const slips[][2] = {
        {"--cpuonly", "cpu-only"},
        {"--cpu-onyl", "cpu-only"},
        {"--prfile-all", "profile-all"},
        {"--out-file=x", "outfile"},
        {"--gpuu", "gpu"},
        {"--profile-ecxlude", "profile-exclude"},
    };
    for (size_t i = 0; i < sizeof(slips) / sizeof(slips[0]); i++)
        assert_string_equal(sc_option_suggest(SC_VERB_RUN, slips[i][0]), slips[i][1]);
    static const char *const others[] = {"--json", "--cli", "--no-browser", "--html",
                                         "--web",  "--foo", "--port",       "--column-width"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_null(sc_option_suggest(SC_VERB_RUN, others[i]));
    char lengthy[200];
    memset(lengthy, '-', sizeof(lengthy) - 1);
    lengthy[sizeof(lengthy) - 1] = '\0';
    assert_null(sc_option_suggest(SC_VERB_RUN, lengthy));
}
