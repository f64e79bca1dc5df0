/*
 * build/native_place.h - how a place in a native module is written where its function has no name.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

/* "libz.so.1.2.13+0x41f0", or the module's name where it is not a file. To be freed. */
char *sc_native_place(const char *module, uint64_t offset);
