/*
 * symbol/inlined.c - functions that a compiler has inlined, where debug information has them.
 *
 * libdw finds what an address is in by going through all entries of its unit, and once more for the
 * parents of what it found. A unit may have a hundred thousand entries and a profile a thousand
 * addresses in it, so the functions of a unit are listed once. What is in them is looked through at
 * each question.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "symbol/inlined.h"

#include <dwarf.h>

#include "base/sort.h"

/* The name with types and namespaces, for C++, else the plain one; of an inlined function they
 * stand where it was defined. */
static const char *name_of(Dwarf_Die *die)
{
    static const unsigned kinds[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        Dwarf_Attribute attribute;
        const char *name = dwarf_formstring(dwarf_attr_integrate(die, kinds[i], &attribute));
        if (name != NULL)
            return name;
    }
    return NULL;
}

/* A callback of dwarf_getfuncs: adds each range of the function. */
static int add_function(Dwarf_Die *function, void *context)
{
    struct sc_inlined_unit *unit = context;
    struct sc_inlined_range range = {.function = *function};
    Dwarf_Addr base = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(function, at, &base, &range.start, &range.end)) > 0;)
        sc_vec_push(&unit->ranges, range);
    return DWARF_CB_OK;
}

SC_ORDERED_BY(by_start, struct sc_inlined_range, SC_RISING(start));

static const struct sc_inlined_unit *unit_of(struct sc_inlined *inlined, Dwarf_Die *die)
{
    Dwarf_Off offset = dwarf_dieoffset(die);
    for (size_t i = 0; i < inlined->units.count; i++) {
        if (inlined->units.items[i].offset == offset)
            return &inlined->units.items[i];
    }
    struct sc_inlined_unit unit = {.offset = offset};
    (void)dwarf_getfuncs(die, add_function, &unit, 0);
    sc_vec_sort(&unit.ranges, by_start);
    sc_vec_push(&inlined->units, unit);
    return &inlined->units.items[inlined->units.count - 1];
}

/* The function at the address; false where there is none. */
static bool find_function(const struct sc_inlined_unit *unit, Dwarf_Addr address,
                          Dwarf_Die *ret_function)
{
    size_t low;
    sc_find_first(&low, unit->ranges.count, i, unit->ranges.items[i].start <= address);
    if (low == 0 || address >= unit->ranges.items[low - 1].end)
        return false;
    *ret_function = unit->ranges.items[low - 1].function;
    return true;
}

/* The unit at the address, NULL where there is none. libdw before 0.191 finds none where the table
 * of units (.debug_aranges) is missing, which clang leaves out. */
static Dwarf_Die *find_unit(struct sc_inlined *inlined, Dwfl_Module *module, Dwarf_Addr address,
                            Dwarf_Addr *ret_bias, Dwarf_Die *ret_unit)
{
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, ret_bias);
    if (unit != NULL)
        return unit;
    while (!inlined->is_listed && (unit = dwfl_module_nextcu(module, unit, ret_bias)) != NULL)
        (void)add_function(unit, &inlined->whole);
    if (!inlined->is_listed)
        sc_vec_sort(&inlined->whole.ranges, by_start);
    inlined->is_listed = true;
    (void)dwfl_module_getdwarf(module, ret_bias);
    return find_function(&inlined->whole, address - *ret_bias, ret_unit) ? ret_unit : NULL;
}

/* The part of a scope that the address is in: a block, or a function; false where there is none. */
static bool find_inside(Dwarf_Die *scope, Dwarf_Addr address, Dwarf_Die *ret_part)
{
    Dwarf_Die child;
    if (dwarf_child(scope, &child) != 0)
        return false;
    do {
        int tag = dwarf_tag(&child);
        bool is_part = tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
                       tag == DW_TAG_try_block || tag == DW_TAG_catch_block ||
                       tag == DW_TAG_subprogram;
        if (is_part && dwarf_haspc(&child, address) > 0) {
            *ret_part = child;
            return true;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

size_t sc_inlined_find(struct sc_inlined *inlined, Dwfl_Module *module, uint64_t address,
                       const char **ret_names, size_t capacity)
{
    GElf_Addr bias = 0;
    Dwarf_Addr unit_bias = 0;
    if (dwfl_module_getelf(module, &bias) == NULL)
        return 0;
    Dwarf_Die scope;
    Dwarf_Die *unit = find_unit(inlined, module, address + bias, &unit_bias, &scope);
    Dwarf_Addr inside = address + bias - unit_bias;
    size_t count = 0;
    bool is_found = unit != NULL && find_function(unit_of(inlined, unit), inside, &scope);
    for (; is_found && count < capacity; is_found = find_inside(&scope, inside, &scope)) {
        int tag = dwarf_tag(&scope);
        const char *name =
            tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ? name_of(&scope) : NULL;
        if (name != NULL)
            ret_names[count++] = name;
    }
    return count;
}

void sc_inlined_done(struct sc_inlined *inlined)
{
    for (size_t i = 0; i < inlined->units.count; i++)
        sc_vec_done(&inlined->units.items[i].ranges);
    sc_vec_done(&inlined->units);
    sc_vec_done(&inlined->whole.ranges);
}
