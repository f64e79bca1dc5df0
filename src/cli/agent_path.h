/*
 * cli/agent_path.h - where the agent library is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/* $SCALENE_AGENT_PATH, else a place relative to this program. Owned by the caller. */
bool sc_agent_path(char **ret_path, struct sc_err *err);
