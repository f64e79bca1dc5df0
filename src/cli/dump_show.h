/*
 * cli/dump_show.h - a snapshot of a process as text, and as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/str.h"
#include "observer/snapshot/model.h"

void sc_dump_show_text(const struct sc_snapshot *snapshot, struct sc_str *text);
void sc_dump_show_json(const struct sc_snapshot *snapshot, struct sc_str *text);
