/*
 * tests/unit/report_growth_test.c - memory that grows as long as a program runs: the containers
 * that are named, and those much like them that are not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "advice_fixture.h"

static struct sc_file *make_large(struct world *world, const char *text)
{
    struct sc_file *file = make(world, text);
    world->profile.memory = true;
    world->profile.max_footprint_mb = 200.0;
    return file;
}

/* Gives the line that much memory at its peak, in eight equal steps until that time. */
static void grow(struct sc_file *file, uint32_t lineno, double mb, double until_s)
{
    struct sc_cost *cost = &file->lines.items[lineno - 1].cost;
    cost->memory_samples.count = 0;
    for (uint64_t i = 1; i <= 8; i++) {
        struct sc_footprint point = {.time_ns = (uint64_t)(1e9 * until_s / 8.0) * i,
                                     .mb = mb / 8.0 * (double)i};
        sc_vec_push(&cost->memory_samples, point);
    }
    cost->peak_mb = mb;
}

/* The line of the leak that is found where the memory of a line grows; 0: none. */
static uint32_t leak_at(const char *text, uint32_t lineno, const char *words)
{
    struct world world;
    grow(make_large(&world, text), lineno, 150.0, 9.5);
    const struct sc_finding *finding = found(&world, "leak");
    uint32_t found = finding != NULL ? finding->lineno : 0;
    if (finding != NULL && words[0] != '\0')
        assert_says(finding, words);
    world_done(&world);
    return found;
}

TEST(a_container_that_only_grows_is_named)
{
    assert_int_equal(leak_at("s = {}\ndef f(k):\n    if k not in s:\n        s[k] = [k]\n"
                             "    return s[k]\n",
                             4,
                             "adds to s, from which nothing is ever taken out: up to 150.0 MB "
                             "of the 200.0 MB at the peak could be saved, and more"),
                     4);
    /* what is added is made in the lines above */
    assert_int_equal(leak_at("class P:\n    seen = []\n    def feed(self, raw):\n"
                             "        m = load(raw)\n        self.seen.append(m)\n",
                             4, "adds to self.seen"),
                     5);
    assert_int_equal(leak_at("import collections\nlog = collections.deque()\ndef f(x):\n"
                             "    log.append(bytes(x))\n",
                             4, "adds to log"),
                     4);
    /* a function closes over it */
    assert_int_equal(leak_at("all = []\ndef f(i):\n    x = 1\n    data = bytes(i)\n"
                             "    def g():\n        return data\n    all.append(g)\n",
                             4, "adds to all"),
                     7);
    assert_int_equal(leak_at("from functools import lru_cache\n@lru_cache(maxsize=None)\n"
                             "def plan(k):\n    return [k] * 9\n",
                             4, "makes results of plan, which its cache keeps for ever"),
                     4);
    assert_int_equal(
        leak_at("import functools\n@functools.cache\ndef plan(k):\n    return [k] * 9\n", 4, ""),
        4);
}

TEST(a_container_that_is_emptied_or_used_is_not)
{
    static const char *const silent[] = {
        /* something is taken out, or all of it */
        "s = {}\ndef f(k):\n    x = 1\n    s[k] = [k]\ndef g(k):\n    del s[k]\n",
        "s = {}\ndef f(k):\n    x = 1\n    s[k] = [k]\ndef g(k):\n    s.pop(k)\n",
        "s = []\ndef f(k):\n    x = 1\n    s.append([k])\ndef g(k):\n    global s\n    s = []\n",
        "s = D(maxlen=9)\ndef f(k):\n    x = 1\n    s.append([k])\n",
        /* it is gone through, or passed on: a result */
        "s = []\ndef f(k):\n    x = 1\n    s.append([k])\nfor x in s:\n    g(x)\n",
        "s = []\ndef f(k):\n    x = 1\n    s.append([k])\ng(s)\n",
        "s = {}\ndef f(k):\n    x = 1\n    s[k] = [k]\nprint(s.items())\n",
        /* it belongs to the function */
        "def f(ks):\n    s = {}\n    for k in ks:\n        s[k] = [k]\n",
        "def f(ks):\n    s = {}\n    def g(k):\n        s[k] = [k]\n    return g\n",
        /* a count of each key; what a recursion has computed */
        "s = {}\ndef f(k):\n    x = 1\n    s[k] = s.get(k, 0) + 1\n",
        "s = {}\ndef f(k):\n    if k not in s:\n        s[k] = f(k - 1) + f(k - 2)\n",
        "from functools import cache\n@cache\ndef f(k):\n    return f(k - 1) + f(k - 2)\n",
        "from functools import lru_cache\n@lru_cache(maxsize=9)\ndef f(k):\n    return [k]\n",
    };
    for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++) {
        if (leak_at(silent[i], 4, "") != 0)
            fail_msg("a leak in:\n%s", silent[i]);
    }
}

TEST(memory_that_does_not_grow_is_no_leak)
{
    OWN(world, world);
    struct sc_file *file =
        make_large(&world, "s = {}\ndef f(k):\n    s[k] = [k]\n    return s[k]\n");
    /* made first, used afterwards */
    grow(file, 3, 150.0, 3.0);
    assert_null(found(&world, "leak"));
    /* made in some steps at the end */
    grow(file, 3, 150.0, 9.5);
    struct sc_footprints *curve = &file->lines.items[2].cost.memory_samples;
    for (size_t i = 0; i < curve->count; i++)
        curve->items[i].time_ns = 8000000000U + curve->items[i].time_ns / 8;
    assert_null(found(&world, "leak"));
    /* little, of itself and beside the rest */
    grow(file, 3, 15.0, 9.5);
    assert_null(found(&world, "leak"));
    grow(file, 3, 150.0, 9.5);
    world.profile.max_footprint_mb = 1000.0;
    assert_null(found(&world, "leak"));
    world.profile.max_footprint_mb = 200.0;
    const struct sc_finding *finding = found(&world, "leak");
    assert_non_null(finding);
    assert_non_null(strstr(finding->evidence, "until late in the run: 3 (150.0 MB)"));
    /* and is said once */
    struct sc_leak leak = {.lineno = 3, .likelihood = 0.99, .velocity_mb_s = 1.0};
    sc_vec_push(&file->leaks, leak);
    report_again(&world.report, &world.profile);
    assert_int_equal(world.report.overview.findings.count, 1);
}

TEST(a_caller_makes_what_is_kept)
{
    OWN(world, world);
    struct sc_file *file =
        make_large(&world, "class Bus:\n    def __init__(self):\n"
                           "        self.all = []\n    def add(self, x):\n"
                           "        self.all.append(x)\n"
                           "class W:\n    def __init__(self, bus):\n"
                           "        self.data = bytes(400)\n        bus.add(self.f)\n");
    grow(file, 8, 150.0, 9.5);
    assert_null(found(&world, "leak")); /* nothing says that it is in the list */
    grow(file, 5, 5.0, 2.0);            /* nor does the list, which was full before */
    assert_null(found(&world, "leak"));
    grow(file, 5, 100.0, 9.5); /* nor what is too large for its table */
    assert_null(found(&world, "leak"));
    grow(file, 5, 5.0, 9.5); /* as its table does, which grew as well */
    const struct sc_finding *finding = found(&world, "leak");
    assert_non_null(finding);
    assert_int_equal(finding->lineno, 5);
}
