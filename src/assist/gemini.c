/*
 * assist/gemini.c - Google Gemini.
 *
 * Shapes: https://ai.google.dev/api/generate-content. The key goes into a header, never into the
 * address, which proxies log.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "assist/provider.h"
#include "assist/providers.h"
#include "assist/settings.h"

enum { KEY, URL };

static const struct sc_ai_field fields[] = {
    [KEY] = {"gemini-api-key",
             "API key",
             {"GEMINI_API_KEY", "GOOGLE_API_KEY"},
             NULL,
             .is_secret = true,
             .is_required = true},
    [URL] = {"gemini-custom-url",
             "address",
             {"GOOGLE_GEMINI_BASE_URL"},
             "https://generativelanguage.googleapis.com",
             .is_address = true,
             .is_advanced = true,
             .is_required = true},
};

static bool build_request(const struct sc_ai_settings *settings,
                          const struct sc_ai_question *question, struct sc_ai_request *ret_request,
                          struct sc_err *err)
{
    (void)err;
    SC_AUTO_FREE char *base = sc_ai_base(sc_ai_value(settings, URL));
    const char *model = settings->model;
    SC_AUTO(sc_str_done) struct sc_str url = {0};
    sc_str_add_format(&url, "%s/v1beta/models/", base);
    sc_str_add_encoded(&url, sc_starts_with(model, "models/") ? model + strlen("models/") : model,
                       "");
    sc_str_add(&url, ":streamGenerateContent?alt=sse");
    ret_request->method = "POST";
    ret_request->url = sc_strdup(sc_str_text(&url));
    sc_ai_request_header(ret_request, "x-goog-api-key: %s", sc_ai_value(settings, KEY));
    sc_ai_request_json(
        ret_request, json_pack("{s: {s: [{s: s}]}, s: [{s: s, s: [{s: s}]}], s: {s: i}}",
                               "systemInstruction", "parts", "text", question->system, "contents",
                               "role", "user", "parts", "text", question->user, "generationConfig",
                               "maxOutputTokens", (int)question->answer_tokens));
    return true;
}

static bool list(const struct sc_ai_settings *settings, struct sc_ai_request *ret_request,
                 struct sc_err *err)
{
    (void)err;
    SC_AUTO_FREE char *base = sc_ai_base(sc_ai_value(settings, URL));
    ret_request->method = "GET";
    ret_request->url = sc_format("%s/v1beta/models?pageSize=1000", base);
    sc_ai_request_header(ret_request, "x-goog-api-key: %s", sc_ai_value(settings, KEY));
    return true;
}

static bool generates(const json_t *model)
{
    size_t i;
    json_t *method;
    json_array_foreach(json_object_get(model, "supportedGenerationMethods"), i, method)
    {
        const char *name = json_string_value(method);
        if (name != NULL && strcmp(name, "generateContent") == 0)
            return true;
    }
    return false;
}

static void take_models(const json_t *answer, struct sc_texts *ret_models)
{
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(answer, "models"), i, item)
    {
        const char *name = json_string_value(json_object_get(item, "name"));
        if (name == NULL || !generates(item))
            continue;
        if (sc_starts_with(name, "models/"))
            name += strlen("models/");
        if (strstr(name, "gemini") != NULL && strstr(name, "image") == NULL &&
            strstr(name, "tts") == NULL)
            sc_ai_models_add(ret_models, name);
    }
}

static void take_whole(const json_t *answer, struct sc_ai_reply *reply)
{
    static const char refused[] =
        "SAFETY RECITATION BLOCKLIST SPII LANGUAGE PROHIBITED_CONTENT OTHER";
    if (sc_ai_dig_text(answer, "promptFeedback/blockReason") != NULL)
        sc_ai_reply_end(reply, SC_AI_REFUSED);
    const json_t *candidate = sc_ai_dig(answer, "candidates/#");
    size_t i;
    json_t *part;
    json_array_foreach(sc_ai_dig(candidate, "content/parts"), i, part)
    {
        const char *text = json_string_value(json_object_get(part, "text"));
        if (text != NULL && !json_is_true(json_object_get(part, "thought")))
            sc_str_add(&reply->text, text);
    }
    sc_ai_reply_reason(reply, sc_ai_dig_text(candidate, "finishReason"), "MAX_TOKENS", refused);
}

static const char *const models[] = {"gemini-2.5-pro", "gemini-3-pro-preview", "gemini-2.5-flash",
                                     "gemini-2.5-flash-lite", NULL};

const struct sc_ai_provider sc_ai_gemini = {
    .id = "gemini",
    .alias = "google",
    .name = "Gemini",
    .framing = SC_AI_EVENTS,
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .models = models,
    .ask = build_request,
    .list = list,
    .take_models = take_models,
    .take_whole = take_whole,
};
