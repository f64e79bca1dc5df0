/*
 * render/terminal.c - the terminal format.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "render/terminal.h"

const struct sc_render_ops sc_render_terminal = {
    .name = "terminal",
    .overview = sc_terminal_overview,
    .file = sc_terminal_file,
};
