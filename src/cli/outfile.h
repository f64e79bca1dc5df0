/*
 * cli/outfile.h - where the profile is written, decided and checked before the program starts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/err.h"

/* *ret_path becomes the absolute path for what -o was given (its extension becomes .json; a device
 * or a pipe stays as it is), owned by the caller. False when it could not be written. */
bool sc_outfile_resolve(const char *given, char **ret_path, struct sc_err *err);
