/*
 * source/imports.h - reads an import statement.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source/parsed.h"

/* Adds what the statement imports to the source; start: where its first word stands in the text:
 * import, from, or lazy before them. Does nothing for a statement that is not complete. */
void sc_imports_read(struct sc_source *source, size_t start);
