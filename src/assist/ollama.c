/*
 * assist/ollama.c - models on the user's own machine, by Ollama.
 *
 * Shapes: https://docs.ollama.com/api. Without a context size it would silently cut a long
 * question, so the request sets one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "assist/provider.h"
#include "assist/providers.h"
#include "assist/settings.h"

#define BYTES_PER_TOKEN 3U /* fewer than there really are, to be on the safe side */
#define CONTEXT_STEP    4096U
#define CONTEXT_MOST    65536U

enum { URL };

static const struct sc_ai_field fields[] = {
    [URL] = {"local-url",
             "address",
             {"OLLAMA_HOST"},
             "http://localhost:11434",
             .is_address = true,
             .is_required = true},
};

/* OLLAMA_HOST may name no port. */
static char *address_of(const struct sc_ai_settings *settings)
{
    char *base = sc_ai_base(sc_ai_value(settings, URL));
    const char *host = strstr(base, "://") + 3;
    if (!sc_starts_with(base, "http://") || host[strcspn(host, ":/[")] != '\0')
        return base;
    char *whole = sc_format("%s:11434", base);
    free(base);
    return whole;
}

static size_t context_for(const struct sc_ai_question *question)
{
    size_t tokens = (strlen(question->system) + strlen(question->user)) / BYTES_PER_TOKEN +
                    question->answer_tokens;
    tokens = (tokens / CONTEXT_STEP + 1) * CONTEXT_STEP;
    return tokens < CONTEXT_MOST ? tokens : CONTEXT_MOST;
}

static bool build_request(const struct sc_ai_settings *settings,
                          const struct sc_ai_question *question, struct sc_ai_request *ret_request,
                          struct sc_err *err)
{
    (void)err;
    SC_AUTO_FREE char *base = address_of(settings);
    ret_request->method = "POST";
    ret_request->url = sc_format("%s/api/chat", base);
    sc_ai_request_json(
        ret_request,
        json_pack("{s: s, s: [{s: s, s: s}, {s: s, s: s}], s: b, s: {s: I, s: i}}", "model",
                  settings->model, "messages", "role", "system", "content", question->system,
                  "role", "user", "content", question->user, "stream", 1, "options", "num_ctx",
                  (json_int_t)context_for(question), "num_predict", (int)question->answer_tokens));
    return true;
}

static bool list(const struct sc_ai_settings *settings, struct sc_ai_request *ret_request,
                 struct sc_err *err)
{
    (void)err;
    SC_AUTO_FREE char *base = address_of(settings);
    ret_request->method = "GET";
    ret_request->url = sc_format("%s/api/tags", base);
    return true;
}

static void take_whole(const json_t *answer, struct sc_ai_reply *reply)
{
    const char *text = sc_ai_dig_text(answer, "message/content");
    if (text != NULL)
        sc_str_add(&reply->text, text);
    sc_ai_reply_reason(reply, sc_ai_dig_text(answer, "done_reason"), "length", "");
    if (json_is_true(json_object_get(answer, "done")))
        sc_ai_reply_end(reply, SC_AI_ENDED);
}

static const char *const models[] = {NULL};

const struct sc_ai_provider sc_ai_ollama = {
    .id = "local",
    .alias = "ollama",
    .name = "Ollama",
    .framing = SC_AI_LINES,
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .models = models,
    .ask = build_request,
    .list = list,
    .models_path = "models",
    .model_path = "name",
    .take_whole = take_whole,
};
