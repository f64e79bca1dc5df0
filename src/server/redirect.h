/*
 * server/redirect.h - a private file that leads a browser to an address.
 *
 * The words of a command line can be read by every user of the machine, so a browser is given the
 * name of a file that only this user can read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/* Initialise with {0}. */
struct sc_redirect {
    char *folder; /* private, and made for this; NULL: there is none */
    char *url;    /* of the file in it: "file:///..." */
};

/* Makes a folder that only this user can enter, and a page in it that leads to the address, which
 * needs no escaping in HTML or a URL. */
bool sc_redirect_make(struct sc_redirect *redirect, const char *address, struct sc_err *err);

/* Removes both. */
void sc_redirect_done(struct sc_redirect *redirect);
