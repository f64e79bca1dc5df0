/*
 * base/sort.h - arrays in order: sorting them, and finding a place in them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdlib.h>

/* Sorts an SC_VEC, which may be empty. */
#define sc_vec_sort(vec, compare)                                                                  \
    do {                                                                                           \
        if ((vec)->count > 1)                                                                      \
            qsort((vec)->items, (vec)->count, sizeof(*(vec)->items), compare);                     \
    } while (0)

/* Sets *ret_first, of type size_t, to the first of count indices at which is_before, an expression
 * of the index with that name, does not hold: count where it holds for all. Where it holds at one
 * index, it holds at those before, too. */
#define sc_find_first(ret_first, size, index, is_before)                                           \
    do {                                                                                           \
        size_t end_ = (size);                                                                      \
        *(ret_first) = 0;                                                                          \
        while (*(ret_first) < end_) {                                                              \
            size_t index = *(ret_first) + (end_ - *(ret_first)) / 2;                               \
            if (is_before)                                                                         \
                *(ret_first) = index + 1;                                                          \
            else                                                                                   \
                end_ = index;                                                                      \
        }                                                                                          \
    } while (0)

/* For qsort: items of the types char *, double and uint64_t. */
int sc_by_text(const void *left, const void *right);
int sc_by_number(const void *left, const void *right);
int sc_by_count(const void *left, const void *right);

/* The median, after sorting the values; 0 of none. */
double sc_median(double *values, size_t count);
