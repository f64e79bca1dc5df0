/*
 * tests/unit/render_live_test.c - the screen of `scalene top`: what fits, and what may reach a
 * terminal.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "render/live.h"
#include "report_fixture.h"
#include "sc_test.h"

enum { FUNCTIONS = 30 };

/* Functions that have taken 1, 2, ... hundredths of a second of 10 s. */
static void make(struct sc_live *live, const char *first_name)
{
    struct sc_profile profile = {.program = sc_strdup("prog.py"),
                                 .root_dir = sc_strdup("/w"),
                                 .entrypoint_dir = sc_strdup("/w"),
                                 .memory = true,
                                 .elapsed_s = 10,
                                 .target_cpu_s = 5,
                                 .max_rss_mb = 50};
    struct sc_file *file = fixture_file(&profile, "/w/prog.py");
    for (uint32_t i = 1; i <= FUNCTIONS; i++) {
        SC_AUTO_FREE char *name = sc_format("f%u", i);
        fixture_function(file, i == FUNCTIONS ? first_name : name, i, 0, 0);
        file->functions.items[i - 1].cost.time_s[SC_TIME_PYTHON] = 0.01 * i;
        file->functions.items[i - 1].cost.malloc_mb = 3;
    }
    *live = (struct sc_live){0};
    sc_live_take(live, &profile);
}

/* How many lines the text has; fails where one is wider than the screen (ASCII is expected). */
static size_t count_lines(const char *text, size_t width)
{
    size_t lines = 0;
    for (; *text != '\0'; lines++) {
        size_t length = strcspn(text, "\n");
        if (length > width)
            fail_msg("'%.*s' is wider than %zu", (int)length, text, width);
        text += length + 1;
    }
    return lines;
}

static void render(const struct sc_live *live, struct sc_live_screen screen,
                   struct sc_str *ret_text)
{
    sc_str_clear(ret_text);
    sc_render_live(live, &screen, ret_text, NULL);
}

/* 200 threads can wait for one lock at once. */
TEST(a_wait_of_many_threads_is_not_cut)
{
    const struct {
        const char *name;
        double wait_s;
        const char *text;
    } rows[] = {{"ten", 99.9, "999%"},
                {"some more", 99.96, "1.0k%"},
                {"twelve", 123, "1.2k%"},
                {"99", 990, "9.9k%"},
                {"159", 1590, "16k%"}};
    FOR_EACH_ROW(row, rows) {
        struct sc_live live;
        struct sc_str text = {0};
        make(&live, "f30");
        fixture_thread(&live.profile, "Main", 0);
        live.profile.threads.items[0].wait_s[SC_WAIT_GIL] = row->wait_s;
        render(&live, (struct sc_live_screen){.view = SC_LIVE_THREADS, .width = 100}, &text);
        SC_AUTO_FREE char *head = sc_format("GIL wait %s ", row->text);
        SC_AUTO_FREE char *cell = sc_format(" %s", row->text);
        assert_non_null(strstr(sc_str_text(&text), head));
        assert_non_null(strstr(strstr(sc_str_text(&text), "THREAD"), cell));
        sc_str_done(&text);
        sc_live_done(&live);
    }
}

TEST(every_size_of_a_terminal_is_kept_to)
{
    OWN(sc_live, live);
    OWN(sc_str, text) = {0};
    make(&live, "f30");
    for (unsigned height = 1; height < 40; height++) {
        for (unsigned width = 1; width < 140; width++) {
            render(&live, (struct sc_live_screen){.width = width, .height = height, .message = "m"},
                   &text);
            if (count_lines(sc_str_text(&text), width) > height)
                fail_msg("%u lines are too few for\n%s", height, sc_str_text(&text));
        }
    }
}

TEST(rows_are_those_from_the_first_that_is_asked_for_on)
{
    OWN(sc_live, live);
    OWN(sc_str, text) = {0};
    size_t rows = 0;
    make(&live, "f30");
    struct sc_live_screen screen = {.width = 80, .height = 24, .first = 25, .message = "m"};
    sc_render_live(&live, &screen, &text, &rows);
    assert_int_equal(rows, FUNCTIONS);
    assert_int_equal(sc_live_screen_rows(&screen), 19);
    assert_null(strstr(text.data, " f6  "));
    assert_non_null(strstr(text.data, " f5  prog.py:5\n"));
    assert_non_null(strstr(text.data, " f1  prog.py:1\n"));
}

TEST(a_row_has_its_numbers_under_their_headings)
{
    OWN(sc_live, live);
    OWN(sc_str, text) = {0};
    make(&live, "f30");
    render(&live, (struct sc_live_screen){.width = 80, .height = 10, .sort = SC_LIVE_ALL}, &text);
    assert_non_null(strstr(text.data,
                           "\n now%  py% nat% sys% wait%  GIL%  >all   mem alloc  FUNCTION\n"
                           "   3%   3%                       300ms          3M  f30"));
}

TEST(the_last_columns_to_be_left_out_are_the_sum_and_what_is_sorted_by)
{
    OWN(sc_live, live);
    OWN(sc_str, text) = {0};
    make(&live, "f30");
    render(&live, (struct sc_live_screen){.width = 21, .height = 10, .sort = SC_LIVE_NOW_GIL},
           &text);
    assert_non_null(strstr(text.data, "\n now% >GIL%  FUNCTION\n   3%        f30"));
}

TEST(no_control_character_of_the_program_reaches_the_terminal)
{
    OWN(sc_live, live);
    OWN(sc_str, text) = {0};
    make(&live, "f\033[2J\a\n\r\x9b"
                "1m");
    for (int unicode = 0; unicode < 2; unicode++) {
        render(&live,
               (struct sc_live_screen){
                   .width = 80, .height = 24, .unicode = unicode == 1, .filter = "f\033[2J"},
               &text);
        for (size_t i = 0; i < text.length; i++) {
            unsigned char byte = (unsigned char)text.data[i];
            if ((byte < ' ' && byte != '\n') || byte == 0x7f)
                fail_msg("byte %02x in %s", byte, text.data);
        }
        assert_null(strstr(text.data, "\x9b"));
    }
}

TEST(of_a_program_s_output_the_last_lines_are_shown)
{
    OWN(sc_str, text) = {0};
    struct sc_live_screen screen = {.width = 4, .height = 3, .message = "m"};
    sc_render_live_texts("one\ntwo\nthree\033[2Jx\nfour\n", &screen, &text);
    assert_string_equal(text.data, "t...\nfour\nm\n");
    sc_str_clear(&text);
    sc_render_live_texts("", &screen, &text);
    assert_string_equal(text.data, "\n\nm\n");
}

TEST(sorting_goes_through_the_columns_that_there_are_and_round)
{
    OWN(sc_live, live);
    make(&live, "f30");
    struct sc_live_screen screen = {.view = SC_LIVE_PROCESSES};
    screen.sort = sc_live_screen_next(&live, &screen, true);
    assert_int_equal(screen.sort, SC_LIVE_ALL);
    screen.sort = sc_live_screen_next(&live, &screen, true);
    assert_int_equal(screen.sort, SC_LIVE_MEMORY_MB);
    screen.sort = sc_live_screen_next(&live, &screen, true);
    assert_int_equal(screen.sort, SC_LIVE_NOW);
    screen.sort = sc_live_screen_next(&live, &screen, false);
    assert_int_equal(screen.sort, SC_LIVE_MEMORY_MB);
}
