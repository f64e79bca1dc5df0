/* costs/cell_sources.c - see cell_sources.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/cell_sources.h"

#include <stdlib.h>
#include <string.h>

#include "base/helper.h"
#include "base/mem.h"

#define LIMIT_BYTES  ((size_t)256 << 20)
#define NUMBER_BYTES 20 /* of a decimal number, at most */

static void clear(struct sc_cell_sources *sources)
{
    for (size_t i = 0; i < sources->items.count; i++) {
        free(sources->items.items[i].shown);
        free(sources->items.items[i].code_name);
        free(sources->items.items[i].text);
    }
    sources->items.count = 0;
}

/* A decimal number up to the end character; moves *at behind that. */
static bool take_number(const char **at, const char *end, char last, size_t *ret_number)
{
    size_t number = 0;
    const char *digit = *at;
    for (; digit < end && *digit >= '0' && *digit <= '9' && digit - *at < NUMBER_BYTES; digit++) {
        if (__builtin_mul_overflow(number, (size_t)10, &number) ||
            __builtin_add_overflow(number, (size_t)(*digit - '0'), &number))
            return false;
    }
    if (digit == *at || digit >= end || *digit != last)
        return false;
    *at = digit + 1;
    *ret_number = number;
    return true;
}

const char *sc_cell_sources_add(struct sc_cell_sources *sources, char *shown, char *code_name,
                                const char *text, size_t length)
{
    struct sc_cell_source added = {
        .shown = shown,
        .code_name = code_name,
        .text = sc_strndup(text, length),
        .length = length,
    };
    sc_vec_push(&sources->items, added);
    return shown;
}

void sc_cell_sources_parse(struct sc_cell_sources *sources, const char *bytes, size_t length)
{
    const char *end = bytes + length;
    for (const char *at = bytes; at < end;) {
        size_t name_length = 0;
        size_t text_length = 0;
        const char *blank = memchr(at, ' ', (size_t)(end - at));
        if (blank == NULL || blank == at)
            return;
        size_t shown_length = (size_t)(blank - at);
        const char *rest = blank + 1;
        if (!take_number(&rest, end, ' ', &name_length) ||
            !take_number(&rest, end, '\n', &text_length) || name_length > (size_t)(end - rest) ||
            text_length > (size_t)(end - rest) - name_length)
            return;
        (void)sc_cell_sources_add(sources, sc_strndup(at, shown_length),
                                  sc_strndup(rest, name_length), rest + name_length, text_length);
        at = rest + name_length + text_length;
    }
}

/* True when the file has changed since it was read last. */
static bool has_changed(struct sc_cell_sources *sources)
{
    struct stat status;
    if (sources->path == NULL || sc_helper_stat(sources->helper, sources->path, &status) != 0)
        return false;
    uint64_t changed_ns =
        (uint64_t)status.st_mtim.tv_sec * 1000000000U + (uint64_t)status.st_mtim.tv_nsec;
    if (sources->inode == (uint64_t)status.st_ino && sources->changed_ns == changed_ns)
        return false;
    sources->inode = (uint64_t)status.st_ino;
    sources->changed_ns = changed_ns;
    return true;
}

const char *sc_cell_sources_shown(struct sc_cell_sources *sources, const char *code_name)
{
    SC_AUTO(sc_str_done) struct sc_str bytes = {0};
    struct stat status;
    if (has_changed(sources) && sc_helper_read(sources->helper, sources->path, LIMIT_BYTES, &status,
                                               &bytes) == SC_HELPER_READ) {
        clear(sources);
        sc_cell_sources_parse(sources, sc_str_text(&bytes), bytes.length);
    }
    for (size_t i = 0; i < sources->items.count; i++) {
        if (strcmp(sources->items.items[i].code_name, code_name) == 0)
            return sources->items.items[i].shown;
    }
    return NULL;
}

const struct sc_cell_source *sc_cell_sources_find(const struct sc_cell_sources *sources,
                                                  const char *shown)
{
    for (size_t i = sources->items.count; i-- > 0;) {
        if (strcmp(sources->items.items[i].shown, shown) == 0)
            return &sources->items.items[i];
    }
    return NULL;
}

void sc_cell_sources_done(struct sc_cell_sources *sources)
{
    clear(sources);
    sc_vec_done(&sources->items);
}
