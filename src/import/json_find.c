/* import/json_find.c - see json_find.h. SPDX-License-Identifier: Apache-2.0 */
#include "import/json_find.h"

#include <math.h>

bool sc_json_find(struct sc_json_pull *pull, struct sc_json_found *founds)
{
    struct sc_json_name key;
    for (struct sc_json_found *found = founds; found->key != NULL; found++)
        found->value = (struct sc_json_pull){0};
    if (sc_json_pull_peek(pull) != '{')
        return false;
    for (bool more = sc_json_pull_object(pull, &key); more; more = sc_json_pull_key(pull, &key)) {
        for (struct sc_json_found *found = founds; found->key != NULL; found++)
            if (sc_json_name_is(&key, found->key))
                found->value = *pull;
        sc_json_pull_skip(pull);
    }
    return !pull->failed;
}

bool sc_json_has(const char *bytes, size_t length, struct sc_json_found *founds)
{
    struct sc_json_pull pull = sc_json_pull_of(bytes, length);
    if (!sc_json_find(&pull, founds))
        return false;
    for (const struct sc_json_found *found = founds; found->key != NULL; found++)
        if (found->value.at == NULL)
            return false;
    return true;
}

double sc_json_real(struct sc_json_pull *pull)
{
    struct sc_json_name spelt = {0};
    if (sc_json_is_number(sc_json_pull_peek(pull)))
        return sc_json_pull_spelt_number(pull, &spelt) ? sc_json_number_of(&spelt) : NAN;
    sc_json_pull_skip(pull);
    return NAN;
}

uint64_t sc_json_whole(struct sc_json_pull *pull, uint64_t other)
{
    double number = sc_json_real(pull);
    return number >= 0 && number <= 9007199254740992.0 && number == floor(number) ? (uint64_t)number
                                                                                  : other;
}

struct sc_import_text sc_json_words(struct sc_json_pull *pull, struct sc_str *text)
{
    sc_str_clear(text);
    (void)sc_json_pull_string(pull, text);
    return (struct sc_import_text){sc_str_text(text), text->length};
}

uint64_t sc_json_id(struct sc_json_pull *pull, uint64_t other, struct sc_str *text)
{
    uint64_t number = 0;
    sc_str_clear(text);
    if (pull->at == NULL)
        return other;
    if (sc_json_pull_peek(pull) != '"')
        return sc_json_whole(pull, other);
    struct sc_import_text words = sc_json_words(pull, text);
    return sc_import_take_number(&words, &number) && words.length == 0 ? number : other;
}

bool sc_json_next(struct sc_json_pull *pull, size_t *index)
{
    return (*index)++ == 0 ? sc_json_pull_list(pull) : sc_json_pull_item(pull);
}
