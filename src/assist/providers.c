/* assist/providers.c - see providers.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/providers.h"

#include <string.h>

#include "assist/settings.h"

const struct sc_ai_provider *const sc_ai_providers[] = {
    &sc_ai_anthropic, &sc_ai_openai, &sc_ai_gemini,     &sc_ai_azure,
    &sc_ai_bedrock,   &sc_ai_ollama, &sc_ai_compatible, NULL,
};

const struct sc_ai_provider *sc_ai_provider_find(const char *name)
{
    for (size_t i = 0; sc_ai_providers[i] != NULL; i++)
        if (strcmp(sc_ai_providers[i]->id, name) == 0 ||
            strcmp(sc_ai_providers[i]->alias, name) == 0)
            return sc_ai_providers[i];
    return NULL;
}

/* Whether the environment names a key or an address of it, and nothing is missing. */
static bool is_ready(const struct sc_ai_provider *provider)
{
    SC_AUTO(sc_ai_settings_done) struct sc_ai_settings settings = {0};
    sc_ai_settings_init(&settings, provider);
    bool is_named = false;
    for (size_t i = 0; i < provider->field_count; i++)
        is_named = is_named || (settings.values[i].origin == SC_AI_ENVIRONMENT &&
                                (provider->fields[i].is_secret || provider->fields[i].is_required));
    return is_named && sc_ai_settings_check(&settings, NULL);
}

const struct sc_ai_provider *sc_ai_provider_ready(void)
{
    for (size_t i = 0; sc_ai_providers[i] != NULL; i++)
        if (is_ready(sc_ai_providers[i]))
            return sc_ai_providers[i];
    return NULL;
}
