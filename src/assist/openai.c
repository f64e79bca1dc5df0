/*
 * assist/openai.c - OpenAI, Azure OpenAI, and every service that answers like them.
 *
 * Shapes: https://platform.openai.com/docs/api-reference/chat and
 * https://learn.microsoft.com/azure/ai-foundry/openai/reference.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "assist/provider.h"
#include "assist/providers.h"
#include "assist/settings.h"

/* Of OpenAI and of what answers like it. */
enum { URL, KEY };

static const struct sc_ai_field openai_fields[] = {
    [URL] = {"openai-custom-url",
             "address",
             {"OPENAI_BASE_URL"},
             "https://api.openai.com/v1",
             .is_address = true,
             .is_advanced = true,
             .is_required = true},
    [KEY] =
        {"api-key", "API key", {"OPENAI_API_KEY"}, NULL, .is_secret = true, .is_required = true},
};

enum { AZURE_KEY, AZURE_URL, AZURE_VERSION };

static const struct sc_ai_field azure_fields[] = {
    [AZURE_KEY] = {"azure-api-key",
                   "API key",
                   {"AZURE_OPENAI_API_KEY"},
                   NULL,
                   .is_secret = true,
                   .is_required = true},
    [AZURE_URL] = {"azure-api-url",
                   "address of the resource",
                   {"AZURE_OPENAI_ENDPOINT"},
                   NULL,
                   .is_address = true,
                   .is_required = true},
    [AZURE_VERSION] = {"azure-api-version",
                       "version of the interface",
                       {"OPENAI_API_VERSION"},
                       "2024-10-21",
                       .is_advanced = true,
                       .is_required = true},
};

/* Its key has a variable of its own: one that belongs to OpenAI must not go to another host. */
static const struct sc_ai_field compatible_fields[] = {
    [URL] = {"compatible-url",
             "address",
             {"SCALENE_AI_URL"},
             NULL,
             .is_address = true,
             .is_required = true},
    [KEY] = {"compatible-api-key", "API key", {"SCALENE_AI_KEY"}, NULL, .is_secret = true},
};

/* limit_name: newer models of OpenAI take no "max_tokens", other servers know no other name. */
static json_t *chat(const char *model, const struct sc_ai_question *question,
                    const char *limit_name)
{
    json_t *body = json_pack("{s: [{s: s, s: s}, {s: s, s: s}], s: b, s: i}", "messages", "role",
                             "system", "content", question->system, "role", "user", "content",
                             question->user, "stream", 1, limit_name, (int)question->answer_tokens);
    if (model != NULL)
        (void)json_object_set_new(body, "model", json_string(model));
    return body;
}

/* Some users give the address of the questions themselves, as other programs want it. */
static void set_url(struct sc_ai_request *request, const char *address, const char *path)
{
    static const char questions[] = "/chat/completions";
    SC_AUTO_FREE char *base = sc_ai_base(address);
    if (sc_ends_with(base, questions))
        base[strlen(base) - strlen(questions)] = '\0';
    request->url = sc_format("%s%s", base, path);
}

static void begin(const struct sc_ai_settings *settings, const char *method, const char *path,
                  struct sc_ai_request *ret_request)
{
    const char *key = sc_ai_value(settings, KEY);
    ret_request->method = method;
    set_url(ret_request, sc_ai_value(settings, URL), path);
    if (key != NULL)
        sc_ai_request_header(ret_request, "authorization: Bearer %s", key);
}

static bool build_request(const struct sc_ai_settings *settings,
                          const struct sc_ai_question *question, struct sc_ai_request *ret_request,
                          struct sc_err *err)
{
    (void)err;
    const char *limit =
        settings->provider == &sc_ai_openai ? "max_completion_tokens" : "max_tokens";
    begin(settings, "POST", "/chat/completions", ret_request);
    sc_ai_request_json(ret_request, chat(settings->model, question, limit));
    return true;
}

static bool list(const struct sc_ai_settings *settings, struct sc_ai_request *ret_request,
                 struct sc_err *err)
{
    (void)err;
    begin(settings, "GET", "/models", ret_request);
    return true;
}

/* The address of the resource. Azure's own pages show longer ones, with the path of a deployment
 * and its version, or that of the newer interface. */
static char *azure_base(const char *address)
{
    char *base = sc_strndup(address, strcspn(address, "?"));
    char *deployment = strstr(base, "/openai/deployments/");
    if (deployment != NULL)
        *deployment = '\0';
    char *path = strstr(base, "/openai/v1/");
    if (path != NULL)
        path[strlen("/openai/v1")] = '\0';
    return base;
}

/* The deployment's name stands in the path; the newer interface, "v1", has it in the body. */
static bool build_azure_request(const struct sc_ai_settings *settings,
                                const struct sc_ai_question *question,
                                struct sc_ai_request *ret_request, struct sc_err *err)
{
    (void)err;
    const char *version = sc_ai_value(settings, AZURE_VERSION);
    SC_AUTO_FREE char *base = azure_base(sc_ai_value(settings, AZURE_URL));
    bool is_new = strcmp(version, "v1") == 0 || sc_ends_with(base, "/openai/v1");
    SC_AUTO(sc_str_done) struct sc_str path = {0};
    if (sc_ends_with(base, "/openai/v1")) {
        sc_str_add(&path, "/chat/completions");
    } else if (is_new) {
        sc_str_add(&path, "/openai/v1/chat/completions");
    } else {
        sc_str_add(&path, "/openai/deployments/");
        sc_str_add_encoded(&path, settings->model, "");
        sc_str_add(&path, "/chat/completions?api-version=");
        sc_str_add_encoded(&path, version, "");
    }
    ret_request->method = "POST";
    set_url(ret_request, base, sc_str_text(&path));
    sc_ai_request_header(ret_request, "api-key: %s", sc_ai_value(settings, AZURE_KEY));
    sc_ai_request_json(ret_request,
                       chat(is_new ? settings->model : NULL, question, "max_completion_tokens"));
    return true;
}

/* Those of OpenAI's models that answer questions by this interface. */
static void openai_models(const json_t *answer, struct sc_texts *ret_models)
{
    static const char other[] =
        "instruct realtime audio image tts search -pro codex transcribe research embed";
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(answer, "data"), i, item)
    {
        const char *id = json_string_value(json_object_get(item, "id"));
        if (id == NULL || sc_holds_any(id, other))
            continue;
        if (sc_starts_with_any(id, "gpt- chatgpt-") ||
            (id[0] == 'o' && id[1] >= '1' && id[1] <= '9'))
            sc_ai_models_add(ret_models, id);
    }
}

/* Takes the part that messages and pieces of them have in common. */
static void take_choice(const json_t *answer, const char *member, struct sc_ai_reply *reply)
{
    const json_t *choice = sc_ai_dig(answer, "choices/#");
    const json_t *message = json_object_get(choice, member);
    const json_t *content = json_object_get(message, "content");
    if (json_is_string(content))
        sc_str_add(&reply->text, json_string_value(content));
    else /* of reasoning models: a list, in which thoughts have no "text" member */
        sc_ai_reply_blocks(reply, content);
    const char *refusal = sc_ai_dig_text(message, "refusal");
    if (refusal != NULL && refusal[0] != '\0')
        sc_ai_reply_end(reply, SC_AI_REFUSED);
    sc_ai_reply_reason(reply, sc_ai_dig_text(choice, "finish_reason"), "length", "content_filter");
}

static void take_whole(const json_t *answer, struct sc_ai_reply *reply)
{
    take_choice(answer, "message", reply);
}

static void take_piece(const json_t *piece, const char *type, struct sc_ai_reply *reply)
{
    (void)type;
    take_choice(piece, "delta", reply);
}

static const char *const openai_known[] = {"gpt-5.2",    "gpt-5.1", "gpt-5",        "gpt-5-mini",
                                           "gpt-5-nano", "gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano",
                                           "gpt-4o",     "o3",      "o4-mini",      NULL};
static const char *const azure_known[] = {"gpt-4.1", "gpt-4.1-mini", "gpt-4o", "o3-mini", NULL};
static const char *const none_known[] = {NULL};

const struct sc_ai_provider sc_ai_openai = {
    .id = "openai",
    .alias = "chatgpt",
    .name = "OpenAI",
    .framing = SC_AI_EVENTS,
    .fields = openai_fields,
    .field_count = sizeof(openai_fields) / sizeof(openai_fields[0]),
    .models = openai_known,
    .ask = build_request,
    .list = list,
    .take_models = openai_models,
    .take_whole = take_whole,
    .take_piece = take_piece,
};

const struct sc_ai_provider sc_ai_azure = {
    .id = "azure-openai",
    .alias = "azure",
    .name = "Azure OpenAI",
    .framing = SC_AI_EVENTS,
    .fields = azure_fields,
    .field_count = sizeof(azure_fields) / sizeof(azure_fields[0]),
    .models = azure_known,
    .ask = build_azure_request,
    .take_whole = take_whole,
    .take_piece = take_piece,
};

const struct sc_ai_provider sc_ai_compatible = {
    .id = "compatible",
    .alias = "openai-compatible",
    .name = "the service (OpenAI-compatible)",
    .framing = SC_AI_EVENTS,
    .fields = compatible_fields,
    .field_count = sizeof(compatible_fields) / sizeof(compatible_fields[0]),
    .models = none_known,
    .ask = build_request,
    .list = list,
    .models_path = "data",
    .model_path = "id",
    .take_whole = take_whole,
    .take_piece = take_piece,
};
