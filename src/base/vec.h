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

/* What follows the name of a struct that is such an array: struct NAME SC_VEC_OF(type); */
#define SC_VEC_OF(type)                                                                            \
    {                                                                                              \
        type *items;                                                                               \
        size_t count;                                                                              \
        size_t capacity;                                                                           \
    }

#define SC_VEC(type) struct SC_VEC_OF(type)

/* Goes through the items: item points to each. Nothing may be added meanwhile. */
#define SC_EACH(type, item, vec)                                                                   \
    for (type *item = (vec)->items, *item##_end_ = (vec)->count > 0 ? item + (vec)->count : item;  \
         item != item##_end_; item++)

/* Makes room for one more item and returns nothing; sc_vec_push is what callers want. items is NULL
 * exactly while the capacity is 0: the first condition only tells clang's analyzer so. */
#define sc_vec_reserve_one(vec)                                                                    \
    do {                                                                                           \
        if ((vec)->items == NULL || (vec)->count == (vec)->capacity) {                             \
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
struct sc_texts SC_VEC_OF(char *);

static inline void sc_texts_done(struct sc_texts *texts)
{
    sc_vec_free(texts);
}
