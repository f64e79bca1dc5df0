/*
 * assist/utf8.h - texts as JSON can hold them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/str.h"

/* Adds the bytes; those that are no UTF-8, and NUL, become U+FFFD. */
void sc_utf8_add(struct sc_str *str, const char *bytes, size_t length);
