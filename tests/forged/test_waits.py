# tests/forged/test_waits.py - what a program waits for, and what only looks like waiting: the kernel's counters are given.
#
# SPDX-License-Identifier: Apache-2.0
"""From looks at waiting threads to JSON."""

import pytest

from forged import MAIN, SLEEPS, WAITS_FOR_LOCK, Forged

PROGRAM = """\
def work():
    pass
    pass


def main():
    work()
    work()


main()
"""
MODULE = ("prog.py", "<module>", 11)
MAIN_7 = ("prog.py", "main", 7)
MAIN_8 = ("prog.py", "main", 8)
WORK_2 = ("prog.py", "work", 2)
WORK_3 = ("prog.py", "work", 3)


@pytest.fixture
def forged(tmp_path):
    (tmp_path / "prog.py").write_text(PROGRAM)
    made = Forged(tmp_path)
    made.thread(MAIN, "MainThread", is_main=True)
    for function, first, last in (("<module>", 1, 11), ("work", 1, 3), ("main", 6, 8)):
        made.code("prog.py", function, first, last)
    return made


def rounded(values):
    return {key: pytest.approx(value) for key, value in values.items()}


def test_a_wait_for_a_cpu_after_a_sleep_is_no_sleep(forged):
    """The kernel counts it only when the thread has had a CPU: until then nothing is charged."""
    forged.sample([MODULE, MAIN_7])
    sleeps = {MAIN: (SLEEPS, [MODULE, MAIN_8])}
    forged.look(sleeps, ms=50)
    forged.look(sleeps, ms=50)
    for _ in range(3):
        forged.look(ms=300)  # ready to run, and not on a CPU since
    forged.sample([MODULE, MAIN_7], ms=110, cpu_ms=10)
    forged.look(delay_ms=900)
    forged.sample([MODULE, MAIN_7])
    profile = forged.profile()
    assert profile["scalene_c"]["time_s"] == rounded({"python": 0.03, "sleep": 0.2, "preempted_python": 0.9})
    (thread,) = profile["scalene_c"]["threads"]
    assert thread["wait_s"] == rounded({"sleep": 0.15})  # from the look that has found it there on


def test_a_wait_for_a_cpu_at_the_end_is_no_sleep(forged):
    forged.sample([MODULE, MAIN_7])
    forged.look({MAIN: (SLEEPS, [MODULE, MAIN_8])}, ms=100)
    forged.sample([MODULE, MAIN_7], ms=510, cpu_ms=10)
    forged.lack(delay_ms=400)
    profile = forged.profile()
    assert profile["scalene_c"]["time_s"] == rounded({"python": 0.02, "sleep": 0.2, "preempted_python": 0.4})


def test_counters_of_another_thread_at_the_end_are_no_wait_for_a_cpu(forged):
    """A thread that executes another program gets the number of the first one, and keeps its own counters."""
    forged.sample([MODULE, MAIN_7])
    forged.look(ms=300, delay_ms=300)
    forged.look({MAIN: (SLEEPS, [MODULE, MAIN_8])}, ms=100)
    forged.sample([MODULE, MAIN_7], ms=210, cpu_ms=10)
    forged.lack(delay_ms=-200)
    profile = forged.profile()
    assert profile["scalene_c"]["time_s"] == rounded({"python": 0.02, "sleep": 0.3, "preempted_python": 0.3})


def test_a_thread_that_lacks_a_cpu_before_its_first_sample_does_not_wait(forged):
    forged.look(ms=500, delay_ms=490)
    for _ in range(3):
        forged.sample([MODULE, MAIN_7])
    forged.look()
    profile = forged.profile()
    assert profile["scalene_c"]["time_s"] == rounded({"python": 0.03, "preempted_python": 0.5})


def test_a_sleep_before_the_first_sample_does_not_lack_a_cpu(forged):
    forged.look(ms=500, delay_ms=490)
    for _ in range(3):
        forged.look({MAIN: (SLEEPS, [MODULE, MAIN_8])}, ms=100)
    for _ in range(3):
        forged.sample([MODULE, MAIN_7])
    forged.look()
    assert forged.profile()["scalene_c"]["time_s"] == rounded({"python": 0.03, "sleep": 0.31, "preempted_python": 0.49})


def test_a_program_without_samples_waits_where_it_was_seen(forged):
    forged.look(ms=500, delay_ms=490)
    forged.look({MAIN: (SLEEPS, [MODULE, MAIN_8])}, ms=100)
    forged.look({MAIN: (SLEEPS, [MODULE, MAIN_8])}, ms=100)
    assert forged.profile()["scalene_c"]["time_s"] == rounded({"sleep": 0.7})


def test_a_worker_that_is_due_does_not_sleep(forged):
    forged.thread(7)
    forged.sample([MODULE, MAIN_7])
    forged.sample([WORK_2], tid=7)
    main = {MAIN: (WAITS_FOR_LOCK, [MODULE, MAIN_7])}
    asleep = {**main, 7: (SLEEPS, [WORK_2])}
    forged.look(asleep)
    forged.look(asleep, ms=100)
    forged.look(main, ms=300)
    forged.sample([WORK_3], ms=110, cpu_ms=10, tid=7)
    forged.look(main, delayed=7, delay_ms=300)
    assert forged.profile()["scalene_c"]["time_s"]["sleep"] == pytest.approx(0.2)
