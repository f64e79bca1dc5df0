/*
 * assist/answer.c - the parts of an answer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assist/answer.h"

#include <string.h>

#include "assist/prompt.h"

/* A line of the answer, without its newline. */
struct line {
    const char *text;
    size_t length;
};

static bool take_line(const char *text, size_t length, size_t *offset, struct line *ret_line)
{
    if (*offset >= length)
        return false;
    const char *start = text + *offset;
    const char *newline = memchr(start, '\n', length - *offset);
    size_t size = newline != NULL ? (size_t)(newline - start) : length - *offset;
    *offset += size + 1;
    if (size > 0 && start[size - 1] == '\r')
        size--;
    *ret_line = (struct line){start, size};
    return true;
}

static size_t blanks(const struct line *line)
{
    size_t count = 0;
    while (count < line->length && (line->text[count] == ' ' || line->text[count] == '\t'))
        count++;
    return count;
}

static bool begins(const struct line *line, const char *word)
{
    size_t skip = blanks(line);
    size_t length = strlen(word);
    return line->length - skip >= length && memcmp(line->text + skip, word, length) == 0;
}

/* How many marks of a fence the line begins with; 0 when it is none. */
static size_t fence_of(const struct line *line, char *ret_mark)
{
    size_t skip = blanks(line);
    if (skip >= line->length || (line->text[skip] != '`' && line->text[skip] != '~'))
        return 0;
    size_t count = 0;
    *ret_mark = line->text[skip];
    while (skip + count < line->length && line->text[skip + count] == *ret_mark)
        count++;
    return count >= 3 ? count : 0;
}

static bool is_closing(const struct line *line, char mark, size_t count)
{
    char own = 0;
    size_t marks = fence_of(line, &own);
    return marks >= count && own == mark && blanks(line) + marks == line->length;
}

/* Whether a block holds imports and comments alone, and at least one import. */
static bool is_imports(const struct sc_str *block)
{
    size_t offset = 0;
    struct line line;
    bool any = false;
    while (take_line(sc_str_text(block), block->length, &offset, &line)) {
        bool is_import = begins(&line, "import ") || begins(&line, "from ");
        if (!is_import && blanks(&line) < line.length && !begins(&line, "#"))
            return false;
        any = any || is_import;
    }
    return any;
}

static bool is_mark(const struct line *line)
{
    return begins(line, SC_AI_MARK_FIRST) || begins(line, SC_AI_MARK_LAST);
}

/* What fenced blocks were found, so far. */
struct parts {
    struct sc_str *code;
    struct sc_str *imports;
    struct sc_str *remarks;
    struct sc_str block;
};

static void end_block(struct parts *parts)
{
    if (is_imports(&parts->block) && parts->imports->length == 0 && parts->code->length == 0)
        sc_str_add_bytes(parts->imports, parts->block.data, parts->block.length);
    else if (parts->code->length == 0)
        sc_str_add_bytes(parts->code, sc_str_text(&parts->block), parts->block.length);
    else
        sc_str_add_bytes(parts->remarks, sc_str_text(&parts->block), parts->block.length);
    sc_str_clear(&parts->block);
}

/* Models that think aloud do it first, between these. */
static void skip_thoughts(const char **answer, size_t *length)
{
    static const char open[] = "<think>";
    static const char close[] = "</think>";
    size_t skip = 0;
    while (skip < *length && strchr(" \t\r\n", (*answer)[skip]) != NULL && (*answer)[skip] != '\0')
        skip++;
    if (*length - skip < strlen(open) || memcmp(*answer + skip, open, strlen(open)) != 0)
        return;
    const char *end = memmem(*answer, *length, close, strlen(close));
    if (end == NULL)
        return;
    *length -= (size_t)(end - *answer) + strlen(close);
    *answer = end + strlen(close);
}

void sc_ai_answer_split(const char *answer, size_t length, struct sc_str *ret_code,
                        struct sc_str *ret_imports, struct sc_str *ret_remarks)
{
    struct parts parts = {.code = ret_code, .imports = ret_imports, .remarks = ret_remarks};
    size_t offset = 0;
    struct line line;
    char mark = 0;
    size_t fence = 0;
    skip_thoughts(&answer, &length);
    while (take_line(answer, length, &offset, &line)) {
        if (fence == 0) {
            fence = fence_of(&line, &mark);
            if (fence > 0)
                continue;
            sc_str_add_bytes(parts.remarks, line.text, line.length);
            sc_str_add_char(parts.remarks, '\n');
        } else if (is_closing(&line, mark, fence)) {
            fence = 0;
            end_block(&parts);
        } else if (!is_mark(&line)) {
            sc_str_add_bytes(&parts.block, line.text, line.length);
            sc_str_add_char(&parts.block, '\n');
        }
    }
    /* a block that is not closed is not whole: it is nobody's code */
    if (fence > 0)
        sc_str_add_bytes(ret_remarks, sc_str_text(&parts.block), parts.block.length);
    /* nothing but imports: they are what is proposed */
    if (ret_code->length == 0 && ret_imports->length > 0) {
        sc_str_add_bytes(ret_code, ret_imports->data, ret_imports->length);
        sc_str_clear(ret_imports);
    }
    sc_str_done(&parts.block);
}
