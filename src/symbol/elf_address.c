/*
 * symbol/elf_address.c - from a place in an ELF file to the address that its own tables use.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "symbol/elf_address.h"

#include <stddef.h>

uint64_t sc_elf_address(Elf *elf, uint64_t file_offset)
{
    size_t count = 0;
    if (elf == NULL || elf_getphdrnum(elf, &count) != 0)
        return 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, (int)i, &segment) != NULL && segment.p_type == PT_LOAD &&
            file_offset >= segment.p_offset && file_offset - segment.p_offset < segment.p_filesz)
            return segment.p_vaddr + (file_offset - segment.p_offset);
    }
    return 0;
}
