/*
 * assist/settings.h - which service is asked, and with what settings: keys, addresses, the model.
 *
 * Values come from the environment, from the user for one question, or from the table of services.
 * Keys stay in memory and are wiped when the settings are freed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "assist/field.h"
#include "base/err.h"
#include "base/str.h"

/* The environment's values, else the fallbacks. */
void sc_ai_settings_init(struct sc_ai_settings *settings, const struct sc_ai_provider *provider);

/* Sets a field; an empty text leaves it as it is. False when the service has no such field. */
bool sc_ai_settings_set(struct sc_ai_settings *settings, const char *id, const char *text,
                        struct sc_err *err);

/* An empty or NULL model leaves it as it is. */
void sc_ai_settings_model(struct sc_ai_settings *settings, const char *model);

/* Chooses the service's usual model if none is chosen and it has one. All fields must be set. */
void sc_ai_settings_usual_model(struct sc_ai_settings *settings);

/* Keys of the environment belong to the service they were set for: where another address was given,
 * they are taken out. For requests of a page, which must not be able to send a key elsewhere. */
void sc_ai_settings_guard(struct sc_ai_settings *settings);

/* Whether all that is needed is there, and no key would be sent unencrypted; err says what is
 * missing. */
bool sc_ai_settings_check(const struct sc_ai_settings *settings, struct sc_err *err);

/* The value of the provider's field with this index, or NULL. */
const char *sc_ai_value(const struct sc_ai_settings *settings, size_t index);

/* Adds text to ret_clean on one line, with every key in it replaced, at most limit bytes of it. */
void sc_ai_redact(const struct sc_ai_settings *settings, const char *text, size_t limit,
                  struct sc_str *ret_clean);

/* The address as it may be shown: without a name and a password before the host. Owned. */
char *sc_ai_address_shown(const char *address);

/* Whether the address is of this machine. */
bool sc_ai_is_loopback(const char *address);

/* Frees everything and overwrites it first. */
void sc_ai_settings_done(struct sc_ai_settings *settings);
