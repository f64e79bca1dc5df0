/* assist/provider.c - see provider.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/provider.h"

#include <stdarg.h>
#include <string.h>

#include "assist/wipe.h"
#include "base/mem.h"

void sc_ai_request_done(struct sc_ai_request *request)
{
    sc_ai_wipe(request->url);
    for (size_t i = 0; i < request->headers.count; i++)
        sc_ai_wipe(request->headers.items[i]);
    sc_vec_done(&request->headers);
    sc_ai_wipe_str(&request->body);
    *request = (struct sc_ai_request){0};
}

void sc_ai_request_header(struct sc_ai_request *request, const char *format, ...)
{
    char *line = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&line, format, arguments);
    va_end(arguments);
    if (length >= 0)
        sc_vec_push(&request->headers, line);
}

void sc_ai_request_json(struct sc_ai_request *request, json_t *value)
{
    SC_AUTO_FREE char *text = json_dumps(value, JSON_COMPACT | JSON_ENSURE_ASCII);
    sc_str_clear(&request->body);
    sc_str_add(&request->body, text != NULL ? text : "null");
    json_decref(value);
}

void sc_ai_reply_done(struct sc_ai_reply *reply)
{
    sc_str_done(&reply->text);
    sc_str_done(&reply->error);
}

void sc_ai_reply_end(struct sc_ai_reply *reply, enum sc_ai_ending ending)
{
    if (reply->ending == SC_AI_OPEN)
        reply->ending = ending;
}

void sc_ai_reply_fail(struct sc_ai_reply *reply, const char *message)
{
    if (reply->ending == SC_AI_FAILED)
        return;
    reply->ending = SC_AI_FAILED;
    sc_str_add(&reply->error, message != NULL ? message : "");
}

void sc_ai_reply_blocks(struct sc_ai_reply *reply, const json_t *blocks)
{
    size_t i;
    json_t *block;
    json_array_foreach(blocks, i, block)
    {
        const char *text = json_string_value(json_object_get(block, "text"));
        if (text != NULL)
            sc_str_add(&reply->text, text);
    }
}

void sc_ai_reply_reason(struct sc_ai_reply *reply, const char *reason, const char *too_long,
                        const char *refused)
{
    if (reason == NULL || reason[0] == '\0') /* as some servers have it in each piece */
        return;
    if (sc_is_among(reason, too_long))
        sc_ai_reply_end(reply, SC_AI_TOO_LONG);
    else if (sc_is_among(reason, refused))
        sc_ai_reply_end(reply, SC_AI_REFUSED);
    else
        sc_ai_reply_end(reply, SC_AI_ENDED);
}

void sc_ai_models_add(struct sc_texts *models, const char *name)
{
    if (name != NULL && name[0] != '\0' && strlen(name) < 200 && models->count < 2000)
        sc_vec_push(models, sc_strdup(name));
}

void sc_ai_usual_models(const struct sc_ai_settings *settings, struct sc_texts *ret_models)
{
    const struct sc_ai_provider *provider = settings->provider;
    if (provider->usual != NULL) {
        provider->usual(settings, ret_models);
        return;
    }
    for (size_t i = 0; provider->models[i] != NULL; i++)
        sc_ai_models_add(ret_models, provider->models[i]);
}

const json_t *sc_ai_dig(const json_t *value, const char *path)
{
    while (value != NULL && *path != '\0') {
        size_t length = strcspn(path, "/");
        SC_AUTO_FREE char *name = sc_strndup(path, length);
        value = strcmp(name, "#") == 0 ? json_array_get(value, 0) : json_object_get(value, name);
        path += length;
        path += *path == '/' ? 1 : 0;
    }
    return value;
}

const char *sc_ai_dig_text(const json_t *value, const char *path)
{
    return json_string_value(sc_ai_dig(value, path));
}

char *sc_ai_base(const char *address)
{
    size_t length = strlen(address);
    while (length > 0 && address[length - 1] == '/')
        length--;
    return sc_strndup(address, length);
}
