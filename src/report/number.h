/*
 * report/number.h - numbers as people read them: rounded, with their unit, of bounded length.
 *
 * The same words and units are used in every view. Values that are not finite or absurdly large
 * (a profile is foreign input) are clamped, so a text never outgrows its place.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#define SC_NUMBER_MAX 36

struct sc_number {
    char text[SC_NUMBER_MAX];
};

/* A number with words around it, or in another form; what is too long is cut. */
struct sc_number sc_number_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "31%"; "<1%" for what is above 0 and rounds to nothing. */
struct sc_number sc_number_percent(double percent);

/* One digit after the point below 10: "0.4%", "12%". */
struct sc_number sc_number_fine_percent(double percent);

/* "31.25%". */
struct sc_number sc_number_exact_percent(double percent);

/* "7 us", "850 ms", "12.41 s", "3m:07.20s", "1h:04m:09s". */
struct sc_number sc_number_duration(double seconds);

/* "812.0 MB", "1.25 GB", "2.00 TB"; base 1024. */
struct sc_number sc_number_megabytes(double mb);

/* "1,234,567". */
struct sc_number sc_number_count(uint64_t count);

/* 0 for what is not a number, else within [low, high]. */
double sc_clamp(double value, double low, double high);
