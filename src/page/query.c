/* page/query.c - see query.h. SPDX-License-Identifier: Apache-2.0 */
#include "page/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/mem.h"

struct sc_query sc_query_read(const char *text)
{
    size_t length = strcspn(text, "?");
    return (struct sc_query){text, length, text[length] == '?' ? text + length + 1 : ""};
}

bool sc_query_path_is(const struct sc_query *query, const char *path)
{
    return strlen(path) == query->path_length && memcmp(path, query->path, query->path_length) == 0;
}

static char *decode(const char *text, size_t length)
{
    char *plain = sc_strndup(text, length);
    char *to = plain;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '%') {
            *to++ = (char)(text[i] == '+' ? ' ' : text[i]);
            continue;
        }
        int high = i + 2 < length ? sc_hex_digit(text[i + 1]) : -1;
        int low = i + 2 < length ? sc_hex_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0 || high + low == 0) {
            free(plain);
            return NULL;
        }
        *to++ = (char)(high * 16 + low);
        i += 2;
    }
    *to = '\0';
    return plain;
}

bool sc_query_decodes(const struct sc_query *query)
{
    SC_AUTO_FREE char *plain = decode(query->values, strlen(query->values));
    return plain != NULL;
}

/* Where the value of a name stands as it was written; false when the name is not there. */
static bool find_value(const struct sc_query *query, const char *name, const char **ret_value,
                       size_t *ret_length)
{
    size_t name_length = strlen(name);
    for (const char *at = query->values; *at != '\0';) {
        size_t length = strcspn(at, "&");
        if (length >= name_length && memcmp(at, name, name_length) == 0 &&
            (length == name_length || at[name_length] == '=')) {
            size_t skipped = length == name_length ? length : name_length + 1;
            *ret_value = at + skipped;
            *ret_length = length - skipped;
            return true;
        }
        at += at[length] == '&' ? length + 1 : length;
    }
    return false;
}

char *sc_query_text(const struct sc_query *query, const char *name)
{
    const char *value;
    size_t length;
    return find_value(query, name, &value, &length) ? decode(value, length) : NULL;
}

bool sc_query_count(const struct sc_query *query, const char *name, uint64_t limit,
                    uint64_t fallback, uint64_t *ret_count, struct sc_err *err)
{
    const char *value;
    size_t length;
    if (!find_value(query, name, &value, &length)) {
        *ret_count = fallback;
        return true;
    }
    uint64_t count = 0;
    bool is_number = length > 0 && length <= 18;
    for (size_t i = 0; i < length && is_number; i++) {
        is_number = value[i] >= '0' && value[i] <= '9';
        count = count * 10 + (uint64_t)(value[i] - '0');
    }
    if (!is_number || count > limit)
        return sc_fail(err, SC_ERR_USAGE, "'%s' must be a whole number up to %llu", name,
                       (unsigned long long)limit);
    *ret_count = count;
    return true;
}

bool sc_query_number(const struct sc_query *query, const char *name, double fallback,
                     double *ret_number, struct sc_err *err)
{
    SC_AUTO_FREE char *text = sc_query_text(query, name);
    *ret_number = fallback;
    if (text == NULL)
        return true;
    char *end = NULL;
    double number = strtod(text, &end);
    if (*text == '\0' || *end != '\0' || !isfinite(number))
        return sc_fail(err, SC_ERR_USAGE, "'%s' must be a number", name);
    *ret_number = number;
    return true;
}
