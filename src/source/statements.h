/*
 * source/statements.h - one pass over a text that finds its blocks, imports and colours.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source/parsed.h"

/* Fills regions, imports and marks of the source, whose text and lines are set. */
void sc_source_analyse(struct sc_source *source);
