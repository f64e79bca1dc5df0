/*
 * assist/providers.h - the services that may be asked.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assist/provider.h"

extern const struct sc_ai_provider sc_ai_openai;
extern const struct sc_ai_provider sc_ai_anthropic;
extern const struct sc_ai_provider sc_ai_azure;
extern const struct sc_ai_provider sc_ai_bedrock;
extern const struct sc_ai_provider sc_ai_gemini;
extern const struct sc_ai_provider sc_ai_ollama;
extern const struct sc_ai_provider sc_ai_compatible;

/* All of them, ended by NULL. */
extern const struct sc_ai_provider *const sc_ai_providers[];

/* By id or by the other name; NULL when there is none. */
const struct sc_ai_provider *sc_ai_provider_find(const char *name);

/* The first that has all it needs in the environment, or NULL. */
const struct sc_ai_provider *sc_ai_provider_ready(void);
