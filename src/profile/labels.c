/* profile/labels.c - see labels.h. SPDX-License-Identifier: Apache-2.0 */
#include "profile/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

static struct sc_label *find(const struct sc_labels *labels, const char *name)
{
    for (size_t i = 0; i < labels->count; i++) {
        if (strcmp(labels->items[i].name, name) == 0)
            return &labels->items[i];
    }
    return NULL;
}

const char *sc_label_of(const struct sc_labels *labels, const char *name)
{
    const struct sc_label *label = find(labels, name);
    return label != NULL ? label->value : NULL;
}

bool sc_label_is_number(const char *value)
{
    size_t digits = strspn(value, "0123456789");
    return digits > 0 && digits < 10 && value[digits] == '\0';
}

/* Whole characters alone are kept. */
static char *bounded(const char *value)
{
    struct sc_str text = {0};
    size_t left = strlen(value);
    sc_str_add(&text, "");
    while (left > 0) {
        size_t length = sc_utf8_length(value, left);
        size_t step = length > 0 ? length : 1;
        if (text.length + step > SC_LABEL_VALUE_MAX)
            break;
        sc_str_add_bytes(&text, length > 0 ? value : "?", step);
        value += step;
        left -= step;
    }
    return sc_str_take(&text);
}

void sc_labels_set(struct sc_labels *labels, const char *name, const char *value)
{
    struct sc_label *label = find(labels, name);
    if (label == NULL) {
        sc_vec_push(labels, (struct sc_label){.name = sc_strdup(name)});
        label = &labels->items[labels->count - 1];
    }
    free(label->value);
    label->value = bounded(value);
}

void sc_labels_copy(struct sc_labels *to, const struct sc_labels *from)
{
    for (size_t i = 0; i < from->count; i++)
        sc_labels_set(to, from->items[i].name, from->items[i].value);
}

void sc_labels_done(struct sc_labels *labels)
{
    for (size_t i = 0; i < labels->count; i++) {
        free(labels->items[i].name);
        free(labels->items[i].value);
    }
    sc_vec_done(labels);
}
