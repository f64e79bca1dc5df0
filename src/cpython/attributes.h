/*
 * cpython/attributes.h - values by their names: in a dict, a module, an instance, read through a
 * callback.
 *
 * Nothing is trusted: loops are bounded, and a structure that makes no sense is a failure.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/layout.h"
#include "cpython/task_layout.h"

/* How the memory of one interpreter is to be read. Nothing is owned. */
struct sc_python {
    const struct sc_layout *layout;
    const struct sc_task_layout *at;
    const struct sc_target *target;
};

/* Whether object is a str of exactly this text (ASCII, at most 1023 characters). */
bool sc_is_text(const struct sc_python *python, uint64_t object, const char *text);

/* Whether the type of object (every object has one) is called name. */
bool sc_is_of_type(const struct sc_python *python, uint64_t object, const char *name);

/* The same for a type that is part of the interpreter or of a library of C, and no class of the
 * program that has its name. */
bool sc_is_built_in(const struct sc_python *python, uint64_t object, const char *name);

/* Whether a type is no class that the program has made. */
bool sc_type_is_static(const struct sc_python *python, uint64_t type);

/* Copies the name of a type, as tp_name has it, at most capacity - 1 bytes, with a NUL. */
bool sc_type_name(const struct sc_python *python, uint64_t type, char *name, size_t capacity);

/* How far a dict has been searched: zero it before the first search. */
struct sc_dict_position {
    uint64_t keys;
    uint64_t entries;
};

/* Finds the value of a str key in a dict. Entries before position are passed over when it is given;
 * it is then moved to the end. False when there is none, or the dict cannot be read. */
bool sc_dict_find(const struct sc_python *python, uint64_t dict, const char *key,
                  struct sc_dict_position *position, uint64_t *ret_value);

/* The end of a dict; a search is behind when its position is another one. */
bool sc_dict_end(const struct sc_python *python, uint64_t dict,
                 struct sc_dict_position *ret_position);

struct sc_dict_item {
    uint64_t key; /* objects */
    uint64_t value;
};

/* The first items of a dict, at most capacity; 0 when it cannot be read. */
size_t sc_dict_items(const struct sc_python *python, uint64_t dict, struct sc_dict_item *items,
                     size_t capacity);

/* The members of a set, at most capacity; 0 when it cannot be read. */
size_t sc_set_items(const struct sc_python *python, uint64_t set, uint64_t *items, size_t capacity);

/* Finds an attribute among those of the instance itself, or of a module. */
bool sc_module_find(const struct sc_python *python, uint64_t module, const char *name,
                    uint64_t *ret_value);
bool sc_instance_find(const struct sc_python *python, uint64_t object, const char *name,
                      uint64_t *ret_value);
