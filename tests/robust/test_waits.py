# tests/robust/test_waits.py - what threads wait for that are seldom looked at.
#
# Truth: the program's own clock around each wait. A busy machine lets the profiler look late at a
# thread that has just begun to wait, and lets a thread go on late that need not wait any more.
#
# SPDX-License-Identifier: Apache-2.0
"""Waits."""

import pytest

PROGRAM = """
import json
import threading
import time

waited = {}


def wait(name, event):
    begin = time.perf_counter()
    event.wait(0.6)
    waited[name] = time.perf_counter() - begin


for name in ("first", "second"):
    thread = threading.Thread(target=wait, args=(name, threading.Event()), name=name)
    thread.start()
    thread.join()
print(json.dumps(waited))
"""


@pytest.mark.statistical
def test_threads_that_only_wait_and_end(profile, python):
    ended = profile(PROGRAM, python).expect(0)
    main, first, second = sorted(ended.profile.own["threads"], key=lambda one: not one["is_main"])
    assert main["is_main"]
    truths = sorted(ended.facts.values())
    for one in first, second:
        assert 0.3 <= sum(one["wait_s"].values()) <= truths[1] + 0.1, (one, truths)
    # It waits for both; nothing has looked at it since, when it goes on to its end.
    assert 0.9 <= sum(main["wait_s"].values()) <= sum(truths) + 0.2, (main, truths)
