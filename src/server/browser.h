/*
 * server/browser.h - opening an address in the user's browser.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* False where sc_browser_open would not find one: $BROWSER names none with windows, or is not set
 * and there is no display. */
bool sc_browser_is_possible(void);

/* Starts the browser of $BROWSER, or the desktop's, and does not wait for it. False when there is
 * none with windows: no display, or a browser for terminals. *ret_desktop becomes the desktop's
 * opener, a child that fails where it finds no browser; 0 with $BROWSER, whose programs may fail
 * and have opened one all the same (explorer.exe). */
bool sc_browser_open(const char *address, pid_t *ret_desktop);
