/*
 * profile/command_mark.h - whether the command in a profile is one that this user has run.
 *
 * A profile may come from anyone, and the command in it may be run again to measure a proposal. So
 * a run signs that part of its profile with a key that only its user can read, in the state folder
 * ($XDG_STATE_HOME/scalene, else ~/.local/state/scalene).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile/profile.h"

/* The mark of program, arguments and directories, as hexadecimal digits; owned by the caller. Makes
 * the key where there is none yet. NULL where no key can be stored. */
char *sc_command_mark_make(const struct sc_profile *profile);

/* Whether the profile has the mark that sc_command_mark_make would make. */
bool sc_command_mark_is_right(const struct sc_profile *profile);
