/*
 * tests/unit/report_advice_test.c - the rules over statements: for each a program for which it must
 * speak, and one much like it for which it must not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "advice_fixture.h"

/* The text must give this advice at the hot line, in which the words stand. */
static void speaks(const char *text, struct hot hot, const char *id, const char *words)
{
    OWN(world, world);
    set(make(&world, text), hot);
    const struct sc_finding *finding = found(&world, id);
    if (finding == NULL)
        fail_msg("no %s for:\n%s", id, text);
    assert_says(finding, words);
    assert_int_equal(finding->lineno, hot.lineno);
    assert_non_null(finding->evidence);
}

static void is_silent(const char *text, struct hot hot, const char *id)
{
    OWN(world, world);
    set(make(&world, text), hot);
    const struct sc_finding *finding = found(&world, id);
    if (finding != NULL)
        fail_msg("%s for:\n%s", finding->text, text);
}

TEST(a_list_that_is_searched_in_a_loop)
{
    static const char *const id = "list_membership";
    const char *text = "seen = []\nfor x in y:\n    if x not in seen:\n        seen.append(x)\n";
    speaks(text, AT(3, 30), id, "a.py:3 searches the list seen from its start in");
    speaks(text, AT(3, 30), id, "up to 30 \u00b1 1% of the run");
    /* too little, and too uncertain */
    is_silent(text, AT(3, 2), id);
    is_silent("seen = set()\nfor x in y:\n    if x not in seen:\n        seen.add(x)\n", AT(3, 30),
              id);
    is_silent("few = ['a', 'b']\nfor x in y:\n    if x in few:\n        z()\n", AT(3, 30), id);
    is_silent("seen = load()\nfor x in y:\n    if x in seen:\n        z()\n", AT(3, 30), id);
    is_silent("seen = []\nif x in seen:\n    z()\n", AT(2, 30), id);
    is_silent("seen = []\nfor x in seen:\n    z()\n", AT(2, 30), id);
    /* no slower than a step of the loop */
    OWN(world, world);
    struct sc_file *file = make(&world, text);
    set(file, AT(2, 10));
    set(file, AT(3, 30));
    assert_null(found(&world, id));
}

TEST(a_list_that_is_searched_for_a_key)
{
    static const char *const id = "linear_search";
    const char *text = "class A:\n    def f(self, k):\n        for e in self.all:\n"
                       "            if e['id'] == k:\n                return e\n"
                       "a = A()\nfor x in y:\n    a.f(x)\n";
    speaks(text, AT(4, 30), id,
           "a.py:4 searches self.all entry by entry in the loop at line 7: up to 30");
    speaks(text, AT(4, 30), id, "Make a dict of it by e['id'] once");
    speaks("rows = load()\nfor x in y:\n    z = [r for r in rows if x.a == r.a]\n", AT(3, 30), id,
           "Group it once in a dict of lists by r.a");
    speaks("rows = load()\nfor x in y:\n    z = next((b for a, b in rows if a == x), None)\n",
           AT(3, 30), id, "Make a dict of it by a once");
    static const char *const others[] = {
        /* no key that a dict could have */
        "for x in y:\n    z = [r for r in rows if x.a == r.f(x)]\n",
        "for x in y:\n    z = [r for r in rows if r.a > x]\n",
        "for x in y:\n    z = [r for r in rows if r.a == x or r.b]\n",
        "for x in y:\n    z = [r for r in rows if r.a == 'b']\n",
        /* another list each time, one whose entries are few, once */
        "for x in y:\n    z = [r for r in x.rows if r.a == k]\n",
        "rows = [(1, 2), (3, 4)]\nfor x in y: z = [r for r, s in rows if s == x]\n",
        "rows = load()\nz = [r for r in rows if r.a == x.a]\n",
        "for x in y:\n    for r in rows:\n        if r.a == x: z(r)\n",
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        is_silent(others[i], AT(i == 7 ? 3 : 2, 30), id);
    /* not much slower than what follows a match, or than a step of the loop: few entries */
    for (uint32_t other = 5; other <= 7; other += 2) {
        OWN(world, world);
        struct sc_file *file = make(&world, text);
        set(file, AT(4, 20));
        set(file, AT(other, 10));
        assert_null(found(&world, id));
    }
}

TEST(a_loop_that_only_counts)
{
    static const char *const id = "manual_count";
    const struct hot hot = AT(3, 30);
    speaks("n = {}\nfor p in i.data():\n    n[p] = n.get(p, 0) + 1\n", hot, id,
           "counts what line 2 goes through one by one in Python: up to 30 \u00b1 1% of the run "
           "could be saved. collections.Counter(i.data()) does it");
    speaks("n = defaultdict(int)\nfor p in x:\n    n[p] += 1\n", hot, id, "Counter(x)");
    is_silent("n = {}\nfor p in x:\n    n[p] = n.get(p, 0) + 2\n", hot, id);
    is_silent("n = {}\nfor p in x:\n    n[p] = m.get(p, 0) + 1\n", hot, id);
    is_silent("n = {}\nfor p in x:\n    n[p[0]] += 1\n", hot, id);
    is_silent("n = {}\nfor p in x:\n    n[q] += 1\n", hot, id);
    is_silent("n = {}\nfor p in x:\n    n[p] += 1\n    f(p)\n", hot, id);
    is_silent("n = {}\nfor p in x: n[p] += 1; f(p)\n", AT(2, 30), id);
}

TEST(lines_with_many_statements)
{
    const struct hot hot = AT(3, 30);
    speaks("seen = []\nfor x in y:\n    a = x in seen; seen.append(x)\n", hot, "list_membership",
           "a.py:3 searches");
    /* the time may be of any of them */
    is_silent(
        "seen = []\nfor x in y:\n    a = 1; b = 2; c = x in seen; d = 4; e = 5; f = 6; g = 7; "
        "h = 8; i = 9\n",
        hot, "list_membership");
}

TEST(a_text_that_grows_by_copies)
{
    static const char *const id = "string_growth";
    const char *text = "def f(rows):\n    s = ''\n    for r in rows:\n        s += r.name\n";
    speaks(text, AT(4, 50), id, "a.py:4 adds to the text s in the loop at line 3");
    speaks("class A:\n    def __init__(self):\n        self.s = b''\n"
           "    def add(self, x):\n        self.s = self.s + x\n"
           "a = A()\nwhile True:\n    a.add(x)\n",
           (struct hot){5, 50, 0, 0}, id, "adds to the bytes self.s in the loop at line 7");
    speaks("d = {}\nfor r in rows:\n    d[r] += 'x'\n", (struct hot){3, 50, 0, 0}, id, "d[r]");
    speaks("s = ''\nfor r in rows:\n    s = r + s\n", (struct hot){3, 50, 0, 0}, id, "text s");
    is_silent("s = 0\nfor r in rows:\n    s += r.name\n", (struct hot){3, 50, 0, 0}, id);
    is_silent("s = ''\ns += r.name\n", (struct hot){2, 50, 0, 0}, id);
    /* another text each time: it does not grow from one to the next */
    is_silent("for r in rows:\n    s = ''\n    s += r.name\n", (struct hot){3, 50, 0, 0}, id);
    is_silent("def f(r):\n    s = ''\n    s += r.name\n    return s\n"
              "for r in rows:\n    f(r)\n",
              (struct hot){3, 50, 0, 0}, id);
    is_silent("class A:\n    def f(self, r):\n        with r:\n            self.s = ''\n"
              "        self.s += r.name\na = A()\nfor r in rows:\n    a.f(r)\n",
              (struct hot){5, 50, 0, 0}, id);
    speaks("for r in rows:\n    s = ''\n    for c in r:\n        s += c\n",
           (struct hot){4, 50, 0, 0}, id, "text s in the loop at line 3");
    speaks("s = ''\nfor r in rows:\n    if len(s) > 1000000:\n        s = ''\n    s += r\n",
           (struct hot){5, 50, 0, 0}, id, "text s in the loop at line 2");
    speaks("s = ''\nfor r in rows:\n    s += r\n    s = s + ','\n", (struct hot){3, 50, 0, 0}, id,
           "text s in the loop at line 2");
    /* with memory profiled: it must have been copied */
    OWN(world, world);
    struct sc_file *file = make(&world, text);
    world.profile.memory = true;
    set(file, AT(4, 50));
    assert_null(found(&world, id));
    file->lines.items[3].cost.copy_mb_s = 100.0;
    file->lines.items[3].cost.malloc_mb = 100.0;
    assert_non_null(found(&world, id));
}

TEST(what_each_round_begins_anew_does_not_grow)
{
    const struct hot hot = {3, 10, 40, 0};
    is_silent("for x in y:\n    seen = list(x)\n    if k in seen: z()\n", hot, "list_membership");
    speaks("for x in y:\n    seen = list(x)\n    z = [k for k in w if k in seen]\n", hot,
           "list_membership", "searches the list seen");
    is_silent("from numpy import append\nfor x in y:\n    a = append(a, 1)\n    a = x.b\n", hot,
              "array_growth");
    speaks("from numpy import append\nfor x in y:\n    a = append(a, 1)\n    b = x.b\n", hot,
           "array_growth", "makes a anew");
}

TEST(texts_that_python_compiles)
{
    static const char *const id = "repeated_parse";
    const struct hot hot = {3, 40, 0, 0};
    speaks("t = 'a + 1'\nfor a in y:\n    eval(t)\n", hot, id,
           "has Python compile t with eval in the loop at line 2, though it is the same each time");
    speaks("t = 'a + 1'\nfor a in y:\n    eval(t)\n", hot, id, "compile(text");
    speaks("x = 1\nfor a in y:\n    eval(a)\n", hot, id, "json.loads reads such data");
    is_silent("x = 1\nfor a in y:\n    eval(a, x)\n", hot, id);
    is_silent("t = compile('a + 1', '', 'eval')\nfor a in y:\n    eval(t)\n", hot, id);
}

TEST(lists_and_arrays_that_are_moved)
{
    speaks("q = list(x)\nwhile q:\n    q.pop(0)\n", AT(3, 0, 40), "list_front",
           "takes entries off the front of the list q in the loop at line 2");
    speaks("q = []\nfor x in y:\n    q.insert(0, x)\n", AT(3, 0, 40), "list_front", "inserts at");
    is_silent("q = list(x)\nwhile q:\n    q.pop()\n", AT(3, 0, 40), "list_front");
    is_silent("q = {}\nwhile q:\n    q.pop(0)\n", AT(3, 0, 40), "list_front");
    is_silent("q = list(x)\nwhile q:\n    q.pop(0)\n", AT(3, 40), "list_front");
    speaks("import numpy as np\na = np.array([])\nfor x in y:\n    a = np.append(a, x)\n",
           AT(4, 0, 40), "array_growth", "makes a anew by np.append");
    speaks("import pandas as pd\nfor x in y:\n    a = pd.concat([a, x])\n", AT(3, 0, 40),
           "array_growth", "call pandas.concat once");
    is_silent("import numpy as np\nfor x in y:\n    b = np.append(x, 1)\n", AT(3, 0, 40),
              "array_growth");
    is_silent("import numpy as np\na = np.append(a, x)\n", AT(2, 0, 40), "array_growth");
}

TEST(calls_that_do_the_same_again)
{
    speaks("import copy\nfor x in y:\n    z = copy.deepcopy(state)\n", AT(3, 40), "deepcopy",
           "copies state and all that it holds in the loop at line 2");
    is_silent("import copy\nz = copy.deepcopy(state)\n", AT(2, 40), "deepcopy");
    speaks("import copy\nclass A:\n    def get(self):\n        return copy.deepcopy(self.x)\n",
           AT(4, 40), "deepcopy", "copies self.x and all that it holds");
    is_silent("import copy\ndef get():\n    return copy.deepcopy(x)\nget()\n", AT(3, 40),
              "deepcopy");
    is_silent("import copy\nfor x in y:\n    z = copy.copy(state)\n", AT(3, 40), "deepcopy");
    speaks("from datetime import datetime\nx = [datetime.strptime(y, '%Y') for y in z]\n",
           AT(2, 40), "repeated_parse", "reads a time with datetime.strptime");
    is_silent("from datetime import datetime\nx = datetime.strptime(y, '%Y')\n", AT(2, 40),
              "repeated_parse");
    speaks("import json\ndef f(x):\n    return json.loads(TEXT)\nfor x in y:\n    f(x)\n",
           AT(3, 40), "repeated_parse", "reads TEXT with json.loads");
    is_silent("import json\nfor x in y:\n    json.loads(x)\n", AT(3, 40), "repeated_parse");
    speaks("for x in y:\n    open('a.txt')\n", AT(2, 10, 0, 30), "repeated_open",
           "opens the same file 'a.txt' with open");
    is_silent("for x in y:\n    open(x)\n", (struct hot){2, 10, 0, 30}, "repeated_open");
    is_silent("while True:\n    open('/proc/stat')\n", (struct hot){2, 10, 0, 30}, "repeated_open");
    speaks("for x in y:\n    cursor.execute('SELECT a FROM b WHERE c = ?', (x,))\n",
           (struct hot){2, 10, 30, 0}, "query_per_row", "asks the database once per item");
    static const char *const queries[] = {
        "SELECT SUM(a) FROM b WHERE c = ?", "select a from b where c = ? order by a desc limit 3",
        "SELECT a FROM b JOIN d ON b.e = d.e WHERE b.c = :c", "INSERT INTO b VALUES (?, ?)"};
    for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
        SC_AUTO_FREE char *text =
            sc_format("for x in y:\n    cursor.execute(\"%s\", (x,))\n", queries[i]);
        speaks(text, AT(2, 10, 30), "query_per_row", "once per item");
    }
    /* these have work of their own */
    static const char *const large[] = {"SELECT a, SUM(d) FROM b WHERE c = ? GROUP BY a",
                                        "SELECT a FROM b WHERE c > ? ORDER BY a",
                                        "SELECT SUM(a) FROM b", "CREATE TABLE b (a INTEGER)"};
    for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
        SC_AUTO_FREE char *text =
            sc_format("for x in y:\n    cursor.execute(\"%s\", (x,))\n", large[i]);
        is_silent(text, AT(2, 10, 30), "query_per_row");
    }
    is_silent("for x in ('a', 'b'):\n    cursor.execute('SELECT a FROM b WHERE c = ?', (x,))\n",
              (struct hot){2, 10, 30, 0}, "query_per_row");
    static const char *const whole[] = {"'ANALYZE ' + x", "f'SELECT a FROM {x} GROUP BY a'",
                                        "'SELECT a ' 'FROM b GROUP BY a'", "'PRAGMA page_size'"};
    FOR_EACH(query, whole) {
        SC_AUTO_FREE char *text = sc_format("for x in y:\n    cursor.execute(%s)\n", *query);
        is_silent(text, (struct hot){2, 10, 30, 0}, "query_per_row");
    }
    speaks("for x in y:\n    cursor.execute(f'SELECT a FROM b WHERE c = {x}')\n",
           (struct hot){2, 10, 30, 0}, "query_per_row", "once per item");
    is_silent("cursor.execute('SELECT a FROM b')\n", (struct hot){1, 10, 30, 0}, "query_per_row");
    is_silent("for x in y:\n    plan.execute(x)\n", (struct hot){2, 10, 30, 0}, "query_per_row");
}

/* Python time that is spent collecting or freeing is not that of a call. */
TEST(collecting_is_no_cost_of_a_call)
{
    static const struct {
        const char *text;
        const char *id;
    } cases[] = {
        {"import numpy as np\nfor r in m:\n    x.append(np.mean(r))\n", "scalar_numpy"},
        {"import re\nfor x in y:\n    re.search('a+', x)\n", "regex_in_loop"},
    };
    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        bool collects = i % 2 == 1;
        OWN(world, world);
        struct sc_file *file = make(&world, cases[i / 2].text);
        set(file, AT(3, 20, 20));
        struct sc_cost *cost = &file->lines.items[2].cost;
        world.profile.time_s[SC_TIME_PYTHON] = 10.0;
        cost->time_s[SC_TIME_PYTHON] = cost->time_s[SC_TIME_NATIVE] = 2.0;
        cost->gc_s = collects ? 1.5 : 0.0;
        cost->freeing_s = collects ? 0.4 : 0.0;
        assert_true((found(&world, cases[i / 2].id) == NULL) == collects);
    }
}

TEST(calls_that_cost_more_than_they_do)
{
    speaks("import re\nfor x in y:\n    re.search('a+', x)\n", AT(3, 30, 10), "regex_in_loop",
           "has re.search look the same pattern up");
    speaks("import re\nfor x in y:\n    re.search(x + '$', z)\n", AT(3, 30, 10), "regex_in_loop",
           "makes patterns in the loop at line 2");
    is_silent("import re\np = re.compile('a+')\nfor x in y:\n    p.search(x)\n", AT(4, 30, 10),
              "regex_in_loop");
    /* what is compiled is only part of the time */
    is_silent("import re\nfor x in y:\n    re.search('a+', x)\n", AT(3, 0, 40), "regex_in_loop");
    speaks("import numpy as np\nfor r in m:\n    x.append(np.mean(r))\n", AT(3, 20, 20),
           "scalar_numpy", "calls np.mean on one small piece at a time");
    is_silent("import numpy as np\nfor r in m:\n    x.append(np.mean(r))\n", AT(3, 1, 60),
              "scalar_numpy");
    is_silent("import numpy as np\nfor i in y:\n    s += np.sum(m[i])\n", AT(3, 1, 60),
              "scalar_numpy");
    is_silent("import numpy as np\nx = np.mean(m)\n", AT(2, 20, 20), "scalar_numpy");
    speaks("def f(m):\n    for i in range(n):\n        x[i] = m[i:i + 2, j].mean(axis=0)\n",
           AT(3, 20, 20), "scalar_numpy", "calls .mean on one small piece at a time in the loop");
    is_silent("for i in range(n):\n    x[i] = m.iloc[i:i + 2, j].mean()\n", AT(2, 20, 20),
              "scalar_numpy");
    is_silent("for i in range(n):\n    x[i] = m[i, j].mean()\n", AT(2, 20, 20), "scalar_numpy");
    /* one sample of Python among few */
    is_silent("import numpy as np\nfor r in m:\n    x.append(np.mean(r))\n", AT(3, 1, 8),
              "scalar_numpy");
    speaks("import logging\nlog = logging.getLogger()\nfor x in y:\n    log.debug(f'{x}')\n",
           (struct hot){4, 30, 0, 0}, "logging_format", "though it is not written");
    static const char *const unsaid[] = {
        "logging.basicConfig(level='DEBUG')\nx = 1\nlogging.debug(f'{x}')\n",
        "x = 1\nm = {}\nlogging.debug(m[x + 1])\n"};
    FOR_EACH(text, unsaid)
        is_silent(*text, (struct hot){3, 30, 0, 0}, "logging_format");
    is_silent("import logging\nlog = logging.getLogger()\nfor x in y:\n    log.debug('%s', x)\n",
              AT(4, 30), "logging_format");
    speaks("import logging\nlog = logging.getLogger()\nfor x in y:\n    log.debug(fR'{x}')\n",
           AT(4, 30), "logging_format", "though it is not written");
    is_silent("import logging\nlog = logging.getLogger()\nfor x in y:\n    log.debug(fmt, x)\n",
              AT(4, 30), "logging_format");
    is_silent("import logging\nlog = logging.getLogger()\nlog.setLevel(logging.DEBUG)\n"
              "for x in y:\n    log.debug(f'{x}')\n",
              AT(5, 30), "logging_format");
    speaks("for i, row in df.iterrows():\n    f(row)\n", AT(1, 30, 20), "iterrows",
           "row by row with df.iterrows");
    is_silent("for i, row in df.items():\n    f(row)\n", AT(1, 30, 20), "iterrows");
    is_silent("df.apply(f)\n", AT(1, 30, 20), "iterrows");
}

/* Of 4 s at the line, 3 in a function of re called this. */
static void made_pattern_speaks(const char *function, const char *words)
{
    OWN(world, world);
    struct sc_file *file = make(&world, "import re\nfor x in y:\n    re.search(x + 'a', z)\n");
    set(file, AT(3, 30, 10));
    struct sc_profile_frame line = {.name = "<module>", .file = "a.py", .kind = "py", .line = 3};
    struct sc_profile_frame below = {
        .name = function, .file = "re.py", .kind = "py", .role = SC_CALL_LIBRARY, .line = 9};
    sc_vec_push(&world.profile.call_frames, line);
    sc_vec_push(&world.profile.call_frames, below);
    sc_vec_push(&world.profile.call_tree, ((struct sc_call_node){0, 0, 1.0, 0}));
    sc_vec_push(&world.profile.call_tree, ((struct sc_call_node){1, 1, 3.0, 0}));
    (void)said(&world, "regex_in_loop", words);
}

TEST(patterns_that_are_found_in_the_cache_are_not_said_to_be_compiled)
{
    made_pattern_speaks("parse", "makes patterns in the loop at line 2 and has re.search compile");
    made_pattern_speaks("search", "for re.search, which looks it up at every call: up to 30");
}

TEST(columns_of_objects)
{
    static const char *const id = "object_column";
    speaks("f = pd.DataFrame({'a': x, 'b': pd.Series(y, dtype=object)})\ng = f[\"b\"] * 2\n",
           AT(2, 1, 30), id, "works with the column \"b\", whose values are");
    speaks("f['c'] = f['c'].astype(object)\ng = f.groupby('c').sum()\n", AT(2, 1, 30), id,
           "astype(\"category\")");
    is_silent("f = pd.DataFrame({'a': x, 'b': pd.Series(y, dtype=object)})\ng = f['a'] * 2\n",
              AT(2, 1, 30), id);
    is_silent("f['c'] = f['c'].astype(float)\ng = f.groupby('c').sum()\n", AT(2, 1, 30), id);
    is_silent("f['c'] = f['c'].astype(object)\n", AT(1, 1, 30), id);
}

TEST(loaders_that_are_waited_for)
{
    static const char *const id = "loader_starved";
    static const char *const text = "from torch.utils.data import DataLoader\n"
                                    "def train(loader):\n    for i, x in enumerate(loader):\n"
                                    "        step(x)\ntrain(DataLoader(data%s))\n";
    SC_AUTO_FREE char *none = sc_format(text, "");
    SC_AUTO_FREE char *zero = sc_format(text, ", num_workers=0");
    SC_AUTO_FREE char *some = sc_format(text, ", num_workers=4");
    speaks(none, AT(3, 20, 20), id, "waits for loader to make the next batch ready");
    speaks(zero, AT(3, 20, 20), id, "num_workers=");
    is_silent(none, AT(3, 10, 10), id);
    is_silent(some, AT(3, 20, 20), id);
    speaks(some, AT(3, 0, 0, 40), id, "more workers");
    is_silent("for i, x in enumerate(rows):\n    step(x)\n", AT(1, 20, 20), id);
    speaks("for x in torch.utils.data.DataLoader(data, num_workers=2):\n    step(x)\n",
           AT(1, 0, 0, 40), id, "more workers");
    /* while workers compute, waiting for them is no part of the time */
    OWN(world, world);
    struct sc_file *file = make(&world, some);
    set(file, AT(3, 1, 0, 1));
    file->lines.items[2].cost.wait_s[SC_WAIT_IO] = 5.0;
    const struct sc_finding *finding = found(&world, id);
    assert_non_null(finding);
    assert_true(finding->percent == 50.0);
    assert_null(strstr(finding->text, "could be saved")); /* of the elapsed time */
    world_done(&world);
    /* what is called from the header is part of it */
    file = make(&world, none);
    set(file, AT(3, 2));
    assert_null(found(&world, id));
    file->lines.items[2].cost.cumulative_percent = 60.0;
    assert_non_null(found(&world, id));
}

TEST(what_keeps_others_waiting)
{
    static const char *const id = "blocking_in_coroutine";
    speaks("import time\nasync def f():\n    time.sleep(1)\n", AT(3, 0, 0, 40), id,
           "time.sleep within the coroutine f");
    speaks("import time\ndef g():\n    time.sleep(1)\nasync def f():\n    g()\n", AT(3, 0, 0, 40),
           id, "await asyncio.sleep(...)");
    speaks("import trio\nasync def f():\n    time.sleep(1)\ntrio.run(f)\n", AT(3, 0, 0, 40), id,
           "await trio.sleep(...)");
    speaks("import anyio\nasync def f():\n    open(p)\nanyio.run(f)\n", AT(3, 0, 0, 40), id,
           "anyio.to_thread.run_sync");
    is_silent("import asyncio\nasync def f():\n    await asyncio.sleep(1)\n", AT(3, 0, 0, 40), id);
    is_silent("import time\ndef f():\n    time.sleep(1)\n", AT(3, 0, 0, 40), id);
    is_silent("import time\ndef g():\n    time.sleep(1)\nasync def f():\n"
              "    await asyncio.to_thread(g)\n",
              AT(3, 0, 0, 40), id);
    /* methods of files and connections, too */
    speaks("async def f():\n    with open(p) as file:\n        file.write(text)\n", AT(3, 0, 0, 40),
           id, "file.write within the coroutine f");
    speaks("import psycopg2\nasync def f():\n    db = psycopg2.connect(x)\n    "
           "db.commit()\n",
           AT(4, 0, 0, 40), id, "db.commit within the coroutine f");
    is_silent("import asyncpg\nasync def f():\n    db = await asyncpg.connect(x)\n    "
              "await db.execute(q)\n",
              AT(4, 0, 0, 40), id);
    OWN(world, world);
    struct sc_file *file = make(&world, "def f():\n    with lock:\n        g()\n        h()\n");
    file->lines.items[1].cost.wait_s[SC_WAIT_LOCK] = 8.0;
    set(file, AT(4, 40));
    (void)said(&world, "lock_queue",
               "a.py:2 is where threads waited 8.00 s in all for lock, "
               "most of it while line 4 had it");
    file->lines.items[1].cost.wait_s[SC_WAIT_LOCK] = 2.0;
    assert_null(found(&world, "lock_queue"));
}

/* A task that awaits with a lock in its hand takes no time there: what it held it for is not known.
 */
TEST(a_task_that_awaits_is_not_said_to_hold_a_lock_where_it_computes)
{
    static const char *const texts[] = {
        "async def f():\n    async with lock:\n        await g()\n        h()\n",
        "async def f():\n    async with lock:\n        g()\n        h()\n",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        OWN(world, world);
        struct sc_file *file = make(&world, texts[i]);
        world.profile.async_profile = true;
        file->lines.items[1].cost.async_await_percent = 90.0;
        set(file, AT(4, 40));
        const struct sc_finding *finding = found(&world, "lock_queue");
        assert_non_null(finding);
        assert_int_equal(strstr(finding->text, "while line 4 had it") != NULL, i == 1);
    }
}

/* A group of tasks, a pool or a time limit is entered by "with", too, and its end waits. */
TEST(what_with_makes_is_no_lock)
{
    static const char *const heads[] = {
        "async with trio.open_nursery() as n", "async with asyncio.TaskGroup() as group",
        "async with asyncio.timeout(3)", "with ThreadPoolExecutor() as pool"};
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        OWN(world, world);
        SC_AUTO_FREE char *text = sc_format("async def f():\n    %s:\n        g()\n", heads[i]);
        struct sc_file *file = make(&world, text);
        world.profile.async_profile = true;
        file->lines.items[1].cost.async_await_percent = 90.0;
        set(file, AT(3, 40));
        assert_null(found(&world, "lock_queue"));
    }
}

TEST(exceptions_that_are_raised_often)
{
    const char *text = "for x in y:\n    try:\n        d[x] += 1\n    except KeyError:\n"
                       "        d[x] = 1\n";
    OWN(world, world);
    struct sc_file *file = make(&world, text);
    set(file, AT(3, 40));
    assert_null(found(&world, "exceptions_as_flow")); /* the handler did not run */
    set(file, AT(5, 10));
    (void)said(&world, "exceptions_as_flow", "a.py:3 raises KeyError often in the loop at line 1");
}

static void replace_line(struct sc_file *file, uint32_t lineno, const char *text)
{
    free(file->lines.items[lineno - 1].text);
    file->lines.items[lineno - 1].text = sc_strdup(text);
}

TEST(memory_that_is_made_anew)
{
    OWN(world, world);
    struct sc_file *file = make(&world, "for x in y:\n    b = bytes(n)\n    t = (x, 1)\n"
                                        "    d = d[10:]\n");
    world.profile.memory = true;
    for (uint32_t i = 1; i < 4; i++) {
        struct sc_cost *cost = &file->lines.items[i].cost;
        set(file, AT(i + 1, 10));
        cost->malloc_mb = 500.0;
        cost->usage_fraction = 0.5;
        cost->python_fraction = 1.0;
        cost->peak_mb = 3.0;
        cost->copy_mb_s = i == 3 ? 500.0 : 0.0;
    }
    const struct sc_finding *finding =
        said(&world, "churn", "a.py:2 allocates 500.0 MB in the loop at line 1, 50%");
    assert_int_equal(finding->lineno, 2);
    for (size_t i = 0; i < world.report.overview.findings.count; i++)
        assert_int_not_equal(world.report.overview.findings.items[i].lineno, 3);
    finding = found(&world, "copies");
    assert_non_null(finding);
    assert_int_equal(finding->lineno, 4);
    /* what is kept is no churn */
    file->lines.items[1].cost.peak_mb = 500.0;
    assert_null(found(&world, "churn"));
    /* nor are blocks that are smaller than any buffer */
    file->lines.items[1].cost.peak_mb = 0.02;
    assert_null(found(&world, "churn"));
    file->lines.items[1].cost.peak_mb = 3.0;
    /* what is made of items has nothing that could be used again */
    replace_line(file, 2, "    b = bytes(range(n)) * 9\n");
    assert_null(found(&world, "churn"));
    replace_line(file, 2, "    b = bytes(x.buffer)\n");
    assert_non_null(found(&world, "churn"));
}

TEST(structures_that_are_taken_apart_in_a_loop)
{
    OWN(world, world);
    struct sc_file *file = make(&world, "for x in y:\n    t = Tree(x)\nmain()\n");
    set(file, AT(2, 40));
    set(file, AT(3, 30));
    file->lines.items[2].cost.freeing_s = 3.0; /* as the program ends */
    assert_null(found(&world, "freeing"));
    file->lines.items[1].cost.freeing_s = 0.9;
    assert_null(found(&world, "freeing"));
    file->lines.items[1].cost.freeing_s = 2.0;
    (void)said(&world, "freeing",
               "a.py:2 frees what was made in the round before, object "
               "by object in the loop at line 1: up to 20");
    set(file, AT(2, 60)); /* it does much else */
    assert_null(found(&world, "freeing"));
}
