/*
 * tests/unit/run_words_test.c - whose are the words of a `scalene run` line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/run_words.h"

#include "base/str.h"
#include "sc_test.h"

/* A command line cut at spaces and what was read from it. */
struct line {
    char *text;
    bool is_old;
    char *words[32];
    struct sc_values values;
    struct sc_run_words read;
    struct sc_err err;
};

static void read_line(struct line *line, const char *text, bool is_old)
{
    memset(line, 0, sizeof(*line));
    line->is_old = is_old;
    line->text = sc_strdup(text);
    size_t count = 0;
    for (char *word = strtok(line->text, " "); word != NULL; word = strtok(NULL, " "))
        line->words[count++] = word;
    sc_values_init(&line->values);
    (void)sc_run_words_read(line->words, line->is_old, &line->values, &line->read, &line->err);
}

static void line_done(struct line *line)
{
    sc_run_words_done(&line->read);
    sc_values_done(&line->values);
    free(line->text);
}

static void add_words(struct sc_str *text, const struct sc_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        sc_str_add_format(text, " %s", words->items[i]);
}

/* "python -u | file t.py | a b" for what a line means, and behind it what is ignored. */
static void assert_line_means(bool is_old, const char *text, const char *expected)
{
    static const char *const kinds[] = {
        [SC_PROGRAM_FILE] = "file",
        [SC_PROGRAM_MODULE] = "module",
        [SC_PROGRAM_CODE] = "code",
        [SC_PROGRAM_COMMAND] = "command",
    };
    OWN(line, line);
    read_line(&line, text, is_old);
    OWN(sc_str, meaning) = {0};
    if (line.err.kind != SC_ERR_NONE) {
        sc_str_add(&meaning, "error");
    } else {
        sc_str_add(&meaning, "python");
        add_words(&meaning, &line.read.interpreter);
        sc_str_add(&meaning, " | ");
        if (line.read.found)
            sc_str_add_format(&meaning, "%s %s", kinds[line.read.kind], line.read.program);
        else
            sc_str_add(&meaning, "nothing");
        sc_str_add(&meaning, " |");
        add_words(&meaning, &line.read.args);
        if (line.read.ignored.count > 0)
            sc_str_add(&meaning, " | ignored");
        add_words(&meaning, &line.read.ignored);
    }
    if (strcmp(sc_str_text(&meaning), expected) != 0)
        print_error("%s\n", text);
    assert_string_equal(sc_str_text(&meaning), expected);
}

static void assert_means(const char *text, const char *expected)
{
    assert_line_means(false, text, expected);
}

TEST(the_program_is_found)
{
    assert_means("t.py", "python | file t.py |");
    assert_means("t.py a -b --cc", "python | file t.py | a -b --cc");
    assert_means("--cpu-only -o x t.py a", "python | file t.py | a");
    assert_means("-ox t.py a", "python | file t.py | a");
    assert_means("-m pkg.mod a", "python | module pkg.mod | a");
    assert_means("-mpkg a", "python | module pkg | a");
    assert_means("- a", "python | file - | a");
    assert_means("", "python | nothing |");
    assert_means("--cpu-only", "python | nothing |");
}

TEST(unknown_options_go_to_the_program)
{
    assert_means("--cpu-only --json t.py --foo bar -x", "python | file t.py | --json --foo bar -x");
    assert_means("--json --outfile f --stacks w.py", "python | file w.py | --json");
    assert_means("--port 80 w.py x", "python | file w.py | --port 80 x");
    assert_means("--memory --no-browser -o f w.py", "python | file w.py | --no-browser");
    assert_means("-o f --cli t.py", "python | file t.py | --cli");
    assert_means("--json -m pkg", "python | module pkg | --json");
    assert_means("-z t.py", "python | file t.py | -z");
}

TEST(our_options_are_taken_behind_the_program_when_whole)
{
    assert_means("-m pkg.mod --cpu-only", "python | module pkg.mod |");
    assert_means("t.py --cpu-o", "python | file t.py | --cpu-o");
    assert_means("t.py --cpu", "python | file t.py | --cpu");
    assert_means("t.py --outfile=x a", "python | file t.py | a");
    assert_means("t.py -o x a", "python | file t.py | a");
    assert_means("t.py -ox -cx", "python | file t.py | -ox -cx");
    /* what the original has not, and help, is the program's own */
    assert_means("t.py --python x --pid 3 -h --help",
                 "python | file t.py | --python x --pid 3 -h --help");
    assert_means("t.py --cpu-sampling-rate x", "error");
}

TEST(separators_end_our_options)
{
    assert_means("--cpu-only t.py --- --foo --cpu-only", "python | file t.py | --foo --cpu-only");
    assert_means("t.py --- a --- b", "python | file t.py | a --- b");
    assert_means("t.py -- --cpu-only ---", "python | file t.py | -- --cpu-only ---");
    assert_means("--- -m pytest -n 2 x.py", "python | module pytest | -n 2 x.py");
    assert_means("--- t.py -c 1 -o 2", "python | file t.py | -c 1 -o 2");
    assert_means("--- -c code a b", "python | code code | a b");
    assert_means("--- -ccode a", "python | code code | a");
    assert_means("--- -uc code a", "python -u | code code | a");
    assert_means("--- --cpu-only t.py", "python | file t.py | --cpu-only");
    assert_means("--- -c", "error");
    assert_means("-m", "error");
}

TEST(flags_of_python_go_to_python)
{
    assert_means("-u t.py", "python -u | file t.py |");
    assert_means("-uB -OO t.py -u", "python -uB -OO | file t.py | -u");
    assert_means("-X dev -Wignore -W error t.py", "python -X dev -Wignore -W error | file t.py |");
    assert_means("-I -m pkg -I", "python -I | module pkg | -I");
    assert_means("-um pkg a", "python -u | module pkg | a");
    assert_means("-umpkg a", "python -u | module pkg | a");
    assert_means("--- -b -B -d -E -i -O -q -R -s -S -v -x t.py",
                 "python -b -B -d -E -i -O -q -R -s -S -v -x | file t.py |");
    assert_means("-X", "error");
    assert_means("-uz t.py", "python | file t.py | -uz");
}

TEST(any_command_can_be_run)
{
    assert_means("-- sh -c x --cpu-only", "python | command sh | -c x --cpu-only");
    assert_means("--cpu-only -- a.out", "python | command a.out |");
    assert_means("--", "error");
    assert_means("--json -- sh -c", "python | command sh | -c | ignored --json");
    assert_means("-u -- sh", "error");
}

TEST(a_program_may_follow_the_separator)
{
    assert_means("-- t.py a --cpu-only -- b", "python | file t.py | a --cpu-only -- b");
    assert_means("-u -- t.py", "python -u | file t.py |");
    assert_means("-- -m pkg --stacks", "python | module pkg | --stacks");
    assert_means("-- -c code", "python | code code |");
    assert_means("--reduced-profile --cpu-sampling-rate 0.01 --json --outfile J -- t.py",
                 "python | file t.py | | ignored --json");
    assert_means("--cpu --html --column-width 100 --none 1 -- t.py --json",
                 "python | file t.py | --json | ignored --html --column-width 100 --none 1");
}

TEST(lines_without_a_verb_may_have_old_options)
{
    assert_line_means(true, "t.py a --json", "python | file t.py | a | ignored --json");
    assert_line_means(true, "-m pkg --off --cli --port 1 a --- --cli",
                      "python | module pkg | a --cli | ignored --cli --port 1");
    assert_line_means(true, "t.py -- --cli", "python | file t.py | -- --cli");
    assert_line_means(true, "--column-width=80 --cpu --unknown -m pkg",
                      "python | module pkg | --unknown | ignored --column-width=80");
    assert_line_means(true, "--cli --port 8088 t.py",
                      "python | file t.py | | ignored --cli --port 8088");
    assert_line_means(true, "--html --- t.py --json",
                      "python | file t.py | --json | ignored --html");
}

/* As guides write it, and as one writes it who thinks of the line that is to be profiled. */
TEST(an_interpreter_in_the_line_is_a_command)
{
    assert_means("--cpu-only python3 t.py x", "python | command python3 | t.py x");
    assert_means("python3 -m pkg --cpu-only", "python | command python3 | -m pkg --cpu-only");
    assert_line_means(true, "--memory --- python3 -m pkg", "python | command python3 | -m pkg");
    assert_means("--theirs python3 t.py", "python | file t.py | --theirs python3");
    assert_means("t.py python3", "python | file t.py | python3");
    assert_means("/usr/bin/python3 t.py", "python | command /usr/bin/python3 | t.py");
    assert_means("--foo python3 -m pkg", "python | command python3 | -m pkg | ignored --foo");
}

TEST(bad_lines_are_refused)
{
    assert_means("--cpu t.py", "error");
    assert_means("--cpu-only=1 t.py", "error");
    assert_means("-o --cpu-only t.py", "error");
    assert_means("t.py -o", "error");
}

TEST(existing_files_are_programs)
{
    sc_test_make("tool");
    sc_test_make("plain/");
    sc_test_make("app/__main__.py");
    assert_int_equal(chdir(sc_test_folder), 0);
    assert_means("tool in.py", "python | file tool | in.py");
    assert_means("app a", "python | file app | a");
    assert_means("plain t.py", "python | file t.py | plain");
    assert_means("missing t.py", "python | file t.py | missing");
    /* the value of an option that is not ours */
    assert_means("--json tool t.py a", "python | file t.py | --json tool a");
    assert_means("--json tool a", "python | file tool | --json a");
    struct line line;
    read_line(&line, "missing a b", false);
    assert_false(line.read.found);
    assert_string_equal(line.read.missing, "missing");
    line_done(&line);
    assert_int_equal(chdir("/"), 0);
}

TEST(slips_before_the_program_are_noticed)
{
    OWN(line, line);
    read_line(&line, "--json --cpuonly t.py --cpuonli", false);
    assert_string_equal(line.read.typo, "--cpuonly");
    assert_string_equal(line.read.typo_meant, "cpu-only");
    line_done(&line);
    read_line(&line, "t.py --cpuonly", false);
    assert_null(line.read.typo);
    line_done(&line);
    read_line(&line, "--- --cpuonly t.py", false);
    assert_null(line.read.typo);
}

TEST(help_ends_the_reading)
{
    OWN(line, line);
    read_line(&line, "--help --cpu-sampling-rate x", false);
    assert_int_equal(line.err.kind, SC_ERR_NONE);
    assert_true(line.values.of[SC_OPT_HELP].flag);
}

TEST(errors_behind_the_program_name_the_separator)
{
    OWN(line, line);
    read_line(&line, "t.py --cpu-sampling-rate x", false);
    assert_int_equal(line.err.kind, SC_ERR_USAGE);
    assert_non_null(strstr(line.err.text, "write ---"));
    line_done(&line);
    read_line(&line, "--cpu-sampling-rate x t.py", false);
    assert_null(strstr(line.err.text, "write ---"));
}

TESTS_IN_A_FOLDER(NULL)
