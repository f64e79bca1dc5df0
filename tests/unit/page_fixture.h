/*
 * tests/unit/page_fixture.h - the page's answers, read back as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <jansson.h>

#include "page/ask.h"
#include "page/page.h"
#include "sc_test.h"

/* The page of a profile, which it takes. */
#define PAGE(name, path)                                                                           \
    OWN(sc_page, name);                                                                            \
    sc_page_init(&name, &profile, path)

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
    struct sc_str text = {0};
    struct sc_err err = {0};
    assert_int_equal(sc_page_ask(page, question, &text, &err), SC_ANSWER_OK);
    json_t *answer = parse(&text);
    sc_str_done(&text);
    return answer;
}

/* Another answer in place of an earlier one. */
static inline void renew(json_t **answer, json_t *other)
{
    json_decref(*answer);
    *answer = other;
}

static inline double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value))
        fail_msg("no number under %s", key);
    return json_number_value(value);
}

static inline const char *word(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static inline const json_t *item(const json_t *object, const char *key, size_t at)
{
    return json_array_get(json_object_get(object, key), at);
}
