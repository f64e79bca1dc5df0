/*
 * tests/unit/report_advice_spots_test.c - several places of one advice.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "advice_fixture.h"

TEST(spots_of_one_kind_are_one_finding)
{
    OWN(world, world);
    struct sc_file *file =
        make(&world, "seen = list(w)\nfor x in y:\n    if x in seen:\n        a()\n"
                     "    if z in seen:\n        b()\n");
    set(file, AT(3, 20));
    set(file, AT(5, 30));
    const struct sc_finding *finding =
        said(&world, "list_membership", ", as does another line: up to 50 \u00b1 2% of the run");
    assert_int_equal(finding->lineno, 5);
    assert_true(finding->percent == 50.0);
    assert_int_equal(world.report.overview.findings.count, 1);
    /* a source that is not the one that ran */
    file->source_changed = true;
    assert_null(found(&world, "list_membership"));
}

TEST(several_calls_of_a_line_are_saved_once)
{
    OWN(world, world);
    struct sc_file *file = make(&world, "import numpy as np\nx = load()\nfor i in y:\n"
                                        "    a = np.sqrt(x[i])\n"
                                        "    b = np.sin(x[i]) + np.cos(x[i]) + np.exp(x[i])\n");
    set(file, AT(4, 0, 40));
    set(file, AT(5, 0, 20));
    const struct sc_finding *finding =
        said(&world, "scalar_numpy", ", as does another line: up to 60");
    assert_true(finding->percent == 60.0);
}

/* Of two methods that take the same lock, what is said of the lock is said of nothing else. */
TEST(a_wait_is_no_saving_and_what_computes_is)
{
    OWN(world, world);
    struct sc_file *file = make(&world, "import copy\nclass A:\n"
                                        "    def f(self):\n        with self.lock:\n"
                                        "            g()\n"
                                        "    def g(self, x):\n        for i in x:\n"
                                        "            y = copy.deepcopy(x)\n"
                                        "    def h(self):\n        with self.lock:\n"
                                        "            g()\n");
    file->lines.items[3].cost.wait_s[SC_WAIT_LOCK] = 6.0;
    file->lines.items[9].cost.wait_s[SC_WAIT_LOCK] = 8.0;
    set(file, AT(8, 50));
    (void)said(&world, "deepcopy", "of the run could be saved");
    const struct sc_finding *waiting = found(&world, "lock_queue");
    assert_non_null(waiting);
    assert_null(strstr(waiting->text, "could be saved"));
}
