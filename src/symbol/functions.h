/*
 * symbol/functions.h - the functions of one ELF file: where each begins, and names if there are.
 *
 * A function is what has an unwind record (.eh_frame_hdr lists them all), so this works for files
 * stripped of their symbols; symbols only add names.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "unwind/record.h"

struct sc_helper;
struct sc_functions;

/* A function or a variable. */
struct sc_named_symbol {
    const char *name;
    uint64_t address; /* as in the file */
    uint64_t size_bytes;
    bool is_function;
};

/* Called for every named function, and variable. May be NULL. */
typedef void sc_symbol_named(void *context, const struct sc_named_symbol *symbol);

/* NULL with err set when the file cannot be read or is no 64-bit ELF file with unwind records.
 * helper reads its bytes, for as long as the functions are used, and may be NULL. */
struct sc_functions *sc_functions_read(struct sc_helper *helper, const char *path,
                                       sc_symbol_named *named, void *context, struct sc_err *err);
void sc_functions_free(struct sc_functions *functions);

/* The address in the file of the byte at file_offset, 0 when it is not loaded. */
uint64_t sc_functions_address(const struct sc_functions *functions, uint64_t file_offset);

/* The start of the function that covers address (an address in the file), 0 for none. */
uint64_t sc_functions_start(const struct sc_functions *functions, uint64_t address);

/* Where the next function after address begins; address itself when there is none. */
uint64_t sc_functions_end(const struct sc_functions *functions, uint64_t address);

/* Copies bytes of the file as loaded at address; false when they are not in one segment of it. */
bool sc_functions_bytes(struct sc_functions *functions, uint64_t address, void *bytes,
                        size_t length);

/* How to get from the frame of the function at address to its caller's (unwind/record.h). False
 * when that cannot be told, or not without an expression; rules by expressions are SC_RULE_UNKNOWN.
 */
bool sc_functions_row(struct sc_functions *functions, uint64_t address,
                      struct sc_unwind_row *ret_row);

/* True in the procedure linkage tables, whose entries stand for functions of other files. */
bool sc_functions_is_linkage(const struct sc_functions *functions, uint64_t address);
