/*
 * server/follow.h - follows the file of a profile that is written again and again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <sys/stat.h>

#include "server/site.h"

struct sc_follow {
    const char *path; /* borrowed */
    struct stat seen; /* what the file was when it was last looked at */
};

/* From here on only another file of that name, or a change of it, is new. */
void sc_follow_init(struct sc_follow *follow, const char *path);

enum sc_followed {
    SC_FOLLOWED_SAME, /* nothing is new */
    SC_FOLLOWED_NEW,
    SC_FOLLOWED_NOT, /* there is something new that is no profile, or no file any more */
};

/* *ret_profile is set for a new profile; err says what is wrong with what is none. */
enum sc_followed sc_follow_read(struct sc_follow *follow, struct sc_profile *ret_profile,
                                struct sc_err *err);

/* Shows a new profile once it is read, beside the old one, which stays when the new one is none.
 * False while that must wait: the page is paused, or one reads what must be of one profile. */
bool sc_follow_poll(struct sc_follow *follow, struct sc_site *site);
