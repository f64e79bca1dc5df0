/*
 * cli/agent_link.h - a name for the agent's library that the loader can be given.
 *
 * LD_PRELOAD is divided at blanks and colons, and words behind a dollar sign are replaced, so a
 * library in a folder with one of these in its name cannot be loaded by its path.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/err.h"

/* *ret_link is NULL when the path can be given as it is, else a link to it, in a folder of its own
 * that nobody else can write and every user can search, since children may be another user's.
 * Owned by the caller, and ended with sc_agent_link_remove. */
bool sc_agent_link_make(const char *agent_path, char **ret_link, struct sc_err *err);

/* Removes link and folder, and frees the text. Programs that go on find that it is gone, and are
 * then not followed by what they start. NULL is allowed. */
void sc_agent_link_remove(char *link);
