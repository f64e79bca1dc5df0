/*
 * assist/body.h - the bodies of the page's requests about proposals.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assist/input.h"
#include "assist/prompt.h"
#include "assist/settings.h"

/* The JSON object of a body; its strings are wiped when it is freed. NULL when the body is not
 * one. */
json_t *sc_ai_body_read(const struct sc_ai_body *body, struct sc_err *err);
void sc_ai_body_free(json_t *object);

/* The setup: the service, its model, its fields, with guarded keys. */
bool sc_ai_body_settings(const json_t *object, struct sc_ai_settings *ret_settings,
                         struct sc_err *err);

/* The place and the goal. */
bool sc_ai_body_place(const json_t *object, const struct sc_ai_files *files,
                      struct sc_ai_place *ret_place, enum sc_ai_goal *ret_goal, struct sc_err *err);

/* Adds the JSON text of the value, and releases the value. */
void sc_ai_json_add(json_t *value, struct sc_str *ret_json);

/* A text from outside as a JSON string. */
json_t *sc_ai_json_text(const char *text, size_t length);
