/*
 * cli/agent_path.h - where the agent library is, under a name that LD_PRELOAD can hold.
 *
 * LD_PRELOAD is divided at blanks and colons, and words behind a dollar sign are replaced, so a
 * library in a folder with one of these in its name cannot be loaded by its path.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/* $SCALENE_AGENT_PATH, else a place relative to this program; the agent that follows memory, or the
 * one that does not. Owned by the caller. */
bool sc_agent_path(bool memory, char **ret_path, struct sc_err *err);

/* *ret_link is NULL when the path can be given as it is, else a link to it, in a folder of its own
 * that only this user can write and every user can search, since child processes may run as another
 * user. Owned by the caller, and removed with sc_agent_link_remove. */
bool sc_agent_link_make(const char *agent_path, char **ret_link, struct sc_err *err);

/* Removes link and folder, and frees the text. In programs that are still running, the link is then
 * missing, so processes that they start are not profiled. NULL is allowed. */
void sc_agent_link_remove(char *link);
