/*
 * symbol/inlined.c - functions that a compiler has inlined, where debug information has them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "symbol/inlined.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

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

/* The names of the functions around a scope, outermost first. The parents of its entry in the debug
 * information are the scopes that the code is nested in. */
static size_t names_of(Dwarf_Die *innermost, const char **ret_names, size_t capacity)
{
    Dwarf_Die *scopes = NULL;
    int count = dwarf_getscopes_die(innermost, &scopes);
    size_t found = 0;
    for (int i = count - 1; i >= 0; i--) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
            continue;
        const char *name = name_of(&scopes[i]);
        if (name != NULL && found < capacity)
            ret_names[found++] = name;
    }
    free(scopes);
    return found;
}

size_t sc_inlined_find(Dwfl_Module *module, uint64_t address, const char **ret_names,
                       size_t capacity)
{
    GElf_Addr bias = 0;
    Dwarf_Addr unit_bias = 0;
    if (dwfl_module_getelf(module, &bias) == NULL)
        return 0;
    Dwarf_Die *unit = dwfl_module_addrdie(module, address + bias, &unit_bias);
    if (unit == NULL)
        return 0;
    Dwarf_Die *scopes = NULL;
    int count = dwarf_getscopes(unit, address + bias - unit_bias, &scopes);
    size_t found = count > 0 ? names_of(&scopes[0], ret_names, capacity) : 0;
    free(scopes);
    return found;
}
