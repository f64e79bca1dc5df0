/*
 * accelerator/tool.h - a driver's own program, run beside us, whose output is read.
 *
 * It gets no input, its errors go nowhere, and it is in a session of its own, so no key at the
 * terminal reaches it. It never outlives us: it is killed when it is closed, and by the kernel when
 * the thread that has started it ends in any other way.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

/* Initialise with {.fd = -1}. */
struct sc_tool {
    pid_t pid; /* 0 when none runs */
    int fd;    /* its standard output, or -1 */
    struct sc_str bytes;
    size_t line_limit;
    size_t taken; /* so many bytes were given out as a line */
    bool skips;   /* the line that is being read is too long */
};

/* The program of that name: on PATH (absolute directories alone), else in the directory that is
 * given. To be freed; NULL when there is none. */
char *sc_tool_find(const char *name, const char *otherwise_in);

/* Where the tool finds the file that it is given. */
#define SC_TOOL_FILE "/proc/self/fd/3"

/* words[0] is the program's path; ends with NULL. file is the text of a file for it, or NULL; it is
 * nowhere but in memory. Lines longer than line_limit bytes are dropped. */
bool sc_tool_start(struct sc_tool *tool, const char *const *words, const char *file,
                   size_t line_limit, struct sc_err *err);

/* One line without its end, waited for at most so long. False when none has come, which is for
 * good when the tool has ended (sc_tool_has_ended). ret_line is owned by tool, until the next call.
 */
bool sc_tool_line(struct sc_tool *tool, unsigned limit_ms, const char **ret_line,
                  size_t *ret_length);

bool sc_tool_has_ended(const struct sc_tool *tool);

/* Ends it and collects it. May be called again. */
void sc_tool_close(struct sc_tool *tool);

/* Runs it to its end and adds what it prints; ret_status is its exit status, -1 for a signal. False
 * when it cannot be started, takes longer than limit_ms or prints more than limit_bytes. */
bool sc_tool_output(const char *const *words, unsigned limit_ms, size_t limit_bytes,
                    struct sc_str *ret_text, int *ret_status, struct sc_err *err);
