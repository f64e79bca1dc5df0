# tests/diff/test_limits.py - `scalene diff --fail-if`, its exit status, and operands that are wrong.
#
# SPDX-License-Identifier: Apache-2.0
"""Limits, statuses, hostile input."""

import json

import pytest
from conftest import bound_memory
from made import file, profile, run, written

LOOP = '''
def work():
    first = 1
    second = 2


class Shop:
    def sell(self):
        third = 3
'''
BEFORE = {"first": {"s": 2.0, "n_peak_mb": 50.0, "n_copy_mb_s": 1.0}, "second": 3.0, "third": 4.0}
AFTER = {"first": {"s": 3.0, "n_peak_mb": 90.0, "n_copy_mb_s": 5.0}, "second": 3.0, "third": 4.0}
MEMORY = {"memory": True}


@pytest.fixture
def pair(tmp_path):
    """10 s and 100 MB before, 12 s and 140 MB after; 20 MB copied and 120 MB."""
    before = profile(LOOP, BEFORE, max_footprint_mb=100.0, own={"copied_mb": 20.0}, **MEMORY)
    after = profile(LOOP, AFTER, 12.0, max_footprint_mb=140.0, own={"copied_mb": 120.0}, **MEMORY)
    return [written(tmp_path, "a.json", before), written(tmp_path, "b.json", after)]


@pytest.mark.parametrize(
    "limit, status",
    [
        ("time>5%", 3), ("time > 5 %", 3), ("time>30%", 0), ("time>1s", 3), ("time>1000ms", 3), ("time>3.5s", 0), ("time<5%", 0),
        ("time<-5%", 0), ("time<30%", 3), ("elapsed>5%", 3), ("python>5%", 3), ("peak>10MB", 3), ("peak>10240KB", 3), ("peak>0.1GB", 0),
        ("peak>50%", 0), ("copies>1MB/s", 3), ("copies>50MB", 3), ("copies>20MB/s", 0), ("time(shop.py:work)>10%", 3),
        ("time(shop.py:work)>20%", 0), ("time(shop.py:Shop.sell)>20%", 0), ("total(shop.py:work)>10%", 3), ("time(shop.py:2)>10%", 3),
        ("time(shop.py:3)>20%", 0), ("peak(shop.py:2)>10MB", 3), ("time>30%,peak>1GB", 0), ("time>30%, peak>10MB", 3),
    ],
)
def test_a_limit_is_for_the_change(scalene, pair, limit, status):
    ended = run(scalene, *pair, "--fail-if", limit)
    assert (ended.returncode, ended.stderr) == (status, "")
    assert (": exceeded\n" in ended.stdout) == (status == 3)
    made = json.loads(run(scalene, "--json", *pair, "--fail-if", limit).stdout)
    assert ("exceeded" in {one["outcome"] for one in made["limits"]}) == (status == 3)


@pytest.mark.parametrize("limit", ["time>19%", "time(shop.py:gone)>5%", "time(other.py:work)>5%", "time(hop.py:work)>5%", "wait>1s, exit>1MB"])
def test_not_enough_data_counts_only_with_strict(scalene, pair, limit):
    ended = run(scalene, *pair, "--fail-if", limit)
    open_ones = ended.stdout.count(": not enough data")
    if limit.startswith("wait"):  # nothing of either: kept for certain
        assert (ended.returncode, open_ones) == (0, 0)
        assert run(scalene, *pair, "--fail-if", limit, "--strict").returncode == 0
    else:
        assert (ended.returncode, open_ones) == (0, 1)
        assert run(scalene, *pair, "--fail-if", limit, "--strict").returncode == 3


@pytest.mark.parametrize("slower, limit, status", [("count.py", "count.py", 3), ("a/count.py", "count.py", 0), ("a/count.py", "a/count.py", 3)])
@pytest.mark.parametrize("others", [(), ("b/count.py", "x/a/count.py")])
def test_a_file_is_that_of_the_whole_name_first(scalene, tmp_path, slower, limit, status, others):
    paths = []
    for name, samples in (("before.txt", 100), ("after.txt", 1000)):
        counts = dict.fromkeys(("count.py", "a/count.py", *others), 100) | {slower: samples}
        paths.append(str(tmp_path / name))
        (tmp_path / name).write_text("".join("main (main.py:1);f (%s:2) %d\n" % one for one in counts.items()))
    assert run(scalene, *paths, "--fail-if", "time(%s:2)>50%%" % limit).returncode == status


@pytest.mark.parametrize("slower, status", [("a/count.py", 3), ("b/count.py", 3), ("c.py", 0)])
def test_each_file_of_a_name_keeps_the_limit(scalene, tmp_path, slower, status):
    paths = []
    for name, samples in (("before.txt", 100), ("after.txt", 1000)):
        counts = dict.fromkeys(("a/count.py", "b/count.py", "c.py"), 100) | {slower: samples}
        paths.append(str(tmp_path / name))
        (tmp_path / name).write_text("".join("main (main.py:1);f (%s:2) %d\n" % one for one in counts.items()))
    assert run(scalene, *paths, "--fail-if", "time(count.py:2)>50%").returncode == status


def test_memory_that_was_not_measured_cannot_be_judged(scalene, tmp_path):
    paths = [written(tmp_path, name, profile(LOOP, {"first": 1.0})) for name in ("a.json", "b.json")]
    assert run(scalene, *paths, "--fail-if", "peak>1MB").returncode == 0
    assert run(scalene, *paths, "--fail-if", "peak>1MB", "--strict").returncode == 3


def test_the_same_profile_is_within_every_limit(scalene, pair):
    limits = "time>0%, peak>0MB, wait>1%, time(shop.py:work)>0s, copies>0MB/s"
    assert run(scalene, pair[0], pair[0], "--fail-if", limits, "--strict").returncode == 0


@pytest.mark.parametrize(
    "limit",
    [
        "time", "time>", "time>5", "time>5 parsecs", "time>5%%", "time>5% peak>1MB", "time>5%,", ",time>5%", "Time>5%", "speed>5%",
        "time=5%", "time>=5%", "time>5MB", "peak>5s", "peak>5MB/s", "time>five%", "time>0x10%", "time>1e9%", "time>nan%", "time>inf%",
        "time>.5%", "time>5.%", "time>--5%", "time()>5%", "time(shop.py)>5%", "time(:work)>5%", "time(shop.py:)>5%", "time(shop.py:work>5%",
        "time(shop.py:99999999999)>5%", "elapsed(shop.py:work)>5%", "total>5%", "total(shop.py:2)>5%", "time>" + "9" * 1000 + "%",
    ],
)
def test_other_limits_are_refused(scalene, pair, limit):
    ended = run(scalene, *pair, "--fail-if", limit)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("scalene: --fail-if: '") and ended.stderr.count("\n") == 1


def test_operands(scalene, pair, tmp_path):
    for words in ([], pair[:1], [*pair, pair[0]], ["--", *pair], [*pair, "--"], [*pair, "--strict"], [*pair, "--fail-if="], [*pair, "--alll"]):
        ended = run(scalene, *words)
        assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1), words
    (tmp_path / "none").mkdir()
    (tmp_path / "text.json").write_text("{")
    (tmp_path / "empty.json").write_text("{}\n")
    (tmp_path / "list.json").write_text("[1]")
    for word in ("none", "text.json", "empty.json", "list.json", "missing.json"):
        ended = run(scalene, pair[0], str(tmp_path / word))
        assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1), word
        assert word in ended.stderr


def test_hostile_profiles(scalene, tmp_path, pair):
    """Huge and negative numbers, functions that begin behind their end, lines far beyond a file, escapes in every text."""
    made = profile(LOOP, BEFORE, max_footprint_mb=1e15, **MEMORY)
    (file,) = made["files"].values()
    for line in file["lines"]:
        line.update(line="\x1b[31m" + line["line"], n_peak_mb=1e15, n_cpu_percent_python=1e15, n_error_percent=-1e15)
        line.update(start_function_line=4294967295, end_function_line=1)
    file["lines"][2].update(lineno=4294967290, start_function_line=3, end_function_line=4294967295, n_copy_mb_s=1e15, line="def \x1b]0;x\x07(")
    file["functions"][0].update(line="\x1b[2J" + "f" * 5000, lineno=0, n_malloc_error_mb=1e15)
    made["files"]["\x1b[31m"] = made["files"]["x" * 3000] = file
    path = written(tmp_path, "hostile.json", made)
    for words in ([path, pair[0]], [pair[0], path], [path, path], [path, pair[0], "--", pair[0], path]):
        for form in ([], ["--all"], ["--json", "--all"]):
            ended = run(scalene, *form, "--fail-if", "time>1%, copies>1MB/s", *words)
            assert ended.returncode in (0, 3) and ended.stderr == ""
            assert "\x1b" not in ended.stdout
            assert "nan" not in ended.stdout and "inf" not in ended.stdout
            if form[:1] == ["--json"]:
                json.loads(ended.stdout)


def test_lines_far_down_take_no_memory_for_those_before(scalene, tmp_path):
    made = profile(LOOP, BEFORE)
    for i in range(20):
        far = file("first\n", {"first": 1.0}, 10.0)
        far["lines"][0]["lineno"] = 1000000
        made["files"]["/far/%d.py" % i] = far
    path = written(tmp_path, "far.json", made)
    ended = run(scalene, "--json", "--all", path, path, prepare=bound_memory(scalene, 1 << 29))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)["lines"] == []  # each belongs to itself


def test_functions_without_number(scalene, tmp_path, pair):
    """Each line of a long file begins a function of the same name that ends where the file ends, or at once."""
    for end in (10000, None):
        made = profile("def f(): pass\n", {})
        (file,) = made["files"].values()
        file["lines"] = [dict(file["lines"][0], lineno=i) for i in range(1, 10001)]
        for line in file["lines"]:
            line.update(start_function_line=line["lineno"], end_function_line=end or line["lineno"], n_cpu_percent_python=0.001)
        file["functions"] = [dict(line, line="f") for line in file["lines"]]
        path = written(tmp_path, "many.json", made)
        assert run(scalene, path, path).stdout.startswith("No difference")
        assert run(scalene, path, pair[0]).returncode == 0
