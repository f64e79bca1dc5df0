/* base/sort.c - see sort.h. SPDX-License-Identifier: Apache-2.0 */
#include "base/sort.h"

#include <stdint.h>
#include <string.h>

int sc_by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

int sc_by_number(const void *left, const void *right)
{
    double one = *(const double *)left;
    double other = *(const double *)right;
    return (one > other) - (one < other);
}

int sc_by_count(const void *left, const void *right)
{
    uint64_t one = *(const uint64_t *)left;
    uint64_t other = *(const uint64_t *)right;
    return (one > other) - (one < other);
}

double sc_median(double *values, size_t count)
{
    if (count == 0)
        return 0.0;
    qsort(values, count, sizeof(*values), sc_by_number);
    return (values[(count - 1) / 2] + values[count / 2]) / 2.0;
}
