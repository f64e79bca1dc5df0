/*
 * tests/unit/started_test.c - what a Python runs, by its command line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/process/started.h"

#include "base/str.h"
#include "sc_test.h"

/* Words are ended by a "|". */
struct row {
    const char *words;
    const char *module;
    const char *script;
    const char *text;
    const char *arguments;
};

static const struct row rows[] = {
    {"", NULL, NULL, NULL, NULL},
    {"python3|", NULL, NULL, NULL, NULL},
    {"python3|prog.py|", NULL, "prog.py", NULL, NULL},
    {"python3|prog.py|-m|other|", NULL, "prog.py", NULL, "-m"},
    {"/p/.venv/bin/python3.12|/p/.venv/bin/black|--check|", NULL, "/p/.venv/bin/black", NULL,
     "--check"},
    {"python3|-m|pytest|-q|", "pytest", NULL, NULL, "-q"},
    {"python3|-mpytest|", "pytest", NULL, NULL, NULL},
    {"python3|-Im|pytest|", "pytest", NULL, NULL, NULL},
    {"python3|-Impytest|", "pytest", NULL, NULL, NULL},
    {"python3|-m|", NULL, NULL, NULL, NULL},
    {"python3|-X|dev|prog.py|", NULL, "prog.py", NULL, NULL},
    {"python3|-Xdev|prog.py|", NULL, "prog.py", NULL, NULL},
    {"python3|-BWignore|prog.py|", NULL, "prog.py", NULL, NULL},
    {"python3|-BW|-m|-m|pip|", "pip", NULL, NULL, NULL},
    {"python3|-W|", NULL, NULL, NULL, NULL},
    {"python3|-u|-B|prog.py|", NULL, "prog.py", NULL, NULL},
    {"python3|--check-hash-based-pycs|never|prog.py|", NULL, "prog.py", NULL, NULL},
    {"python3|--check-hash-based-pycs|", NULL, NULL, NULL, NULL},
    {"python3|-c|import m|prog.py|", NULL, NULL, "import m", NULL},
    {"python3|-Bcimport m|prog.py|", NULL, NULL, "import m", NULL},
    {"python3|-c|", NULL, NULL, NULL, NULL},
    {"python3|-|prog.py|", NULL, NULL, NULL, NULL},
};

static void assert_word(const char *got, const char *expected)
{
    if (expected == NULL)
        assert_null(got);
    else
        assert_string_equal(got, expected);
}

TEST(the_first_word_that_belongs_to_no_option_is_the_program)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        OWN(sc_str, words) = {0};
        (void)printf("  %s\n", rows[i].words);
        sc_str_add(&words, rows[i].words);
        for (size_t k = 0; k < words.length; k++) {
            if (words.data[k] == '|')
                words.data[k] = '\0';
        }
        struct sc_started started = sc_started_of(sc_str_text(&words), words.length);
        assert_word(started.module, rows[i].module);
        assert_word(started.script, rows[i].script);
        assert_word(started.text, rows[i].text);
        assert_word(started.arguments, rows[i].arguments);
    }
}

TEST(a_word_may_begin_with_the_name_of_a_package)
{
    static const struct {
        const char *word;
        size_t length;
    } words[] = {{"pkg", 3},     {"_pkg.tests.test_a", 4},
                 {"pkg:app", 3}, {"pkg2.app:make()", 4},
                 {"", 0},        {"-q", 0},
                 {"./pkg", 0},   {"pkg/test_a.py", 0},
                 {"--a=pkg", 0}, {"2to3", 0},
                 {"a-b", 0},     {".pkg", 0}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        assert_int_equal(sc_started_package(words[i].word), words[i].length);
}
