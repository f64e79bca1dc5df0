/*
 * tests/unit/page_fixture.h - the page's answers, read back as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <jansson.h>

#include "base/mem.h"
#include "page/page.h"
#include "sc_test.h"

/* The page of a profile, which it takes. */
#define PAGE(name, path)                                                                           \
    OWN(sc_page, name);                                                                            \
    sc_page_init(&name, &profile, path)

/* The page of a profile's text. */
#define PAGE_OF(name, text)                                                                        \
    OWN(sc_page, name);                                                                            \
    open_text(&name, text)

static inline void open_text(struct sc_page *page, const char *text)
{
    struct sc_profile profile = {0};
    assert_true(sc_profile_from_json(text, strlen(text), &profile, NULL));
    sc_page_init(page, &profile, NULL);
}

static inline json_t *parse(const struct sc_str *text)
{
    json_error_t error;
    json_t *root = json_loadb(sc_str_text(text), text->length, 0, &error);
    if (root == NULL)
        fail_msg("no JSON: %s: %.400s", error.text, sc_str_text(text));
    return root;
}

static inline json_t *ask(struct sc_page *page, const char *question)
{
    OWN(sc_str, text) = {0};
    struct sc_err err = {0};
    assert_int_equal(sc_page_ask(page, question, &text, &err), SC_ANSWER_OK);
    /* a byte that is no UTF-8 is a lone surrogate, which browsers take and this parser does not */
    for (char *at; (at = strstr(text.data, "\\udc")) != NULL;)
        memcpy(at, "\\u00", 4);
    return parse(&text);
}

/* The questions, which end with NULL, are refused in this way, with a reason and without an answer.
 */
static inline void refuses(struct sc_page *page, enum sc_answer status,
                           const char *const *questions)
{
    for (; *questions != NULL; questions++) {
        OWN(sc_str, text) = {0};
        struct sc_err err = {0};
        if (sc_page_ask(page, *questions, &text, &err) != status)
            fail_msg("%s", *questions);
        assert_int_equal(text.length, 0);
        assert_int_not_equal(err.kind, SC_ERR_NONE);
    }
}

#define REFUSES(page, status, ...) refuses(page, status, (const char *const[]){__VA_ARGS__, NULL})

/* The row of a line or a function that begins there; NULL: none. */
static inline const json_t *row_of(const json_t *answer, long lineno)
{
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(answer, "rows"), i, row)
    {
        if (json_integer_value(json_object_get(row, "lineno")) == lineno)
            return row;
    }
    return NULL;
}

/* What stands at a path of keys and of places in lists: NULL for nothing. */
static inline const json_t *at_path(const json_t *value, const char *path)
{
    while (*path != '\0') {
        size_t length = strcspn(path, ".:");
        SC_AUTO_FREE char *key = sc_strndup(path, length);
        if (key[0] == '@')
            value = row_of(value, strtol(key + 1, NULL, 10));
        else if (json_is_array(value))
            value = json_array_get(value, strtoul(key, NULL, 10));
        else
            value = json_object_get(value, key);
        path += length;
        if (*path == ':')
            value = json_object_get(value, "cells");
        path += *path != '\0';
    }
    return value;
}

/* As it is written in what is expected. */
static inline char *text_at(const json_t *answer, const char *path)
{
    size_t length = strlen(path);
    if (length > 0 && path[length - 1] == '#') {
        SC_AUTO_FREE char *list = sc_strndup(path, length - 1);
        return sc_format("%zu", json_array_size(at_path(answer, list)));
    }
    const json_t *value = at_path(answer, path);
    if (value == NULL || json_is_string(value))
        return sc_strdup(value != NULL ? json_string_value(value) : "");
    return json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
}

/* The answer has this: "PATH=VALUE", with two spaces before the next. In a path @8 is the row of
 * line 8, and what stands behind a colon is one of its cells; with # behind it is the length of a
 * list. A value is JSON, a text without its quotes, or nothing where there is none. */
static inline void has(const json_t *answer, const char *expected)
{
    while (*expected != '\0') {
        size_t length = strcspn(expected, "=");
        SC_AUTO_FREE char *path = sc_strndup(expected, length);
        expected += length + 1;
        const char *next = strstr(expected, "  ");
        length = next != NULL ? (size_t)(next - expected) : strlen(expected);
        SC_AUTO_FREE char *wanted = sc_strndup(expected, length);
        SC_AUTO_FREE char *found = text_at(answer, path);
        char *wanted_end, *found_end;
        bool is_near = fabs(strtod(wanted, &wanted_end) - strtod(found, &found_end)) < 1e-4 &&
                       wanted_end > wanted && *wanted_end == '\0' && *found_end == '\0';
        if (!is_near && strcmp(wanted, found) != 0)
            fail_msg("%s is '%s', not '%s'", path, found, wanted);
        expected += length;
        expected += strspn(expected, " ");
    }
}

static inline void answers(struct sc_page *page, const char *question, const char *expected)
{
    json_auto_t *answer = ask(page, question);
    has(answer, expected);
}
