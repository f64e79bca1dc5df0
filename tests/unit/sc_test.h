/*
 * tests/unit/sc_test.h - unit tests: TEST(what_is_claimed) { ... }, in the order of the file.
 *
 * cmocka runs them; main is in sc_test.c.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* What most of them use of libc; cmocka.h needs some of these before it. */
/* clang-format off */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
/* clang-format on */

/* A row of a table, for as few lines as its columns need. */
#define ROW(...)                                                                                   \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* The items of a list, the same. */
#define LIST(...) ROW(__VA_ARGS__)

/* Goes through a table. */
#define FOR_EACH(row, table)                                                                       \
    for (__typeof__(&(table)[0]) row = (table); row < (table) + sizeof(table) / sizeof(*(table));  \
         row++)

/* The same, and says the name of each row. */
#define FOR_EACH_ROW(row, table)                                                                   \
    FOR_EACH(row, table)                                                                           \
        if (sc_test_says((row)->name))

bool sc_test_says(const char *name);

/* What a file's tests are made with, its struct world; it ends with the test. */
#define WORLD(name)                                                                                \
    struct world name __attribute__((cleanup(world_done)));                                        \
    world_init(&name)

/* A struct of that type, which is done with at the end of its block, last ones first. */
#define OWN(type, name) struct type name __attribute__((cleanup(type##_done)))

void sc_test_add(const char *name, CMUnitTestFunction test, CMFixtureFunction set_up,
                 CMFixtureFunction tear_down);
void sc_test_around_all(CMFixtureFunction set_up, CMFixtureFunction tear_down);

/* A test. */
#define TEST(name) TEST_WITHIN(name, NULL, NULL)

/* One with a function before it and one after it; either may be NULL. */
#define TEST_WITHIN(name, set_up, tear_down)                                                       \
    static void name(void **);                                                                     \
    __attribute__((constructor)) static void sc_test_add_##name(void)                              \
    {                                                                                              \
        sc_test_add(#name, name, set_up, tear_down);                                               \
    }                                                                                              \
    static void name(__attribute__((unused)) void **state)

/* What is done before all tests of the file and after them. */
#define TESTS_WITHIN(set_up, tear_down)                                                            \
    __attribute__((constructor)) static void sc_test_add_around_all(void)                          \
    {                                                                                              \
        sc_test_around_all(set_up, tear_down);                                                     \
    }

/* The same, around fill, which may be NULL: a folder, which is removed with all that is in it. */
#define TESTS_IN_A_FOLDER(fill)                                                                    \
    __attribute__((constructor)) static void sc_test_add_folder(void)                              \
    {                                                                                              \
        sc_test_in_a_folder(fill);                                                                 \
    }

extern char sc_test_folder[32];
void sc_test_in_a_folder(CMFixtureFunction fill);

/* Makes an empty file below that folder, or a folder if the path ends with a slash, and the folders
 * that it is in. */
void sc_test_make(const char *path);
