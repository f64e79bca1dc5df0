/*
 * tests/unit/helper_test.c - a child that is asked about files: its answers are those one would
 * have found by oneself, and one that does not come is not waited for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/helper.h"

#include "base/io.h"
#include "base/mem.h"
#include "sc_test.h"

#define LONG_NS  UINT64_C(60000000000)
#define SHORT_NS UINT64_C(20000000)

/* An eighth of it is waited for what was posted. */
#define POSTED_NS UINT64_C(8000000000)

static char *in_folder(const char *name)
{
    return sc_format("%s/%s", sc_test_folder, name);
}

static void turn_round(const char *question, size_t length, struct sc_str *ret_answer)
{
    while (length > 0)
        sc_str_add_char(ret_answer, question[--length]);
}

static void never_answer(const char *question, size_t length, struct sc_str *ret_answer)
{
    for (;;)
        (void)pause();
}

static void die(const char *question, size_t length, struct sc_str *ret_answer)
{
    _exit(1);
}

static void expect_answer(struct sc_helper *helper, const char *path)
{
    OWN(sc_str, answer) = {0};
    assert_true(sc_helper_ask(helper, path, turn_round, "a\0bc", 4, &answer));
    assert_int_equal(answer.length, 4);
    assert_memory_equal(answer.data, "cb\0a", 4);
}

TEST(answers_come_back)
{
    const char *first = NULL;
    struct sc_helper *helper = sc_helper_new(LONG_NS);
    for (int i = 0; i < 100; i++)
        expect_answer(helper, "/a/b");
    expect_answer(NULL, "/a/b");
    assert_int_equal(sc_helper_lost(helper, &first), 0);
    assert_null(first);
    sc_helper_free(helper);
    sc_helper_free(NULL);
}

/* Nor is its folder asked about again, by whatever root; others are. */
TEST(what_does_not_answer_is_lost)
{
    const char *first = NULL;
    struct sc_str answer = {0};
    struct sc_helper *helper = sc_helper_new(SHORT_NS);
    assert_false(sc_helper_ask(helper, "/proc/12/root/a/b", never_answer, "", 0, &answer));
    assert_false(sc_helper_ask(helper, "/a/c", turn_round, "", 0, &answer));
    assert_false(sc_helper_ask(helper, "/proc/7/root/a/d/e", turn_round, "", 0, &answer));
    sc_helper_set_timeout(helper, LONG_NS);
    expect_answer(helper, "/a/b");
    expect_answer(helper, "/ab/c");
    assert_int_equal(sc_helper_lost(helper, &first), 3);
    assert_string_equal(first, "/proc/12/root/a/b");
    assert_int_equal(answer.length, 0);
    sc_helper_free(helper);
}

/* A fault of the work is no reason to distrust the folder, nor to wait. */
TEST(a_file_that_ends_the_child_is_lost_alone)
{
    const char *first = NULL;
    struct sc_str answer = {0};
    struct sc_helper *helper = sc_helper_new(LONG_NS);
    assert_false(sc_helper_ask(helper, "/a/b", die, "", 0, &answer));
    expect_answer(helper, "/a/c");
    assert_false(sc_helper_ask(helper, "/a/b", turn_round, "", 0, &answer));
    expect_answer(helper, "/a/bc");
    assert_int_equal(sc_helper_lost(helper, &first), 2);
    assert_int_equal(answer.length, 0);
    sc_helper_free(helper);
}

struct taken {
    unsigned answered; /* a bit for each number */
    unsigned lost;
};

static void take(void *context, uint32_t number, const char *answer, size_t length)
{
    struct taken *taken = context;
    if (answer == NULL) {
        taken->lost |= 1U << number;
        return;
    }
    assert_int_equal(length, 4);
    assert_memory_equal(answer, "cb\0a", 4);
    assert_int_equal(taken->answered >> number, 0); /* in their order */
    taken->answered |= 1U << number;
}

static void post(struct sc_helper *helper, const char *path, sc_helper_work *work,
                 struct taken *taken, uint32_t number)
{
    sc_helper_post(helper, path, work, "a\0bc", 4, take, taken, number);
}

/* What is behind a question that is lost, or ends the child, is answered by another child. */
TEST(posted_questions_are_answered_later)
{
    const char *first = NULL;
    struct taken taken = {0};
    struct sc_helper *helper = sc_helper_new(POSTED_NS);
    assert_true(sc_helper_wait(helper, 0));
    for (uint32_t i = 0; i < 4; i++)
        post(helper, "/a/b", i == 1 ? die : turn_round, &taken, i == 1 ? 8 : i);
    post(helper, "/c/d", never_answer, &taken, 9);
    post(helper, "/c/e", turn_round, &taken, 10);
    post(helper, "/e/f", turn_round, &taken, 4);
    for (int i = 0; i < 3000 && taken.lost == 0; i++)
        assert_false(sc_helper_wait(helper, SHORT_NS));
    assert_int_equal(taken.answered, 1U); /* and /a/b is not asked about again */
    assert_int_equal(taken.lost, 1U << 8 | 1U << 2 | 1U << 3);
    expect_answer(helper, "/e/f"); /* which gives up what is late */
    assert_int_equal(taken.answered, 1U | 1U << 4);
    assert_int_equal(taken.lost, 1U << 8 | 1U << 2 | 1U << 3 | 1U << 9 | 1U << 10);
    assert_int_equal(sc_helper_lost(helper, &first), 5);
    assert_string_equal(first, "/a/b");
    post(helper, "/e/f", never_answer, &taken, 11);
    sc_helper_free(helper); /* nothing is taken any more */
    assert_int_equal(taken.lost >> 11, 0);
    assert_true(sc_helper_wait(NULL, 0));
    post(NULL, "/e/f", turn_round, &taken, 5);
    assert_int_equal(taken.answered >> 5, 1);
}

TEST(after_many_losses_nothing_is_asked)
{
    const char *first = NULL;
    struct sc_str answer = {0};
    struct sc_helper *helper = sc_helper_new(LONG_NS);
    for (int i = 0; i < 50; i++) {
        SC_AUTO_FREE char *path = sc_format("/%d/x", i);
        assert_false(sc_helper_ask(helper, path, die, "", 0, &answer));
    }
    assert_false(sc_helper_ask(helper, "/other/x", turn_round, "", 0, &answer));
    assert_int_equal(sc_helper_lost(helper, &first), 51);
    sc_helper_free(helper);
}

static void expect_files(struct sc_helper *helper)
{
    struct stat facts;
    OWN(sc_str, bytes) = {0};
    char part[5] = "";
    SC_AUTO_FREE char *file = in_folder("file");
    SC_AUTO_FREE char *link = in_folder("link");
    SC_AUTO_FREE char *none = in_folder("none");
    SC_AUTO_FREE char *resolved = sc_helper_resolve(helper, link);
    SC_AUTO_FREE char *again = sc_helper_resolve(helper, link);
    assert_string_equal(resolved, file);
    assert_string_equal(again, file);
    assert_null(sc_helper_resolve(helper, none));
    assert_int_equal(sc_helper_stat(helper, none, &facts), -1);
    assert_int_equal(sc_helper_stat(helper, file, &facts), 0);
    assert_int_equal(facts.st_size, 10);
    assert_int_equal(sc_helper_read(helper, none, 100, &facts, &bytes), SC_HELPER_UNREADABLE);
    assert_int_equal(sc_helper_read(helper, sc_test_folder, 100, &facts, &bytes),
                     SC_HELPER_UNREADABLE);
    assert_int_equal(sc_helper_read(helper, file, 9, &facts, &bytes), SC_HELPER_UNREADABLE);
    assert_int_equal(sc_helper_read(helper, link, 10, &facts, &bytes), SC_HELPER_READ);
    assert_string_equal(sc_str_text(&bytes), "0123456789");
    assert_true(sc_helper_read_part(helper, file, 3, part, 4, &facts));
    assert_string_equal(part, "3456");
    assert_false(sc_helper_read_part(helper, file, 7, part, 4, &facts));
    assert_false(sc_helper_read_part(helper, sc_test_folder, 0, part, 4, &facts));
}

TEST(files_are_as_they_are)
{
    SC_AUTO_FREE char *file = in_folder("file");
    SC_AUTO_FREE char *link = in_folder("link");
    struct sc_helper *helper = sc_helper_new(LONG_NS);
    assert_true(sc_write_file(file, "0123456789", 10, NULL));
    assert_int_equal(symlink(file, link), 0);
    expect_files(NULL);
    expect_files(helper);
    sc_helper_free(helper);
}

/* Of a process that is over nothing can be opened by its root any more. */
TEST(what_was_opened_stays_open)
{
    struct stat facts;
    char part[3] = "";
    SC_AUTO_FREE char *file = in_folder("file");
    struct sc_helper *helper = sc_helper_new(LONG_NS);
    assert_true(sc_write_file(file, "0123456789", 10, NULL));
    assert_true(sc_helper_read_part(helper, file, 0, part, 2, &facts));
    (void)unlink(file);
    assert_true(sc_helper_read_part(helper, file, 8, part, 2, &facts));
    assert_string_equal(part, "89");
    assert_false(sc_helper_read_part(helper, file, 0, part, 2, &facts));
    sc_helper_free(helper);
}

TESTS_IN_A_FOLDER(NULL)
