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

/* A function of that name for qsort. It compares items a and b of a type: by the first of some
 * orders, which are expressions of both, that is not 0. */
#define SC_ORDERED_BY(name, type, ...) SC_ORDERED(name, const type *, left_, right_, __VA_ARGS__)

/* The same for an array of pointers to such items. */
#define SC_POINTERS_ORDERED_BY(name, type, ...)                                                    \
    SC_ORDERED(name, const type *, *(const type *const *)left_, *(const type *const *)right_,      \
               __VA_ARGS__)

#define SC_ORDERED(name, pointer, left, right, ...)                                                \
    static int name(const void *left_, const void *right_)                                         \
    {                                                                                              \
        pointer a = left;                                                                          \
        pointer b = right;                                                                         \
        const int orders_[] = {__VA_ARGS__, 0};                                                    \
        const int *order_ = orders_;                                                               \
        while (*order_ == 0 && order_ + 1 < orders_ + sizeof(orders_) / sizeof(*orders_))          \
            order_++;                                                                              \
        return *order_;                                                                            \
    }                                                                                              \
    struct sc_ordered_ /* takes the semicolon */

/* An order: that of two numbers, or by a member, the smallest or the largest first. */
#define SC_ORDER(one, other) (((one) > (other)) - ((one) < (other)))
#define SC_RISING(member)    SC_ORDER(a->member, b->member)
#define SC_FALLING(member)   SC_ORDER(b->member, a->member)

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
