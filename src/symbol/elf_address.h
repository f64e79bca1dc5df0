/*
 * symbol/elf_address.h - from a place in an ELF file to the address that its own tables use.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gelf.h>
#include <stdint.h>

/* Where the byte at file_offset is, as the file numbers addresses; 0 when it is not loaded. elf may
 * be NULL. */
uint64_t sc_elf_address(Elf *elf, uint64_t file_offset);
