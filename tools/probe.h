/*
 * tools/probe.h - what the probes of CPython's headers share: the headers themselves, and how a
 * number is printed.
 *
 * Every line that a probe prints is "kind name number"; tools/gen_layout.py reads them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <Python.h>
#include <stddef.h>
#include <stdio.h>
#include <structmember.h>

#if PY_VERSION_HEX >= 0x030e0000
#include "internal/pycore_debug_offsets.h"
#endif
#if PY_VERSION_HEX >= 0x03090000
#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"
#else
#include "internal/pycore_pystate.h"
#endif
#if PY_VERSION_HEX >= 0x030e0000
#include "internal/pycore_interpframe_structs.h"
#elif PY_VERSION_HEX >= 0x030b0000
#include "internal/pycore_frame.h"
#else
#include <frameobject.h>
#endif

#define FIELD(name, type, member) printf("field %s %zu\n", #name, offsetof(type, member))
#define VALUE(name, value)        printf("field %s %zu\n", #name, (size_t)(value))
#define FLAG(name, value)         printf("flag %s %d\n", #name, (int)(value))
#define DEBUG(name, member)       printf("debug %s %zu\n", #name, offsetof(_Py_DebugOffsets, member))

static inline void print_python(void)
{
    printf("python %s %d\n", PY_VERSION, PY_VERSION_HEX);
#ifdef Py_GIL_DISABLED
    FLAG(free_threaded, 1);
#else
    FLAG(free_threaded, 0);
#endif
}
