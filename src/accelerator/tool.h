/*
 * accelerator/tool.h - runs a tool of a driver as a child process and reads its output.
 *
 * Its standard input is empty or a file, its errors go nowhere, and it is in a session of its own,
 * so keys pressed at the terminal send it no signals. It never outlives us: closing it kills it,
 * and the kernel kills it when the thread that started it ends in any other way.
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
    pid_t pid; /* 0 when no tool runs */
    int fd;    /* its standard output, or -1 */
    struct sc_str bytes;
    size_t line_limit;
    size_t taken; /* bytes of the line that was returned last */
    bool skips;   /* the rest of the current line is dropped: it is too long */
};

/* The path of the program of that name: from PATH (absolute directories only), else in the given
 * directory. To be freed; NULL when there is none. */
char *sc_tool_find(const char *name, const char *otherwise_in);

/* The path by which the tool opens the file that it is given. */
#define SC_TOOL_FILE "/proc/self/fd/0"

/* Starts the tool. words[0] is the program's path; words ends with NULL. file is the text of a file
 * for it, kept only in memory, or NULL. Lines longer than line_limit bytes are dropped. */
bool sc_tool_start(struct sc_tool *tool, const char *const *words, const char *file,
                   size_t line_limit, struct sc_err *err);

/* Returns one line without its newline, after waiting at most limit_ms. False when none has come;
 * none will come any more when the tool has ended (sc_tool_has_ended). ret_line is owned by tool,
 * until the next call. */
bool sc_tool_line(struct sc_tool *tool, unsigned limit_ms, const char **ret_line,
                  size_t *ret_length);

bool sc_tool_has_ended(const struct sc_tool *tool);

/* Kills the tool and reaps it. May be called again. */
void sc_tool_close(struct sc_tool *tool);

/* Runs the tool to its end and appends what it prints; ret_status is its exit status, -1 when a
 * signal ended it. False when it cannot be started, takes longer than limit_ms or prints more than
 * limit_bytes. */
bool sc_tool_output(const char *const *words, unsigned limit_ms, size_t limit_bytes,
                    struct sc_str *ret_text, int *ret_status, struct sc_err *err);
