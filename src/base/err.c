/*
 * base/err.c - why an operation failed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool sc_fail(struct sc_err *err, enum sc_err_kind kind, const char *format, ...)
{
    if (err == NULL || err->kind != SC_ERR_NONE)
        return false;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(err->text, sizeof(err->text), format, arguments);
    va_end(arguments);
    err->kind = kind;
    return false;
}

bool sc_fail_errno(struct sc_err *err, int code, const char *format, ...)
{
    if (err == NULL || err->kind != SC_ERR_NONE)
        return false;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(err->text, sizeof(err->text), format, arguments);
    va_end(arguments);
    size_t length = strlen(err->text);
    (void)snprintf(err->text + length, sizeof(err->text) - length, ": %s", strerror(code));
    err->kind = SC_ERR_FAILED;
    return false;
}

int sc_err_status(const struct sc_err *err)
{
#define X_STATUS(name, status) [SC_ERR_##name] = (status),
    static const int statuses[] = {SC_ERR_KINDS(X_STATUS)};
#undef X_STATUS
    return statuses[err->kind];
}
