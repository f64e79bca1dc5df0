/*
 * tests/unit/base_test.c - errors, strings, maps, interning, files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "base/err.h"
#include "base/io.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/thread.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/visible.h"
#include "sc_test.h"

TEST(an_error_keeps_its_first_cause)
{
    struct sc_err err = {0};
    assert_int_equal(sc_err_status(&err), 0);
    assert_false(sc_fail(&err, SC_ERR_USAGE, "bad %s", "word"));
    assert_false(sc_fail_errno(&err, 2, "later"));
    assert_string_equal(err.text, "bad word");
    assert_int_equal(sc_err_status(&err), 2);
    assert_false(sc_fail(NULL, SC_ERR_USAGE, "nobody asks"));
}

TEST(an_errno_is_described_in_words)
{
    struct sc_err err = {0};
    (void)sc_fail_errno(&err, 2, "cannot read '%s'", "x");
    assert_string_equal(err.text, "cannot read 'x': No such file or directory");
    assert_int_equal(sc_err_status(&err), 1);
}

TEST(strings_grow_and_stay_terminated)
{
    OWN(sc_str, str) = {0};
    assert_string_equal(sc_str_text(&str), "");
    for (int i = 0; i < 1000; i++)
        sc_str_add_format(&str, "%d,", i);
    sc_str_add_char(&str, '.');
    assert_int_equal(str.length, 10 + 90 * 2 + 900 * 3 + 1000 + 1);
    assert_int_equal(strlen(str.data), str.length);
    assert_true(sc_starts_with(str.data, "0,1,2,"));
    assert_true(sc_ends_with(str.data, "999,."));
    assert_false(sc_ends_with("a", "ba"));
}

TEST(words_of_a_text_are_found_whole)
{
    size_t length = 0;
    assert_string_equal(sc_next_word("  one two", &length), "one two");
    assert_int_equal(length, 3);
    assert_null(sc_next_word(" ", &length));
    assert_true(sc_is_one_of("two.cold", 3, "one two three"));
    assert_true(sc_is_one_of("three", 5, "one two three"));
    assert_false(sc_is_one_of("on", 2, "one two three"));
    assert_false(sc_is_one_of("", 0, "one two three"));
    assert_true(sc_is_among("bc", "a bc d") && !sc_is_among("b", "a bc d"));
    assert_true(sc_starts_with_any("bcd", "x bc") && !sc_starts_with_any("b", "x bc"));
    assert_true(sc_ends_with_any("abc", "x bc") && !sc_ends_with_any("c", "x bc"));
    assert_true(sc_holds_any("abcd", "x bc") && !sc_holds_any("ab cd", "x bc"));
    assert_false(sc_is_among("", "a") || sc_starts_with_any("a", "") || sc_holds_any("a", " "));
}

TEST(a_word_is_as_a_shell_reads_it)
{
    static const char *const words[][2] = {{"a/b-1.json", "a/b-1.json"},
                                           {"\u00fc/\u00f6.json", "\u00fc/\u00f6.json"},
                                           {"a b", "'a b'"},
                                           {"", "''"},
                                           {"it's", "'it'\\''s'"},
                                           {"$HOME", "'$HOME'"},
                                           {"~/a", "'~/a'"}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        SC_AUTO_FREE char *quoted = sc_shell_word(words[i][0]);
        assert_string_equal(quoted, words[i][1]);
    }
}

TEST(a_taken_text_is_the_takers)
{
    OWN(sc_str, str) = {0};
    SC_AUTO_FREE char *empty = sc_str_take(&str);
    assert_string_equal(empty, "");
    sc_str_add(&str, "one");
    SC_AUTO_FREE char *taken = sc_str_take(&str);
    sc_str_add(&str, "two"); /* it is empty again */
    assert_string_equal(taken, "one");
    assert_string_equal(sc_str_text(&str), "two");
}

TEST(vectors_grow)
{
    SC_VEC(int) numbers = {0};
    for (int i = 0; i < 100; i++)
        sc_vec_push(&numbers, i * i);
    assert_int_equal(numbers.count, 100);
    assert_int_equal(numbers.items[99], 9801);
    sc_vec_done(&numbers);
}

TEST(a_map_finds_every_key_it_was_given)
{
    OWN(sc_map, map) = {0};
    assert_int_equal(sc_map_get(&map, 1), SC_NONE);
    for (uint32_t i = 0; i < 10000; i++)
        sc_map_put(&map, (uint64_t)i << 32, i);
    sc_map_put(&map, 0, 77);
    assert_int_equal(map.count, 10000);
    assert_int_equal(sc_map_get(&map, 0), 77);
    for (uint32_t i = 1; i < 10000; i++)
        assert_int_equal(sc_map_get(&map, (uint64_t)i << 32), i);
    assert_int_equal(sc_map_get(&map, 5), SC_NONE);
}

/* Against a plain array: keys that come and go, close together and in few slots. */
TEST(what_is_removed_from_a_map_is_not_found_and_all_else_is)
{
    enum { KEYS = 60, STEPS = 20000 };
    OWN(sc_map, map) = {0};
    uint32_t values[KEYS];
    size_t count = 0;
    uint64_t random = 1;
    sc_map_remove(&map, 1);
    for (size_t k = 0; k < KEYS; k++)
        values[k] = SC_NONE;
    for (uint32_t step = 0; step < STEPS; step++) {
        random = sc_mix(random, step);
        uint64_t key = random % KEYS;
        count -= values[key] != SC_NONE;
        if ((random >> 32) % 2 == 0) {
            sc_map_put(&map, key, step);
            values[key] = step;
            count++;
        } else {
            sc_map_remove(&map, key);
            values[key] = SC_NONE;
        }
        assert_int_equal(map.count, count);
        for (uint64_t k = 0; k < KEYS; k++)
            assert_int_equal(sc_map_get(&map, k), values[k]);
    }
    assert_true(map.capacity <= 128);
}

TEST(equal_strings_have_one_id)
{
    OWN(sc_intern, intern) = {0};
    assert_int_equal(sc_intern_find(&intern, "a", 1), SC_NONE);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 5000; i++) {
            SC_AUTO_FREE char *name = sc_format("name %u of many", i);
            assert_int_equal(sc_intern_add(&intern, name, strlen(name)), i);
        }
    }
    assert_int_equal(sc_intern_add(&intern, "nul\0inside", 10), 5000);
    assert_int_equal(sc_intern_add(&intern, "nul", 3), 5001);
    assert_int_equal(sc_intern_add(&intern, "", 0), 5002);
    assert_int_equal(sc_intern_length(&intern, 5000), 10);
    assert_string_equal(sc_intern_text(&intern, 4999), "name 4999 of many");
    assert_int_equal(sc_intern_find(&intern, "nul", 3), 5001);
}

TEST(a_file_is_replaced_as_one_step)
{
    char directory[] = "/tmp/sc_base_XXXXXX";
    assert_non_null(mkdtemp(directory));
    SC_AUTO_FREE char *path = sc_format("%s/file", directory);
    SC_AUTO_FREE char *link = sc_format("%s/link", directory);
    struct sc_err err = {0};
    assert_true(sc_write_file(path, "one", 3, &err));
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink(path, link), 0);
    assert_true(sc_write_file(link, "second", 6, &err));
    struct sc_str bytes = {0};
    assert_true(sc_read_file(path, 6, &bytes, &err));
    assert_string_equal(bytes.data, "second");
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    sc_str_clear(&bytes);
    assert_false(sc_read_file(path, 5, &bytes, &err));
    assert_int_equal(err.kind, SC_ERR_FAILED);
    err = (struct sc_err){0};
    SC_AUTO_FREE char *nowhere = sc_format("%s/no/file", directory);
    assert_false(sc_write_file(nowhere, "x", 1, &err));
    assert_true(sc_ends_with(err.text, "No such file or directory"));
    sc_str_done(&bytes);
    (void)unlink(link);
    (void)unlink(path);
    assert_int_equal(rmdir(directory), 0); /* no temporary file is left */
}

TEST(a_link_that_leads_to_no_file_yet_stays_a_link)
{
    char directory[] = "/tmp/sc_base_XXXXXX";
    assert_non_null(mkdtemp(directory));
    SC_AUTO_FREE char *folder = sc_format("%s/folder", directory);
    SC_AUTO_FREE char *path = sc_format("%s/file", folder);
    SC_AUTO_FREE char *link = sc_format("%s/link", directory);
    SC_AUTO_FREE char *circle = sc_format("%s/circle", directory);
    SC_AUTO(sc_str_done) struct sc_str bytes = {0};
    struct sc_err err = {0};
    struct stat status;
    assert_int_equal(symlink("folder/file", link), 0);
    assert_false(sc_can_make_file(link)); /* its folder is not there */
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_true(sc_can_make_file(link));
    assert_true(sc_write_file(link, "text", 4, NULL));
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_true(sc_read_file(path, 4, &bytes, NULL));
    assert_int_equal(symlink("circle", circle), 0);
    assert_false(sc_write_file(circle, "text", 4, &err));
    assert_true(sc_ends_with(err.text, "Too many levels of symbolic links"));
    assert_int_equal(lstat(circle, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    (void)unlink(circle);
    (void)unlink(link);
    (void)unlink(path);
    (void)rmdir(folder);
    assert_int_equal(rmdir(directory), 0);
}

TEST(the_file_of_another_user_stays_his)
{
    char path[] = "/tmp/sc_base_XXXXXX";
    struct stat status;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    if (geteuid() == 0) { /* nobody else can make one */
        assert_int_equal(chown(path, 12345, 12346), 0);
        assert_int_equal(chmod(path, 0640), 0);
        assert_true(sc_write_file(path, "text", 4, NULL));
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_uid, 12345);
        assert_int_equal(status.st_gid, 12346);
        assert_int_equal(status.st_mode & 0777, 0640);
    }
    (void)unlink(path);
}

TEST(what_is_private_is_private_also_when_it_replaces)
{
    char directory[] = "/tmp/sc_base_XXXXXX";
    assert_non_null(mkdtemp(directory));
    SC_AUTO_FREE char *path = sc_format("%s/file", directory);
    static const unsigned modes[][2] = {{0644, 0600}, {0666, 0600}, {0400, 0400}, {0600, 0600}};
    struct stat status;
    assert_true(sc_write_private_file(path, "one", 3, NULL));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        assert_int_equal(chmod(path, modes[i][0]), 0);
        assert_true(sc_write_private_file(path, "two", 3, NULL));
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 0777, modes[i][1]);
    }
    (void)unlink(path);
    assert_int_equal(rmdir(directory), 0);
}

TEST(what_is_no_regular_file_is_not_opened)
{
    char directory[] = "/tmp/sc_base_XXXXXX";
    assert_non_null(mkdtemp(directory));
    SC_AUTO_FREE char *pipe = sc_format("%s/pipe", directory);
    struct sc_str bytes = {0};
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_false(sc_read_regular_file(pipe, 100, &bytes, NULL)); /* and nobody waits */
    assert_false(sc_read_regular_file("/dev/zero", 100, &bytes, NULL));
    assert_false(sc_read_regular_file(directory, 100, &bytes, NULL));
    assert_true(sc_read_regular_file("/proc/self/status", 100, &bytes, NULL));
    assert_int_equal(bytes.length, 0);
    sc_str_done(&bytes);
    (void)unlink(pipe);
    assert_int_equal(rmdir(directory), 0);
}

static void check_visible(const char *text, enum sc_visible kind, const char *wanted)
{
    OWN(sc_str, shown) = {0};
    sc_visible_add(&shown, text, strlen(text), kind);
    assert_string_equal(sc_str_text(&shown), wanted);
}

/* Readers of JSON refuse half a character. */
TEST(a_long_message_ends_with_a_whole_character)
{
    for (size_t begin = 0; begin < 3; begin++) {
        struct sc_err err = {0};
        char text[1000] = "\n\n\n\n\n\n\n\n\n\nab"; /* a line's end takes 8 bytes */
        for (size_t at = 10 + begin; at + 4 < sizeof(text); at += 3)
            memcpy(text + at, "\u4e2d", 4);
        (void)sc_fail(&err, SC_ERR_FAILED, "%s", text);
        size_t at = 0;
        for (size_t left = strlen(err.text); left > 0; left = strlen(err.text + at)) {
            size_t length = sc_utf8_length(err.text + at, left);
            assert_true(length > 0);
            at += length;
        }
        assert_true(at > 470);
    }
}

TEST(what_cannot_be_seen_has_a_number)
{
    check_visible("plain, größer, 漢字, 🙂", SC_VISIBLE_LINE,
                  "plain, größer, 漢字, 🙂");
    check_visible("\033]0;x\a\x7f\xc2\x9b", SC_VISIBLE_LINE,
                  "<U+001B>]0;x<U+0007><U+007F><U+009B>");
    check_visible("a\n\tb\r\nc\rd", SC_VISIBLE_LINES, "a\n\tb\nc<U+000D>d");
    check_visible("a\n\tb", SC_VISIBLE_LINE, "a<U+000A><U+0009>b");
    check_visible("\u202e\u2066\u200b\u2028\ufeff\U000e0041\u3164", SC_VISIBLE_LINES,
                  "<U+202E><U+2066><U+200B><U+2028><U+FEFF><U+E0041><U+3164>");
    check_visible("\xff\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80\xe2\x80", SC_VISIBLE_LINE,
                  "<FF><C0><AF><ED><A0><80><F4><90><80><80><E2><80>");
    struct sc_err err = {0};
    (void)sc_fail(&err, SC_ERR_FAILED, "'%s' is bad", "\033[2J\nx");
    assert_string_equal(err.text, "'<U+001B>[2J<U+000A>x' is bad");
}

#define WRITERS 4
#define WRITES  200

struct writer {
    pthread_t thread;
    char *path;
    bool failed;
};

static void *write_often(void *argument)
{
    struct writer *writer = argument;
    struct sc_err err = {0};
    for (int i = 0; i < WRITES && !writer->failed; i++)
        writer->failed = !sc_write_file(writer->path, "text", 4, &err);
    return NULL;
}

TEST(writers_in_one_folder_do_not_meet)
{
    char directory[] = "/tmp/scalene-test-XXXXXX";
    assert_non_null(mkdtemp(directory));
    struct writer writers[WRITERS] = {0};
    for (int i = 0; i < WRITERS; i++) {
        writers[i].path = sc_format("%s/file%d", directory, i);
        assert_int_equal(pthread_create(&writers[i].thread, NULL, write_often, &writers[i]), 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(pthread_join(writers[i].thread, NULL), 0);
        assert_false(writers[i].failed);
        assert_int_equal(unlink(writers[i].path), 0);
        free(writers[i].path);
    }
    assert_int_equal(rmdir(directory), 0);
}

/* What a thread of the tool's own finds, handed over by a pipe. */
struct found {
    int out;
    sigset_t blocked;
};

static void *look_at_mask(void *argument)
{
    struct found *found = argument;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &found->blocked);
    (void)write(found->out, "x", 1);
    return NULL;
}

TEST(a_thread_takes_no_signal)
{
    static struct found found;
    int ends[2];
    char byte = 0;
    sigset_t before;
    sigset_t after;
    assert_int_equal(pipe(ends), 0);
    found.out = ends[1];
    (void)pthread_sigmask(SIG_SETMASK, NULL, &before);
    assert_true(sc_thread_start(look_at_mask, &found));
    (void)pthread_sigmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    for (int number = 1; number < 32; number++) {
        assert_int_equal(sigismember(&before, number), sigismember(&after, number));
        if (number == SIGKILL || number == SIGSTOP)
            continue;
        assert_int_equal(sigismember(&found.blocked, number), 1);
    }
    (void)close(ends[0]);
    (void)close(ends[1]);
}
