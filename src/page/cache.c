/* page/cache.c - see cache.h. SPDX-License-Identifier: Apache-2.0 */
#include "page/cache.h"

#include <stdlib.h>

struct sc_page_cache *sc_page_cache_new(void)
{
    return sc_alloc(1, sizeof(struct sc_page_cache));
}

static void clear_table(struct sc_page_table *table)
{
    if (table->is_used)
        sc_source_done(&table->source);
    sc_vec_done(&table->rows);
    *table = (struct sc_page_table){0};
}

static void clear_functions(struct sc_page_functions *functions)
{
    sc_vec_done(&functions->items);
    *functions = (struct sc_page_functions){0};
}

static void clear_part(struct sc_page_part *part)
{
    for (int list = 0; list < SC_PART_COUNT_; list++) {
        sc_map_done(&part->index[list]);
        sc_vec_done(&part->times[list]);
    }
    *part = (struct sc_page_part){0};
}

void sc_page_cache_free(struct sc_page_cache *cache)
{
    if (cache == NULL)
        return;
    for (size_t i = 0; i < SC_CACHED_TABLES; i++)
        clear_table(&cache->tables[i]);
    for (size_t i = 0; i < SC_CACHED_FUNCTIONS; i++)
        clear_functions(&cache->functions[i]);
    for (size_t i = 0; i < SC_CACHED_PARTS; i++)
        clear_part(&cache->parts[i]);
    free(cache);
}

struct sc_page_table *sc_page_cached_table(struct sc_page_cache *cache, uint64_t part, size_t file,
                                           enum sc_mode mode)
{
    for (size_t i = 0; i < SC_CACHED_TABLES; i++) {
        struct sc_page_table *table = &cache->tables[i];
        if (table->is_used && table->part == part && table->file == file && table->mode == mode)
            return table;
    }
    struct sc_page_table *table = &cache->tables[cache->next_table];
    cache->next_table = (cache->next_table + 1) % SC_CACHED_TABLES;
    clear_table(table);
    table->part = part;
    table->file = file;
    table->mode = mode;
    return table;
}

struct sc_page_functions *sc_page_cached_functions(struct sc_page_cache *cache, uint64_t part,
                                                   size_t file, const struct sc_column *column)
{
    for (size_t i = 0; i < SC_CACHED_FUNCTIONS; i++) {
        struct sc_page_functions *functions = &cache->functions[i];
        if (functions->is_used && functions->part == part && functions->file == file &&
            functions->column == column)
            return functions;
    }
    struct sc_page_functions *functions = &cache->functions[cache->next_functions];
    cache->next_functions = (cache->next_functions + 1) % SC_CACHED_FUNCTIONS;
    clear_functions(functions);
    functions->part = part;
    functions->file = file;
    functions->column = column;
    return functions;
}

struct sc_page_part *sc_page_cached_part(struct sc_page_cache *cache,
                                         const struct sc_page_choice *choice)
{
    for (size_t i = 0; i < SC_CACHED_PARTS; i++) {
        struct sc_page_part *part = &cache->parts[i];
        if (part->serial != 0 && sc_page_choice_equals(&part->choice, choice))
            return part;
    }
    struct sc_page_part *part = &cache->parts[cache->next_part];
    cache->next_part = (cache->next_part + 1) % SC_CACHED_PARTS;
    clear_part(part);
    part->choice = *choice;
    return part;
}
