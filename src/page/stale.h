/*
 * page/stale.h - whether a file on disk is still what the profile recorded of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile/profile.h"

/* True when there is a regular file of that absolute name whose lines differ from the recorded
 * ones; of a profile that lists some lines only, those are compared. False when the file cannot be
 * read, or is larger than *budget_bytes, from which the bytes read are subtracted. Line endings are
 * not compared, nor are letters beyond ASCII where both sides have some: they may have been
 * decoded. */
bool sc_file_is_stale(const struct sc_file *file, size_t *budget_bytes);
