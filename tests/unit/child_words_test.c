/*
 * tests/unit/child_words_test.c - whose are the words of a command that shows a run while it goes
 * on. The command is `doctor` here, for its options --python and --json.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/str.h"
#include "cli/child_run.h"
#include "sc_test.h"

static void add_words(struct sc_str *text, const struct sc_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        sc_str_add_format(text, " %s", words->items[i]);
}

/* "own --python's value | process | options of run | program" for what a line means, or why it
 * means nothing. */
static void assert_line_means(const char *line, const char *expected)
{
    struct sc_str text = {0};
    struct sc_values values;
    struct sc_child_words read = {0};
    struct sc_err err = {0};
    SC_AUTO_FREE char *cut = sc_strdup(line);
    char *words[32] = {0};
    size_t count = 0;
    for (char *word = strtok(cut, " "); word != NULL; word = strtok(NULL, " "))
        words[count++] = word;
    sc_values_init(&values);
    if (sc_child_words_read(SC_VERB_DOCTOR, words, &values, &read, &err)) {
        const char *own = values.of[SC_OPT_DOCTOR_PYTHON].text;
        sc_str_add_format(&text, "%s | %d |", own != NULL ? own : "", (int)read.pid);
        add_words(&text, &read.options);
        add_words(&text, &read.of_attach);
        sc_str_add(&text, " |");
        add_words(&text, &read.program);
    } else {
        sc_str_add(&text, err.text);
    }
    assert_string_equal(sc_str_text(&text), expected);
    sc_str_done(&text);
    sc_child_words_done(&read);
    sc_values_done(&values);
}

TEST(what_follows_the_program_is_the_programs)
{
    assert_line_means("t.py -o x --python y", " | 0 | | --- t.py -o x --python y");
    assert_line_means("-m mod --json", " | 0 | | --- -m mod --json");
    assert_line_means("-u t.py", " | 0 | | --- -u t.py");
    assert_line_means("-- cmd --cpu-only", " | 0 | | -- cmd --cpu-only");
    assert_line_means("--- -c pass", " | 0 | | --- -c pass");
}

TEST(options_before_it_are_the_commands_own_or_those_of_run)
{
    assert_line_means("--cpu-only --python p t.py", "p | 0 | --cpu-only | --- t.py");
    assert_line_means("-o f --python=p --no-gpu t.py", "p | 0 | -o f --no-gpu | --- t.py");
    assert_line_means("--cpu-sampling-rate 0.1 t.py", " | 0 | --cpu-sampling-rate 0.1 | --- t.py");
}

TEST(a_number_is_that_of_a_process)
{
    assert_line_means("123", " | 123 | |");
    assert_line_means("--children 123", " | 123 | --children |");
    assert_line_means("--cpu-only 123 --python p", "p | 123 | --cpu-only |");
}

TEST(mistakes_are_found_before_anything_starts)
{
    assert_line_means("--cpu-onli t.py", "doctor: no such option: '--cpu-onli'; did you mean "
                                         "--cpu-only (scalene doctor --help)");
    assert_line_means("--cpu-sampling-rate x t.py",
                      "run: --cpu-sampling-rate: 'x' is not a number from 0.001 to 60");
    assert_line_means("--children t.py", "doctor: --children is for a process that runs already");
    assert_line_means("123 t.py", "doctor: 't.py' follows the number of a process");
}
