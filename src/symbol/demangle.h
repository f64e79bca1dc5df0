/*
 * symbol/demangle.h - names of functions as people write them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* A symbol's name without what compilers and linkers add: C++ and old Rust names are decoded, parts
 * that a compiler has split off (".cold", ".part.0") bear the name of the whole, versions
 * ("@GLIBC_2.14") and Rust's hashes are left out. To be freed. */
char *sc_demangle(const char *symbol);
