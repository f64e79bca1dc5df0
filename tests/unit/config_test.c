/*
 * tests/unit/config_test.c - options from a YAML file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/config.h"

#include "base/str.h"
#include "sc_test.h"

static struct sc_err parse(const char *text, struct sc_values *values)
{
    struct sc_err err = {0};
    sc_values_init(values);
    bool good = sc_config_parse(text, strlen(text), "f.yaml", values, &err);
    assert_true(good == (err.kind == SC_ERR_NONE));
    return err;
}

TEST(every_option_of_run_has_a_key)
{
    for (int i = 0; i < SC_OPT_COUNT_; i++) {
        const struct sc_option *option = &sc_options[i];
        if (option->verb != SC_VERB_RUN || (option->traits & SC_TRAIT_NO_CONFIG) != 0)
            continue;
        bool has_value = sc_option_takes_value((enum sc_option_id)i);
        bool is_number = option->kind == SC_ARG_NUMBER || option->kind == SC_ARG_COUNT;
        const char *value = !has_value ? "false" : is_number ? "7" : "some";
        for (int underscores = 0; underscores < 2; underscores++) {
            OWN(sc_str, text) = {0};
            for (const char *letter = option->name; *letter != '\0'; letter++)
                sc_str_add_char(&text, underscores && *letter == '-' ? '_' : *letter);
            sc_str_add_format(&text, ": %s\n", value);
            OWN(sc_values, values);
            assert_int_equal(parse(text.data, &values).kind, SC_ERR_NONE);
            assert_int_equal(values.of[i].source, SC_FROM_CONFIG);
            if (!has_value)
                assert_false(values.of[i].flag);
        }
    }
}

TEST(values_have_their_types)
{
    OWN(sc_values, values);
    struct sc_err err = parse("# a comment\n"
                              "output: 'a b.json'\n"
                              "cpu-only: true\n"
                              "stacks: false\n"
                              "cpu-sampling-rate: 0.002\n"
                              "malloc_threshold: 5\n"
                              "profile-only: a,b\n"
                              "profile-exclude:\n"
                              "  - c,d\n"
                              "  - e\n"
                              "profile-interval:\n"
                              "program-path: ~\n",
                              &values);
    assert_string_equal(err.text, "");
    assert_string_equal(values.of[SC_OPT_OUTFILE].text, "a b.json");
    assert_true(values.of[SC_OPT_CPU_ONLY].flag);
    assert_false(values.of[SC_OPT_STACKS].flag);
    assert_true(values.of[SC_OPT_CPU_SAMPLING_RATE].number < 0.0021);
    assert_int_equal(values.of[SC_OPT_MALLOC_THRESHOLD].count, 5);
    assert_int_equal(values.of[SC_OPT_PROFILE_ONLY].list.count, 2);
    assert_int_equal(values.of[SC_OPT_PROFILE_EXCLUDE].list.count, 2);
    assert_string_equal(values.of[SC_OPT_PROFILE_EXCLUDE].list.items[0], "c,d");
    assert_int_equal(values.of[SC_OPT_PROFILE_INTERVAL].source, SC_FROM_DEFAULT);
    assert_int_equal(values.of[SC_OPT_PROGRAM_PATH].source, SC_FROM_DEFAULT);
}

TEST(the_command_line_wins)
{
    OWN(sc_values, values);
    sc_values_init(&values);
    (void)sc_value_set(&values, SC_OPT_STACKS, "false", SC_FROM_COMMAND, "", NULL);
    (void)sc_value_set(&values, SC_OPT_PROFILE_ONLY, "mine", SC_FROM_COMMAND, "", NULL);
    static const char text[] = "stacks: true\nprofile-only: [a, b]\non: true\n";
    assert_true(sc_config_parse(text, sizeof(text) - 1, "f", &values, NULL));
    assert_false(values.of[SC_OPT_STACKS].flag);
    assert_int_equal(values.of[SC_OPT_PROFILE_ONLY].list.count, 1);
    assert_string_equal(values.of[SC_OPT_PROFILE_ONLY].list.items[0], "mine");
    assert_true(values.of[SC_OPT_ON].flag);
}

TEST(a_file_may_be_empty)
{
    static const char *const texts[] = {"", "\n\n", "# nothing\n", "---\n", "~\n", "{}\n", "null"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        OWN(sc_values, values);
        assert_string_equal(parse(texts[i], &values).text, "");
    }
}

TEST(mistakes_are_named_with_their_line)
{
    static const struct {
        const char *text;
        const char *place;
        const char *words;
    } cases[] = {
        {"gpu: false\nprofile-al: true\n", "f.yaml:2:", "did you mean profile-all"},
        {"nonsense: 1\n", "f.yaml:1:", "no option 'nonsense'"},
        {"config: x\n", "f.yaml:1:", "no option 'config'"},
        {"pid: 3\n", "f.yaml:1:", "no option 'pid'"},
        {"help: true\n", "f.yaml:1:", "no option 'help'"},
        {"\n\ngpu: 3\n", "f.yaml:3:", "not true or false"},
        {"cpu-sampling-rate: fast\n", "f.yaml:1:", "not a number"},
        {"malloc-threshold: 1.5\n", "f.yaml:1:", "not a whole number"},
        {"gpu: [true]\n", "f.yaml:1:", "must be true or false, not a list"},
        {"profile-only: {a: b}\n", "f.yaml:1:", "must be a list of texts, not a mapping"},
        {"profile-only:\n - a\n - [b]\n", "f.yaml:3:", "must be a list of texts, not a list"},
        {"outfile: [a]\n", "f.yaml:1:", "must be a path, not a list"},
        {"gpu: true\ngpu: false\n", "f.yaml:2:", "given twice"},
        {"outfile: a\noutput: b\n", "f.yaml:2:", "given twice"},
        {"- gpu\n", "f.yaml:1:", "not a list"},
        {"just words\n", "f.yaml:1:", "not a single value"},
        {"[a]: b\n", "f.yaml:1:", "a key must be"},
        {"outfile: &x a\nprogram-path: *x\n", "f.yaml:2:", "not an alias"},
        {"gpu: true\n---\ngpu: true\n", "f.yaml:2:", "only one document"},
        {"gpu: true\nprofile-only: [a\n", "f.yaml:3:", "not valid YAML"},
        {"\tgpu: true\n", "f.yaml:1:", "not valid YAML"},
        {"outfile: \"a\\0b\"\n", "f.yaml:1:", "must be a path"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        OWN(sc_values, values);
        struct sc_err err = parse(cases[i].text, &values);
        if (err.kind != SC_ERR_FAILED || strstr(err.text, cases[i].words) == NULL)
            print_error("%s-> %s\n", cases[i].text, err.text);
        assert_int_equal(err.kind, SC_ERR_FAILED);
        assert_int_equal(strncmp(err.text, cases[i].place, strlen(cases[i].place)), 0);
        assert_non_null(strstr(err.text, cases[i].words));
    }
}

TEST(a_missing_file_is_reported)
{
    OWN(sc_values, values);
    struct sc_err err = {0};
    sc_values_init(&values);
    assert_false(sc_config_read("/nonexistent/f.yaml", &values, &err));
    assert_int_equal(err.kind, SC_ERR_FAILED);
    assert_non_null(strstr(err.text, "/nonexistent/f.yaml"));
}
