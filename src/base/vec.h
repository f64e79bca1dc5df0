/*
 * base/vec.h - a growing array of any plain type.
 *
 *     SC_VEC(double) times = {0};
 *     sc_vec_push(&times, 0.5);
 *     sc_vec_done(&times);
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdlib.h>

#include "base/mem.h"

#define SC_VEC(type)                                                                               \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t count;                                                                              \
        size_t capacity;                                                                           \
    }

/* Makes room for one more item and returns nothing; sc_vec_push is what callers want. */
#define sc_vec_reserve_one(vec)                                                                    \
    do {                                                                                           \
        if ((vec)->count == (vec)->capacity) {                                                     \
            (vec)->capacity = (vec)->capacity ? (vec)->capacity * 2 : 8;                           \
            (vec)->items = sc_realloc((vec)->items, (vec)->capacity, sizeof(*(vec)->items));       \
        }                                                                                          \
    } while (0)

#define sc_vec_push(vec, ...)                                                                      \
    do {                                                                                           \
        sc_vec_reserve_one(vec);                                                                   \
        (vec)->items[(vec)->count++] = (__VA_ARGS__);                                              \
    } while (0)

/* Frees the array, not what its items point to. */
#define sc_vec_done(vec)                                                                           \
    do {                                                                                           \
        free((vec)->items);                                                                        \
        (vec)->items = NULL;                                                                       \
        (vec)->count = (vec)->capacity = 0;                                                        \
    } while (0)

/* Calls done with a pointer to each item, then frees the array. */
#define sc_vec_done_each(vec, done)                                                                \
    do {                                                                                           \
        for (size_t each_ = 0; each_ < (vec)->count; each_++)                                      \
            done(&(vec)->items[each_]);                                                            \
        sc_vec_done(vec);                                                                          \
    } while (0)

/* Frees what each item points to, then the array. */
#define sc_vec_free(vec)                                                                           \
    do {                                                                                           \
        for (size_t each_ = 0; each_ < (vec)->count; each_++)                                      \
            free((vec)->items[each_]);                                                             \
        sc_vec_done(vec);                                                                          \
    } while (0)

/* Texts, all owned. */
struct sc_texts {
    char **items;
    size_t count;
    size_t capacity;
};

static inline void sc_texts_done(struct sc_texts *texts)
{
    sc_vec_free(texts);
}
