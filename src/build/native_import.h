/*
 * build/native_import.h - which imports of a source bring in compiled code. Nothing is imported.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/map.h"
#include "base/vec.h"
#include "costs/scope.h"
#include "source/source.h"

/* True when the module is built into CPython, is an extension module, or belongs to a package that
 * has an extension module anywhere in its directory tree. Looked for in the scope's root and
 * library directories; a relative name (".name") beside file. */
bool sc_is_native_module(const struct sc_scope *scope, const char *file, const char *module);

/* What is known of the modules that a profile's sources import. Initialise with {0}. A module that
 * many files import is looked for once, and at most some thousands are looked for: a source may
 * consist of nothing but imports. */
struct sc_native_imports {
    struct sc_intern names; /* of absolute ones, without what follows a dot */
    SC_VEC(bool) is_native; /* by the names' numbers */
    size_t asked;
};

/* As sc_is_native_module; false for those beyond the limit. */
bool sc_native_imports_has(struct sc_native_imports *imports, const struct sc_scope *scope,
                           const char *file, const char *module);
void sc_native_imports_done(struct sc_native_imports *imports);
