/*
 * observer/report/status.h - how a run is getting on, in the title of the terminal.
 *
 * A run may take minutes, and whoever waits wants to see that it lives. But the program writes to
 * the same terminal without our knowledge: half a line, a progress bar with \r, a question.
 * Wherever we put a line, text of the program could end up in it or be erased with it, and saving
 * the cursor does not help, since there is one place for it, which programs use, too. The title is
 * the one part of a terminal that no output moves or covers; the terminal keeps the old one and
 * gives it back. docs/design/0013-status.md says more.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

struct sc_observation;

/* Decides whether there will be a title: standard error is a terminal that is known to keep the old
 * one, and nobody asked for silence. */
void sc_status_open(struct sc_observation *observation);

/* Shows it when it is time, and when the program leaves the terminal as it was. Never waits. */
void sc_status_poll(struct sc_observation *observation, uint64_t now_ns);

/* Gives the terminal its title back. */
void sc_status_close(struct sc_observation *observation);
