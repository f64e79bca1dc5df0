# tests/profile/test_interval.py - --profile-interval: whole and valid files while the program runs.
#
# SPDX-License-Identifier: Apache-2.0
"""Profiles of a program that goes on."""

import os
import time

import pytest

from conftest import Profile
from sampled import claimed

PROGRAM = """
import time
kept = []
end = time.monotonic() + 3
while time.monotonic() < end:
    kept.append(bytearray(1 << 20))  #: kept
    for i in range(300000):
        i ^ 5
    time.sleep(0.05)
print(len(kept))
"""


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_every_reading_is_a_whole_profile(profile, python, tmp_path):
    out = tmp_path / "interim.json"
    seen = []

    def read_again_and_again(process):
        while process.poll() is None:
            if out.exists() and out.read_text():
                seen.append(Profile.read(out).data)
            time.sleep(0.02)

    # the file is read here, and not where the fixture would look
    options = ["--memory", "--profile-interval", "0.3", "-o", str(out)]
    ended = profile(PROGRAM, python, options=options, act=read_again_and_again, expects_profile=False).expect(0)
    elapsed = sorted({one.get("elapsed_time_sec", 0) for one in seen})
    assert claimed(len(elapsed) >= 5), elapsed
    last = Profile.read(out).data
    whole = [one for one in seen if "files" in one]
    assert claimed(len(whole) >= 5)
    for before, after in zip(whole, whole[1:]):
        assert before["elapsed_time_sec"] <= after["elapsed_time_sec"]
        assert before["scalene_c"]["samples_taken"] <= after["scalene_c"]["samples_taken"]
        assert before["max_footprint_mb"] <= after["max_footprint_mb"]
    assert whole[0]["scalene_c"]["exit_kind"] is None
    assert last["scalene_c"]["exit_kind"] == "exit"
    assert last["max_footprint_mb"] == pytest.approx(int(ended.stdout), rel=0.05, abs=2)  # a slow machine keeps less
    assert [name for name in os.listdir(tmp_path) if name.endswith(".tmp")] == []
