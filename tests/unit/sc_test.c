/*
 * tests/unit/sc_test.c - runs the tests of a file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sc_test.h"

#include <ftw.h>

#define TESTS_MAX 64 /* kept without an allocation, which is what some files test */

static struct CMUnitTest tests[TESTS_MAX];
static size_t count;
static CMFixtureFunction before_all, after_all, fill_folder;

char sc_test_folder[32] = "/tmp/sc_test_XXXXXX";

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

static int make_folder(void **state)
{
    if (mkdtemp(sc_test_folder) == NULL)
        return -1;
    return fill_folder != NULL ? fill_folder(state) : 0;
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    return remove(path);
}

static int remove_folder(void **state)
{
    return nftw(sc_test_folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void sc_test_in_a_folder(CMFixtureFunction fill)
{
    fill_folder = fill;
    sc_test_around_all(make_folder, remove_folder);
}

void sc_test_make(const char *path)
{
    char whole[4096];
    (void)snprintf(whole, sizeof(whole), "%s/%s", sc_test_folder, path);
    for (char *slash = whole + strlen(sc_test_folder) + 1; (slash = strchr(slash, '/')) != NULL;) {
        *slash = '\0';
        assert_true(mkdir(whole, 0700) == 0 || errno == EEXIST);
        *slash++ = '/';
    }
    if (path[0] != '\0' && path[strlen(path) - 1] != '/')
        assert_int_equal(close(creat(whole, 0700)), 0);
}

bool sc_test_says(const char *name)
{
    return printf("  %s\n", name) > 0;
}

int main(void)
{
    return _cmocka_run_group_tests(program_invocation_short_name, tests, count, before_all,
                                   after_all);
}
