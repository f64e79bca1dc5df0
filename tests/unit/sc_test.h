/*
 * tests/unit/sc_test.h - cmocka with the headers it wants.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* cmocka.h needs these four before it, in this order */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
