/*
 * tests/unit/beside_test.c - a child that is asked about files: its answers are those one would
 * have found by oneself, and one that does not come is not waited for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/beside.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "sc_test.h"

#define LONG_NS  UINT64_C(60000000000)
#define SHORT_NS UINT64_C(20000000)

static char folder[] = "/tmp/beside-test-XXXXXX";

static char *in_folder(const char *name)
{
    return sc_format("%s/%s", folder, name);
}

static void turn_round(const char *question, size_t length, struct sc_str *ret_answer)
{
    while (length > 0)
        sc_str_add_char(ret_answer, question[--length]);
}

static void never_answer(const char *question, size_t length, struct sc_str *ret_answer)
{
    (void)question;
    (void)length;
    (void)ret_answer;
    for (;;)
        (void)pause();
}

static void die(const char *question, size_t length, struct sc_str *ret_answer)
{
    (void)question;
    (void)length;
    (void)ret_answer;
    _exit(1);
}

static void expect_answer(struct sc_beside *beside, const char *path)
{
    struct sc_str answer = {0};
    assert_true(sc_beside_ask(beside, path, turn_round, "a\0bc", 4, &answer));
    assert_int_equal(answer.length, 4);
    assert_memory_equal(answer.data, "cb\0a", 4);
    sc_str_done(&answer);
}

static void answers_come_back(void **state)
{
    (void)state;
    const char *first = NULL;
    struct sc_beside *beside = sc_beside_new(LONG_NS);
    for (int i = 0; i < 100; i++)
        expect_answer(beside, "/a/b");
    expect_answer(NULL, "/a/b");
    assert_int_equal(sc_beside_lost(beside, &first), 0);
    assert_null(first);
    sc_beside_free(beside);
    sc_beside_free(NULL);
}

/* Nor is its folder asked about again, by whatever root; others are. */
static void what_does_not_answer_is_lost(void **state)
{
    (void)state;
    const char *first = NULL;
    struct sc_str answer = {0};
    struct sc_beside *beside = sc_beside_new(SHORT_NS);
    assert_false(sc_beside_ask(beside, "/proc/12/root/a/b", never_answer, "", 0, &answer));
    sc_beside_set_patience(beside, LONG_NS);
    expect_answer(beside, "/a/b");
    assert_false(sc_beside_ask(beside, "/a/b", die, "", 0, &answer));
    assert_false(sc_beside_ask(beside, "/a/c", turn_round, "", 0, &answer));
    assert_false(sc_beside_ask(beside, "/proc/7/root/a/d/e", turn_round, "", 0, &answer));
    expect_answer(beside, "/ab/c");
    assert_int_equal(sc_beside_lost(beside, &first), 4);
    assert_string_equal(first, "/proc/12/root/a/b");
    assert_int_equal(answer.length, 0);
    sc_beside_free(beside);
}

static void after_many_losses_nothing_is_asked(void **state)
{
    (void)state;
    const char *first = NULL;
    struct sc_str answer = {0};
    struct sc_beside *beside = sc_beside_new(LONG_NS);
    for (int i = 0; i < 50; i++) {
        SC_AUTO_FREE char *path = sc_format("/%d/x", i);
        assert_false(sc_beside_ask(beside, path, die, "", 0, &answer));
    }
    assert_false(sc_beside_ask(beside, "/other/x", turn_round, "", 0, &answer));
    assert_int_equal(sc_beside_lost(beside, &first), 51);
    sc_beside_free(beside);
}

static void expect_files(struct sc_beside *beside)
{
    struct stat facts;
    struct sc_str bytes = {0};
    char part[5] = "";
    SC_AUTO_FREE char *file = in_folder("file");
    SC_AUTO_FREE char *link = in_folder("link");
    SC_AUTO_FREE char *none = in_folder("none");
    SC_AUTO_FREE char *resolved = sc_beside_resolve(beside, link);
    SC_AUTO_FREE char *again = sc_beside_resolve(beside, link);
    assert_string_equal(resolved, file);
    assert_string_equal(again, file);
    assert_null(sc_beside_resolve(beside, none));
    assert_int_equal(sc_beside_stat(beside, none, &facts), -1);
    assert_int_equal(sc_beside_stat(beside, file, &facts), 0);
    assert_int_equal(facts.st_size, 10);
    assert_int_equal(sc_beside_read(beside, none, 100, &facts, &bytes), SC_BESIDE_UNREADABLE);
    assert_int_equal(sc_beside_read(beside, folder, 100, &facts, &bytes), SC_BESIDE_UNREADABLE);
    assert_int_equal(sc_beside_read(beside, file, 9, &facts, &bytes), SC_BESIDE_UNREADABLE);
    assert_int_equal(sc_beside_read(beside, link, 10, &facts, &bytes), SC_BESIDE_READ);
    assert_string_equal(sc_str_text(&bytes), "0123456789");
    assert_true(sc_beside_read_part(beside, file, 3, part, 4, &facts));
    assert_string_equal(part, "3456");
    assert_false(sc_beside_read_part(beside, file, 7, part, 4, &facts));
    assert_false(sc_beside_read_part(beside, folder, 0, part, 4, &facts));
    sc_str_done(&bytes);
}

static void files_are_as_they_are(void **state)
{
    (void)state;
    SC_AUTO_FREE char *file = in_folder("file");
    SC_AUTO_FREE char *link = in_folder("link");
    struct sc_beside *beside = sc_beside_new(LONG_NS);
    assert_true(sc_write_file(file, "0123456789", 10, NULL));
    assert_int_equal(symlink(file, link), 0);
    expect_files(NULL);
    expect_files(beside);
    (void)unlink(link);
    (void)unlink(file);
    sc_beside_free(beside);
}

/* Of a process that is over nothing can be opened by its root any more. */
static void what_was_opened_stays_open(void **state)
{
    (void)state;
    struct stat facts;
    char part[3] = "";
    SC_AUTO_FREE char *file = in_folder("file");
    struct sc_beside *beside = sc_beside_new(LONG_NS);
    assert_true(sc_write_file(file, "0123456789", 10, NULL));
    assert_true(sc_beside_read_part(beside, file, 0, part, 2, &facts));
    (void)unlink(file);
    assert_true(sc_beside_read_part(beside, file, 8, part, 2, &facts));
    assert_string_equal(part, "89");
    assert_false(sc_beside_read_part(beside, file, 0, part, 2, &facts));
    sc_beside_free(beside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_come_back),
        cmocka_unit_test(what_does_not_answer_is_lost),
        cmocka_unit_test(after_many_losses_nothing_is_asked),
        cmocka_unit_test(files_are_as_they_are),
        cmocka_unit_test(what_was_opened_stays_open),
    };
    if (mkdtemp(folder) == NULL)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    return failed;
}
