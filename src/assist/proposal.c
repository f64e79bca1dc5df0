/*
 * assist/proposal.c - code from an answer, put into its place.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "assist/answer.h"
#include "assist/complete.h"
#include "assist/import_text.h"
#include "assist/prompt.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "source/code.h"
#include "source/source.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"
#define UNSEEN_MAX      10 /* lines with unseen characters that are named */

static size_t line_length(const char *text, size_t length)
{
    const char *newline = memchr(text, '\n', length);
    return newline != NULL ? (size_t)(newline - text) + 1 : length;
}

static size_t blanks(const char *text, size_t length)
{
    size_t count = 0;
    while (count < length && (text[count] == ' ' || text[count] == '\t'))
        count++;
    return count;
}

static bool is_blank(const char *line, size_t length)
{
    size_t skip = blanks(line, length);
    return skip == length || line[skip] == '\n' || line[skip] == '\r';
}

/* Whether the byte is within a string that began on an earlier line. */
static bool is_in_string(const struct sc_source *source, size_t offset)
{
    SC_EACH(const struct sc_source_mark, mark, &source->marks) {
        if (mark->start >= offset)
            return false;
        if (mark->token == SC_TOKEN_STRING && (size_t)mark->start + mark->length > offset)
            return true;
    }
    return false;
}

/* The lines of the code without blank ones at both ends. */
static void trim(const char **code, size_t *length)
{
    while (*length > 0) {
        size_t size = line_length(*code, *length);
        if (!is_blank(*code, size))
            break;
        *code += size;
        *length -= size;
    }
    while (*length > 0 && strchr(" \t\r\n", (*code)[*length - 1]) != NULL &&
           (*code)[*length - 1] != '\0')
        (*length)--;
}

/* Whether a statement begins at this lexeme, as the first of its line. */
static bool begins_line(const struct sc_code *code, size_t lexeme)
{
    return code->lexemes.items[lexeme].kind != SC_LEXEME_NEWLINE &&
           (lexeme == 0 || code->lexemes.items[lexeme - 1].kind == SC_LEXEME_NEWLINE);
}

/* The blanks that all statements of the code have before them, how many: the first ones of
 * *ret_line. Comments, and lines within brackets or strings, may begin anywhere. */
static size_t common_indent(const char *text, size_t length, const char **ret_line)
{
    SC_AUTO(sc_code_done) struct sc_code code = {0};
    size_t least = SIZE_MAX;
    sc_code_init(&code, text, length);
    *ret_line = text;
    for (size_t i = 0; i < code.lexemes.count; i++) {
        size_t own = 0;
        const char *start = text + code.lexemes.items[i].start;
        if (!begins_line(&code, i))
            continue;
        while (start > text && (start[-1] == ' ' || start[-1] == '\t')) {
            start--;
            own++;
        }
        if (least == SIZE_MAX)
            *ret_line = start;
        if (own < least)
            least = own;
        while (least > 0 && memcmp(*ret_line, start, least) != 0)
            least--;
    }
    return least == SIZE_MAX ? blanks(text, length) : least;
}

void sc_ai_indent_add(const char *code, size_t length, const char *indent, size_t indent_length,
                      struct sc_str *ret_code)
{
    SC_AUTO(sc_source_done) struct sc_source source = {0};
    trim(&code, &length);
    sc_source_init(&source, code, length);
    const char *first;
    size_t common = common_indent(code, length, &first);
    SC_EACH(const struct sc_source_line, line, &source.lines) {
        const char *text = source.text + line->start;
        size_t size = line->length;
        while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == '\r'))
            size--;
        bool keeps = is_in_string(&source, line->start);
        if (!keeps && !is_blank(text, size)) {
            sc_str_add_bytes(ret_code, indent, indent_length);
            size_t own = blanks(text, size);
            text += own < common ? own : common;
            size -= own < common ? own : common;
        } else if (!keeps) {
            size = 0;
        }
        sc_str_add_bytes(ret_code, text, size);
        sc_str_add_char(ret_code, '\n');
    }
}

static bool begins(const char *line, size_t length, const char *word)
{
    size_t size = strlen(word);
    return length >= size && memcmp(line, word, size) == 0;
}

/* Whether a string begins here, perhaps with a prefix: the docstring. */
static bool begins_string(const char *start, size_t length)
{
    size_t prefix = 0;
    while (prefix < 2 && prefix < length && strchr("rRuU", start[prefix]) != NULL &&
           start[prefix] != '\0')
        prefix++;
    return prefix < length && (start[prefix] == '"' || start[prefix] == '\'');
}

size_t sc_ai_import_place(const char *text, size_t length, size_t before)
{
    SC_AUTO(sc_source_done) struct sc_source source = {0};
    size_t mark = begins(text, length, BYTE_ORDER_MARK) ? strlen(BYTE_ORDER_MARK) : 0;
    size_t behind = mark; /* the comments, the docstring, imports from __future__ */
    bool is_head = true;
    int depth = 0;
    sc_source_init(&source, text, length);
    SC_EACH(const struct sc_source_line, line, &source.lines) {
        const char *start = source.text + line->start + (line->start == 0 ? mark : 0);
        bool is_rest = depth > 0 || is_in_string(&source, line->start);
        if (line->start >= before)
            break;
        bool is_future = begins(start, line->length, "from __future__ ");
        bool is_import =
            begins(start, line->length, "import ") || begins(start, line->length, "from ");
        if (is_import && !is_future && !is_rest) {
            behind = line->start == 0 ? mark : line->start;
            break;
        }
        if (is_future || depth > 0)
            depth += sc_ai_brackets(start, line->length);
        bool is_string = begins_string(start, line->length);
        is_head = is_head && (is_rest || is_future || is_string || start[0] == '#' ||
                              is_blank(start, line->length));
        if (is_head && (is_rest || is_future || !is_blank(start, line->length)))
            behind = line->start + line->length;
    }
    return behind;
}

/* The new imports that are not at the top of the file yet. */
static void missing_imports(const struct sc_str *imports, const struct sc_str *text,
                            struct sc_str *ret_missing)
{
    SC_AUTO_FREE char *around = sc_format("\n%s\n", sc_str_text(text));
    char *kept = around; /* without the first part of line ends of two */
    for (const char *byte = around; *byte != '\0'; byte++)
        if (*byte != '\r')
            *kept++ = *byte;
    *kept = '\0';
    const char *line = sc_str_text(imports);
    size_t left = imports->length;
    for (size_t size; left > 0 && (size = sc_ai_import_length(line, left)) > 0; left -= size) {
        int length = (int)size - (line[size - 1] == '\n');
        SC_AUTO_FREE char *wanted = sc_format("\n%.*s\n", length, line);
        if (!is_blank(line, size) && strstr(around, wanted) == NULL)
            sc_str_add(ret_missing, wanted + 1);
        line += size;
    }
}

static uint32_t count_lines(const struct sc_str *text)
{
    uint32_t count = 0;
    for (size_t i = 0; i < text->length; i++)
        count += text->data[i] == '\n' ? 1 : 0;
    return count;
}

/* The file's text with the proposal in it. */
static void put_together(const struct sc_ai_place *place, struct sc_ai_proposal *proposal)
{
    const char *text = sc_str_text(&place->text);
    struct sc_str *whole = &proposal->new_text;
    size_t at = sc_ai_import_place(text, place->text.length, place->start);
    if (at > place->start)
        at = place->start; /* before the replaced lines, which use the imports */
    sc_str_add_bytes(whole, text, at);
    if (proposal->imports.length > 0) {
        if (at > 0 && text[at - 1] != '\n')
            sc_str_add_char(whole, '\n');
        sc_str_add(whole, sc_str_text(&proposal->imports));
    }
    sc_str_add_bytes(whole, text + at, place->start - at);
    proposal->new_first = count_lines(whole) + 1;
    sc_str_add(whole, sc_str_text(&proposal->code));
    proposal->new_last = count_lines(whole);
    sc_str_add_bytes(whole, text + place->end, place->text.length - place->end);
}

/* Leaves one blank line where blocks were taken out. */
static void close_gaps(struct sc_str *remarks)
{
    size_t kept = 0;
    for (size_t i = 0; i < remarks->length; i++) {
        const char *text = remarks->data;
        bool is_gap =
            text[i] == '\n' && kept >= 2 && text[kept - 1] == '\n' && text[kept - 2] == '\n';
        if (!is_gap)
            remarks->data[kept++] = text[i];
    }
    if (remarks->data != NULL)
        remarks->data[kept] = '\0';
    remarks->length = kept;
}

/* Fails with the answer's own text, on one line. */
static bool fail_without_code(const char *remarks, struct sc_err *err)
{
    remarks += strspn(remarks, " \r\n\t");
    SC_AUTO_FREE char *line = sc_strdup(remarks);
    for (char *letter = line; *letter != '\0'; letter++)
        *letter = (unsigned char)*letter < ' ' ? ' ' : *letter;
    return sc_fail(err, SC_ERR_FAILED, "the answer proposes no code%s%.300s",
                   line[0] != '\0' ? ": " : "", line);
}

/* is_whole: the answer does not end within a block. */
static bool judge(const struct sc_ai_proposal *proposal, bool is_whole, struct sc_err *err)
{
    const struct sc_str *old = &proposal->old_text;
    const struct sc_str *text = &proposal->new_text;
    if (proposal->code.length == 0 && !is_whole)
        return sc_fail(err, SC_ERR_FAILED,
                       "the code in the answer is not complete: the answer ends within it");
    if (proposal->code.length == 0)
        return fail_without_code(sc_str_text(&proposal->remarks), err);
    if (sc_ai_same_lines(sc_str_text(text), text->length, sc_str_text(old), old->length))
        return sc_fail(err, SC_ERR_FAILED, "the answer proposes the code that is there already");
    const char *lacks =
        sc_ai_incomplete(sc_str_text(old), old->length, sc_str_text(text), text->length);
    return lacks == NULL || sc_fail(err, SC_ERR_FAILED, "%s", lacks);
}

/* What the character does, for those that are most often used to disguise code. */
static const char *meaning_of(uint32_t character)
{
    if (sc_turns_text(character))
        return ", which changes the order in which text is shown";
    if (character == 0x2028 || character == 0x2029 || character == 0x85)
        return ", which looks like the end of a line";
    if (character == '\r')
        return ", which ends the line for Python";
    return character < 0x20 || (character >= 0x7f && character < 0xa0) ? ", a control character"
                                                                       : ", which cannot be seen";
}

/* How many bytes at the start are UTF-8; of ASCII alone where is_ascii is set. */
static size_t utf8_bytes(const char *text, size_t length, bool is_ascii)
{
    size_t at = 0;
    for (size_t size; at < length && (size = sc_utf8_length(text + at, length - at)) > 0;
         at += size)
        if (is_ascii && size > 1)
            break;
    return at;
}

/* One sentence for each line that a proposal adds and in which there are characters that cannot be
 * seen or that change how others are seen (base/visible.h), or letters in UTF-8 where the file has
 * its own in another encoding: the service was shown these as U+FFFD. */
static void find_unseen(const struct sc_diff *diff, const struct sc_str *old,
                        struct sc_texts *ret_sentences)
{
    bool is_utf8 = utf8_bytes(sc_str_text(old), old->length, false) == old->length;
    for (size_t i = 0; i < diff->rows.count && ret_sentences->count < UNSEEN_MAX; i++) {
        const struct sc_diff_row *row = &diff->rows.items[i];
        size_t length = row->length;
        size_t offset = 0;
        if (row->kind != SC_DIFF_ADDED)
            continue;
        if (length > 0 && row->text[length - 1] == '\r') /* its end, in files of another system */
            length--;
        uint32_t character = sc_next_unseen(row->text, length, &offset);
        if (character != 0)
            sc_vec_push(ret_sentences,
                        sc_format("line %u would have the character U+%04X in it%s",
                                  row->new_lineno, (unsigned)character, meaning_of(character)));
        else if (!is_utf8 && utf8_bytes(row->text, length, true) < length)
            sc_vec_push(ret_sentences,
                        sc_format("line %u would have letters in UTF-8 in it, and this file has "
                                  "another encoding",
                                  row->new_lineno));
    }
}

bool sc_ai_proposal_make(const struct sc_ai_place *place, const char *answer, size_t length,
                         struct sc_ai_proposal *ret_proposal, struct sc_err *err)
{
    struct sc_ai_proposal proposal = {.path = sc_strdup(place->path),
                                      .name = sc_strdup(place->name),
                                      .first = place->first,
                                      .last = place->last};
    sc_ai_program_copy(&place->program, &proposal.program);
    struct sc_str code = {0};
    SC_AUTO(sc_str_done) struct sc_str imports = {0};
    SC_AUTO(sc_str_done) struct sc_str outer = {0};
    SC_AUTO(sc_str_done) struct sc_str clean = {0};
    const char *original = sc_str_text(&place->text) + place->start;
    size_t original_length = place->end - place->start;
    sc_utf8_add(&clean, answer, length);
    bool is_whole = sc_ai_answer_split(sc_str_text(&clean), clean.length, original, original_length,
                                       &code, &imports, &proposal.remarks);
    close_gaps(&proposal.remarks);
    sc_str_add_bytes(&proposal.original, original, original_length);
    sc_str_add_bytes(&proposal.old_text, sc_str_text(&place->text), place->text.length);
    const char *filled = original; /* from the first line on that is not blank */
    size_t left = original_length;
    trim(&filled, &left);
    size_t indent = common_indent(filled, left, &filled);
    sc_ai_indent_add(sc_str_text(&code), code.length, filled, indent, &proposal.code);
    sc_ai_indent_add(sc_str_text(&imports), imports.length, "", 0, &outer); /* from a list, say */
    missing_imports(&outer, &place->text, &proposal.imports);
    put_together(place, &proposal);
    sc_str_done(&code);
    if (judge(&proposal, is_whole, err)) {
        sc_diff_init(&proposal.diff, sc_str_text(&proposal.old_text), proposal.old_text.length,
                     sc_str_text(&proposal.new_text), proposal.new_text.length);
        sc_ai_signature_changes(original, original_length, sc_str_text(&proposal.code),
                                proposal.code.length, &proposal.interface_changes);
        find_unseen(&proposal.diff, &proposal.old_text, &proposal.unseen);
        *ret_proposal = proposal;
        return true;
    }
    sc_ai_proposal_done(&proposal);
    return false;
}

void sc_ai_proposal_done(struct sc_ai_proposal *proposal)
{
    free(proposal->path);
    free(proposal->name);
    sc_ai_program_done(&proposal->program);
    sc_str_done(&proposal->original);
    sc_str_done(&proposal->code);
    sc_str_done(&proposal->imports);
    sc_str_done(&proposal->remarks);
    sc_str_done(&proposal->old_text);
    sc_str_done(&proposal->new_text);
    sc_diff_done(&proposal->diff);
    sc_texts_done(&proposal->interface_changes);
    sc_texts_done(&proposal->unseen);
}
