/*
 * tests/fuzz/elf_facts_fuzz.c - executable files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdint.h>
#include <stdlib.h>

#include "cli/elf_facts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sc_elf_facts facts;
    sc_elf_read(data, size, &facts);
    if (!facts.is_elf && facts.is_dynamic)
        abort();
    return 0;
}
