/*
 * profile/json_raw.c - a list that the profile keeps as JSON text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/json_raw.h"

#include <math.h>
#include <string.h>

#include "base/json_out.h"

/* Lists within lists within stacks; frames of stacks are 4 deep. */
#define DEPTH_LIMIT 16U

struct taker {
    struct sc_json_reader *reader;
    struct sc_str text;
    unsigned depth;
};

static bool take(struct taker *taker, const char *shape, const struct sc_json_place *place);

/* The end of the shape that begins here. */
static const char *shape_end(const char *shape)
{
    unsigned depth = 0;
    do {
        depth += *shape == '[' || *shape == '{' || *shape == '(';
        depth -= *shape == ']' || *shape == '}' || *shape == ')';
        shape++;
    } while (depth > 0);
    return shape;
}

/* Whether a value that begins so may be of the shape. */
static bool may_be(const char *shape, char first)
{
    switch (*shape) {
    case 'n':
        return sc_json_is_number(first);
    case 'N':
        return sc_json_is_number(first) || first == 'n';
    case 's':
        return first == '"';
    case 'S':
        return first == '"' || first == 'n';
    case '(':
        for (const char *at = shape + 1; *at != ')'; at = shape_end(at)) {
            if (may_be(at, first))
                return true;
        }
        return false;
    case '?':
        return true;
    default:
        return first == *shape;
    }
}

static const char *wanted_of(const char *shape)
{
    if (*shape == '(')
        return shape[1] == 's' ? "a string or an object" : "a number or an object";
    switch (*shape) {
    case 'n':
    case 'N':
        return "a number";
    case 's':
    case 'S':
        return "a string";
    case '[':
        return "a list";
    case '{':
        return "an object";
    default:
        return "something else";
    }
}

static void add_piece(struct taker *taker, const struct sc_json_name *piece)
{
    sc_str_add_bytes(&taker->text, piece->text, piece->length);
}

static bool repeats(const char *shape)
{
    return *shape != ']' && *shape_end(shape) == '*';
}

/* The shapes of a list's items stand one after the other; behind the last is ']'. */
static bool take_list(struct taker *taker, const char *shape, const struct sc_json_place *place)
{
    struct sc_json_reader *reader = taker->reader;
    struct sc_json_pull *pull = &reader->pull;
    struct sc_json_place inner = {.outer = place};
    const char *start = pull->at;
    const char *of_item = *shape == '[' ? shape + 1 : "]";
    bool is_last = repeats(of_item);
    sc_str_add_char(&taker->text, '[');
    for (bool more = sc_json_pull_list(pull); more; more = sc_json_pull_item(pull)) {
        if (inner.index > 0)
            sc_str_add_char(&taker->text, ',');
        if (!take(taker, *of_item == ']' ? "?" : of_item, &inner))
            return false;
        if (*of_item != ']' && !is_last) {
            of_item = shape_end(of_item);
            is_last = repeats(of_item);
        }
        inner.index++;
    }
    sc_str_add_char(&taker->text, ']');
    if (pull->failed)
        return false;
    return *of_item == ']' || is_last || sc_json_refuse(reader, start, "a longer list", place);
}

/* The shape of the value of a key. */
static const char *shape_of_key(const char *shape, const struct sc_json_name *name)
{
    while (*shape == '{' || *shape == ',') {
        const char *key = shape + 1;
        const char *colon = strchr(key, ':');
        if (colon == NULL)
            break;
        if ((size_t)(colon - key) == name->length && memcmp(key, name->text, name->length) == 0)
            return colon + 1;
        shape = shape_end(colon + 1);
    }
    return "?";
}

static bool take_object(struct taker *taker, const char *shape, const struct sc_json_place *place)
{
    struct sc_json_pull *pull = &taker->reader->pull;
    struct sc_json_place inner = {.outer = place};
    bool is_first = true;
    sc_str_add_char(&taker->text, '{');
    for (bool more = sc_json_pull_object(pull, &inner.key); more;
         more = sc_json_pull_key(pull, &inner.key)) {
        sc_str_add_bytes(&taker->text, is_first ? "\"" : ",\"", is_first ? 1 : 2);
        is_first = false;
        add_piece(taker, &inner.key);
        sc_str_add_bytes(&taker->text, "\":", 2);
        if (!take(taker, shape_of_key(shape, &inner.key), &inner))
            return false;
    }
    sc_str_add_char(&taker->text, '}');
    return !pull->failed;
}

static bool take_number(struct taker *taker, const struct sc_json_place *place)
{
    struct sc_json_name spelt;
    if (!sc_json_pull_spelt_number(&taker->reader->pull, &spelt))
        return false;
    if (!isfinite(sc_json_number_of(&spelt)))
        return sc_json_refuse(taker->reader, spelt.text, "a number within reason", place);
    add_piece(taker, &spelt);
    return true;
}

static bool take_bracket(struct taker *taker, char first, const char *shape,
                         const struct sc_json_place *place)
{
    if (taker->depth >= DEPTH_LIMIT)
        return sc_json_refuse(taker->reader, taker->reader->pull.at, "nested less deeply", place);
    taker->depth++;
    bool is_taken =
        first == '[' ? take_list(taker, shape, place) : take_object(taker, shape, place);
    taker->depth--;
    return is_taken;
}

/* Adds a string as it is spelt. One with \u escapes is decoded and written again, as they may be
 * half of a surrogate pair. */
static bool take_string(struct taker *taker)
{
    struct sc_json_reader *reader = taker->reader;
    struct sc_json_name piece;
    const char *start = reader->pull.at;
    if (!sc_json_pull_spelt_string(&reader->pull, &piece))
        return false;
    if (memmem(piece.text, piece.length, "\\u", 2) == NULL) {
        sc_str_add_bytes(&taker->text, start, (size_t)(reader->pull.at - start));
        return true;
    }
    struct sc_json_out out = {.text = &taker->text};
    reader->pull.at = start;
    (void)sc_json_pull_string(&reader->pull, &reader->text);
    sc_json_text(&out, sc_str_text(&reader->text), reader->text.length);
    return !reader->pull.failed;
}

static bool take_word(struct taker *taker)
{
    struct sc_json_pull *pull = &taker->reader->pull;
    const char *start = pull->at;
    (void)sc_json_pull_word(pull);
    sc_str_add_bytes(&taker->text, start, pull->failed ? 0 : (size_t)(pull->at - start));
    return !pull->failed;
}

static bool take(struct taker *taker, const char *shape, const struct sc_json_place *place)
{
    struct sc_json_pull *pull = &taker->reader->pull;
    char first = sc_json_pull_peek(pull);
    if (!may_be(shape, first))
        return sc_json_refuse(taker->reader, pull->at, wanted_of(shape), place);
    if (*shape == '(') {
        for (shape++; !may_be(shape, first);)
            shape = shape_end(shape);
    }
    if (first == '[' || first == '{')
        return take_bracket(taker, first, shape, place);
    if (first == '"')
        return take_string(taker);
    return sc_json_is_number(first) ? take_number(taker, place) : take_word(taker);
}

bool sc_json_read_raw(struct sc_json_reader *reader, const char *shape, char *target,
                      const struct sc_json_place *place)
{
    struct taker taker = {.reader = reader};
    bool is_read = take(&taker, shape, place);
    if (is_read && taker.text.length > 2) {
        char *text = sc_str_take(&taker.text);
        memcpy(target, &text, sizeof(text));
    }
    sc_str_done(&taker.text);
    return is_read;
}
