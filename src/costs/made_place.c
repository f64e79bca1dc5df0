/* costs/made_place.c - see made_place.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/made_place.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define EXEC "<exec@"
#define EVAL "<eval@"

bool sc_is_made_place(const char *name)
{
    return (sc_starts_with(name, EXEC) || sc_starts_with(name, EVAL)) && sc_ends_with(name, ">");
}

/* The Python frame that a node is, or that its native frames were called by; 0 without one. */
static uint32_t python_frame(const struct sc_collect *collect, uint32_t node)
{
    while (node != 0 && sc_collect_is_native(collect, node))
        node = collect->nodes.items[node].parent;
    return node;
}

uint32_t sc_made_code(struct sc_collect *collect, uint32_t parent, uint32_t code)
{
    struct sc_code made = collect->codes.items[code];
    if (strcmp(sc_intern_text(&collect->names, made.file), SC_MADE_OF_TEXT) != 0)
        return code;
    uint32_t caller = python_frame(collect, parent);
    if (caller == 0)
        return code;
    const struct sc_stack_node *node = &collect->nodes.items[caller];
    const char *maker = sc_intern_text(&collect->names, collect->codes.items[node->code].file);
    const char *name = sc_intern_text(&collect->names, made.qualified_name);
    bool is_whole = strcmp(name, "<module>") == 0;
    SC_AUTO_FREE char *place = NULL;
    if (sc_is_made_place(maker)) /* code of the text, or of a text within it: one name for both */
        place = sc_strdup(maker);
    else if (is_whole && node->line != 0 && strcmp(maker, SC_MADE_OF_TEXT) != 0)
        place = sc_format(EXEC "%s:%u>", maker, node->line);
    if (place == NULL)
        return code;
    SC_AUTO_FREE char *own_name = sc_strdup(name); /* interning may move the texts */
    return sc_collect_code(collect, place, own_name, made.first_line);
}

char *sc_made_by(const char *name, uint32_t *ret_line)
{
    const char *colon = strrchr(name, ':');
    if (!sc_is_made_place(name) || colon == NULL)
        return NULL;
    const char *maker = name + strlen(EXEC);
    *ret_line = (uint32_t)strtoul(colon + 1, NULL, 10);
    return sc_strndup(maker, (size_t)(colon - maker));
}

char *sc_made_shown(const char *maker, uint32_t line, bool is_eval)
{
    return sc_format("%s%s:%u>", is_eval ? EVAL : EXEC, sc_after_last(maker, '/'), line);
}
