# tests/profile/test_moments.py - cpu_samples_list: when a line was sampled, in every process.
#
# SPDX-License-Identifier: Apache-2.0
"""Moments of samples."""

import pytest

PROGRAM = """\
import multiprocessing
import time


def work(number):
    end = time.perf_counter() + 0.6
    while time.perf_counter() < end:
        number += 1  #: worker
    return number


if __name__ == "__main__":
    begin = time.perf_counter()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(work, range(2))
    print(begin, time.perf_counter())
"""


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_lines_of_workers_have_the_moments_of_their_samples(profile, python):
    ended = profile(PROGRAM, python).expect(0)
    begin, end = map(float, ended.stdout.split())
    lines = [line for line in ended.profile.file()["lines"] if line["lineno"] in (7, 8)]
    moments = [moment for line in lines for moment in line["cpu_samples_list"]]
    assert len(moments) >= 10
    assert all(begin <= moment <= end for moment in moments)
    for line in lines:
        assert line["cpu_samples_list"] == sorted(line["cpu_samples_list"])
