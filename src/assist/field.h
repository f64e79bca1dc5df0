/*
 * assist/field.h - the fields that a service needs, and their values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sc_ai_provider;

enum { SC_AI_FIELDS_MAX = 6 };

/* Something a service needs. */
struct sc_ai_field {
    const char *id;    /* in the page and in questions */
    const char *label; /* shown to the user */
    const char *environment[2];
    const char *fallback; /* NULL: none */
    bool is_secret;
    bool is_address; /* if the user gives it, keys of the environment are not sent to it */
    bool is_advanced;
    bool is_required;
};

enum sc_ai_origin { SC_AI_NOT_SET, SC_AI_FALLBACK, SC_AI_ENVIRONMENT, SC_AI_GIVEN };

struct sc_ai_value {
    char *text; /* NULL when not set */
    enum sc_ai_origin origin;
};

/* Made by sc_ai_settings_init. */
struct sc_ai_settings {
    const struct sc_ai_provider *provider;
    char *model;                                 /* NULL: none is chosen */
    struct sc_ai_value values[SC_AI_FIELDS_MAX]; /* in the order of the provider's fields */
};
