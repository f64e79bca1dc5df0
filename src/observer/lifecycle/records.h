/*
 * observer/lifecycle/records.h - passes the agent's records to the parts of the observer that keep
 * them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/process/process.h"

/* Reads all records that are finished. */
void sc_records_drain(struct sc_process *process);
