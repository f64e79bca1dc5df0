/*
 * base/err.h - why an operation failed, for the tool (never used in the agent).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

/* kind, exit status of a command that ends because of it */
#define SC_ERR_KINDS(X)                                                                            \
    X(NONE, 0)                                                                                     \
    X(FAILED, 1)                                                                                   \
    X(USAGE, 2)

#define X_ENUM(name, status) SC_ERR_##name,
enum sc_err_kind { SC_ERR_KINDS(X_ENUM) SC_ERR_COUNT_ };
#undef X_ENUM

/* Initialise with {0}. The text is one line without a final newline, and safe to be printed
 * (base/visible.h), whatever names and messages it holds. */
struct sc_err {
    enum sc_err_kind kind;
    char text[480];
};

/* Fills err (may be NULL) unless it already holds a cause; always returns false. */
bool sc_fail(struct sc_err *err, enum sc_err_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* Like sc_fail with ": " and strerror(code) added. */
bool sc_fail_errno(struct sc_err *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* Puts "name: " in front of the text, where there is one. */
void sc_err_name(struct sc_err *err, const char *name);

/* The exit status that belongs to err. */
int sc_err_status(const struct sc_err *err);
