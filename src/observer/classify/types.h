/*
 * observer/classify/types.h - the functions in a type's slots, read from the process's memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/layout.h"
#include "observer/system/subject.h"

struct sc_type_slots {
    uint64_t dealloc; /* 0 where there is none */
    uint64_t init;
    uint64_t vectorcall;
};

struct sc_type_reader;

/* layout is copied. Never NULL. */
struct sc_type_reader *sc_type_reader_new(struct sc_subject subject,
                                          const struct sc_layout *layout);
void sc_type_reader_free(struct sc_type_reader *reader);

bool sc_type_reader_read(struct sc_type_reader *reader, uint64_t type,
                         struct sc_type_slots *ret_slots);
