/*
 * cpython/code_key.h - identifies code objects.
 *
 * The key of a code object is a hash of its content: the file's name, the function's name, the
 * first line and the line table, which is all that a profile ever shows of it, and of the working
 * directory where the file's name is relative. An address does not
 * identify it: freed memory is reused at once, and a program that executes one file after the other
 * has all of their code objects in one place, names and tables too.
 *
 * To read all of that at each sample would cost too much. So keys that have been made are kept by a
 * token, which is fast to read: the addresses, and from 3.12 on the number that the interpreter has
 * given the code object and gives to no other one. Without such a number the token is made of the
 * content itself, of a long table in pieces.
 *
 * Async-signal-safe, no libc, < 400 bytes of stack.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdatomic.h>

#include "cpython/walk.h"

/* Both members are written without a lock: where they do not match the token, that is not a hit.
 * All zeros is empty. */
struct sc_code_key_slot {
    _Atomic uint64_t check; /* token ^ key */
    _Atomic uint64_t key;
};

/* Keys that have been made, of one address space. */
struct sc_code_keys {
    struct sc_code_key_slot *slots;
    uint32_t count; /* a power of two */
};

/* Whose code objects are identified, and how they are read. */
struct sc_code_namer {
    const struct sc_layout *layout;
    const struct sc_target *target;
    struct sc_code_keys keys;
    uint64_t interpreter; /* number of the interpreter (below); 0: the versions of its code objects
                             are not used */
    uint64_t directory;   /* number of the working directory: part of the keys of code whose file
                             has a relative name */
    uint64_t epoch;       /* keys that were kept in another epoch are not found */
};

/* The number of the interpreter, which no other one of the process has or had; 0 where there is
 * none (before 3.12), or it cannot be read. */
uint64_t sc_interpreter_number(const struct sc_layout *layout, const struct sc_target *target,
                               uint64_t interpreter);

/* The number of the interpreter that a thread state belongs to. */
uint64_t sc_thread_interpreter_number(const struct sc_layout *layout,
                                      const struct sc_target *target, uint64_t thread_state);

/* The token that the code object's key is kept by; 0 when the content is needed and cannot be
 * read. */
uint64_t sc_code_token(const struct sc_code_namer *namer, const struct sc_code_facts *facts);

/* The key that has been kept by the token; 0: none. */
uint64_t sc_code_key_find(const struct sc_code_namer *namer, uint64_t token);
void sc_code_key_keep(const struct sc_code_namer *namer, uint64_t token, uint64_t key);

/* The key of the code object with these facts, out of its content; 0 when that cannot be read. */
uint64_t sc_code_key_make(const struct sc_code_namer *namer, const struct sc_code_facts *facts);
