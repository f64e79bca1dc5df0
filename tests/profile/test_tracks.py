# tests/profile/test_tracks.py - collecting, waiting for input and for the interpreter lock, over time.
#
# SPDX-License-Identifier: Apache-2.0
"""The timeline's tracks: each cause where it was, and as much of it as the profile has in all."""

import pytest

PROGRAM = """
import gc, os, select, threading, time

def until(seconds, act):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        act()

gc.disable()  # but for what is asked
kept = [[number] for number in range(200000)]
begun = time.perf_counter()
until(0.6, gc.collect)
marks = [time.perf_counter() - begun]
kept.clear()  # what collects at the end has little to do
select.select([os.pipe()[0]], [], [], 0.6)
marks.append(time.perf_counter() - begun)
threads = [threading.Thread(target=until, args=(0.6, int)) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
marks.append(time.perf_counter() - begun)
time.sleep(0.3)
print(begun, *marks)
"""


def spent(track, from_s, to_s):
    """Seconds of a track in a span."""
    return sum(
        share * track["slot_s"]
        for number, share in enumerate(track["shares"])
        if from_s <= track["begin_s"] + (number + 0.5) * track["slot_s"] < to_s
    )


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_each_cause_is_where_it_was(profile, python):
    ended = profile(PROGRAM, python)
    found = ended.profile
    begun, *marks = map(float, ended.stdout.split())
    begun -= found.data["start_time_perf"]
    collected, read, raced = (begun + mark for mark in marks)
    tracks = {track["id"]: track for track in found.own["timeline_tracks"]}
    assert set(tracks) == {"gc", "io", "gil"}
    assert all(len(track["shares"]) <= 1024 for track in tracks.values())
    slack_s = 0.05
    for name, from_s, to_s, total_s in (
        ("gc", begun, collected, found.own["gc_s"]),
        ("io", collected, read, found.own["time_s"]["io"]),
        ("gil", read, raced, found.own["wait_s"].get("gil", 0)),
    ):
        whole_s = spent(tracks[name], 0, 1e9)
        assert whole_s == pytest.approx(total_s, abs=0.01 + 0.02 * total_s), name
        if name != "gil" or not python.free_threaded:
            assert whole_s > 0.1, name
            assert spent(tracks[name], from_s - slack_s, to_s + slack_s) > 0.85 * whole_s, name
