/*
 * agent/label.h - units of work: a module whose functions enter and leave labels.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "agent/python_api.h"

/* A new reference to a module that is not in sys.modules, where the program would see it; NULL
 * without an error when it cannot be made. With the GIL. */
sc_object *sc_label_module_new(void);
