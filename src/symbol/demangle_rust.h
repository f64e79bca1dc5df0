/*
 * symbol/demangle_rust.h - names of Rust's functions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* Decodes in place what the old scheme writes for characters that names in C++ cannot have
 * ("_$LT$impl$GT$"). */
void sc_demangle_old_rust(char *name);

/* The name that the newer scheme (v0, "_R...") has encoded, without generic arguments:
 * "<alloc::vec::Vec>::push". NULL: it is none, or too long. To be freed. */
char *sc_demangle_rust(const char *symbol);
