# tests/accuracy/test_lock_holders.py - who has the interpreter lock while a thread waits for it.
#
# Truth: of a thread that runs C code with the lock, its own CPU clock at each of two lines. A thread that wakes
# again and again finds the lock taken at one of them in proportion to that.
#
# Error: waits are met some hundred times, the holder is where it was sampled last, and the one that waits wakes when
# a call of the holder ends, not at any time: a fifth of all.
#
# SPDX-License-Identifier: Apache-2.0
"""Holders of the interpreter lock."""

import pytest

from conftest import marked_lines
from sampled import claimed

pytestmark = pytest.mark.statistical

PROGRAM = """
import json
import threading
import time

DATA = list(range(300000))
stop = False
spent = {"long": 0.0, "short": 0.0}


def hold():
    while not stop:
        begin = time.thread_time()
        for _ in range(3):
            sum(DATA)  #: long
        middle = time.thread_time()
        sum(DATA)  #: short
        spent["long"] += middle - begin
        spent["short"] += time.thread_time() - middle


def wait():
    begin = time.perf_counter()
    while time.perf_counter() < begin + 2.5:
        time.sleep(0.003)  #: waits


thread = threading.Thread(target=hold)
thread.start()
wait()
stop = True
thread.join()
print(json.dumps(spent))
"""


def test_who_has_the_lock_is_named(profile, python):
    if python.free_threaded:
        pytest.skip("no interpreter lock")
    ended = profile(PROGRAM, python).expect(0)
    found, truth = ended.profile, ended.facts
    waits = {mark: 0.0 for mark in ("long", "short")}
    for wait in found.own["gil_waits"]:
        for mark in waits:
            if wait["lineno"] in marked_lines(found.text, "waits") and wait["holder_lineno"] in marked_lines(found.text, mark):
                waits[mark] += wait["wait_s"]
    details = (waits, truth, found.own["wait_s"], found.own["gil_waits"])
    assert sum(waits.values()) >= 0.8 * found.own["wait_s"]["gil"], details
    share = truth["long"] / (truth["long"] + truth["short"])
    assert abs(waits["long"] / sum(waits.values()) - share) <= 0.2, details
    holder = "while prog.py:%d had it" % marked_lines(found.text, "long")[0]
    assert claimed(any(finding["id"] == "gil" and holder in finding["text"] for finding in found.own["findings"])), found.own["findings"]
