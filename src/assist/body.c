/* assist/body.c - see body.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/body.h"

#include <stdint.h>
#include <string.h>

#include "assist/providers.h"
#include "base/utf8.h"

json_t *sc_ai_body_read(const struct sc_ai_body *body, struct sc_err *err)
{
    json_t *object = json_loadb(body->text, body->length, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(object))
        return object;
    json_decref(object);
    (void)sc_fail(err, SC_ERR_USAGE, "the question is no JSON object");
    return NULL;
}

void sc_ai_body_free(json_t *object)
{
    const char *name;
    json_t *field;
    json_object_foreach(json_object_get(object, "fields"), name, field)
    {
        /* jansson owns the text's memory; it is overwritten before it is freed */
        char *text = (char *)(uintptr_t)json_string_value(field);
        if (text != NULL)
            explicit_bzero(text, json_string_length(field));
    }
    json_decref(object);
}

bool sc_ai_body_settings(const json_t *object, struct sc_ai_settings *ret_settings,
                         struct sc_err *err)
{
    const char *name = sc_ai_dig_text(object, "provider");
    const struct sc_ai_provider *provider = name != NULL ? sc_ai_provider_find(name) : NULL;
    if (provider == NULL)
        return sc_fail(err, SC_ERR_USAGE, "choose a service");
    sc_ai_settings_init(ret_settings, provider);
    sc_ai_settings_model(ret_settings, sc_ai_dig_text(object, "model"));
    const char *id;
    json_t *field;
    bool good = true;
    json_object_foreach(json_object_get(object, "fields"), id, field)
    {
        const char *text = json_string_value(field);
        good = good && text != NULL && sc_ai_settings_set(ret_settings, id, text, err);
    }
    sc_ai_settings_guard(ret_settings);
    sc_ai_settings_usual_model(ret_settings);
    if (good)
        return true;
    sc_ai_settings_done(ret_settings);
    return sc_fail(err, SC_ERR_USAGE, "a field of the service is no text");
}

/* The index of the text under the name; 0 without one, count when it is unknown. */
static int choice_of(const json_t *object, const char *name, const char *const *texts, int count)
{
    const char *text = sc_ai_dig_text(object, name);
    int i = 0;
    while (text != NULL && i < count && strcmp(text, texts[i]) != 0)
        i++;
    return i;
}

/* A number of a line or a file; 0 where there is none or it is not valid. */
static uint32_t number_of(const json_t *object, const char *name)
{
    json_int_t number = json_integer_value(json_object_get(object, name));
    return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

bool sc_ai_body_place(const json_t *object, const struct sc_ai_files *files,
                      struct sc_ai_place *ret_place, enum sc_ai_goal *ret_goal, struct sc_err *err)
{
    int goal = choice_of(object, "goal", sc_ai_goal_names, SC_AI_GOAL_COUNT_);
    int scope = choice_of(object, "scope", sc_ai_scope_names, SC_AI_SCOPE_COUNT_);
    const struct sc_file *file = json_is_integer(json_object_get(object, "file"))
                                     ? files->file(files->context, number_of(object, "file"))
                                     : NULL;
    if (file == NULL || goal == SC_AI_GOAL_COUNT_ || scope == SC_AI_SCOPE_COUNT_)
        return sc_fail(err, SC_ERR_USAGE, "the question names no place of this profile");
    /* files are in the order of their times, and the page may be of an earlier profile */
    const char *name = json_string_value(json_object_get(object, "name"));
    SC_AUTO(sc_str_done) struct sc_str own = {0};
    sc_utf8_add(&own, file->name, strlen(file->name));
    if (name != NULL && strcmp(name, sc_str_text(&own)) != 0)
        return sc_fail(err, SC_ERR_USAGE, "the page shows another profile than this one by now");
    *ret_goal = (enum sc_ai_goal)goal;
    return sc_ai_place_find(files->profile, file, number_of(object, "lineno"),
                            number_of(object, "end_lineno"), (enum sc_ai_scope)scope, ret_place,
                            err);
}

void sc_ai_json_add(json_t *value, struct sc_str *ret_json)
{
    SC_AUTO_FREE char *text = json_dumps(value, JSON_COMPACT | JSON_ENSURE_ASCII);
    sc_str_add(ret_json, text != NULL ? text : "{}");
    json_decref(value);
}

json_t *sc_ai_json_text(const char *text, size_t length)
{
    SC_AUTO(sc_str_done) struct sc_str clean = {0};
    sc_utf8_add(&clean, text, length);
    return json_stringn(sc_str_text(&clean), clean.length);
}
