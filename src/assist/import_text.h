/*
 * assist/import_text.h - where import statements end in the text of an answer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

/* Brackets opened in a line less brackets closed. */
int sc_ai_brackets(const char *line, size_t length);

/* The length of the import statement that begins here: it may have several lines; 0 when it has
 * no end. left: bytes there are. */
size_t sc_ai_import_length(const char *text, size_t left);
