/*
 * assist/anthropic.c - Anthropic's Messages interface.
 *
 * Shapes: https://docs.claude.com/en/api/messages and .../messages-streaming.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "assist/provider.h"
#include "assist/providers.h"
#include "assist/settings.h"

#define VERSION "2023-06-01"

enum { KEY, URL };

static const struct sc_ai_field fields[] = {
    [KEY] = {"anthropic-api-key",
             "API key",
             {"ANTHROPIC_API_KEY"},
             NULL,
             .is_secret = true,
             .is_required = true},
    [URL] = {"anthropic-custom-url",
             "address",
             {"ANTHROPIC_BASE_URL"},
             "https://api.anthropic.com",
             .is_address = true,
             .is_advanced = true,
             .is_required = true},
};

static void begin(const struct sc_ai_settings *settings, const char *method, const char *path,
                  struct sc_ai_request *ret_request)
{
    SC_AUTO_FREE char *base = sc_ai_base(sc_ai_value(settings, URL));
    ret_request->method = method;
    ret_request->url = sc_format("%s%s", base, path);
    sc_ai_request_header(ret_request, "x-api-key: %s", sc_ai_value(settings, KEY));
    sc_ai_request_header(ret_request, "anthropic-version: %s", VERSION);
}

static bool build_request(const struct sc_ai_settings *settings,
                          const struct sc_ai_question *question, struct sc_ai_request *ret_request,
                          struct sc_err *err)
{
    (void)err;
    begin(settings, "POST", "/v1/messages", ret_request);
    sc_ai_request_json(ret_request,
                       json_pack("{s: s, s: i, s: s, s: [{s: s, s: s}], s: b}", "model",
                                 settings->model, "max_tokens", (int)question->answer_tokens,
                                 "system", question->system, "messages", "role", "user", "content",
                                 question->user, "stream", 1));
    return true;
}

static bool list(const struct sc_ai_settings *settings, struct sc_ai_request *ret_request,
                 struct sc_err *err)
{
    (void)err;
    begin(settings, "GET", "/v1/models?limit=1000", ret_request);
    return true;
}

static void take_reason(const char *reason, struct sc_ai_reply *reply)
{
    sc_ai_reply_reason(reply, reason, "max_tokens model_context_window_exceeded", "refusal");
}

static void take_whole(const json_t *answer, struct sc_ai_reply *reply)
{
    sc_ai_reply_blocks(reply, json_object_get(answer, "content"));
    take_reason(sc_ai_dig_text(answer, "stop_reason"), reply);
}

static void take_piece(const json_t *piece, const char *type, struct sc_ai_reply *reply)
{
    (void)type;
    const char *kind = sc_ai_dig_text(piece, "type");
    if (kind == NULL)
        return;
    if (strcmp(kind, "content_block_delta") == 0) {
        const char *text = sc_ai_dig_text(piece, "delta/text");
        if (text != NULL)
            sc_str_add(&reply->text, text);
    } else if (strcmp(kind, "message_delta") == 0) {
        take_reason(sc_ai_dig_text(piece, "delta/stop_reason"), reply);
    } else if (strcmp(kind, "message_stop") == 0) {
        sc_ai_reply_end(reply, SC_AI_ENDED);
    }
}

static const char *const models[] = {"claude-sonnet-4-5", "claude-opus-4-5", "claude-haiku-4-5",
                                     NULL};

const struct sc_ai_provider sc_ai_anthropic = {
    .id = "anthropic",
    .alias = "claude",
    .name = "Anthropic",
    .framing = SC_AI_EVENTS,
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .models = models,
    .ask = build_request,
    .list = list,
    .models_path = "data",
    .model_path = "id",
    .take_whole = take_whole,
    .take_piece = take_piece,
};
