/*
 * cli/optimize_show.h - questions, proposals and what was measured, as text on a terminal.
 *
 * What a service says is not trusted: no control character of it reaches the terminal.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assist/answer.h"
#include "assist/measure.h"
#include "assist/prompt.h"

void sc_optimize_show_prompt(const struct sc_ai_prompt *prompt);
void sc_optimize_show_proposal(const struct sc_ai_place *place,
                               const struct sc_ai_proposal *proposal, bool color);
void sc_optimize_show_measured(const struct sc_ai_measured *measured);
