/* cli/options.c - see options.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

const char *const sc_verb_names[SC_VERB_COUNT_] = {
#define VERB(id, name, ...) [SC_VERB_##id] = (name),
#include "cli/options.def"
};

const char *const sc_verb_summaries[SC_VERB_COUNT_] = {
#define VERB(id, name, summary, ...) [SC_VERB_##id] = (summary),
#include "cli/options.def"
};

/* the words of options.def */
#define IGNORED   SC_TRAIT_IGNORED
#define FIRST     SC_TRAIT_FIRST
#define NO_CONFIG SC_TRAIT_NO_CONFIG
#define ADDS      SC_TRAIT_ADDS

const struct sc_option sc_options[SC_OPT_COUNT_] = {
#define OPTION(option_verb, id, option_name, letter, argument, meta, initial, least, most,         \
               option_group, option_traits, text)                                                  \
    [SC_OPT_##id] = {.name = (option_name),                                                        \
                     .metavar = (meta),                                                            \
                     .fallback = (initial),                                                        \
                     .help = (text),                                                               \
                     .low = (least),                                                               \
                     .high = (most),                                                               \
                     .verb = SC_VERB_##option_verb,                                                \
                     .kind = SC_ARG_##argument,                                                    \
                     .group = SC_GROUP_##option_group,                                             \
                     .traits = (option_traits),                                                    \
                     .short_name = (letter)},
#include "cli/options.def"
};

enum sc_verb sc_verb_find(const char *name)
{
    for (int verb = SC_VERB_TOP + 1; verb < SC_VERB_COUNT_; verb++)
        if (strcmp(sc_verb_names[verb], name) == 0)
            return (enum sc_verb)verb;
    return SC_VERB_COUNT_;
}

bool sc_option_takes_value(enum sc_option_id id)
{
    return sc_options[id].kind >= SC_ARG_PATH;
}

static void clear_list(struct sc_value *value)
{
    for (size_t i = 0; i < value->list.count; i++)
        free(value->list.items[i]);
    value->list.count = 0;
}

void sc_values_init(struct sc_values *values)
{
    memset(values, 0, sizeof(*values));
    for (int id = 0; id < SC_OPT_COUNT_; id++)
        if (sc_options[id].fallback != NULL && sc_options[id].fallback[0] != '\0')
            (void)sc_value_set(values, (enum sc_option_id)id, sc_options[id].fallback,
                               SC_FROM_DEFAULT, "default", NULL);
}

void sc_values_done(struct sc_values *values)
{
    for (int id = 0; id < SC_OPT_COUNT_; id++) {
        free(values->of[id].text);
        clear_list(&values->of[id]);
        sc_vec_done(&values->of[id].list);
    }
    memset(values, 0, sizeof(*values));
}

static bool read_flag(const char *text, bool *ret_flag)
{
    /* the words of YAML 1.1, in which the files of the original are written */
    static const char *const yes[] = {"true", "yes", "on"};
    static const char *const no[] = {"false", "no", "off"};
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        bool is_yes = strcasecmp(text, yes[i]) == 0;
        if (is_yes || strcasecmp(text, no[i]) == 0) {
            *ret_flag = is_yes;
            return true;
        }
    }
    return false;
}

static bool read_number(const char *text, double low, double high, double *ret_number)
{
    const char *digits = strcasecmp(text, ".inf") == 0 ? text + 1 : text; /* as YAML writes it */
    char *end;
    double number = strtod(digits, &end);
    if (end == digits || *end != '\0' || isnan(number) || number < low)
        return false;
    /* infinity is "never", and only where no limit is meant */
    if (number > high && !(isinf(number) && high >= 1e300))
        return false;
    *ret_number = number;
    return true;
}

static bool read_count(const char *text, double low, double high, uint64_t *ret_count)
{
    if (text[0] < '0' || text[0] > '9')
        return false;
    char *end;
    errno = 0;
    unsigned long long count = strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0' || (double)count < low || (double)count > high)
        return false;
    *ret_count = count;
    return true;
}

static void set_list(struct sc_values *values, enum sc_option_id id, const char *text,
                     enum sc_value_source source)
{
    if (source != values->of[id].source || (sc_options[id].traits & SC_TRAIT_ADDS) == 0)
        clear_list(&values->of[id]);
    values->of[id].source = source;
    for (const char *start = text;; start++) {
        size_t length = strcspn(start, ",");
        if (length > 0)
            sc_vec_push(&values->of[id].list, sc_strndup(start, length));
        start += length;
        if (*start == '\0')
            return;
    }
}

static bool bad_number(const struct sc_option *option, const char *text, const char *place,
                       enum sc_err_kind kind, struct sc_err *err)
{
    const char *what = option->kind == SC_ARG_COUNT ? "a whole number" : "a number";
    if (option->high >= 1e18)
        return sc_fail(err, kind, "%s: '%.100s' is not %s of at least %g", place, text, what,
                       option->low);
    int digits = option->kind == SC_ARG_COUNT ? 17 : 10; /* as one may write it, without exponent */
    return sc_fail(err, kind, "%s: '%.100s' is not %s from %g to %.*g", place, text, what,
                   option->low, digits, option->high);
}

const char *sc_value_given(const struct sc_value *value)
{
    return value->text != NULL && value->text[0] != '\0' ? value->text : NULL;
}

bool sc_value_set(struct sc_values *values, enum sc_option_id id, const char *text,
                  enum sc_value_source source, const char *place, struct sc_err *err)
{
    const struct sc_option *option = &sc_options[id];
    enum sc_err_kind kind = source == SC_FROM_COMMAND ? SC_ERR_USAGE : SC_ERR_FAILED;
    struct sc_value new = {.source = source};
    switch (option->kind) {
    case SC_ARG_ACTION:
    case SC_ARG_FLAG:
    case SC_ARG_SWITCH:
        if (!read_flag(text, &new.flag))
            return sc_fail(err, kind, "%s: '%.100s' is not true or false", place, text);
        break;
    case SC_ARG_NUMBER:
        if (!read_number(text, option->low, option->high, &new.number))
            return bad_number(option, text, place, kind, err);
        break;
    case SC_ARG_COUNT:
        if (!read_count(text, option->low, option->high, &new.count))
            return bad_number(option, text, place, kind, err);
        break;
    case SC_ARG_PATH:
        if (text[0] == '\0' && id != SC_OPT_PROGRAM_PATH) /* whose default that is */
            return sc_fail(err, kind, "%s: the name is empty", place);
        break;
    case SC_ARG_TEXT:
    case SC_ARG_LIST:
    case SC_ARG_ITEMS:
        break;
    }
    struct sc_value *value = &values->of[id];
    if (source < value->source)
        return true;
    if (option->kind == SC_ARG_LIST) {
        set_list(values, id, text, source);
        return true;
    }
    if (option->kind == SC_ARG_ITEMS) {
        sc_value_add_item(values, id, text, source);
        return true;
    }
    if (option->kind == SC_ARG_PATH || option->kind == SC_ARG_TEXT)
        new.text = sc_strdup(text);
    free(value->text);
    *value = new;
    return true;
}

void sc_value_add_item(struct sc_values *values, enum sc_option_id id, const char *item,
                       enum sc_value_source source)
{
    struct sc_value *value = &values->of[id];
    if (source < value->source)
        return;
    if (source > value->source)
        clear_list(value);
    value->source = source;
    if (item[0] != '\0')
        sc_vec_push(&value->list, sc_strdup(item));
}
