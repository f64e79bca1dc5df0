/*
 * tests/unit/sc_test.c - runs the tests of a file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sc_test.h"

#include <errno.h>
#include <stdlib.h>

#define TESTS_MAX 64 /* kept without an allocation, which is what some files test */

static struct CMUnitTest tests[TESTS_MAX];
static size_t count;
static CMFixtureFunction before_all, after_all;

void sc_test_add(const char *name, CMUnitTestFunction test, CMFixtureFunction set_up,
                 CMFixtureFunction tear_down)
{
    if (count == TESTS_MAX)
        abort();
    tests[count++] = (struct CMUnitTest){
        .name = name, .test_func = test, .setup_func = set_up, .teardown_func = tear_down};
}

void sc_test_around_all(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    before_all = set_up;
    after_all = tear_down;
}

int main(void)
{
    return _cmocka_run_group_tests(program_invocation_short_name, tests, count, before_all,
                                   after_all);
}
