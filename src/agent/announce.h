/*
 * agent/announce.h - sends the observer what a code key stands for, once per code object.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/target.h"
#include "cpython/walk.h"

/* Buffers for the two texts of a code object while its record is made. */
struct sc_announce_scratch {
    char file[2048];
    char name[2048];
};

/* Sends the record of a code object if the observer does not have it yet. False when it could not
 * be read or sent (a loss has been counted). Async-signal-safe. */
bool sc_announce(const struct sc_target *target, const struct sc_code_facts *facts,
                 struct sc_announce_scratch *scratch);
