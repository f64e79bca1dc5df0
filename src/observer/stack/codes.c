/* observer/stack/codes.c - see codes.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/stack/codes.h"

#include <string.h>

#define LINELESS_BYTES_MAX 128

#include "base/mem.h"

/* Of one round: more than most programs have. The agent itself remembers fewer. */
#define KNOWN_MAX       ((size_t)1 << 15)
#define LINES_MAX       ((size_t)1 << 18)
#define TABLE_BYTES_MAX ((size_t)16 << 20)

#define KEYS_KEPT 1024U

void sc_codes_init(struct sc_codes *codes, struct sc_collect *collect, enum sc_line_table_kind kind)
{
    *codes = (struct sc_codes){.collect = collect, .kind = kind};
}

static void round_done(struct sc_code_round *round)
{
    sc_intern_done(&round->tables);
    sc_vec_done(&round->known);
    sc_map_done(&round->by_key);
    sc_map_done(&round->lines);
    *round = (struct sc_code_round){0};
}

bool sc_codes_are_many(const struct sc_codes *codes)
{
    return codes->now.known.count >= KNOWN_MAX || codes->now.lines.count >= LINES_MAX ||
           codes->now.table_bytes >= TABLE_BYTES_MAX;
}

void sc_codes_begin_round(struct sc_codes *codes)
{
    round_done(&codes->last);
    codes->last = codes->now;
    codes->now = (struct sc_code_round){0};
}

void sc_codes_done(struct sc_codes *codes)
{
    round_done(&codes->now);
    round_done(&codes->last);
    free(codes->keys.slots);
    sc_directories_done(&codes->directories);
    *codes = (struct sc_codes){0};
}

/* Names in brackets are no paths. */
static char *absolute_file(struct sc_codes *codes, const char *file, size_t length)
{
    SC_AUTO_FREE char *code_name = sc_strndup(file, length);
    const char *shown =
        codes->cell_sources != NULL ? sc_cell_sources_shown(codes->cell_sources, code_name) : NULL;
    if (shown == NULL && codes->cell_sources != NULL)
        shown = sc_cells_shown(&codes->cells, codes->cell_sources, code_name);
    if (shown != NULL)
        return sc_strdup(shown);
    bool is_path = length > 0 && file[0] != '/' && file[0] != '<' && file[0] != '[';
    char *path = is_path ? sc_directories_find(&codes->directories, code_name) : NULL;
    return path != NULL ? path : sc_strdup(code_name);
}

static uint32_t add_known(struct sc_code_round *round, uint64_t key, struct sc_known_code known,
                          const void *line_table, size_t length)
{
    uint32_t tables = round->tables.count;
    uint32_t index = (uint32_t)round->known.count;
    known.line_table = sc_intern_add(&round->tables, line_table, length);
    round->table_bytes += round->tables.count > tables ? length : 0;
    sc_map_put(&round->by_key, key, index);
    sc_vec_push(&round->known, known);
    return index;
}

/* The code's index in this round; SC_NONE when it is not known. */
static uint32_t find_code_index(struct sc_codes *codes, uint64_t key)
{
    const struct sc_code_round *last = &codes->last;
    uint32_t index = sc_map_get(&codes->now.by_key, key);
    if (index != SC_NONE)
        return index;
    index = sc_map_get(&last->by_key, key);
    if (index == SC_NONE)
        return SC_NONE;
    uint32_t table = last->known.items[index].line_table;
    return add_known(&codes->now, key, last->known.items[index],
                     sc_intern_text(&last->tables, table), sc_intern_length(&last->tables, table));
}

static void add(struct sc_codes *codes, uint64_t key, const char *file, size_t file_length,
                const char *name, size_t name_length, uint32_t first_line, const void *line_table,
                size_t line_table_length)
{
    SC_AUTO_FREE char *path = absolute_file(codes, file, file_length);
    SC_AUTO_FREE char *qualified_name = sc_strndup(name, name_length);
    const char *sender = codes->sent != NULL && strcmp(path, SC_SENT_CODE) == 0
                             ? sc_sent_code_file(codes->sent, qualified_name, first_line)
                             : NULL;
    struct sc_known_code known = {
        .code = sc_collect_code(codes->collect, sender != NULL ? sender : path, qualified_name,
                                first_line),
        .first_line = first_line,
    };
    (void)add_known(&codes->now, key, known, line_table, line_table_length);
}

/* The line table at that address, to be freed; NULL when it cannot be read. */
static char *read_table(const struct sc_layout *layout, const struct sc_target *target,
                        uint64_t address, size_t *ret_length)
{
    if (!sc_bytes_size(layout, target, address, ret_length) || *ret_length > SC_LARGE_TABLE_MAX)
        return NULL;
    char *table = sc_alloc(*ret_length, 1);
    if (sc_bytes_read(layout, target, address, table, *ret_length))
        return table;
    free(table);
    return NULL;
}

/* The table that an agent did not send, to be freed; NULL where the code object is gone, though
 * another one may be in its place. */
static char *read_large_table(const struct sc_codes *codes, const struct sc_record_code *record,
                              const struct sc_layout *layout, const struct sc_target *target,
                              size_t *ret_length)
{
    struct sc_code_facts facts;
    const struct sc_code_namer namer = {
        .layout = layout, .target = target, .directory = codes->directory_changes};
    if (!sc_code_read(layout, target, record->large_code, &facts))
        return NULL;
    char *table = read_table(layout, target, facts.line_table, ret_length);
    if (table != NULL && sc_code_key_make(&namer, &facts) == record->code_key)
        return table;
    free(table);
    return NULL;
}

void sc_codes_add_record(struct sc_codes *codes, const struct sc_record_code *record,
                         const struct sc_layout *layout, const struct sc_target *target)
{
    if (find_code_index(codes, record->code_key) != SC_NONE)
        return;
    const char *file = (const char *)(record + 1);
    const char *name = file + record->file_length;
    size_t large_length = 0;
    SC_AUTO_FREE char *large = record->large_code == 0
                                   ? NULL
                                   : read_large_table(codes, record, layout, target, &large_length);
    add(codes, record->code_key, file, record->file_length, name, record->name_length,
        record->first_line, large != NULL ? large : name + record->name_length,
        large != NULL ? large_length : record->line_table_length);
    struct sc_known_code *known = &codes->now.known.items[codes->now.known.count - 1];
    known->lacks_lines = record->large_code != 0 && large == NULL;
}

void sc_codes_mark(struct sc_codes *codes, const struct sc_record_mark *record)
{
    uint32_t index = find_code_index(codes, record->code_key);
    if (index != SC_NONE)
        sc_collect_mark(codes->collect, codes->now.known.items[index].code);
}

static bool name_remote(struct sc_codes *codes, const struct sc_layout *layout,
                        const struct sc_target *target, const struct sc_code_facts *facts)
{
    char file[SC_TEXT_MAX];
    char name[SC_TEXT_MAX];
    size_t file_length = 0;
    size_t name_length = 0;
    size_t table_length = 0;
    if (!sc_unicode_read(layout, target, facts->filename, file, sizeof(file), &file_length) ||
        !sc_unicode_read(layout, target, facts->name, name, sizeof(name), &name_length))
        return false;
    SC_AUTO_FREE char *table = read_table(layout, target, facts->line_table, &table_length);
    if (table == NULL)
        return false;
    add(codes, facts->key, file, file_length, name, name_length, facts->first_line, table,
        table_length);
    return true;
}

uint64_t sc_codes_add_remote(struct sc_codes *codes, const struct sc_layout *layout,
                             const struct sc_target *target, uint64_t interpreter, uint64_t code)
{
    struct sc_code_facts facts;
    if (codes->keys.count == 0)
        codes->keys = (struct sc_code_keys){
            .slots = sc_alloc(KEYS_KEPT, sizeof(struct sc_code_key_slot)), .count = KEYS_KEPT};
    struct sc_code_namer namer = {
        .layout = layout,
        .target = target,
        .keys = codes->keys,
        .interpreter = interpreter,
        .directory = codes->directory_changes,
    };
    if (!sc_code_read(layout, target, code, &facts))
        return 0;
    uint64_t token = sc_code_token(&namer, &facts);
    facts.key = token != 0 ? sc_code_key_find(&namer, token) : 0;
    if (token != 0 && facts.key == 0) {
        facts.key = sc_code_key_make(&namer, &facts);
        sc_code_key_keep(&namer, token, facts.key);
    }
    if (facts.key == 0 || (find_code_index(codes, facts.key) == SC_NONE &&
                           !name_remote(codes, layout, target, &facts)))
        return 0;
    return facts.key;
}

/* Some instructions have no line (the compiler's own clean-up): they count for the line before. */
static uint32_t find_line(const struct sc_codes *codes, const struct sc_known_code *known,
                          int32_t instruction)
{
    const void *table = sc_intern_text(&codes->now.tables, known->line_table);
    size_t length = sc_intern_length(&codes->now.tables, known->line_table);
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
    uint32_t index = find_code_index(codes, code_key);
    if (index == SC_NONE) {
        codes->unknown++;
        return parent;
    }
    const struct sc_known_code *known = &codes->now.known.items[index];
    uint64_t line_key = (uint64_t)index << 32 | (uint32_t)instruction;
    uint32_t line = sc_map_get(&codes->now.lines, line_key);
    if (line == SC_NONE) {
        line = find_line(codes, known, instruction);
        sc_map_put(&codes->now.lines, line_key, line);
    }
    codes->unknown += known->lacks_lines;
    uint32_t code = sc_made_code(codes->collect, parent, known->code);
    return sc_collect_frame(codes->collect, parent, code, line);
}
