# tests/profile/test_json.py - the JSON file as another program sees it: keys, types, order, bounds.
#
# The format is the original's, so that its readers can read ours; a profile that the original wrote
# is in data/.
#
# SPDX-License-Identifier: Apache-2.0
"""Reads profiles with Python's own JSON parser."""

import json
import os
import subprocess

import pytest

import whole

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("SC_BUILD") or os.path.join(ROOT, "build")
DUMP = os.path.join(BUILD, "tests", "profile", "profile_dump")
ORIGINAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "original-2.4.0.json")
VIEWS = os.path.join(BUILD, "tests", "view", "data")

NUMBER = (int, float)
NONE = type(None)

TOP = {
    **dict.fromkeys(("alloc_samples", "main_thread_id"), int),
    **dict.fromkeys(("async_profile", "gpu", "memory"), bool),
    **dict.fromkeys(("combined_stacks", "combined_stacks_timeline", "memory_stacks", "samples", "stacks"), list),
    **dict.fromkeys(("elapsed_time_sec", "growth_rate", "max_footprint_mb", "max_footprint_python_fraction"), NUMBER),
    **dict.fromkeys(("native_allocations_mb", "start_time_absolute", "start_time_perf"), NUMBER),
    **dict.fromkeys(("entrypoint_dir", "filename", "gpu_device", "program"), str),
    **{"args": (list, NONE), "files": dict, "max_footprint_fname": (str, NONE), "max_footprint_lineno": (int, NONE)},
}
FILE = {"functions": list, "imports": list, "leaks": dict, "lines": list, "percent_cpu_time": NUMBER}
FUNCTION = {
    **dict.fromkeys(whole.ZEROS, NUMBER),
    **dict.fromkeys(whole.LISTS, list),
    **{"is_coroutine": bool, "line": str, "lineno": int, "n_mallocs": int},
}
LINE = {**FUNCTION, **dict.fromkeys((*whole.PLACES, "start_function_line", "end_function_line"), int)}
FRAME = {"kind", "display_name", "filename_or_module", "line", "ip", "offset"}

OWN_TOP = {"scalene_c"}
OWN_FILE = {"source_changed"}
OWN_COST = set(
    "freeing_s gc_s importing_s n_cumulative_percent n_error_percent n_gpu_from_device_mb n_gpu_idle_s n_gpu_launches n_gpu_live_peak_mb n_gpu_malloc_mb "
    "n_gpu_s n_gpu_to_device_mb n_samples time_s wait_s worker_threads_s".split()
)

PROGRAM = """\
import sys

@print
def work(a):
    for i in range(3):
        if a < i & 1 > 0:
            sorted([i])

work("ü")
"""


def run(*arguments):
    if not os.access(DUMP, os.X_OK):
        pytest.fail("%s does not exist: build first, or set SC_BUILD" % DUMP)
    return subprocess.run([DUMP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def parse(text):
    """Parses, and checks on the way that the keys of every object are sorted and stand there once."""

    def pairs(items):
        keys = [key for key, _ in items]
        assert keys == sorted(set(keys)), keys
        return dict(items)

    def no_constant(name):
        raise AssertionError("%s is not JSON" % name)

    return json.loads(text, object_pairs_hook=pairs, parse_constant=no_constant)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The text of a profile of a made-up run, and the path of its program."""
    folder = tmp_path_factory.mktemp("made")
    program = folder / "pro gram.py"
    program.write_text(PROGRAM, encoding="utf-8")
    library = folder / "library.py"
    library.write_text("def helper():\n    pass\n", encoding="utf-8")
    ended = run("build", str(program), str(library))
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.decode("utf-8"), str(program)


def check_kinds(record, kinds, own):
    assert set(kinds) <= set(record), set(kinds) - set(record)
    assert set(record) - set(kinds) <= own, set(record) - set(kinds) - own
    for key, kind in kinds.items():
        assert isinstance(record[key], kind), (key, record[key])
        if kind is not bool:
            assert not isinstance(record[key], bool), (key, record[key])


def check_cost(record):
    shares = [record[key] for key in ("n_cpu_percent_python", "n_cpu_percent_c", "n_sys_percent")]
    assert all(0 <= share <= 100 for share in shares)
    assert int(sum(shares)) <= 100
    for key in ("n_core_utilization", "n_python_fraction", "n_usage_fraction"):
        assert 0 <= record[key] <= 1
    for key in ("n_async_await_percent", "n_gpu_percent"):
        assert 0 <= record[key] <= 100
    assert record["n_gpu_avg_memory_mb"] <= record["n_gpu_peak_memory_mb"]
    assert record["n_avg_mb"] <= record["n_peak_mb"]
    assert record["n_malloc_mb"] >= 0 and record["n_mallocs"] >= 0 and record["n_copy_mb_s"] >= 0
    assert len(record["cpu_samples_list"]) <= 500
    assert record["cpu_samples_list"] == sorted(record["cpu_samples_list"])
    assert all(len(point) == 2 for point in record["memory_samples"])


def check_stacks(profile):
    for frames, hits in profile["combined_stacks"]:
        assert hits > 0 and all(set(frame) == FRAME for frame in frames)
    for event in profile["combined_stacks_timeline"]:
        assert event["t_sec"] >= 0 and event["count"] > 0
        assert 0 <= event["stack_index"] < len(profile["combined_stacks"])
    assert all(mb >= 0 for _, mb in profile["memory_stacks"])


def check_profile(profile):
    check_kinds(profile, TOP, OWN_TOP)
    check_stacks(profile)
    total = 0
    for record in profile["files"].values():
        check_kinds(record, FILE, OWN_FILE)
        for number, line in enumerate(record["lines"], 1):
            check_kinds(line, LINE, OWN_COST)
            check_cost(line)
            assert line["lineno"] == number
            assert line["line"].endswith("\n")
            assert not set("&<>") & set(line["line"])
            assert line["start_region_line"] <= number <= line["end_region_line"]
            assert line["start_outermost_loop"] <= number <= line["end_outermost_loop"]
            assert (line["start_function_line"] == 0) == (line["end_function_line"] == 0)
            total += line["n_cpu_percent_python"] + line["n_cpu_percent_c"] + line["n_sys_percent"]
        for function in record["functions"]:
            check_kinds(function, FUNCTION, OWN_COST)
            check_cost(function)
        firsts = [function["lineno"] for function in record["functions"]]
        assert firsts == sorted(firsts)
        assert 0 <= record["percent_cpu_time"] <= 100 + 1e-9
    assert total <= 100.5


def test_every_key_is_there_with_its_type_and_bounds(made):
    text, program = made
    profile = parse(text)
    check_profile(profile)
    assert set(profile["files"]) == {program, os.path.join(os.path.dirname(program), "library.py")}
    record = profile["files"][program]
    assert len(record["lines"]) == len(PROGRAM.splitlines())
    assert record["lines"][5]["line"] == "        if a \\u003c i \\u0026 1 \\u003e 0:\n"
    assert record["lines"][8]["line"] == 'work("ü")\n'
    assert record["imports"] == ["import sys"]
    assert record["functions"][0]["line"] == "work"
    assert "source_changed" not in record
    assert not OWN_COST & set(record["lines"][8]), "a line without data has none of our own keys"
    assert {"time_s", "wait_s", "n_samples"} <= set(record["lines"][0])


def test_shares_add_up_to_the_whole_run(made):
    profile = parse(made[0])
    for records in ("lines", "functions"):
        for record in profile["files"].values():
            for one in record[records]:
                shares = one["n_cpu_percent_python"] + one["n_cpu_percent_c"] + one["n_sys_percent"]
                assert shares <= one.get("n_cumulative_percent", 0) + 1e-9
    lines = [line for record in profile["files"].values() for line in record["lines"]]
    percent = sum(record["percent_cpu_time"] for record in profile["files"].values())
    seconds = sum(sum(line.get("time_s", {}).values()) for line in lines)
    assert percent == pytest.approx(100)
    # lines 3 to 8 of the helper do not exist in its two-line source
    assert seconds < sum(profile["scalene_c"]["time_s"].values())
    program = profile["files"][made[1]]
    shares = sum(line["n_cpu_percent_python"] + line["n_cpu_percent_c"] + line["n_sys_percent"] for line in program["lines"])
    assert shares == pytest.approx(program["percent_cpu_time"])


def test_the_layout_is_that_of_pythons_json(made):
    """But for lists whose items take a line each."""
    text, _ = made
    profile = json.loads(text)
    own = profile["scalene_c"]
    kept = [(profile, key) for key in ("combined_stacks", "combined_stacks_timeline", "memory_stacks", "stacks")]
    lines = []
    for owner, key in [*kept, (own, "timeline_tracks")]:
        items = owner[key]
        owner[key] = ["line %d" % (len(lines) + at) for at in range(len(items))]
        lines += (json.dumps(item, separators=(",", ":"), sort_keys=True, ensure_ascii=False) for item in items)
    again = json.dumps(profile, indent=4, sort_keys=True, ensure_ascii=False) + "\n"
    for at, line in enumerate(lines):
        again = again.replace('"line %d"' % at, line, 1)
    assert lines and text == again


def test_a_copy_is_the_same_file(made, tmp_path):
    path = tmp_path / "made.json"
    path.write_text(made[0], encoding="utf-8")
    ended = run("copy", str(path))
    assert ended.stderr == b""
    assert ended.stdout.decode("utf-8") == made[0]


def test_a_profile_of_the_original_is_read_whole():
    with open(ORIGINAL, encoding="utf-8") as file:
        original = json.load(file)
    ended = run("copy", ORIGINAL)
    assert ended.returncode == 0, ended.stderr
    copy = parse(ended.stdout)
    check_profile(copy)
    assert copy == original
    assert original["combined_stacks"] and original["memory_stacks"], "the sample has all parts"


@pytest.mark.parametrize("subject", ("gpu", "neuron"))
def test_what_is_reported_of_devices_is_kept(subject):
    path = os.path.join(VIEWS, subject + ".json")
    with open(path, encoding="utf-8") as file:
        written = json.load(file)
    ended = run("copy", path)
    assert ended.returncode == 0, ended.stderr
    copy = parse(ended.stdout)
    own = {key: value for key, value in copy["scalene_c"].items() if key.startswith("gpu")}
    assert own and own == {key: value for key, value in written["scalene_c"].items() if key.startswith("gpu")}
    for name, record in written["files"].items():
        for kind in ("lines", "functions"):
            for before, after in zip(record[kind], copy["files"][name][kind]):
                assert {key: before[key] for key in before if "gpu" in key} == {key: after[key] for key in after if "gpu" in key}
    assert written["gpu"] is copy["gpu"] is True and copy["gpu_device"] == written["gpu_device"]
    # nothing of it stands in a profile without a device
    without = run("copy", os.path.join(VIEWS, "cpu.json"))
    assert not [key for key in parse(without.stdout)["scalene_c"] if key.startswith("gpu")]


def test_bytes_that_are_no_text_are_surrogate_escapes(tmp_path):
    name = os.path.join(os.fsencode(str(tmp_path)), b"caf\xe9.py")
    with open(name, "wb") as file:
        file.write(b"# -*- coding: latin-1 -*-\nx = '\xe9'\n")
    ended = run("build", os.fsdecode(name), "/nowhere.py")
    profile = parse(ended.stdout.decode("ascii"))
    check_profile(profile)
    assert os.fsdecode(name) in profile["files"]
    assert profile["files"][os.fsdecode(name)]["lines"][1]["line"] == "x = '\udce9'\n"
    path = tmp_path / "bytes.json"
    path.write_bytes(ended.stdout)
    assert run("copy", str(path)).stdout == ended.stdout
