/* assist/answer.c - see answer.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/answer.h"

#include <string.h>
#include <strings.h>

#include "assist/import_text.h"
#include "assist/prompt.h"
#include "base/vec.h"

#define CLOSING_INDENT_MAX 3U

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

/* How many marks of a fence the line begins with; 0 when it is none, as with ```code``` in a text
 * (CommonMark 0.31, 4.5). */
static size_t fence_of(const struct line *line, char *ret_mark)
{
    size_t skip = blanks(line);
    if (skip >= line->length || (line->text[skip] != '`' && line->text[skip] != '~'))
        return 0;
    size_t count = 0;
    *ret_mark = line->text[skip];
    while (skip + count < line->length && line->text[skip + count] == *ret_mark)
        count++;
    bool is_text = *ret_mark == '`' &&
                   memchr(line->text + skip + count, '`', line->length - skip - count) != NULL;
    return count >= 3 && !is_text ? count : 0;
}

/* A fence that is indented deeper belongs to the code: to a docstring (CommonMark 0.31, 4.5). */
static bool is_closing(const struct line *line, char mark, size_t count, size_t indent)
{
    char own = 0;
    size_t marks = fence_of(line, &own);
    return marks >= count && own == mark && blanks(line) + marks == line->length &&
           blanks(line) <= indent + CLOSING_INDENT_MAX;
}

/* Whether a text holds imports and comments alone, and at least one import. */
static bool is_imports(const char *text, size_t length)
{
    size_t offset = 0;
    struct line line;
    bool any = false;
    while (take_line(text, length, &offset, &line)) {
        bool is_import = begins(&line, "import ") || begins(&line, "from ");
        if (!is_import && blanks(&line) < line.length && !begins(&line, "#"))
            return false;
        size_t start = (size_t)(line.text - text);
        size_t size = is_import ? sc_ai_import_length(line.text, length - start) : 0;
        if (is_import && size == 0)
            return false;
        offset = is_import ? start + size : offset;
        any = any || is_import;
    }
    return any;
}

static bool is_mark(const struct line *line)
{
    return begins(line, SC_AI_MARK_FIRST) || begins(line, SC_AI_MARK_LAST);
}

/* What a fenced block is, by the word behind its fence. */
enum label {
    LABEL_PYTHON,
    LABEL_NONE,
    LABEL_OTHER, /* shell commands, a diff, a configuration file */
};

static enum label label_of(const struct line *fence)
{
    static const char *const python[] = {"python", "py", "cython", "sage", "ipython", NULL};
    size_t start = blanks(fence);
    while (start < fence->length && (fence->text[start] == '`' || fence->text[start] == '~'))
        start++;
    while (start < fence->length && strchr(" \t{.", fence->text[start]) != NULL)
        start++;
    if (start == fence->length)
        return LABEL_NONE;
    for (size_t i = 0; python[i] != NULL; i++)
        if (fence->length - start >= strlen(python[i]) &&
            strncasecmp(fence->text + start, python[i], strlen(python[i])) == 0)
            return LABEL_PYTHON;
    return LABEL_OTHER;
}

/* A part of an answer: a fenced block, or the text between two. */
struct part {
    bool is_block;
    enum label label;
    struct sc_str text;
};

struct parts SC_VEC_OF(struct part);

static bool holds_imports(const struct part *part)
{
    return is_imports(sc_str_text(&part->text), part->text.length);
}

/* The next line with more than blanks, without those before it. */
static bool take_filled_line(const char *text, size_t length, size_t *offset, struct line *ret_line)
{
    while (take_line(text, length, offset, ret_line)) {
        size_t skip = blanks(ret_line);
        ret_line->text += skip;
        ret_line->length -= skip;
        if (ret_line->length > 0)
            return true;
    }
    return false;
}

/* Whether both texts have the same lines, apart from indentation and empty lines. */
static bool same_but_for_blanks(const struct sc_str *left, const char *right, size_t right_length)
{
    size_t left_at = 0;
    size_t right_at = 0;
    struct line mine = {0};
    struct line theirs = {0};
    for (;;) {
        bool more = take_filled_line(sc_str_text(left), left->length, &left_at, &mine);
        if (more != take_filled_line(right, right_length, &right_at, &theirs))
            return false;
        if (!more)
            return true;
        if (mine.length != theirs.length || memcmp(mine.text, theirs.text, mine.length) != 0)
            return false;
    }
}

/* The block that is the code: the first of Python, else the first without a label, that does not
 * repeat the old code; else the first that does. NULL when there is none. */
static struct part *find_code(struct parts *parts, const char *old, size_t old_length)
{
    for (int round = 0; round < 4; round++) {
        enum label label = round % 2 == 0 ? LABEL_PYTHON : LABEL_NONE;
        SC_EACH(struct part, part, parts) {
            if (!part->is_block || part->label != label || holds_imports(part))
                continue;
            if (round >= 2 || !same_but_for_blanks(&part->text, old, old_length))
                return part;
        }
    }
    return NULL;
}

/* The first block of imports alone before the given one; NULL when there is none. */
static struct part *find_imports(struct parts *parts, const struct part *before)
{
    SC_EACH(struct part, part, parts) {
        if (part == before)
            return NULL;
        if (part->is_block && part->label != LABEL_OTHER && holds_imports(part))
            return part;
    }
    return NULL;
}

/* Reasoning models put their thoughts first, between these two tags; the first tag may be in the
 * prompt instead. */
static void skip_thoughts(const char **answer, size_t *length)
{
    static const char *const words[][2] = {
        {"<think>", "</think>"}, {"<thinking>", "</thinking>"}, {"<reasoning>", "</reasoning>"}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const char *open = memmem(*answer, *length, words[i][0], strlen(words[i][0]));
        const char *end = memmem(*answer, *length, words[i][1], strlen(words[i][1]));
        const char *first = *answer;
        while (first < *answer + *length && strchr(" \t\r\n", *first) != NULL && *first != '\0')
            first++;
        if (end == NULL || (open != NULL && open < end && open != first))
            continue;
        *length -= (size_t)(end - *answer) + strlen(words[i][1]);
        *answer = end + strlen(words[i][1]);
        return;
    }
}

static struct part *add_part(struct parts *parts, bool is_block, enum label label)
{
    sc_vec_push(parts, ((struct part){.is_block = is_block, .label = label}));
    return &parts->items[parts->count - 1];
}

/* False where the last block has no end: it is not taken as code. */
static bool read_parts(const char *answer, size_t length, struct parts *ret_parts)
{
    size_t offset = 0;
    struct line line;
    char mark = 0;
    size_t fence = 0;
    size_t indent = 0; /* of the fence */
    struct part *part = add_part(ret_parts, false, LABEL_NONE);
    while (take_line(answer, length, &offset, &line)) {
        if (fence == 0 && (fence = fence_of(&line, &mark)) > 0) {
            part = add_part(ret_parts, true, label_of(&line));
            indent = blanks(&line);
        } else if (fence > 0 && is_closing(&line, mark, fence, indent)) {
            fence = 0;
            part = add_part(ret_parts, false, LABEL_NONE);
        } else if (fence == 0 || !is_mark(&line)) {
            sc_str_add_bytes(&part->text, line.text, line.length);
            sc_str_add_char(&part->text, '\n');
        }
    }
    part->is_block = part->is_block && fence == 0;
    return fence == 0;
}

static void take_text(struct part *part, struct sc_str *to)
{
    sc_str_add_bytes(to, sc_str_text(&part->text), part->text.length);
    sc_str_done(&part->text);
}

bool sc_ai_answer_split(const char *answer, size_t length, const char *old, size_t old_length,
                        struct sc_str *ret_code, struct sc_str *ret_imports,
                        struct sc_str *ret_remarks)
{
    SC_AUTO_FREE struct parts parts = {0};
    skip_thoughts(&answer, &length);
    bool is_whole = read_parts(answer, length, &parts);
    struct part *code = find_code(&parts, old, old_length);
    struct part *imports = find_imports(&parts, code);
    /* imports are proposed for imports; alone they are no other code */
    if (code == NULL && is_imports(old, old_length)) {
        code = imports;
        imports = NULL;
    }
    for (size_t i = 0; i < parts.count; i++)
        if (&parts.items[i] != code && &parts.items[i] != imports)
            take_text(&parts.items[i], ret_remarks);
    if (imports != NULL)
        take_text(imports, ret_imports);
    if (code != NULL)
        take_text(code, ret_code);
    return is_whole;
}
