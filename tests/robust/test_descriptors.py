# tests/robust/test_descriptors.py - few descriptors, for the observer too: what it cannot look at now is not lost.
#
# SPDX-License-Identifier: Apache-2.0
"""A limit of open files."""

import resource

import pytest

from conftest import BUSY

MANY_AT_ONCE = BUSY + """
import json, threading

barrier = threading.Barrier(121)

def run():
    barrier.wait()
    busy(0.015)
    barrier.wait()

threads = [threading.Thread(target=run) for _ in range(120)]
for thread in threads:
    thread.start()
barrier.wait()
barrier.wait()
for thread in threads:
    thread.join()
print(json.dumps({"used_s": time.process_time()}))
"""


@pytest.mark.parametrize("limit", [40, 64, 200])
@pytest.mark.few_pythons
@pytest.mark.statistical
def test_more_threads_than_descriptors(profile, python, limit):
    """The clock of a thread that cannot be read does not begin at 0 again: each sample stands for the time since the previous one."""

    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

    ended = profile(MANY_AT_ONCE, python, prepare=few).expect(0)
    used_s = ended.facts["used_s"]
    found = ended.profile
    on_cpu_s = sum(found.own["time_s"].get(kind, 0) for kind in ("python", "native", "kernel", "parallel_native"))
    assert abs(on_cpu_s - used_s) <= 0.05 + 0.05 * used_s, (on_cpu_s, used_s)
    assert found.cpu_inside("busy") >= 0.8 * 1.8, found.hottest()
    assert len(found.own["threads"]) == 121, len(found.own["threads"])


@pytest.mark.parametrize("limit", [12, 14, 20])
@pytest.mark.few_pythons
@pytest.mark.statistical
def test_hardly_any_descriptors_for_the_profiler(profile, python, limit):
    """Bare Python runs with so many; what cannot be read is lost, but neither the run nor the profile."""

    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

    ended = profile("import time\nwhile time.process_time() < 0.5:\n    pass\n", python, prepare=few).expect(0)
    assert ended.profile.cpu_s([2, 3]) >= 0.3, ended.profile.hottest()
