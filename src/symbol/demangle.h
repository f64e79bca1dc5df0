/*
 * symbol/demangle.h - names of functions as people write them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* A symbol's name without what compilers and linkers add: the names of C++, Rust, Cython and mypyc
 * are decoded ("__pyx_pw_3pkg_5shape_4Area_7grow" is pkg.shape.Area.grow), parts that a
 * compiler has split off (".cold", ".part.0") bear the name of the whole, versions
 * ("@GLIBC_2.14") and Rust's hashes are left out. To be freed. */
char *sc_demangle(const char *symbol);
