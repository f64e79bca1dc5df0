/*
 * report/loop_lines.h - lines that hand the thread over to an event loop, a server or a supervisor;
 * for src/report alone.
 *
 * Such a line waits while there is nothing to do. Other code at the line would change nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether a line of that text runs a loop, by the names it calls: "trio.run(main)". */
bool sc_line_runs_loop(const char *text, size_t length);

/* Whether a line of that text awaits what another task gives or ends by: "await stop.wait()". A
 * server that has nothing to do is found there. */
bool sc_line_awaits_event(const char *text, size_t length);
