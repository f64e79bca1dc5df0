/*
 * report/name.h - the name of a file as it is shown.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile/profile.h"

/* A file's name relative to the program's directory where it lies in it. Borrowed from name. */
const char *sc_report_name(const struct sc_profile *profile, const char *name);

/* The name of a file as a module, "numpy.core.fromnumeric", if it lies where Python keeps its
 * library and packages, or is part of Python itself ("<frozen os>"); else NULL. Owned. */
char *sc_library_module(const char *name);

/* A file's name as views show it: a library's as a module, another as sc_report_name has it. Owned.
 */
char *sc_shown_name(const struct sc_profile *profile, const char *name);

/* The module's name of any file: of one elsewhere its path in the program's directory, or its last
 * part. */
char *sc_module_name(const struct sc_profile *profile, const char *name);
