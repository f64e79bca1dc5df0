/*
 * profile/native_import.h - which imports of a source bring in compiled code. Nothing is imported.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "profile/build.h"
#include "source/source.h"

/* True when the module is built into CPython, is an extension module, or belongs to a package that
 * has an extension module anywhere in its directory tree. Looked for in the scope's root and
 * library directories; a relative name (".name") beside file. */
bool sc_is_native_module(const struct sc_scope *scope, const char *file, const char *module);
