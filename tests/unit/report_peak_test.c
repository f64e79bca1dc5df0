/*
 * tests/unit/report_peak_test.c - memory that is alive at the peak: what is said to be needless,
 * and what much like it is not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "report_fixture.h"

/* The line of the finding about a text of which two lines, counted from 1, hold the same memory at
 * the peak; 0: there is none. The words must be in it. */
static uint32_t peak_of(const char *text, uint32_t lineno, uint32_t other, double mb,
                        const char *words)
{
    struct sc_profile profile = {.elapsed_s = 10.0, .memory = true, .max_footprint_mb = 250.0};
    struct sc_file *file = fixture_source(&profile, "a.py", text);
    file->lines.items[lineno - 1].cost.live_at_peak_mb = mb;
    file->lines.items[other - 1].cost.live_at_peak_mb = mb;
    struct sc_report report = report_of(&profile);
    const struct sc_finding *finding = finding_of(&report, "peak_allocation");
    uint32_t found = finding != NULL ? finding->lineno : 0;
    if (finding != NULL) {
        assert_says(finding, words);
        assert_non_null(finding->evidence);
    }
    sc_report_done(&report);
    sc_profile_done(&profile);
    return found;
}

TEST(lists_that_are_gone_through_once)
{
    assert_int_equal(peak_of("def f(p):\n    rows = p.readlines()\n    for row in rows:\n"
                             "        g(row)\n",
                             2, 2, 100.0,
                             "a.py:2 makes all of rows, which line 3 goes through once: up to "
                             "100.0 MB of the 250.0 MB at the peak could be saved. Instead, go "
                             "through the file itself"),
                     2);
    assert_int_equal(peak_of("x = [g(y) for y in z]\nprint(sum(x))\n", 1, 1, 100.0, "a generator"),
                     1);
    assert_int_equal(peak_of("for x in p.read().splitlines():\n    g(x)\n", 1, 1, 100.0,
                             "makes all items before the first is used"),
                     1);
    assert_int_equal(peak_of("x = list(g())\nn = max(h(y) for y in x)\n", 1, 1, 100.0, "list()"),
                     1);
    static const char *const silent[] = {
        /* used twice, or as a whole, or in each round of a loop */
        "rows = p.readlines()\nfor row in rows:\n    g(row, len(rows))\n",
        "rows = p.readlines()\ng(rows)\n",
        "rows = p.readlines()\nwhile True:\n    for row in rows:\n        g(row)\n",
        "rows = p.readlines()\nn = [(a, b) for a in z for b in rows]\n",
        "rows = p.readlines()\nrows = rows[1:]\n",
        "rows = p.readlines()\ndef f():\n    for row in rows:\n        g(row)\n",
        /* they cannot be had one by one */
        "rows = p.load()\nfor row in rows:\n    g(row)\n",
        "rows = sorted(p)\nfor row in rows:\n    g(row)\n",
        "for row in c.execute(q).fetchall():\n    c.execute(r, row)\n",
    };
    for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++) {
        if (peak_of(silent[i], 1, 1, 100.0, "") != 0)
            fail_msg("a finding for:\n%s", silent[i]);
    }
    /* little, of itself and beside the rest */
    static const char *const text = "x = [g(y) for y in z]\nprint(sum(x))\n";
    assert_int_equal(peak_of(text, 1, 1, 40.0, ""), 0);
    assert_int_equal(peak_of(text, 1, 1, 60.0, ""), 0);
}

TEST(every_row_with_every_other)
{
    assert_int_equal(peak_of("d = a[:, None, :] - a[None, :, :]\n", 1, 1, 100.0, "in blocks"), 1);
    assert_int_equal(
        peak_of("d = f((x[:, np.newaxis] - y[np.newaxis, :]) ** 2)\n", 1, 1, 100.0, "in blocks"),
        1);
    assert_int_equal(peak_of("d = a - a.mean(axis=1)[:, None]\n", 1, 1, 100.0, ""), 0);
    assert_int_equal(peak_of("d = a[None, :], b[:, None]\n", 1, 1, 100.0, ""), 0);
}

TEST(what_is_kept_for_nothing)
{
    assert_int_equal(
        peak_of("def f():\n    raw = p.read()\n    x = json.loads(raw)\n"
                "    y = g(x)\n    return y, h(x)\n",
                2, 4, 100.0,
                "a.py:2 makes raw, which is kept behind line 3 though nothing asks "
                "for it there: up to 100.0 MB of the 250.0 MB at the peak could be saved. "
                "Forget it before "
                "line 4 takes its memory (del raw)"),
        2);
    /* the other may be a part of it; it is needed later; nothing large comes later */
    assert_int_equal(peak_of("raw = p.read()\nx = view(raw)\ny = g(x)\n", 1, 3, 100.0, ""), 0);
    assert_int_equal(
        peak_of("raw = p.read()\nx = json.loads(raw)\ny = g(x, raw)\n", 1, 3, 100.0, ""), 0);
    assert_int_equal(peak_of("raw = p.read()\nx = json.loads(raw)\ny = g(x)\n", 1, 2, 100.0, ""),
                     0);
}
