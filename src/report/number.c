/* report/number.c - see number.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define PERCENT_MAX  9999.0
#define SECONDS_MAX  (9999.0 * 3600.0)
#define MEGABYTE_MAX (9999.0 * 1024.0 * 1024.0)

double sc_clamp(double value, double low, double high)
{
    if (isnan(value))
        return 0.0;
    if (value < low)
        return low;
    return value > high ? high : value;
}

struct sc_number sc_number_format(const char *format, ...)
{
    struct sc_number number;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(number.text, sizeof(number.text), format, arguments);
    va_end(arguments);
    return number;
}

struct sc_number sc_number_percent(double percent)
{
    double value = sc_clamp(percent, -PERCENT_MAX, PERCENT_MAX);
    return value > 0.0 && value < 0.5 ? sc_number_format("<1%%")
                                      : sc_number_format("%.0f%%", value + 0.0);
}

struct sc_number sc_number_fine_percent(double percent)
{
    double value = sc_clamp(percent, -PERCENT_MAX, PERCENT_MAX);
    if (value > 0.0 && value < 0.05)
        return sc_number_format("<0.1%%");
    return sc_number_format(fabs(value) < 9.95 ? "%.1f%%" : "%.0f%%", value);
}

struct sc_number sc_number_exact_percent(double percent)
{
    return sc_number_format("%.2f%%", sc_clamp(percent, -PERCENT_MAX, PERCENT_MAX));
}

struct sc_number sc_number_duration(double seconds)
{
    double value = sc_clamp(seconds, 0.0, SECONDS_MAX);
    /* the limits are where the shorter form would round up to the next unit */
    if (value <= 0.0)
        return sc_number_format("0 s");
    if (value < 0.00005)
        return sc_number_format("%.0f us", ceil(value * 1e6));
    if (value < 0.00995)
        return sc_number_format("%.1f ms", value * 1e3);
    if (value < 0.9995)
        return sc_number_format("%.0f ms", value * 1e3);
    if (value < 59.995)
        return sc_number_format("%.2f s", value);
    if (value < 3599.995) {
        double minutes = floor((value + 0.005) / 60.0);
        return sc_number_format("%.0fm:%05.2fs", minutes, fmax(value - minutes * 60.0, 0.0));
    }
    double whole = floor(value + 0.5);
    double hours = floor(whole / 3600.0);
    double minutes = floor((whole - hours * 3600.0) / 60.0);
    return sc_number_format("%.0fh:%02.0fm:%02.0fs", hours, minutes,
                            whole - hours * 3600.0 - minutes * 60.0);
}

struct sc_number sc_number_megabytes(double mb)
{
    double value = sc_clamp(mb, -MEGABYTE_MAX, MEGABYTE_MAX);
    if (fabs(value) < 1023.95)
        return sc_number_format("%.1f MB", value);
    return fabs(value) < 1023.995 * 1024.0 ? sc_number_format("%.2f GB", value / 1024.0)
                                           : sc_number_format("%.2f TB", value / (1024.0 * 1024.0));
}

struct sc_number sc_number_count(uint64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
    struct sc_number number = {{0}};
    size_t put = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            number.text[put++] = ',';
        number.text[put++] = digits[i];
    }
    return number;
}
