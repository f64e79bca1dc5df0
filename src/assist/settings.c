/* assist/settings.c - see settings.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/settings.h"

#include <stdlib.h>
#include <string.h>

#include "assist/provider.h"
#include "assist/wipe.h"
#include "base/mem.h"

/* A shorter text cannot be a key, and replacing it would only garble messages. */
#define KEY_MIN_LENGTH 6

static void set_value(struct sc_ai_value *value, const char *text, enum sc_ai_origin origin)
{
    sc_ai_wipe(value->text);
    value->text = text != NULL ? sc_strdup(text) : NULL;
    value->origin = text != NULL ? origin : SC_AI_NOT_SET;
}

void sc_ai_settings_init(struct sc_ai_settings *settings, const struct sc_ai_provider *provider)
{
    *settings = (struct sc_ai_settings){.provider = provider};
    for (size_t i = 0; i < provider->field_count; i++) {
        const struct sc_ai_field *field = &provider->fields[i];
        set_value(&settings->values[i], field->fallback, SC_AI_FALLBACK);
        for (size_t k = 2; k-- > 0;) {
            const char *name = field->environment[k];
            const char *text = name != NULL ? getenv(name) : NULL;
            if (text == NULL || text[0] == '\0')
                continue;
            /* OLLAMA_HOST is often a host and a port alone */
            bool is_bare = field->is_address && strstr(text, "://") == NULL;
            SC_AUTO_FREE char *address = sc_format("http://%s", text);
            set_value(&settings->values[i], is_bare ? address : text, SC_AI_ENVIRONMENT);
        }
    }
}

bool sc_ai_settings_set(struct sc_ai_settings *settings, const char *id, const char *text,
                        struct sc_err *err)
{
    const struct sc_ai_provider *provider = settings->provider;
    for (size_t i = 0; i < provider->field_count; i++) {
        struct sc_ai_value *value = &settings->values[i];
        if (strcmp(provider->fields[i].id, id) != 0)
            continue;
        if (text[0] != '\0' && (value->text == NULL || strcmp(value->text, text) != 0))
            set_value(value, text, SC_AI_GIVEN);
        return true;
    }
    return sc_fail(err, SC_ERR_USAGE, "%s has no field '%.60s'", provider->name, id);
}

void sc_ai_settings_model(struct sc_ai_settings *settings, const char *model)
{
    if (model == NULL || model[0] == '\0')
        return;
    free(settings->model);
    settings->model = sc_strdup(model);
}

void sc_ai_settings_usual_model(struct sc_ai_settings *settings)
{
    SC_AUTO(sc_texts_done) struct sc_texts models = {0};
    sc_ai_usual_models(settings, &models);
    if (settings->model == NULL && models.count > 0)
        sc_ai_settings_model(settings, models.items[0]);
}

void sc_ai_settings_guard(struct sc_ai_settings *settings)
{
    const struct sc_ai_provider *provider = settings->provider;
    bool is_moved = false;
    for (size_t i = 0; i < provider->field_count; i++)
        is_moved = is_moved ||
                   (provider->fields[i].is_address && settings->values[i].origin == SC_AI_GIVEN);
    for (size_t i = 0; is_moved && i < provider->field_count; i++)
        if (provider->fields[i].is_secret && settings->values[i].origin == SC_AI_ENVIRONMENT)
            set_value(&settings->values[i], NULL, SC_AI_NOT_SET);
}

char *sc_ai_address_shown(const char *address)
{
    const char *scheme = strstr(address, "://");
    const char *start = scheme != NULL ? scheme + 3 : address;
    const char *host = start;
    for (const char *at = start; *at != '\0' && strchr("/?#", *at) == NULL; at++)
        host = *at == '@' ? at + 1 : host;
    return sc_format("%.*s%s", (int)(start - address), address, host);
}

/* The host of an address: behind the scheme and a name before "@", up to a port or a path. */
static char *host_of(const char *address)
{
    SC_AUTO_FREE char *shown = sc_ai_address_shown(address);
    const char *scheme = strstr(shown, "://");
    const char *host = scheme != NULL ? scheme + 3 : shown;
    if (host[0] == '[')
        return sc_strndup(host + 1, strcspn(host + 1, "]/"));
    return sc_strndup(host, strcspn(host, ":/?#"));
}

/* Four numbers, the first of them 127: not a name that begins like that. */
static bool is_loopback_number(const char *host)
{
    return sc_starts_with(host, "127.") && host[strspn(host, "0123456789.")] == '\0';
}

bool sc_ai_is_loopback(const char *address)
{
    SC_AUTO_FREE char *host = host_of(address);
    return sc_is_among(host, "localhost ::1") || is_loopback_number(host);
}

static bool check_address(const struct sc_ai_settings *settings, const char *address,
                          struct sc_err *err)
{
    bool is_plain = sc_starts_with(address, "http://");
    SC_AUTO_FREE char *shown = sc_ai_address_shown(address);
    if (!is_plain && !sc_starts_with(address, "https://"))
        return sc_fail(err, SC_ERR_USAGE, "the address '%.100s' does not begin with https://",
                       shown);
    if (address[strcspn(address, " \t\r\n")] != '\0')
        return sc_fail(err, SC_ERR_USAGE, "the address of %s has a space in it",
                       settings->provider->name);
    bool has_key = false;
    for (size_t i = 0; i < settings->provider->field_count; i++)
        has_key = has_key ||
                  (settings->provider->fields[i].is_secret && settings->values[i].text != NULL);
    if (is_plain && has_key && !sc_ai_is_loopback(address))
        return sc_fail(err, SC_ERR_USAGE,
                       "the key would be sent in the clear to '%.100s'; the address must begin "
                       "with https://",
                       shown);
    return true;
}

bool sc_ai_settings_check(const struct sc_ai_settings *settings, struct sc_err *err)
{
    const struct sc_ai_provider *provider = settings->provider;
    for (size_t i = 0; i < provider->field_count; i++) {
        const struct sc_ai_field *field = &provider->fields[i];
        const char *text = settings->values[i].text;
        const char *variable = field->environment[0];
        if (text == NULL && field->is_required)
            return sc_fail(err, SC_ERR_USAGE, "%s needs its %s%s%s%s", provider->name, field->label,
                           variable != NULL ? " ($" : "", variable != NULL ? variable : "",
                           variable != NULL ? ")" : "");
        if (text != NULL && field->is_secret && text[strcspn(text, "\r\n")] != '\0')
            return sc_fail(err, SC_ERR_USAGE, "the %s has a line break in it", field->label);
        if (text != NULL && field->is_address && !check_address(settings, text, err))
            return false;
    }
    return true;
}

const char *sc_ai_value(const struct sc_ai_settings *settings, size_t index)
{
    return settings->values[index].text;
}

/* The length of the key that stands at text, or 0. */
static size_t key_at(const struct sc_ai_settings *settings, const char *text)
{
    for (size_t i = 0; i < settings->provider->field_count; i++) {
        const char *key = settings->values[i].text;
        if (settings->provider->fields[i].is_secret && key != NULL &&
            strlen(key) >= KEY_MIN_LENGTH && sc_starts_with(text, key))
            return strlen(key);
    }
    return 0;
}

void sc_ai_redact(const struct sc_ai_settings *settings, const char *text, size_t limit,
                  struct sc_str *ret_clean)
{
    size_t start = ret_clean->length;
    bool in_space = true;
    while (*text != '\0' && ret_clean->length - start < limit) {
        size_t key = key_at(settings, text);
        bool is_space = (unsigned char)*text <= ' ' || *text == '\x7f';
        if (key > 0)
            sc_str_add(ret_clean, "***");
        else if (!is_space)
            sc_str_add_char(ret_clean, *text);
        else if (!in_space)
            sc_str_add_char(ret_clean, ' ');
        in_space = key == 0 && is_space;
        text += key > 0 ? key : 1;
    }
    if (*text != '\0') {
        /* the last UTF-8 character may be cut: remove all bytes beyond ASCII at the end */
        while (ret_clean->length > start &&
               ((unsigned char)ret_clean->data[ret_clean->length - 1] & 0x80U) != 0)
            ret_clean->data[--ret_clean->length] = '\0';
        sc_str_add(ret_clean, "...");
    }
}

void sc_ai_settings_done(struct sc_ai_settings *settings)
{
    free(settings->model);
    for (size_t i = 0; i < SC_AI_FIELDS_MAX; i++)
        sc_ai_wipe(settings->values[i].text);
    *settings = (struct sc_ai_settings){0};
}
