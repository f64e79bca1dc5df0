/*
 * server/browser.h - opening an address in the user's browser.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

/* Starts the browser of $BROWSER, or the desktop's, and does not wait for it. False when there is
 * none with windows: no display, or a browser for terminals. */
bool sc_browser_open(const char *address);
