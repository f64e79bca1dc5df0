/*
 * cli/elf_facts.h - what an executable file says about itself, read before it is run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sc_elf_facts {
    bool is_elf;
    bool is_32_bit;
    bool is_foreign; /* for another kind of processor than this program */
    bool is_dynamic; /* it names a loader, which is what honours LD_PRELOAD */
    bool is_musl;
    bool names_python; /* "python" or "pypy" stands in it, as in all that is or starts one */
    /* from the name of the libpython it wants, 0 when it names none */
    unsigned python_major;
    unsigned python_minor;
};

/* Never fails: bytes that make no sense give fewer facts. */
void sc_elf_read(const unsigned char *bytes, size_t length, struct sc_elf_facts *ret_facts);
