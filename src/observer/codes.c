/*
 * observer/codes.c - code objects by their key.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/codes.h"

#include <string.h>

#define LINELESS_BYTES_MAX 128

#include "base/mem.h"

void sc_codes_init(struct sc_codes *codes, struct sc_collect *collect, enum sc_line_table_kind kind,
                   const char *directory)
{
    *codes = (struct sc_codes){.collect = collect, .kind = kind};
    codes->directory = directory != NULL ? sc_strdup(directory) : NULL;
}

void sc_codes_done(struct sc_codes *codes)
{
    sc_intern_done(&codes->tables);
    sc_vec_done(&codes->known);
    sc_map_done(&codes->by_key);
    sc_map_done(&codes->lines);
    free(codes->directory);
    *codes = (struct sc_codes){0};
}

/* Scripts named by a relative path have it in co_filename up to 3.8. Names in brackets are no
 * paths. */
static char *absolute_file(struct sc_codes *codes, const char *file, size_t length)
{
    SC_AUTO_FREE char *code_name = sc_strndup(file, length);
    const char *shown = codes->texts != NULL ? sc_texts_shown(codes->texts, code_name) : NULL;
    if (shown == NULL && codes->texts != NULL)
        shown = sc_cells_shown(&codes->cells, codes->texts, code_name);
    if (shown != NULL)
        return sc_strdup(shown);
    bool is_path = length > 0 && file[0] != '/' && file[0] != '<' && file[0] != '[';
    if (!is_path || codes->directory == NULL)
        return sc_strndup(file, length);
    while (length > 2 && file[0] == '.' && file[1] == '/') {
        file += 2;
        length -= 2;
    }
    return sc_format("%s/%.*s", codes->directory, (int)length, file);
}

static void add(struct sc_codes *codes, uint64_t key, const char *file, size_t file_length,
                const char *name, size_t name_length, uint32_t first_line, const void *line_table,
                size_t line_table_length)
{
    SC_AUTO_FREE char *path = absolute_file(codes, file, file_length);
    SC_AUTO_FREE char *qualified_name = sc_strndup(name, name_length);
    struct sc_known_code known = {
        .code = sc_collect_code(codes->collect, path, qualified_name, first_line),
        .first_line = first_line,
        .line_table = sc_intern_add(&codes->tables, line_table, line_table_length),
    };
    sc_map_put(&codes->by_key, key, (uint32_t)codes->known.count);
    sc_vec_push(&codes->known, known);
}

/* The line table at that address, to be freed; NULL when it cannot be read. */
static char *read_table(const struct sc_layout *layout, const struct sc_memory *memory,
                        uint64_t address, size_t *ret_length)
{
    if (!sc_bytes_size(layout, memory, address, ret_length) || *ret_length > SC_LARGE_TABLE_MAX)
        return NULL;
    char *table = sc_alloc(*ret_length, 1);
    if (sc_bytes_read(layout, memory, address, table, *ret_length))
        return table;
    free(table);
    return NULL;
}

void sc_codes_add_record(struct sc_codes *codes, const struct sc_record_code *record,
                         const struct sc_layout *layout, const struct sc_memory *memory)
{
    if (sc_map_get(&codes->by_key, record->code_key) != SC_NONE)
        return;
    const char *file = (const char *)(record + 1);
    const char *name = file + record->file_length;
    size_t large_length = 0;
    SC_AUTO_FREE char *large = record->large_table == 0
                                   ? NULL
                                   : read_table(layout, memory, record->large_table, &large_length);
    if (large != NULL) {
        add(codes, record->code_key, file, record->file_length, name, record->name_length,
            record->first_line, large, large_length);
        return;
    }
    add(codes, record->code_key, file, record->file_length, name, record->name_length,
        record->first_line, name + record->name_length, record->line_table_length);
}

void sc_codes_mark(struct sc_codes *codes, const struct sc_record_mark *record)
{
    uint32_t index = sc_map_get(&codes->by_key, record->code_key);
    if (index != SC_NONE)
        sc_collect_mark(codes->collect, codes->known.items[index].code);
}

bool sc_codes_add_remote(struct sc_codes *codes, const struct sc_layout *layout,
                         const struct sc_memory *memory, const struct sc_code_facts *facts)
{
    if (sc_map_get(&codes->by_key, facts->key) != SC_NONE)
        return true;
    char file[SC_TEXT_MAX];
    char name[SC_TEXT_MAX];
    size_t file_length = 0;
    size_t name_length = 0;
    size_t table_length = 0;
    if (!sc_unicode_read(layout, memory, facts->filename, file, sizeof(file), &file_length) ||
        !sc_unicode_read(layout, memory, facts->name, name, sizeof(name), &name_length))
        return false;
    SC_AUTO_FREE char *table = read_table(layout, memory, facts->line_table, &table_length);
    if (table == NULL)
        return false;
    add(codes, facts->key, file, file_length, name, name_length, facts->first_line, table,
        table_length);
    return true;
}

/* Some instructions have no line (the compiler's own clean-up): they count for the line before. */
static uint32_t find_line(const struct sc_codes *codes, const struct sc_known_code *known,
                          int32_t instruction)
{
    const void *table = sc_intern_text(&codes->tables, known->line_table);
    size_t length = sc_intern_length(&codes->tables, known->line_table);
    for (int32_t at = instruction; at >= 0 && at > instruction - LINELESS_BYTES_MAX; at -= 2) {
        uint32_t line = sc_line_of(codes->kind, table, length, known->first_line, at);
        if (line != 0)
            return line;
    }
    return known->first_line;
}

uint32_t sc_codes_frame(struct sc_codes *codes, uint32_t parent, uint64_t code_key,
                        int32_t instruction)
{
    uint32_t index = sc_map_get(&codes->by_key, code_key);
    if (index == SC_NONE)
        return parent;
    const struct sc_known_code *known = &codes->known.items[index];
    uint64_t line_key = (uint64_t)index << 32 | (uint32_t)instruction;
    uint32_t line = sc_map_get(&codes->lines, line_key);
    if (line == SC_NONE) {
        line = find_line(codes, known, instruction);
        sc_map_put(&codes->lines, line_key, line);
    }
    return sc_collect_frame(codes->collect, parent, known->code, line);
}
