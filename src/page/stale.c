/*
 * page/stale.c - whether a file on disk is still what the profile recorded of it.
 *
 * The name comes from the profile and may be any file's: of what is read only the answer yes or no
 * is returned, and a file that is not regular is not opened.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "page/stale.h"

#include <string.h>

#include "base/io.h"
#include "source/source.h"

/* A line without what ends it. */
struct piece {
    const char *bytes;
    size_t length;
};

static struct piece piece_of(const char *bytes, size_t length)
{
    while (length > 0 && (bytes[length - 1] == '\n' || bytes[length - 1] == '\r'))
        length--;
    return (struct piece){bytes, length};
}

static bool is_ascii(char byte)
{
    return (unsigned char)byte < 0x80;
}

static bool is_all_ascii(const struct piece *piece)
{
    for (size_t i = 0; i < piece->length; i++) {
        if (!is_ascii(piece->bytes[i]))
            return false;
    }
    return true;
}

/* Compares the lines without letters beyond ASCII. */
static bool is_same_in_ascii(const struct piece *one, const struct piece *other)
{
    size_t i = 0;
    size_t k = 0;
    for (;;) {
        while (i < one->length && !is_ascii(one->bytes[i]))
            i++;
        while (k < other->length && !is_ascii(other->bytes[k]))
            k++;
        if (i == one->length || k == other->length)
            return i == one->length && k == other->length;
        if (one->bytes[i++] != other->bytes[k++])
            return false;
    }
}

static bool is_same_line(const struct piece *one, const struct piece *other)
{
    if (one->length == other->length && memcmp(one->bytes, other->bytes, one->length) == 0)
        return true;
    return !is_all_ascii(one) && !is_all_ascii(other) && is_same_in_ascii(one, other);
}

/* The usual case: the bytes are the lines. */
static bool is_exactly(const struct sc_file *file, const struct sc_str *disk)
{
    size_t at = 0;
    for (size_t i = 0; i < file->lines.count; i++) {
        const char *text = file->lines.items[i].text != NULL ? file->lines.items[i].text : "";
        size_t length = strlen(text);
        if (length > disk->length - at || memcmp(sc_str_text(disk) + at, text, length) != 0)
            return false;
        at += length;
    }
    return at == disk->length;
}

static bool has_other_lines(const struct sc_file *file, const struct sc_source *disk)
{
    static const struct piece nothing = {"", 0};
    size_t recorded = 0; /* the profile has all lines up to this number */
    SC_EACH(const struct sc_line, line, &file->lines) {
        struct piece then = nothing;
        struct piece now = nothing;
        if (line->text != NULL)
            then = piece_of(line->text, strlen(line->text));
        if (line->lineno >= 1 && line->lineno <= disk->lines.count) {
            const struct sc_source_line *at = &disk->lines.items[line->lineno - 1];
            now = piece_of(disk->text + at->start, at->length);
        }
        if (!is_same_line(&then, &now))
            return true;
        recorded += line->lineno == recorded + 1 ? 1 : 0;
    }
    if (recorded < file->lines.count)
        return false; /* the profile lists some lines only: the others are not compared */
    for (size_t i = recorded; i < disk->lines.count; i++) {
        const struct sc_source_line *at = &disk->lines.items[i];
        if (piece_of(disk->text + at->start, at->length).length > 0)
            return true;
    }
    return false;
}

bool sc_file_is_stale(const struct sc_file *file, size_t *budget_bytes)
{
    SC_AUTO(sc_str_done) struct sc_str disk = {0};
    bool is_stale = false;
    if (file->name[0] == '/' && file->lines.count > 0 &&
        sc_read_regular_file(file->name, *budget_bytes, &disk, NULL)) {
        *budget_bytes -= disk.length;
        if (!is_exactly(file, &disk)) {
            SC_AUTO(sc_source_done) struct sc_source source = {0};
            sc_source_init(&source, sc_str_text(&disk), disk.length);
            is_stale = has_other_lines(file, &source);
        }
    }
    return is_stale;
}
