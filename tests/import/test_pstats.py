# tests/import/test_pstats.py - files for pstats, of cProfile, pyinstrument and Tachyon.
#
# SPDX-License-Identifier: Apache-2.0
"""Files for pstats: own times are exact, and calls a tree as far as direct callers say."""

import cProfile
import marshal
import os
import pstats
import struct
import subprocess

import pytest

import calls
from conftest import bound_memory
from importing import DATA, importer, lines, near, own, seconds

__all__ = ["importer"]

FLAT = {("a.py", 1, "f"): (1, 1, 0.5, 0.5, {})}


def test_it_is_shown_but_not_followed(scalene, tmp_path):
    path = tmp_path / "other.pstats"
    path.write_bytes(marshal.dumps(FLAT))
    shown = subprocess.run([scalene, "view", "--cli", str(path)], capture_output=True, timeout=300, check=False)
    assert shown.returncode == 0
    followed = subprocess.run([scalene, "view", "--follow", "--html", str(path)], cwd=tmp_path, capture_output=True, timeout=300, check=False, text=True)
    assert followed.returncode == 1
    assert "it is of another profiler" in followed.stderr and "without --follow" in followed.stderr


def key(name, line=1):
    return ("a.py", line, name)


def entry(own_s, total_s, callers=None):
    """A function: its times, and of each caller what was spent below it."""
    return (1, 1, own_s, total_s, {key(name): (1, 1, part, part) for name, part in (callers or {}).items()})


def paths(profile):
    """Seconds of each stack, as names."""
    found = {}
    for frames, spent, _ in calls.nodes(profile):
        if spent > 0:
            path = "/".join(frame["display_name"] for frame in frames)
            found[path] = found.get(path, 0) + spent
    return found


def test_cprofile_of_this_python_has_the_same_totals(importer):
    def leaf(count):
        return sum(i * i for i in range(count))

    def middle(count):
        return leaf(count) + leaf(count // 2)

    profiler = cProfile.Profile()
    profiler.runcall(lambda: [middle(20000) for _ in range(20)])
    profiler.dump_stats(os.path.join(str(importer.directory), "p"))
    stats = pstats.Stats(profiler)
    profile = importer("p")
    assert seconds(profile) == near(stats.total_tt)
    here = os.path.basename(__file__)
    expected = {}
    for (file, line, name), (_, _, spent, _, _) in stats.stats.items():
        if os.path.basename(file) == here and name[0] != "<":
            expected[name] = expected.get(name, 0) + spent
    found = own(profile, here)
    assert {name.rpartition(".")[2] for name in found} >= {"leaf", "middle"}
    assert sum(lines(profile, here).values()) >= sum(expected.values()) - 1e-6


def test_cumulative_time_is_that_of_the_file(importer):
    stats = {
        key("main", 1): (1, 1, 1.0, 10.0, {}),
        key("one", 2): (1, 1, 2.0, 6.0, {key("main", 1): (1, 1, 2.0, 6.0)}),
        key("two", 3): (1, 1, 1.0, 3.0, {key("main", 1): (1, 1, 1.0, 3.0)}),
        key("leaf", 4): (3, 3, 6.0, 6.0, {key("one", 2): (2, 2, 4.0, 4.0), key("two", 3): (1, 1, 2.0, 2.0)}),
    }
    importer.write("p", marshal.dumps(stats))
    profile = importer("p")
    (file,) = profile["files"].values()
    assert {f["line"]: f["n_cumulative_percent"] for f in file["functions"]} == {"main": near(100), "one": near(60), "two": near(30), "leaf": near(60)}
    assert paths(profile) == {"main": near(1), "main/one": near(2), "main/two": near(1), "main/one/leaf": near(4), "main/two/leaf": near(2)}


def test_built_in_functions_are_native(importer):
    importer.write("p", marshal.dumps({key("f"): entry(1, 3), ("~", 0, "<built-in method builtins.len>"): entry(2, 2, {"f": 2})}))
    profile = importer("p")
    assert paths(profile) == {"f": near(1), "f/len": near(2)}
    assert profile["scalene_c"]["time_s"]["native"] == near(2)


def test_recursion_keeps_own_times(importer):
    callers = {key("f"): (5, 1, 0.5, 1.0), key("main"): (1, 1, 1.0, 2.0)}
    importer.write("p", marshal.dumps({key("main"): entry(0.5, 2.5), key("f"): (6, 1, 2.0, 2.0, callers)}))
    assert paths(importer("p")) == {"main": near(0.5), "main/f": near(2)}


def test_callers_in_a_circle_end(importer):
    stats = {key("a"): entry(1, 3, {"b": 3}), key("b"): entry(2, 3, {"a": 3}), key("c"): entry(4, 4, {"c": 4})}
    importer.write("p", marshal.dumps(stats))
    assert paths(importer("p")) == {"a": near(1), "b": near(2), "c": near(4)}


def test_work_below_many_callers_is_bounded(importer):
    stats = {key("f0"): entry(0, 64)}
    for level in range(1, 40):  # 2^40 stacks
        for side in "ab":
            parents = ["f0"] if level == 1 else ["a%d" % (level - 1), "b%d" % (level - 1)]
            stats[key("%s%d" % (side, level))] = entry(0.5, 32, {parent: 16.0 for parent in parents})
    importer.write("p", marshal.dumps(stats))
    profile = importer("p")
    assert seconds(profile) == near(39)


def test_a_long_name_of_many_functions_takes_no_memory_for_each(importer, scalene):
    path = "a" * 1000000 + ".py"
    importer.write("p", marshal.dumps({(path, i, "f"): (1, 1, 0.001, 0.001, {}) for i in range(600)}))
    importer.line("import", "p", prepare=bound_memory(scalene, 1 << 28)).expect(0)


@pytest.mark.parametrize("name", ["tachyon.pstats", "pyinstrument.pstats"])
def test_other_tools_files_have_their_totals(importer, name):
    profile = importer.stored(name)
    with open(os.path.join(DATA, name), "rb") as file:
        stats = [value for value in marshal.load(file).values() if value is not True]
    assert seconds(profile) == near(sum(value[2] for value in stats))
    main = [path for path in paths(profile) if path.endswith("leaf")]
    assert main and all("<module>/main/until/" in path for path in main)


def test_files_of_old_pythons_are_read(importer):
    """As Python 2.7 writes it: texts that are referred to by number, long tuples."""
    text = b"t\x01\x00\x00\x00f"
    whole = b"{(\x03\x00\x00\x00s\x04\x00\x00\x00a.pyi\x01\x00\x00\x00" + text
    whole += b"(\x05\x00\x00\x00i\x01\x00\x00\x00l\x01\x00\x00\x00\x01\x00f\x030.5g" + struct.pack("<d", 0.5) + b"{(\x03\x00\x00\x00s\x01\x00\x00\x00xi\x00\x00\x00\x00R\x00\x00\x00\x00I" + struct.pack("<q", 3) + b"00"
    importer.write("p", whole)
    assert own(importer("p"), "a.py") == {"f": near(0.5)}


def changed(*values):
    return marshal.dumps({("a.py", 1, "f"): values})


@pytest.mark.parametrize(
    "content, said",
    [
        (marshal.dumps(FLAT)[:-3], "it is cut off"), (marshal.dumps(FLAT) + b"0", "bytes behind its end"),
        (b"{)\x03r\x00\x00\x00\x00", "a value that there is not"), (b"{\xa9\x01r\x00\x00\x00\x00", "or to itself"),
        (b"{" + b")\x01" * 9, "is deeper"), (b"{)" + b"{" * 100000, "is deeper"), (b"{(\xff\xff\xff\x7f", "it is cut off"),
        (b"{)\x01c0", "a value of type 0x63"), (changed(1, 1, float("nan"), 1.0, {}), "not as in a profile"),
        (changed(1, 1, 1.0, float("inf"), {}), "not as in a profile"), (changed(1, 1, "x", 1.0, {}), "not as in a profile"),
        (changed(1, 1, 1.0, 1.0), "not as in a profile"), (changed(1, 1, 1.0, 1.0, {1: 2}), "the callers of a function"),
        (changed(1, 1, 1.0, 1.0, {("a", 1, "b"): "x"}), "the callers of a function"), (changed(1, 1, 1e300, 1.0, {}), "out of range"),
        (changed(1, 1, 0.0, 0.0, {}), "no function that took time"), (changed(2**63, 1, -1.0, 1.0, {}), "no function that took time"),
        (marshal.dumps({("a.py", 1): (1, 1, 1.0, 1.0, {})}), "has no name"),
        (marshal.dumps(FLAT, 2)[:-1] + marshal.dumps(FLAT, 2)[1:], "there twice"),
    ],
)
def test_what_is_no_such_file_is_refused(importer, content, said):
    assert said in importer.refuses(content)
