/*
 * report/name.h - the name of a file as it is shown.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile/profile.h"

/* A file's name relative to the program's directory where it lies in it. Borrowed from name. */
const char *sc_report_name(const struct sc_profile *profile, const char *name);
