/*
 * symbol/table.c - the named functions of one ELF file, sorted by address.
 *
 * libdwfl finds a symbol by looking at all of them, which is too slow for thousands of addresses.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "symbol/table.h"

#include <string.h>

#include "base/sort.h"
#include "base/vec.h"

static bool is_function(const GElf_Sym *symbol)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF &&
           symbol->st_value != 0;
}

SC_ORDERED_BY(by_start, struct sc_symbol_entry, SC_RISING(start));

/* Whether a name is better than another of the same function: fewer underscores in front, then
 * shorter, then earlier in the alphabet. */
static bool is_better(const char *name, const char *than)
{
    size_t front = strspn(name, "_");
    size_t than_front = strspn(than, "_");
    if (front != than_front)
        return front < than_front;
    size_t length = strlen(name);
    size_t than_length = strlen(than);
    if (length != than_length)
        return length < than_length;
    return strcmp(name, than) < 0;
}

/* Keeps one entry of each address, with the best name and the longest size. An entry without a size
 * ends where the next function begins, or at the end of its section. */
static void settle(struct sc_symbol_table *table)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++) {
        struct sc_symbol_entry *last = kept > 0 ? &table->items[kept - 1] : NULL;
        if (last != NULL && last->start == table->items[i].start) {
            if (last->end < table->items[i].end)
                last->end = table->items[i].end;
            if (is_better(table->items[i].name, last->name))
                last->name = table->items[i].name;
            continue;
        }
        table->items[kept++] = table->items[i];
    }
    table->count = kept;
    for (size_t i = 0; i < kept; i++) {
        struct sc_symbol_entry *entry = &table->items[i];
        if (entry->end != entry->start)
            continue;
        entry->end = entry->section_end;
        if (i + 1 < kept && (entry->end == 0 || entry[1].start < entry->end))
            entry->end = entry[1].start;
    }
}

/* The end of the section that the address is in, 0 when that is not known. libdwfl's own answer to
 * this reads debug information first, which takes longer than all the rest where that is packed. */
static uint64_t section_end(Dwfl_Module *module, uint64_t address)
{
    GElf_Shdr header;
    GElf_Addr bias = 0;
    Elf *elf = dwfl_module_getelf(module, &bias);
    for (Elf_Scn *section = NULL; elf != NULL && (section = elf_nextscn(elf, section)) != NULL;) {
        if (gelf_getshdr(section, &header) != NULL &&
            (header.sh_flags & (SHF_ALLOC | SHF_TLS)) == SHF_ALLOC && address >= header.sh_addr &&
            address - header.sh_addr < header.sh_size)
            return header.sh_addr + header.sh_size;
    }
    return 0;
}

void sc_symbol_table_read(Dwfl_Module *module, struct sc_symbol_table *ret_table)
{
    *ret_table = (struct sc_symbol_table){0};
    int count = dwfl_module_getsymtab(module);
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address = 0;
        Dwarf_Addr bias = 0;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, &bias);
        if (name == NULL || name[0] == '\0' || !is_function(&symbol))
            continue;
        uint64_t start = symbol.st_value;
        struct sc_symbol_entry entry = {
            .start = start,
            .end = start + symbol.st_size,
            .section_end = symbol.st_size == 0 ? section_end(module, start) : 0,
            .name = name,
        };
        sc_vec_push(ret_table, entry);
    }
    sc_vec_sort(ret_table, by_start);
    settle(ret_table);
}

void sc_symbol_table_done(struct sc_symbol_table *table)
{
    sc_vec_done(table);
}

const struct sc_symbol_entry *sc_symbol_table_find(const struct sc_symbol_table *table,
                                                   uint64_t address)
{
    size_t low;
    sc_find_first(&low, table->count, i, table->items[i].start <= address);
    if (low == 0 || address >= table->items[low - 1].end)
        return NULL;
    return &table->items[low - 1];
}
