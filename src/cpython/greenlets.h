/*
 * cpython/greenlets.h - greenlets (the package of that name) that are switched out, read through a
 * callback.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/attributes.h"
#include "cpython/walk.h"

struct sc_greenlet {
    uint64_t object;
    uint64_t type;
    bool is_main;   /* the one that its thread began with */
    uint64_t frame; /* address of the innermost frame */
    /* What was on its C stack from start on is in the copy meanwhile. */
    uint64_t start;
    uint64_t copy;
    uint64_t copied_bytes;
};

/* The greenlets of an interpreter that have begun and are not running, at most capacity. False when
 * there may be some, but they cannot be read: the interpreter's lists or the package's structures
 * make no sense. */
bool sc_greenlets_list(const struct sc_python *python, uint64_t runtime, uint64_t interpreter,
                       struct sc_greenlet *greenlets, size_t capacity, size_t *ret_count);

/* Reads the greenlet of an object. Zeroes when it is not switched out, false when it makes no
 * sense. */
bool sc_greenlet_read(const struct sc_python *python, uint64_t object,
                      struct sc_greenlet *ret_greenlet);

/* Its frames, innermost first; returns how many, 0 when they cannot be read. */
size_t sc_greenlet_frames(const struct sc_python *python, uint64_t code_type,
                          const struct sc_greenlet *greenlet, struct sc_py_frame *frames,
                          size_t capacity);
