/* base/err.c - see err.h. SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "base/visible.h"

/* Makes the text safe to print: it may hold a name or a message from elsewhere. */
static void take(struct sc_err *err, enum sc_err_kind kind, const char *text)
{
    SC_AUTO(sc_str_done) struct sc_str shown = {0};
    sc_visible_add(&shown, text, strlen(text), SC_VISIBLE_LINE);
    /* some readers refuse half of a character */
    size_t fits = sc_utf8_fit(sc_str_text(&shown), shown.length, sizeof(err->text) - 1);
    (void)snprintf(err->text, sizeof(err->text), "%.*s", (int)fits, sc_str_text(&shown));
    err->kind = kind;
}

bool sc_fail(struct sc_err *err, enum sc_err_kind kind, const char *format, ...)
{
    if (err == NULL || err->kind != SC_ERR_NONE)
        return false;
    va_list arguments;
    va_start(arguments, format);
    char text[sizeof(err->text)];
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    take(err, kind, text);
    return false;
}

bool sc_fail_errno(struct sc_err *err, int code, const char *format, ...)
{
    if (err == NULL || err->kind != SC_ERR_NONE)
        return false;
    va_list arguments;
    va_start(arguments, format);
    char text[sizeof(err->text)];
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    size_t length = strlen(text);
    (void)snprintf(text + length, sizeof(text) - length, ": %s", strerror(code));
    take(err, SC_ERR_FAILED, text);
    return false;
}

void sc_err_name(struct sc_err *err, const char *name)
{
    struct sc_err cause = *err;
    *err = (struct sc_err){0};
    if (cause.kind != SC_ERR_NONE)
        (void)sc_fail(err, cause.kind, "%s: %s", name, cause.text);
}

int sc_err_status(const struct sc_err *err)
{
#define X_STATUS(name, status) [SC_ERR_##name] = (status),
    static const int statuses[] = {SC_ERR_KINDS(X_STATUS)};
#undef X_STATUS
    return statuses[err->kind];
}
