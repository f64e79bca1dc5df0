/*
 * assist/signature.c - functions and classes before and after a proposal.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assist/signature.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "source/source.h"

#define SENTENCES_MAX 20
#define DEPTH_MAX     64
#define SHOWN_MAX     200 /* bytes of a list of parameters in a sentence */

/* A def or a class. All owned. */
struct definition {
    char *name;            /* with those of the classes around it */
    struct sc_str call;    /* parameters with defaults, or bases */
    struct sc_str wrapped; /* decorators, a blank between two */
    bool is_class;
    bool is_async;
    bool is_generator;
};

struct definitions {
    struct definition *items;
    size_t count;
    size_t capacity;
};

/* A block that the line being read is in. */
struct block {
    size_t indent;
    size_t index; /* in the list; SIZE_MAX for one within a function, which is not listed */
    bool is_class;
};

struct reader {
    const struct sc_source *source;
    unsigned char *tokens; /* enum sc_token of each byte */
    struct definitions *list;
    struct block blocks[DEPTH_MAX];
    size_t depth;
    struct sc_str decorators; /* of the definition that comes next */
};

static unsigned char *tokens_of(const struct sc_source *source)
{
    unsigned char *tokens = sc_alloc(source->length + 1, 1);
    for (size_t i = 0; i < source->marks.count; i++) {
        const struct sc_source_mark *mark = &source->marks.items[i];
        for (size_t k = mark->start; k < (size_t)mark->start + mark->length && k < source->length;
             k++)
            tokens[k] = (unsigned char)mark->token;
    }
    return tokens;
}

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r' || letter == '\f' ||
           letter == '\\';
}

static bool is_word(char letter)
{
    return letter == '_' || (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') || ((unsigned char)letter & 0x80U) != 0;
}

static bool is_text(const struct reader *reader, size_t at)
{
    return reader->tokens[at] == SC_TOKEN_STRING || reader->tokens[at] == SC_TOKEN_COMMENT;
}

/* +1 for a bracket that opens, -1 for one that closes, 0 for all else, also within strings. */
static int bracket_at(const struct reader *reader, size_t at)
{
    if (is_text(reader, at))
        return 0;
    char letter = reader->source->text[at];
    if (letter == '(' || letter == '[' || letter == '{')
        return 1;
    return letter == ')' || letter == ']' || letter == '}' ? -1 : 0;
}

/* Adds the text between start and end without comments, and with blanks only where they separate
 * two words. */
static void add_plain(const struct reader *reader, size_t start, size_t end, struct sc_str *text)
{
    bool is_apart = false;
    for (size_t i = start; i < end; i++) {
        char letter = reader->source->text[i];
        bool is_string = reader->tokens[i] == SC_TOKEN_STRING;
        if (reader->tokens[i] == SC_TOKEN_COMMENT)
            continue;
        if (!is_string && is_blank(letter)) {
            is_apart = true;
            continue;
        }
        if (is_apart && text->length > 0 && is_word(letter) &&
            is_word(text->data[text->length - 1]))
            sc_str_add_char(text, ' ');
        is_apart = false;
        sc_str_add_char(text, letter);
    }
}

/* The offset of the first such letter outside of strings and of brackets opened after start; end
 * when there is none. */
static size_t find_plain(const struct reader *reader, size_t start, size_t end, char letter)
{
    int depth = 0;
    for (size_t i = start; i < end; i++) {
        if (depth == 0 && !is_text(reader, i) && reader->source->text[i] == letter)
            return i;
        depth += bracket_at(reader, i);
        if (depth < 0)
            return end;
    }
    return end;
}

/* One parameter without its annotation. */
static void add_parameter(const struct reader *reader, size_t start, size_t end,
                          struct sc_str *text)
{
    size_t before = text->length;
    size_t equals = find_plain(reader, start, end, '=');
    size_t colon = find_plain(reader, start, equals, ':');
    if (before > 0)
        sc_str_add(text, ", ");
    size_t empty = text->length;
    add_plain(reader, start, colon, text);
    add_plain(reader, equals, end, text);
    if (text->length == empty && before < empty) {
        /* nothing follows the last comma */
        text->length = before;
        text->data[before] = '\0';
    }
}

/* The parameters between two brackets. */
static void add_parameters(const struct reader *reader, size_t start, size_t end, bool is_class,
                           struct sc_str *text)
{
    while (start < end) {
        size_t comma = find_plain(reader, start, end, ',');
        if (is_class) {
            if (text->length > 0)
                sc_str_add(text, ", ");
            add_plain(reader, start, comma, text);
        } else {
            add_parameter(reader, start, comma, text);
        }
        start = comma + 1;
    }
}

static bool word_at(const struct reader *reader, size_t at, const char *word)
{
    size_t length = strlen(word);
    const struct sc_source *source = reader->source;
    return at + length < source->length && memcmp(source->text + at, word, length) == 0 &&
           !is_word(source->text[at + length]);
}

static size_t skip_blanks(const struct reader *reader, size_t at)
{
    while (at < reader->source->length && is_blank(reader->source->text[at]))
        at++;
    return at;
}

/* The name at a place, within those of the classes around it. */
static char *full_name(const struct reader *reader, size_t at, size_t *ret_end)
{
    const char *text = reader->source->text;
    size_t end = at;
    while (end < reader->source->length && is_word(text[end]))
        end++;
    *ret_end = end;
    const struct block *around = reader->depth > 0 ? &reader->blocks[reader->depth - 1] : NULL;
    if (around == NULL)
        return sc_strndup(text + at, end - at);
    return sc_format("%s.%.*s", reader->list->items[around->index].name, (int)(end - at),
                     text + at);
}

/* Reads a def or class; at is the offset of its name. */
static void add_definition(struct reader *reader, size_t at, size_t indent, bool is_class,
                           bool is_async)
{
    bool is_hidden = reader->depth > 0 && !reader->blocks[reader->depth - 1].is_class;
    size_t index = SIZE_MAX;
    if (!is_hidden) {
        struct definition item = {.is_class = is_class, .is_async = is_async};
        size_t end = reader->source->length;
        size_t open = at;
        item.name = full_name(reader, at, &open);
        size_t colon = find_plain(reader, open, end, ':');
        open = find_plain(reader, open, colon, '(');
        if (open < colon) {
            size_t close = find_plain(reader, open + 1, colon, ')');
            add_parameters(reader, open + 1, close, is_class, &item.call);
        }
        item.wrapped = reader->decorators;
        reader->decorators = (struct sc_str){0};
        index = reader->list->count;
        sc_vec_push(reader->list, item);
    }
    sc_str_clear(&reader->decorators);
    if (reader->depth < DEPTH_MAX)
        reader->blocks[reader->depth++] = (struct block){indent, index, is_class && !is_hidden};
}

static void read_statement(struct reader *reader, size_t at, size_t indent)
{
    while (reader->depth > 0 && reader->blocks[reader->depth - 1].indent >= indent)
        reader->depth--;
    if (reader->source->text[at] == '@') {
        size_t newline = find_plain(reader, at, reader->source->length, '\n');
        if (reader->decorators.length > 0)
            sc_str_add_char(&reader->decorators, ' ');
        add_plain(reader, at, newline, &reader->decorators);
        return;
    }
    bool is_async = word_at(reader, at, "async");
    size_t keyword = is_async ? skip_blanks(reader, at + strlen("async")) : at;
    bool is_class = !is_async && word_at(reader, keyword, "class");
    if (is_class || word_at(reader, keyword, "def")) {
        size_t name = skip_blanks(reader, keyword + (is_class ? strlen("class") : strlen("def")));
        add_definition(reader, name, indent, is_class, is_async);
    } else {
        sc_str_clear(&reader->decorators);
    }
}

/* A function that yields is a generator. */
static void note_yields(struct reader *reader, size_t start, size_t end)
{
    if (reader->depth == 0 || reader->blocks[reader->depth - 1].is_class ||
        reader->blocks[reader->depth - 1].index == SIZE_MAX)
        return;
    struct definition *item = &reader->list->items[reader->blocks[reader->depth - 1].index];
    for (size_t i = start; i < end && !item->is_generator; i++)
        item->is_generator = reader->tokens[i] == SC_TOKEN_KEYWORD &&
                             (i == 0 || !is_word(reader->source->text[i - 1])) &&
                             word_at(reader, i, "yield");
}

static void read_definitions(const char *text, size_t length, struct definitions *ret_list)
{
    struct sc_source source;
    sc_source_init(&source, text, length);
    struct reader reader = {.source = &source, .tokens = tokens_of(&source), .list = ret_list};
    int depth = 0; /* of brackets that are open at the end of a line */
    bool is_joined = false;
    for (size_t i = 0; i < source.lines.count; i++) {
        size_t start = source.lines.items[i].start;
        size_t end = start + source.lines.items[i].length;
        size_t at = start;
        size_t indent = 0;
        for (; at < end && (source.text[at] == ' ' || source.text[at] == '\t'); at++)
            indent += source.text[at] == '\t' ? 8 - indent % 8 : 1;
        bool is_rest = depth > 0 || is_joined ||
                       (start > 0 && reader.tokens[start] == SC_TOKEN_STRING &&
                        reader.tokens[start - 1] == SC_TOKEN_STRING);
        bool is_empty = at >= end || is_blank(source.text[at]) || source.text[at] == '#';
        if (!is_rest && !is_empty)
            read_statement(&reader, at, indent);
        note_yields(&reader, start, end);
        for (size_t k = start; k < end; k++)
            depth += bracket_at(&reader, k);
        depth = depth < 0 ? 0 : depth;
        is_joined = end >= start + 2 && source.text[end - 1] == '\n' &&
                    source.text[end - 2] == '\\' && reader.tokens[end - 2] != SC_TOKEN_COMMENT;
    }
    sc_str_done(&reader.decorators);
    free(reader.tokens);
    sc_source_done(&source);
}

static void definitions_done(struct definitions *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].name);
        sc_str_done(&list->items[i].call);
        sc_str_done(&list->items[i].wrapped);
    }
    sc_vec_done(list);
}

/* How many definitions of this name come before it: a property's getter and setter share one. */
static size_t rank_of(const struct definitions *list, size_t index)
{
    size_t rank = 0;
    for (size_t i = 0; i < index; i++)
        rank += strcmp(list->items[i].name, list->items[index].name) == 0 ? 1 : 0;
    return rank;
}

/* The definition of this name and rank, else the last of this name; NULL when there is none. */
static const struct definition *find(const struct definitions *list, const char *name, size_t rank)
{
    const struct definition *found = NULL;
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].name, name) != 0)
            continue;
        found = &list->items[i];
        if (rank-- == 0)
            break;
    }
    return found;
}

static void say(struct sc_ai_sentences *sentences, char *sentence)
{
    if (sentences->count < SENTENCES_MAX)
        sc_vec_push(sentences, sentence);
    else
        free(sentence);
}

static const char *or_none(const struct sc_str *text)
{
    return text->length > 0 ? sc_str_text(text) : "none";
}

static bool same(const struct sc_str *one, const struct sc_str *other)
{
    return strcmp(sc_str_text(one), sc_str_text(other)) == 0;
}

static void compare(const struct definition *old, const struct definition *now,
                    struct sc_ai_sentences *sentences)
{
    if (!same(&old->call, &now->call) && old->is_class == now->is_class)
        say(sentences, sc_format("the %s of %s were (%.*s) and are (%.*s)",
                                 old->is_class ? "bases" : "parameters", old->name, SHOWN_MAX,
                                 sc_str_text(&old->call), SHOWN_MAX, sc_str_text(&now->call)));
    if (old->is_class != now->is_class)
        say(sentences,
            sc_format("%s is a %s now", old->name, now->is_class ? "class" : "function"));
    if (!same(&old->wrapped, &now->wrapped))
        say(sentences,
            sc_format("the decorators of %s were %.*s and are %.*s", old->name, SHOWN_MAX,
                      or_none(&old->wrapped), SHOWN_MAX, or_none(&now->wrapped)));
    if (old->is_async != now->is_async)
        say(sentences,
            sc_format(now->is_async ? "%s is a coroutine now, which must be awaited"
                                    : "%s is no coroutine any more: nothing may await it",
                      old->name));
    if (old->is_generator != now->is_generator)
        say(sentences,
            sc_format(now->is_generator ? "%s is a generator now" : "%s is no generator any more",
                      old->name));
}

void sc_ai_signature_changes(const char *old, size_t old_length, const char *code,
                             size_t code_length, struct sc_ai_sentences *ret_sentences)
{
    struct definitions before = {0};
    struct definitions after = {0};
    read_definitions(old, old_length, &before);
    read_definitions(code, code_length, &after);
    for (size_t i = 0; i < before.count; i++) {
        size_t rank = rank_of(&before, i);
        const struct definition *now = find(&after, before.items[i].name, rank);
        if (now != NULL)
            compare(&before.items[i], now, ret_sentences);
        else if (rank == 0)
            say(ret_sentences, sc_format("%s is not defined any more", before.items[i].name));
    }
    definitions_done(&before);
    definitions_done(&after);
}

void sc_ai_sentences_done(struct sc_ai_sentences *sentences)
{
    for (size_t i = 0; i < sentences->count; i++)
        free(sentences->items[i]);
    sc_vec_done(sentences);
}
