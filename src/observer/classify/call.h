/*
 * observer/classify/call.h - how a function was called, by the instruction before a return address.
 *
 * Defined by classify_call_<processor>.c.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SC_CALL_BYTES 8

enum sc_call_form {
    SC_CALL_UNKNOWN,
    SC_CALL_DIRECT,   /* of a fixed address */
    SC_CALL_INDIRECT, /* of an address in a register or in memory */
};

/* bytes are the SC_CALL_BYTES before return_address. The form is what they look like: on a
 * processor with instructions of varying length, the target of a direct call should be checked to
 * be a function's start. */
enum sc_call_form sc_call_form(const uint8_t bytes[SC_CALL_BYTES], uint64_t return_address,
                               uint64_t *ret_target);

/* True when code, length bytes standing at address, may hold a direct jump into [start, end). */
bool sc_call_jumps_into(const uint8_t *code, size_t length, uint64_t address, uint64_t start,
                        uint64_t end);

/* Finds the word that a stub of a linkage table jumps by: the stub's code is length bytes standing
 * at address, and the function's address is in the word. False for what looks like no stub. */
bool sc_call_linkage_word(const uint8_t *code, size_t length, uint64_t address, uint64_t *ret_word);
