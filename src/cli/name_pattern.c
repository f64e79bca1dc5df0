/* cli/name_pattern.c - see name_pattern.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/name_pattern.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static void add_value(struct sc_str *name, const char *value)
{
    for (; *value != '\0'; value++) {
        bool is_plain = (unsigned char)*value >= ' ' && *value != '/' && *value != 0x7f;
        sc_str_add_char(name, is_plain ? *value : '_');
    }
}

static bool is_word(const char *place, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(place, word, length) == 0;
}

static bool fail_unknown(const char *place, size_t length, const struct sc_name_facts *facts,
                         struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str known = {0};
    for (size_t i = 0; i < facts->labels->count; i++)
        sc_str_add_format(&known, "{%s} ", facts->labels->items[i].name);
    return sc_fail(err, SC_ERR_USAGE,
                   "run: --outfile: this run has no {%.*s}; it has %s{pid} {time} ({{ is a brace)",
                   (int)(length < SC_LABEL_NAME_MAX ? length : SC_LABEL_NAME_MAX), place,
                   sc_str_text(&known));
}

/* place: what stands between braces. */
static bool add_place(struct sc_str *name, const char *place, size_t length,
                      const struct sc_name_facts *facts, struct sc_err *err)
{
    SC_EACH(const struct sc_label, label, facts->labels) {
        if (is_word(place, length, label->name)) {
            add_value(name, label->value);
            return true;
        }
    }
    struct tm parts;
    char text[32] = "";
    if (is_word(place, length, "pid")) {
        sc_str_add_format(name, "%ld", facts->pid);
    } else if (is_word(place, length, "time") && localtime_r(&facts->time, &parts) != NULL &&
               strftime(text, sizeof(text), "%Y%m%dT%H%M%S", &parts) > 0) {
        sc_str_add(name, text);
    } else {
        return fail_unknown(place, length, facts, err);
    }
    return true;
}

bool sc_name_fill(const char *pattern, const struct sc_name_facts *facts, char **ret_name,
                  struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str name = {0};
    sc_str_add(&name, "");
    for (const char *at = pattern; *at != '\0'; at++) {
        if ((*at == '{' || *at == '}') && at[1] == *at) {
            sc_str_add_char(&name, *at++);
        } else if (*at != '{') {
            sc_str_add_char(&name, *at);
        } else {
            size_t length = strcspn(at + 1, "{}");
            if (at[1 + length] != '}')
                return sc_fail(err, SC_ERR_USAGE,
                               "run: --outfile: '%.100s': a { has no } ({{ is a brace)", pattern);
            if (!add_place(&name, at + 1, length, facts, err))
                return false;
            at += length + 1;
        }
    }
    *ret_name = sc_str_take(&name);
    return true;
}

/* Whether the pattern has a place of that name. */
static bool has(const char *pattern, const char *word)
{
    for (const char *at = strchr(pattern, '{'); at != NULL; at = strchr(at + 1, '{')) {
        if (at[1] == '{')
            at++;
        else if (is_word(at + 1, strcspn(at + 1, "}"), word))
            return true;
    }
    return false;
}

bool sc_name_is_shared(const char *pattern, const struct sc_labels *labels)
{
    const char *size = sc_label_of(labels, SC_LABEL_WORLD_SIZE);
    if (sc_label_of(labels, SC_LABEL_RANK) == NULL || (size != NULL && strcmp(size, "1") == 0))
        return false;
    /* numbers of processes are those of one machine, or even of one container */
    bool is_of_one =
        has(pattern, SC_LABEL_HOST) && (has(pattern, "pid") || has(pattern, SC_LABEL_LOCAL_RANK));
    return !has(pattern, SC_LABEL_RANK) && !is_of_one;
}
