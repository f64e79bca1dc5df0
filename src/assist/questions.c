/*
 * assist/questions.c - the page's requests that are answered at once, or nearly so.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "assist/body.h"
#include "assist/client.h"
#include "assist/hardware.h"
#include "assist/providers.h"
#include "assist/session.h"
#include "assist/settings.h"

static json_t *texts_json(const char *const *texts, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        (void)json_array_append_new(list, json_string(texts[i]));
    return list;
}

/* What the page is sent about a field: of a secret, only whether there is one. */
static json_t *field_json(const struct sc_ai_field *field, const struct sc_ai_value *value)
{
    json_t *object = json_pack("{s: s, s: s, s: b, s: b, s: b, s: b, s: b}", "id", field->id,
                               "label", field->label, "secret", field->is_secret, "advanced",
                               field->is_advanced, "required", field->is_required, "address",
                               field->is_address, "set", value->origin == SC_AI_ENVIRONMENT);
    if (field->fallback != NULL)
        (void)json_object_set_new(object, "usual", json_string(field->fallback));
    if (!field->is_secret && value->text != NULL) {
        SC_AUTO_FREE char *shown =
            field->is_address ? sc_ai_address_shown(value->text) : sc_strdup(value->text);
        (void)json_object_set_new(object, "value", sc_ai_json_text(shown, strlen(shown)));
    }
    return object;
}

static json_t *provider_json(const struct sc_ai_provider *provider)
{
    SC_AUTO(sc_ai_settings_done) struct sc_ai_settings settings = {0};
    SC_AUTO(sc_texts_done) struct sc_texts models = {0};
    json_t *fields = json_array();
    sc_ai_settings_init(&settings, provider);
    for (size_t i = 0; i < provider->field_count; i++)
        (void)json_array_append_new(fields, field_json(&provider->fields[i], &settings.values[i]));
    sc_ai_usual_models(&settings, &models);
    return json_pack("{s: s, s: s, s: o, s: o, s: b, s: b, s: b}", "id", provider->id, "name",
                     provider->name, "fields", fields, "models",
                     texts_json((const char *const *)models.items, models.count), "models_by_field",
                     provider->usual != NULL, "lists_models", provider->list != NULL, "ready",
                     sc_ai_settings_check(&settings, NULL));
}

void sc_ai_providers_json(struct sc_str *ret_json)
{
    json_t *list = json_array();
    for (size_t i = 0; sc_ai_providers[i] != NULL; i++)
        (void)json_array_append_new(list, provider_json(sc_ai_providers[i]));
    const struct sc_ai_provider *ready = sc_ai_provider_ready();
    json_t *object = json_pack("{s: o, s: o, s: o}", "providers", list, "goals",
                               texts_json(sc_ai_goal_names, SC_AI_GOAL_COUNT_), "scopes",
                               texts_json(sc_ai_scope_names, SC_AI_SCOPE_COUNT_));
    (void)json_object_set_new(object, "chosen",
                              json_string(ready != NULL ? ready->id : sc_ai_providers[0]->id));
    sc_ai_json_add(object, ret_json);
}

bool sc_ai_models_json(const struct sc_ai_body *body, const struct sc_ai_watch *watch,
                       struct sc_str *ret_json, struct sc_err *err)
{
    SC_AUTO(sc_ai_settings_done) struct sc_ai_settings settings = {0};
    SC_AUTO(sc_texts_done) struct sc_texts models = {0};
    json_t *object = sc_ai_body_read(body, err);
    bool good = object != NULL && sc_ai_body_settings(object, &settings, err);
    sc_ai_body_free(object);
    if (!good)
        return false;
    good = sc_ai_list(&settings, watch, &models, err);
    if (good)
        sc_ai_json_add(json_pack("{s: o}", "models",
                                 texts_json((const char *const *)models.items, models.count)),
                       ret_json);
    return good;
}

static json_t *prompt_json(const struct sc_ai_prompt *prompt, const struct sc_ai_place *place)
{
    json_t *notes = json_array();
    for (size_t i = 0; i < prompt->notes.count; i++)
        (void)json_array_append_new(
            notes, sc_ai_json_text(prompt->notes.items[i], strlen(prompt->notes.items[i])));
    return json_pack("{s: o, s: o, s: o, s: {s: o, s: I, s: I}, s: b}", "system",
                     sc_ai_json_text(prompt->system.data, prompt->system.length), "user",
                     sc_ai_json_text(prompt->user.data, prompt->user.length), "notes", notes,
                     "place", "file", sc_ai_json_text(place->name, strlen(place->name)), "first",
                     (json_int_t)place->first, "last", (json_int_t)place->last, "changed",
                     place->is_changed);
}

bool sc_ai_prompt_json(const struct sc_ai_files *files, const struct sc_ai_body *body,
                       struct sc_str *ret_json, struct sc_err *err)
{
    SC_AUTO(sc_ai_place_done) struct sc_ai_place place = {0};
    SC_AUTO(sc_ai_prompt_done) struct sc_ai_prompt prompt = {0};
    SC_AUTO(sc_str_done) struct sc_str hardware = {0};
    enum sc_ai_goal goal = SC_AI_GOAL_PERFORMANCE;
    json_t *object = sc_ai_body_read(body, err);
    sc_hardware_add(&hardware, files->profile);
    bool good = object != NULL && sc_ai_body_place(object, files, &place, &goal, err) &&
                sc_ai_prompt_make(&place, goal, sc_str_text(&hardware), &prompt, err);
    if (good)
        sc_ai_json_add(prompt_json(&prompt, &place), ret_json);
    sc_ai_body_free(object);
    return good;
}
