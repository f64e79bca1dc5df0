/*
 * cli/agent_path.h - where the agent library is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/* $SCALENE_AGENT_PATH, else a place relative to this program; the agent that follows memory, or the
 * one that does not. Owned by the caller. */
bool sc_agent_path(bool memory, char **ret_path, struct sc_err *err);
