/*
 * tests/unit/archive_test.c - files inside zip archives: whole ones, and those that lie.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/archive.h"

#include <zlib.h>

#include "base/helper.h"
#include "base/mem.h"
#include "sc_test.h"

#define LIMIT    ((size_t)1 << 20)
#define PACKED   8
#define STORED   0
#define BOMB_MAX UINT32_MAX

static const char text[] = "import time\ntime.sleep(1)\ntime.sleep(1)\ntime.sleep(1)\n";
static char path[64];

/* What an archive says of its one file, and where its parts begin. */
struct made {
    struct sc_str bytes;
    size_t local;
    size_t entry;
    size_t end;
};

static void put(struct sc_str *bytes, uint64_t number, size_t length)
{
    for (size_t i = 0; i < length; i++)
        sc_str_add_char(bytes, (char)(i < sizeof(number) ? number >> (8 * i) : 0));
}

/* What follows the mark in both headers: versions aside. */
static void put_facts(struct made *made, unsigned method, size_t packed, const char *name)
{
    put(&made->bytes, 0, 2);
    put(&made->bytes, method, 2);
    put(&made->bytes, 0, 4);
    put(&made->bytes, crc32(0, (const Bytef *)text, (uInt)strlen(text)), 4);
    put(&made->bytes, packed, 4);
    put(&made->bytes, strlen(text), 4);
    put(&made->bytes, strlen(name), 2);
    put(&made->bytes, 0, 2);
}

static struct made make(unsigned method, const char *before, const char *name, const char *comment)
{
    struct made made = {0};
    unsigned char packed[sizeof(text) + 64];
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)text,
                       .avail_in = (uInt)strlen(text),
                       .next_out = packed,
                       .avail_out = sizeof(packed)};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, 0), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    size_t length = method == STORED ? strlen(text) : stream.total_out;
    (void)deflateEnd(&stream);
    sc_str_add(&made.bytes, before);
    made.local = made.bytes.length;
    put(&made.bytes, 0x04034b50, 4);
    put(&made.bytes, 20, 2);
    put_facts(&made, method, length, name);
    sc_str_add(&made.bytes, name);
    sc_str_add_bytes(&made.bytes, method == STORED ? text : (const char *)packed, length);
    made.entry = made.bytes.length;
    put(&made.bytes, 0x02014b50, 4);
    put(&made.bytes, 20 | 20U << 16, 4);
    put_facts(&made, method, length, name);
    put(&made.bytes, 0, 10);
    put(&made.bytes, 0, 4);
    sc_str_add(&made.bytes, name);
    made.end = made.bytes.length;
    put(&made.bytes, 0x06054b50, 4);
    put(&made.bytes, 0, 4);
    put(&made.bytes, 1 | 1U << 16, 4);
    put(&made.bytes, made.end - made.entry, 4);
    put(&made.bytes, made.entry - made.local, 4);
    put(&made.bytes, strlen(comment), 2);
    sc_str_add(&made.bytes, comment);
    return made;
}

static void keep(const char *bytes, size_t length)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* Whether the archive of these bytes gives the text; it gives nothing else. */
static bool gives_text(const char *bytes, size_t length, const char *name)
{
    struct sc_str found = {0};
    keep(bytes, length);
    bool is_read = sc_archive_read(path, name, LIMIT, &found);
    if (is_read)
        assert_string_equal(sc_str_text(&found), text);
    else
        assert_int_equal(found.length, 0);
    sc_str_done(&found);
    return is_read;
}

TEST(a_file_is_read)
{
    static const unsigned methods[] = {STORED, PACKED};
    for (size_t i = 0; i < 2; i++) {
        struct made plain = make(methods[i], "", "a/b.py", "");
        struct made app = make(methods[i], "#!/usr/bin/env python3\n", "a/b.py", "a comment");
        assert_true(gives_text(plain.bytes.data, plain.bytes.length, "a/b.py"));
        assert_true(gives_text(app.bytes.data, app.bytes.length, "a/b.py"));
        assert_false(gives_text(app.bytes.data, app.bytes.length, "b.py"));
        assert_false(gives_text(app.bytes.data, app.bytes.length, "a/b.pyc"));
        sc_str_done(&plain.bytes);
        sc_str_done(&app.bytes);
    }
}

TEST(a_longer_file_is_not_read)
{
    struct made made = make(PACKED, "", "a.py", "");
    OWN(sc_str, found) = {0};
    keep(made.bytes.data, made.bytes.length);
    assert_false(sc_archive_read(path, "a.py", strlen(text) - 1, &found));
    assert_true(sc_archive_read(path, "a.py", strlen(text), &found));
    sc_str_done(&made.bytes);
}

/* Other numbers, each where both headers have it, or one. */
TEST(an_archive_that_lies_has_no_file)
{
    static const struct {
        size_t in_entry; /* 0: not there */
        size_t in_end;
        size_t length;
        uint32_t number;
    } lies[] = {
        {8, 0, 2, 1},         /* encrypted */
        {10, 0, 2, 12},       /* packed in a way that Python does not import */
        {16, 0, 4, 1},        /* checksum */
        {20, 0, 4, BOMB_MAX}, /* packed bytes: as with 64 bits */
        {20, 0, 4, 1U << 30}, /* more than the file has */
        {24, 0, 4, BOMB_MAX}, /* bytes */
        {24, 0, 4, 1000},     /* more than there are */
        {24, 0, 4, 3},        /* fewer */
        {28, 0, 2, 60000},    /* length of the name */
        {42, 0, 4, 5},        /* position */
        {42, 0, 4, BOMB_MAX}, /* position: as with 64 bits */
        {0, 12, 4, BOMB_MAX}, /* length of the list */
        {0, 16, 4, BOMB_MAX}, /* position of the list */
        {0, 12, 4, 3},        /* a part of the list */
        {0, 16, 4, 1000},     /* beyond it */
    };
    for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
        struct made made = make(PACKED, "", "a.py", "");
        size_t at = lies[i].in_end != 0 ? made.end + lies[i].in_end : made.entry + lies[i].in_entry;
        for (size_t k = 0; k < lies[i].length; k++)
            made.bytes.data[at + k] = (char)(lies[i].number >> (8 * k));
        if (gives_text(made.bytes.data, made.bytes.length, "a.py"))
            fail_msg("lie %zu was believed", i);
        sc_str_done(&made.bytes);
    }
}

TEST(a_part_of_an_archive_has_no_file)
{
    struct made made = make(PACKED, "#!", "a.py", "");
    for (size_t length = 0; length < made.bytes.length; length++)
        assert_false(gives_text(made.bytes.data, length, "a.py"));
    for (size_t i = 0; i < made.bytes.length; i++) { /* the text, or nothing */
        made.bytes.data[i] = (char)~made.bytes.data[i];
        (void)gives_text(made.bytes.data, made.bytes.length, "a.py");
        made.bytes.data[i] = (char)~made.bytes.data[i];
    }
    sc_str_done(&made.bytes);
}

TEST(a_path_into_an_archive_is_read_and_resolved)
{
    struct made made = make(PACKED, "", "a/b.py", "");
    SC_AUTO_FREE char *member = sc_format("%s/a/b.py", path);
    SC_AUTO_FREE char *link = sc_format("%s/link", sc_test_folder);
    SC_AUTO_FREE char *by_link = sc_format("%s/a/b.py", link);
    OWN(sc_str, found) = {0};
    struct stat facts;
    keep(made.bytes.data, made.bytes.length);
    assert_int_equal(symlink(path, link), 0);
    SC_AUTO_FREE char *resolved = sc_helper_resolve(NULL, by_link);
    assert_string_equal(resolved, member);
    assert_int_equal(sc_helper_read(NULL, by_link, LIMIT, &facts, &found), SC_HELPER_READ);
    assert_string_equal(sc_str_text(&found), text);
    assert_int_equal(facts.st_size, made.bytes.length);
    SC_AUTO_FREE char *none = sc_format("%s/none.py", sc_test_folder);
    assert_null(sc_helper_resolve(NULL, none));
    sc_str_done(&made.bytes);
}

static int set_up(void **state)
{
    (void)snprintf(path, sizeof(path), "%s/app.pyz", sc_test_folder);
    return 0;
}

TESTS_IN_A_FOLDER(set_up)
