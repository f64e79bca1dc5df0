# tests/forged/test_forged.py - forged samples and blocks, and the profile that follows from them, to the last digit.
#
# What is sampled from a running program is right within an error, so its tests decide nothing alone. Here the samples are given: from the
# records on, the profile is arithmetic. Each product of tests/saboteurs that charges wrongly must fail here.
#
# SPDX-License-Identifier: Apache-2.0
"""From records to JSON."""

import pytest

from forged import (
    BEGUN, CALL_LEN, COLLECTING, IN_LIBRARY, IN_LOOP, IN_SYSTEM_CALL, MAIN, MEMORY, MS, NATIVE, OUTSIDE, READS, RUNS, SLEEPS, WAITS_FOR_GIL, WAITS_FOR_LOCK,
    Forged,
)  # fmt: skip

PROGRAM = """\
def work(n):
    a = n
    return a


def down(n):
    if n:
        return down(n - 1)
    return work(n)


def main():
    work(1)
    down(2)


main()
"""
MODULE = ("prog.py", "<module>", 17)
MAIN_13 = ("prog.py", "main", 13)
MAIN_14 = ("prog.py", "main", 14)
WORK_2 = ("prog.py", "work", 2)
WORK_3 = ("prog.py", "work", 3)
DOWN_8 = ("prog.py", "down", 8)
DOWN_9 = ("prog.py", "down", 9)
MB = 1 << 20


@pytest.fixture
def forge(tmp_path):
    def make(choice=BEGUN):
        (tmp_path / "prog.py").write_text(PROGRAM)
        forged = Forged(tmp_path, choice)
        forged.thread(MAIN, "MainThread", is_main=True)
        for function, first, last in (("<module>", 1, 17), ("work", 1, 3), ("down", 6, 9), ("main", 12, 14)):
            forged.code("prog.py", function, first, last)
        return forged

    return make


def rows(profile, which, *keys):
    """name or number of line -> values, of those that are not all empty."""
    (file,) = profile["files"].values()
    found = {one["line" if which == "functions" else "lineno"]: [one.get(key) for key in keys] for one in file[which]}
    return {name: values for name, values in found.items() if any(values)}


def rounded(values):
    return {key: pytest.approx(value) for key, value in values.items()}


def test_time_stands_where_it_was_used(forge):
    forged = forge()
    for _ in range(6):
        forged.sample([MODULE, MAIN_13, WORK_2])
    for _ in range(3):
        forged.sample([MODULE, MAIN_13, WORK_3])
    forged.sample([MODULE, MAIN_13])
    profile = forged.profile()
    truth = {
        2: [6, {"python": pytest.approx(0.06)}, pytest.approx(60), pytest.approx(60)],
        3: [3, {"python": pytest.approx(0.03)}, pytest.approx(30), pytest.approx(30)],
        13: [1, {"python": pytest.approx(0.01)}, pytest.approx(10), pytest.approx(100)],
        17: [None, None, 0, pytest.approx(100)],
    }
    assert rows(profile, "lines", "n_samples", "time_s", "n_cpu_percent_python", "n_cumulative_percent") == truth
    assert profile["scalene_c"]["time_s"] == {"python": pytest.approx(0.1)}


def test_a_function_has_its_own_time_once_and_that_of_all_below(forge):
    forged = forge()
    for _ in range(2):
        forged.sample([MODULE, MAIN_14, DOWN_8, DOWN_8, DOWN_9])
    for _ in range(2):
        forged.sample([MODULE, MAIN_14, DOWN_8, DOWN_8, DOWN_9, WORK_2])
    truth = {
        "down": [pytest.approx(50), pytest.approx(100), 2],
        "work": [pytest.approx(50), pytest.approx(50), 2],
        "main": [0, pytest.approx(100), None],
    }
    assert rows(forged.profile(), "functions", "n_cpu_percent_python", "n_cumulative_percent", "n_samples") == truth


def test_python_native_and_system(forge):
    forged = forge(BEGUN | NATIVE)
    for _ in range(5):
        forged.sample([MODULE, MAIN_13], addresses=[IN_LOOP])
    for _ in range(3):
        forged.sample([MODULE, MAIN_14], addresses=[IN_LIBRARY, IN_LOOP], opcode=CALL_LEN)
    forged.sample([MODULE, MAIN_14], addresses=[IN_LIBRARY, IN_LOOP], flags=IN_SYSTEM_CALL)
    keys = "n_cpu_percent_python", "n_cpu_percent_c", "n_sys_percent"
    profile = forged.profile()
    found = {line: [round(9 * value / 100) for value in values] for line, values in rows(profile, "lines", *keys).items()}
    assert found == {13: [5, 0, 0], 14: [0, 3, 1]}
    assert rounded(profile["scalene_c"]["time_s"]) == {"python": 0.05, "native": 0.03, "kernel": 0.01}


def test_time_without_a_cpu(forge):
    """Nothing but the thread itself was at work: it was ready to run, and something else ran."""
    forged = forge()
    forged.sample([MODULE, MAIN_13])
    forged.sample([MODULE, MAIN_14], ms=100, cpu_ms=10)
    (thread,) = forged.profile()["scalene_c"]["threads"]
    assert rounded(thread["time_s"]) == {"python": 0.02, "preempted_python": 0.09}


def test_waiting_is_what_a_thread_neither_ran_nor_waited_for_a_cpu(forge):
    forged = forge()
    forged.look()
    forged.sample([MODULE, MAIN_13])
    forged.look({MAIN: (READS, [MODULE, MAIN_14])}, ms=20)
    forged.sample([MODULE, MAIN_13], ms=50, cpu_ms=10)
    forged.look({MAIN: (READS, [MODULE, MAIN_14])}, ms=30, delay_ms=25)
    (thread,) = forged.profile()["scalene_c"]["threads"]
    waited_s = 0.02 + 0.04 + 0.005
    assert thread["wait_s"] == rounded({"io": waited_s})
    assert thread["time_s"] == rounded({"python": 0.02, "io": waited_s, "preempted_python": 0.025})


def test_threads(forge):
    forged = forge()
    forged.thread(7, "reader")
    forged.thread(8, "writer")
    for _ in range(3):
        forged.sample([MODULE, MAIN_13], ms=10)
        forged.sample([WORK_2], ms=0, cpu_ms=10, tid=7)
        forged.sample([WORK_3], ms=0, cpu_ms=5, tid=8)
    threads = forged.profile()["scalene_c"]["threads"]
    assert {one["name"]: (one["tid"], one["samples"], round(one["cpu_s"], 6), one["is_main"]) for one in threads} == {
        "MainThread": (MAIN, 3, 0.03, True),
        "reader": (7, 3, 0.03, False),
        "writer": (8, 3, 0.015, False),
    }


def test_stacks_are_the_frames_in_the_order_of_calls(forge):
    forged = forge()
    for _ in range(3):
        forged.sample([MODULE, MAIN_14, DOWN_9, WORK_2])
    forged.sample([MODULE, MAIN_13])
    profile = forged.profile()
    folder = next(iter(profile["files"])).rpartition("/")[0]
    stacks = {tuple(frame.replace(folder + "/", "") for frame in frames): hits["count"] for frames, hits in profile["stacks"]}
    assert stacks == {
        ("prog.py <module>:17;", "prog.py main:14;", "prog.py down:9;", "prog.py work:2;"): 30,
        ("prog.py <module>:17;", "prog.py main:13;"): 10,
    }
    frames, nodes = profile["scalene_c"]["call_frames"], profile["scalene_c"]["call_tree"]

    def path(number):
        parent, frame, _, _ = nodes[number]
        return (path(parent - 1) if parent else []) + [(frames[frame]["display_name"], frames[frame]["line"])]

    assert {tuple(path(number)): node[2] for number, node in enumerate(nodes) if node[2]} == {
        (("<module>", 17), ("main", 14), ("down", 9), ("work", 2)): pytest.approx(0.03),
        (("<module>", 17), ("main", 13)): pytest.approx(0.01),
    }


def test_memory_that_is_kept_freed_and_copied(forge):
    forged = forge(BEGUN | MEMORY)
    forged.sample([MODULE, MAIN_13])
    forged.allocate([MODULE, MAIN_13, WORK_2], 40 * MB)
    forged.sample([MODULE, MAIN_13])
    freed = forged.allocate([MODULE, MAIN_14], 60 * MB)
    forged.sample([MODULE, MAIN_13])
    forged.free(freed)
    forged.copy([MODULE, MAIN_14], 30 * MB)
    forged.sample([MODULE, MAIN_13])
    profile = forged.profile()
    assert profile["samples"] == [[10e6, 40], [20e6, 100], [30e6, 40], [40e6, 40]]
    found = rows(profile, "lines", "n_malloc_mb", "n_peak_mb")
    assert (found[2], found[14]) == ([pytest.approx(40), pytest.approx(40)], [pytest.approx(60), pytest.approx(60)])
    assert profile["max_footprint_mb"] == pytest.approx(100)
    own = profile["scalene_c"]
    assert (own["live_at_exit_mb"], own["allocated_mb"], own["copied_mb"]) == pytest.approx((40, 100, 30))


def test_the_error_of_a_volume_is_that_of_its_points(forge):
    """A block of 100 points, each of which stands for 1 MB: only its end is uncertain, with a sixth of a window's square; it begins
    where the stream does (docs/internals/sampling.md)."""
    forged = forge(BEGUN | MEMORY)
    forged.sample([MODULE, MAIN_13])
    forged.allocate([MODULE, MAIN_13], MB, weight=100 * MB, points=100)
    forged.sample([MODULE, MAIN_13])
    found = rows(forged.profile(), "lines", "n_malloc_mb", "n_malloc_error_mb")
    assert found[13] == [pytest.approx(100), pytest.approx(1.96 * (100 / 99 / 6) ** 0.5, abs=0.001)]


@pytest.mark.parametrize("is_freed, edges", [(False, 1), (True, 3)])
def test_the_error_of_a_peak_is_that_of_the_blocks_alive(forge, is_freed, edges):
    """Of four blocks of ten points each, of one line, that begin the stream, the last edge alone is uncertain, with a sixth of a
    window's square; without the second one there are the two edges of the gap as well."""
    window = 8192
    forged = forge(BEGUN | MEMORY)
    forged.sample([MODULE, MAIN_13])
    slots = []
    for number in range(4):
        if number == 2 and is_freed:
            forged.free(slots[1])
        slots.append(forged.allocate([MODULE, MAIN_13], 10 * window, weight=10 * window, points=10))
    if not is_freed:  # the error is that of the peak's moment
        forged.free(slots[1])
    profile = forged.profile()
    found = rows(profile, "lines", "n_peak_mb", "n_peak_error_mb")[13]
    peak_mb = (30 if is_freed else 40) * window / MB
    error_mb = 1.96 * (edges / 6) ** 0.5 * window / MB
    assert found == [pytest.approx(peak_mb), pytest.approx(error_mb, rel=0.02)]
    own = (profile["max_footprint_mb"], profile["scalene_c"]["max_footprint_error_mb"])
    assert own == (pytest.approx(peak_mb), pytest.approx(error_mb, rel=0.02))
    at_exit_mb = 1.96 * (3 / 6) ** 0.5 * window / MB
    assert rows(profile, "lines", "n_live_at_exit_error_mb")[13] == [pytest.approx(at_exit_mb, rel=0.02)]
    assert profile["scalene_c"]["live_at_exit_error_mb"] == pytest.approx(at_exit_mb, rel=0.02)


def test_waiting_stands_where_the_program_waits(forge):
    forged = forge()
    forged.sample([MODULE, MAIN_13])
    reads = {MAIN: (READS, [MODULE, MAIN_14])}
    sleeps = {MAIN: (SLEEPS, [MODULE, MAIN_13, WORK_3])}
    forged.look(reads, ms=20)
    forged.look(reads, ms=30)
    forged.sample([MODULE, MAIN_13, WORK_2])
    forged.look(sleeps, ms=40)  # when it went from one wait to the other is not known
    forged.look(sleeps, ms=50)
    profile = forged.profile()
    assert rows(profile, "lines", "time_s") == {
        2: [rounded({"python": 0.01})],
        3: [rounded({"sleep": 0.02 + 0.05})],
        13: [rounded({"python": 0.01})],
        14: [rounded({"io": 0.02 + 0.03 + 0.02})],
    }
    assert rounded(profile["scalene_c"]["time_s"]) == {"python": 0.02, "io": 0.07, "sleep": 0.07}


def test_who_has_the_interpreter_lock_is_named(forge):
    forged = forge()
    forged.thread(7, "waits")
    forged.look()
    for line in (MAIN_13, MAIN_14, MAIN_13):
        forged.sample([MODULE, line])
        forged.look({7: (WAITS_FOR_GIL, [WORK_2])})
    waits = forged.profile()["scalene_c"]["gil_waits"]
    assert [(one["lineno"], one["holder_lineno"], one["wait_s"]) for one in waits] == [(2, 13, pytest.approx(0.02)), (2, 14, pytest.approx(0.01))]


def test_library_code_in_workers_is_of_the_line_that_waits(forge):
    forged = forge()
    forged.code("/lib/json.py", "loads", 1, 9)
    forged.thread(7, "worker")
    forged.look()
    forged.sample([("/lib/json.py", "loads", 4)], tid=7)  # before anything waits
    for _ in range(4):
        forged.look({MAIN: (WAITS_FOR_LOCK, [MODULE, MAIN_13])})
        forged.sample([("/lib/json.py", "loads", 4)], tid=7)
    forged.sample([WORK_2], tid=7)
    found = rows(forged.profile(), "lines", "time_s", "worker_threads_s")
    assert found == {13: [rounded({"python": 0.05}), pytest.approx(0.05)], 2: [rounded({"python": 0.01}), None]}


def test_native_threads_work_for_the_line_that_waits(forge):
    forged = forge()
    forged.thread(7, is_pythons=False)
    forged.look()
    waits = {MAIN: (WAITS_FOR_LOCK, [MODULE, MAIN_13])}
    forged.sample([MODULE, MAIN_13])
    for _ in range(4):
        forged.look(waits)
        forged.sample([], tid=7)
    forged.look(waits)
    found = rows(forged.profile(), "lines", "time_s", "n_cpu_percent_c")
    assert found == {13: [rounded({"python": 0.01, "parallel_native": 0.04}), pytest.approx(80)]}


def test_the_use_of_the_two_processors(forge):
    forged = forge()
    forged.thread(7, "beside")
    for _ in range(3):
        forged.sample([MODULE, MAIN_13])
        forged.look()
    for _ in range(3):
        forged.sample([MODULE, MAIN_14])
        forged.sample([WORK_2], ms=0, cpu_ms=10, tid=7)
        forged.look()
    found = rows(forged.profile(), "lines", "n_core_utilization")
    assert found == {13: [pytest.approx(0.5)], 14: [pytest.approx(1)], 2: [pytest.approx(1)]}


def test_no_more_stacks_are_listed_than_a_view_can_show(forge):
    forged = forge()
    for depth in range(200):
        forged.sample([MODULE, MAIN_14, *[DOWN_8] * depth, DOWN_9])
    profile = forged.profile()
    listed = [len(frames) for frames, _ in profile["combined_stacks"]]
    assert sorted(listed) == list(range(3, 3 + 138))  # 9,867 frames; with the next stack there would be more than 10,000
    assert profile["scalene_c"]["stacks_percent"] == pytest.approx(100 * 138 / 200)


def test_only_marked_functions_keep_values(forge):
    """The nearest marked caller has what its helpers cost."""
    forged = forge(BEGUN | MEMORY)
    forged.mark("prog.py", "down")
    forged.sample([MODULE, MAIN_13, WORK_2])
    for stack in ([DOWN_8], [DOWN_8, DOWN_9, WORK_3], [DOWN_9, WORK_2]):
        forged.sample([MODULE, MAIN_14, *stack])
        forged.allocate([MODULE, MAIN_14, *stack], 10 * MB)
    profile = forged.profile()
    keys = "n_cpu_percent_python", "n_malloc_mb", "n_peak_mb"
    assert rows(profile, "lines", *keys) == {8: [25, 10, 10], 9: [50, 20, 20]}
    assert rows(profile, "functions", *keys) == {"down": [75, 30, 30]}
    assert [(one["reason"], one["percent"]) for one in profile["scalene_c"]["hidden_files"]] == [("unmarked", 25)]


def test_moments_are_those_of_the_main_threads_samples(forge):
    forged = forge()
    forged.thread(7, "worker")
    forged.sample([MODULE, MAIN_13])
    forged.sample([WORK_2], ms=5, cpu_ms=5, tid=7)
    forged.sample([MODULE, MAIN_13])
    assert rows(forged.profile(), "lines", "cpu_samples_list") == {13: [[5.01, 5.025]]}


def seconds(track, from_s, to_s):
    """Of a track, in a span."""
    slot_s = track["slot_s"]
    return sum(share * slot_s for number, share in enumerate(track["shares"]) if from_s <= track["begin_s"] + (number + 0.5) * slot_s < to_s)


def test_tracks_have_each_cause_where_it_was(forge):
    forged = forge()
    for _ in range(3):
        forged.sample([MODULE, MAIN_13], flags=COLLECTING)
    forged.look({MAIN: (READS, [MODULE, MAIN_14])}, ms=30)
    forged.thread(7, "waits")
    forged.sample([MODULE, MAIN_13])
    forged.look()
    for _ in range(3):
        forged.sample([MODULE, MAIN_13])
        forged.look({7: (WAITS_FOR_GIL, [WORK_2])})
    own = forged.profile()["scalene_c"]
    tracks = {track["id"]: track for track in own["timeline_tracks"]}
    for name, from_s, to_s, all_s in (("gc", 0, 0.03, own["gc_s"]), ("io", 0.03, 0.06, own["time_s"]["io"]), ("gil", 0.07, 0.1, own["wait_s"]["gil"])):
        assert (name, all_s, seconds(tracks[name], from_s, to_s), seconds(tracks[name], 0, 1)) == (name, *[pytest.approx(0.03)] * 3)


def test_a_thread_that_only_waited_has_waited_to_its_end(forge):
    forged = forge()
    forged.thread(7, "waits")
    forged.look()
    forged.sample([MODULE, MAIN_13])
    forged.look({MAIN: (WAITS_FOR_LOCK, [MODULE, MAIN_14]), 7: (WAITS_FOR_LOCK, [WORK_2])})
    forged.thread_end(7, ms=300)
    forged.sample([MODULE, MAIN_13])  # it goes on, and nothing has looked at it meanwhile
    main, other = forged.profile()["scalene_c"]["threads"]
    assert (main["wait_s"], main["time_s"]) == (rounded({"lock": 0.3}), rounded({"other_wait": 0.3, "python": 0.02}))
    assert (other["wait_s"], other["time_s"]) == (rounded({"lock": 0.01 + 0.3}), {})


TEMPLATE = "<ul>\n{% for one in rows %}\n<li>{{ one.root }}</li>\n{% endfor %}\n" + "<p>text</p>\n" * 30
LISP = "(import os)\n\n(defn my-work [n]\n  (* n\n     n))\n"


def test_code_made_from_a_template_is_not_shown_with_its_text(forge, tmp_path):
    """Python code is compiled under the template's name, but has line numbers of its own."""
    forged = forge()
    (tmp_path / "page.html").write_text(TEMPLATE)
    (tmp_path / "short.html").write_text("{{ x }}\n")
    (tmp_path / "core.hy").write_text(LISP)
    forged.code("page.html", "root", 4, 12)
    forged.code("short.html", "<module>", 1, 9)
    forged.code("core.hy", "my_work", 3, 5)
    forged.code("core.hy", "_hy_anon_fn_1", 1, 2)
    forged.sample([MODULE, ("page.html", "root", 9), ("core.hy", "my_work", 5)])
    forged.sample([MODULE, ("page.html", "root", 9)])
    forged.sample([MODULE, ("short.html", "<module>", 7)])
    forged.sample([MODULE, ("core.hy", "_hy_anon_fn_1", 2)])
    files = {name.rpartition("/")[2]: one for name, one in forged.profile()["files"].items()}
    texts = {name: {line["line"] for line in one["lines"]} for name, one in files.items()}
    assert texts["page.html"] == {"\n"} == texts["short.html"]
    assert "  (* n\n" in texts["core.hy"]
    assert [line["lineno"] for line in files["page.html"]["lines"] if line["n_cpu_percent_python"]] == [9]
    assert [line["lineno"] for line in files["short.html"]["lines"] if line["n_cpu_percent_python"]] == [7]
    assert [one["line"] for one in files["page.html"]["functions"]] == ["root"]


def test_time_without_a_cpu_stays_near_where_it_was(forge):
    """What nothing was seen to wait for is not all kept for the line that blocks next."""
    forged = forge()
    for _ in range(50):
        forged.look()
        forged.sample([MODULE, MAIN_13, WORK_2], ms=10, cpu_ms=5)
    forged.sample([MODULE, MAIN_14])
    forged.look({MAIN: (READS, [MODULE, MAIN_14])})
    forged.look({MAIN: (READS, [MODULE, MAIN_14])}, ms=20)
    profile = forged.profile()
    found = rows(profile, "lines", "time_s")
    assert found[2] == [rounded({"python": 0.25, "other_wait": 0.2})]
    assert sum(found[14][0].values()) == pytest.approx(0.08)


def test_without_an_agent(forge):
    """A thread is charged by looks at it, one that works for shorter than they come where it is blocked."""
    forged = forge(BEGUN | OUTSIDE)
    forged.thread(7, "bursts")
    forged.look({7: (SLEEPS, [WORK_2])})
    for _ in range(40):
        forged.cpu_ns[MAIN] += 10 * MS
        forged.cpu_ns[7] += MS
        forged.turns[7] += 1
        forged.look({MAIN: (RUNS, [MODULE, MAIN_13]), 7: (SLEEPS, [WORK_2])}, ms=10)
    profile = forged.profile()
    threads = {thread["name"]: thread["cpu_s"] for thread in profile["scalene_c"]["threads"]}
    assert threads == rounded({"MainThread": 0.4, "bursts": 0.04})
    assert rows(profile, "lines", "time_s") == {13: [rounded({"python": 0.4})], 2: [rounded({"python": 0.04})]}


def test_memory_is_the_same_with_profiles_on_the_way(forge):
    """The means of what is alive are sums over time: a span must not count once for each profile."""
    forged = forge(BEGUN | MEMORY)
    forged.sample([MODULE, MAIN_13])
    kept = forged.allocate([MODULE, MAIN_13, WORK_2], 40 * MB)
    forged.look(ms=300)
    forged.look(ms=500)
    forged.free(forged.allocate([MODULE, MAIN_14], 60 * MB))
    forged.sample([MODULE, MAIN_13], ms=900)
    forged.look(ms=300)
    forged.free(kept)
    forged.allocate([MODULE, MAIN_13, WORK_2], 10 * MB)
    forged.look(ms=200)
    forged.sample([MODULE, MAIN_13], ms=800)
    # 40 MB for 2 s, then 10 MB for 1 s
    assert rows(forged.profile(), "lines", "n_avg_mb")[2] == [pytest.approx(30)]


def test_beginnings_of_lives_are_the_same_with_profiles_on_the_way(forge):
    """What no sample covers of short lives is divided by the samples of all of them, also of those that come later."""
    forged = forge()
    for tid in (7, 8, 9):
        forged.thread(tid)
        forged.cpu_ns[tid] += 4 * 1_000_000
        forged.sample([MODULE, MAIN_13], ms=10)
        if tid > 7:
            forged.sample([WORK_2], ms=0, cpu_ms=6, tid=tid)
        forged.thread_end(tid)
        forged.look(ms=10)
    # 4 ms of each of the three threads, and 2 * 6 ms that samples had
    assert rows(forged.profile(), "lines", "time_s")[2] == [{"python": pytest.approx(0.024)}]


def test_a_thread_that_gets_no_cpu_when_it_is_attached_to(forge):
    forged = forge(BEGUN | OUTSIDE)
    runs = {MAIN: (RUNS, [MODULE, MAIN_13])}
    forged.look(runs)
    forged.look(runs, ms=300, delay_ms=300)
    forged.look({MAIN: (READS, [MODULE, MAIN_14])}, ms=10)
    forged.look({MAIN: (READS, [MODULE, MAIN_14])}, ms=40)
    found = rows(forged.profile(), "lines", "time_s")
    assert found[13] == [rounded({"preempted_python": 0.3})]


def units(profile):
    return {unit["name"]: unit for unit in profile["scalene_c"]["units"]}


def lines(unit):
    return [(line, pytest.approx(seconds)) for _, line, seconds in unit["lines"]]


def test_what_is_spent_inside_is_of_all_labels_around(forge):
    forged = forge()
    forged.sample([MODULE, MAIN_13])
    outer = forged.enter("request")
    for _ in range(2):
        forged.sample([MODULE, MAIN_13])
    inner = forged.enter("query")
    for _ in range(3):
        forged.sample([MODULE, MAIN_14])
    forged.leave(inner)
    forged.leave(outer, ms=7)
    forged.sample([MODULE, MAIN_13, WORK_2])
    found = units(forged.profile())
    assert list(found) == ["request", "query"]  # the longest first
    assert found["request"]["time_s"] == {"python": pytest.approx(0.05)}
    assert found["query"]["time_s"] == {"python": pytest.approx(0.03)}
    assert lines(found["request"]) == [(14, 0.03), (13, 0.02)]
    assert lines(found["query"]) == [(14, 0.03)]
    assert [found[name]["count"] for name in found] == [1, 1]
    assert (found["request"]["total_s"], found["request"]["cpu_s"]) == pytest.approx((0.057, 0.05))
    assert "running" not in found["request"]


def test_the_spread_of_durations(forge):
    forged = forge()
    for ms in (10, 20, 30, 40, 1000):
        forged.leave(forged.enter("job"), ms=ms)
    job = units(forged.profile())["job"]
    assert (job["count"], job["total_s"], job["min_s"], job["max_s"]) == (5, pytest.approx(1.1), pytest.approx(0.01), 1)
    assert job["p50_s"] == pytest.approx(0.03, rel=1 / 32)
    assert job["p99_s"] == pytest.approx(1, rel=1 / 32)
    assert job["p99_s"] <= job["max_s"]


def test_threads_have_their_own_labels(forge):
    forged = forge()
    for tid in (7, 8):
        forged.thread(tid)
    first = forged.enter("first", tid=7)
    second = forged.enter("second", tid=8)
    forged.sample([WORK_2], tid=7)
    forged.sample([WORK_2], tid=8, ms=0, cpu_ms=10)
    forged.sample([MODULE, MAIN_13])
    forged.leave(first, tid=7)
    forged.sample([WORK_2], tid=7)
    forged.leave(second, tid=8)
    found = units(forged.profile())
    assert {name: unit["time_s"] for name, unit in found.items()} == {name: {"python": pytest.approx(0.01)} for name in ("first", "second")}


def test_a_label_that_is_never_left_runs_on(forge):
    forged = forge()
    forged.enter("forever")
    forged.sample([MODULE, MAIN_13])
    forever = units(forged.profile())["forever"]
    assert (forever["count"], forever["running"], forever["total_s"]) == (0, 1, 0)
    assert forever["time_s"] == {"python": pytest.approx(0.01)}


def test_waiting_in_a_label(forge):
    forged = forge()
    forged.thread(7)
    forged.sample([MODULE, MAIN_13])
    forged.sample([WORK_2], tid=7)
    span = forged.enter("job", tid=7)
    sleeps = {MAIN: (WAITS_FOR_LOCK, [MODULE, MAIN_13]), 7: (SLEEPS, [WORK_2])}
    for _ in range(4):
        forged.look(sleeps, ms=25)
    forged.leave(span, tid=7)
    forged.look(sleeps, ms=25)
    job = units(forged.profile())["job"]
    assert job["wait_s"] == {"sleep": pytest.approx(0.1)}  # from the look that has found it there on
    assert lines(job) == [(2, 0.1)]
    assert job["time_s"] == {}
    assert (job["total_s"], job["cpu_s"]) == pytest.approx((0.1, 0))


def test_memory_of_labels(forge):
    forged = forge(BEGUN | MEMORY)
    forged.thread(7)
    forged.sample([MODULE, MAIN_13])
    forged.allocate([MODULE, MAIN_13], 100 * MB)
    outer = forged.enter("test")
    kept = forged.allocate([MODULE, MAIN_13], 10 * MB)
    inner = forged.enter("part")
    freed = forged.allocate([MODULE, MAIN_14], 60 * MB)
    forged.copy([MODULE, MAIN_14], 5 * MB)
    forged.now_ns += 10 * MS  # a block that is freed at once was not filled
    forged.free(freed)
    forged.leave(inner)
    forged.leave(outer)
    forged.free(kept)
    alone = forged.enter("of another thread")
    forged.allocate([WORK_2], 20 * MB, tid=7)
    forged.leave(alone)
    found = units(forged.profile())
    keys = "allocated_mb", "peak_mb", "growth_mb", "copied_mb"
    assert [found["test"].get(key) for key in keys] == pytest.approx([70, 70, 10, 5])
    assert [found["part"].get(key, 0) for key in keys] == pytest.approx([60, 60, 0, 5])
    assert "peak_error_mb" not in found["test"]  # each block was counted
    assert [found["of another thread"].get(key, 0) for key in keys] == pytest.approx([0, 20, 20, 0])  # the footprint is the process's


def test_the_error_of_sampled_memory(forge):
    forged = forge(BEGUN | MEMORY)
    forged.sample([MODULE, MAIN_13])
    span = forged.enter("test")
    for _ in range(4):
        forged.allocate([MODULE, MAIN_13], 1024, weight=3 * MB, points=1)
    for _ in range(100):  # what is freed makes what is alive no less certain
        forged.free(forged.allocate([MODULE, MAIN_13], 1024, weight=3 * MB, points=1))
    forged.leave(span)
    test = units(forged.profile())["test"]
    found = [test[key] for key in ("allocated_mb", "allocated_error_mb", "growth_mb", "growth_error_mb", "peak_mb", "peak_error_mb")]
    assert found == pytest.approx([312, 1.96 * 3 * 104**0.5, 12, 1.96 * 6, 12, 1.96 * 3 * 5**0.5], rel=0.001)
