/*
 * assist/prompt.h - what is asked about a place: its code, what it costs, and what is wanted.
 *
 * The whole text can be shown before it is sent. Its size is limited; what was left out is said in
 * the text, and in notes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assist/place.h"
#include "assist/provider.h"

#define SC_AI_GOALS(X)                                                                             \
    X(PERFORMANCE, "performance")                                                                  \
    X(MEMORY, "memory")

#define X_ENUM(name, text) SC_AI_GOAL_##name,
enum sc_ai_goal { SC_AI_GOALS(X_ENUM) SC_AI_GOAL_COUNT_ };
#undef X_ENUM

extern const char *const sc_ai_goal_names[SC_AI_GOAL_COUNT_];

/* These comments mark the first and last line of the place; the prompt explains them. */
#define SC_AI_MARK_FIRST "# >>> replace from here"
#define SC_AI_MARK_LAST  "# <<< to here"

struct sc_ai_prompt {
    struct sc_str system;
    struct sc_str user;
    SC_VEC(char *) notes;           /* one sentence each: what was left out, what to know */
    struct sc_ai_question question; /* points into the texts */
};

/* hardware: the machine in one line. False when the place is too large. */
bool sc_ai_prompt_make(const struct sc_ai_place *place, enum sc_ai_goal goal, const char *hardware,
                       struct sc_ai_prompt *ret_prompt, struct sc_err *err);
void sc_ai_prompt_done(struct sc_ai_prompt *prompt);

/* Adds what the profile knows of the lines, one fact per line. */
void sc_ai_facts_add(const struct sc_ai_place *place, enum sc_ai_goal goal, struct sc_str *text);
