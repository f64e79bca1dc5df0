/* profile/sparse.c - see sparse.h. SPDX-License-Identifier: Apache-2.0 */
#include "profile/sparse.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "source/source.h"

/* The limits for all files of a profile together, as a profile may come from anywhere. */
#define ADDED_LINES_MAX  ((size_t)1000000)
#define SOURCE_BYTES_MAX ((size_t)64 << 20)

/* What may still be added. */
struct budget {
    size_t lines;
    size_t bytes;
};

struct sc_line sc_plain_line(const struct sc_source *source, size_t index)
{
    uint32_t lineno = (uint32_t)(index + 1);
    struct sc_line line = {.lineno = lineno, .region = {lineno, lineno, lineno, lineno, 0, 0}};
    if (index < source->regions.count)
        line.region = source->regions.items[index];
    return line;
}

static bool is_equal_line(const struct sc_line *one, const struct sc_line *other)
{
    return one->lineno == other->lineno &&
           memcmp(&one->region, &other->region, sizeof(one->region)) == 0;
}

/* Whether each line has the text, and the loop and function around it, that the source gives. */
static bool says_all(const struct sc_source *source, const struct sc_file *file)
{
    if (source->lines.count != file->lines.count)
        return false;
    for (size_t i = 0; i < file->lines.count; i++) {
        struct sc_line plain = sc_plain_line(source, i);
        const struct sc_source_line *at = &source->lines.items[i];
        const char *text = file->lines.items[i].text;
        if (!is_equal_line(&plain, &file->lines.items[i]) || strlen(text) != at->length ||
            memcmp(text, source->text + at->start, at->length) != 0)
            return false;
    }
    return true;
}

static void make_sparse(struct sc_file *file)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    SC_AUTO(sc_source_done) struct sc_source source = {0};
    for (size_t i = 0; i < file->lines.count; i++)
        sc_str_add(&text, file->lines.items[i].text);
    sc_source_init(&source, sc_str_text(&text), text.length);
    if (file->lines.count > 0 && says_all(&source, file))
        file->source = sc_strdup(sc_str_text(&text));
}

void sc_profile_make_sparse(struct sc_profile *profile)
{
    for (size_t i = 0; i < profile->files.count; i++)
        make_sparse(&profile->files.items[i]);
}

SC_ORDERED_BY(by_number, struct sc_line, SC_RISING(lineno));

/* Which lines of the source have a record; to be freed. */
static bool *find_recorded(const struct sc_file *file, size_t line_count)
{
    bool *has_record = sc_alloc(line_count + 1, sizeof(*has_record));
    for (size_t i = 0; i < file->lines.count; i++) {
        if (file->lines.items[i].lineno <= line_count)
            has_record[file->lines.items[i].lineno] = true;
    }
    return has_record;
}

static void add_missing(struct sc_file *file, const struct sc_source *source)
{
    bool *has_record = find_recorded(file, source->lines.count);
    for (size_t i = 0; i < source->lines.count; i++) {
        if (has_record[i + 1])
            continue;
        struct sc_line line = sc_plain_line(source, i);
        line.text =
            sc_strndup(source->text + source->lines.items[i].start, source->lines.items[i].length);
        sc_vec_push(&file->lines, line);
    }
    free(has_record);
    sc_vec_sort(&file->lines, by_number);
}

/* Checks an upper bound of the number of lines first: analysing a text takes 40 bytes for each. */
static void complete(struct sc_file *file, struct budget *budget)
{
    size_t length = strlen(file->source);
    size_t lines = sc_source_lines_at_most(file->source, length);
    if (length <= budget->bytes && lines <= budget->lines) {
        SC_AUTO(sc_source_done) struct sc_source source = {0};
        sc_source_init(&source, file->source, length);
        budget->bytes -= length;
        budget->lines -= lines;
        add_missing(file, &source);
    }
    free(file->source);
    file->source = NULL;
}

void sc_profile_complete(struct sc_profile *profile)
{
    struct budget budget = {ADDED_LINES_MAX, SOURCE_BYTES_MAX};
    for (size_t i = 0; i < profile->files.count; i++) {
        if (profile->files.items[i].source != NULL)
            complete(&profile->files.items[i], &budget);
    }
}
