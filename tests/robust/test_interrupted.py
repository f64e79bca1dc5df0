# tests/robust/test_interrupted.py - no system call ends early because of a sample.
#
# poll, epoll_wait and nanosleep are not begun again after a signal that comes while the thread is inside, whatever
# SA_RESTART says. Truth: by construction, nobody else sends the program a signal.
#
# SPDX-License-Identifier: Apache-2.0
"""System calls that a signal would end."""

import pytest

PROGRAM = """
import ctypes
import errno
import json
import os
import time

libc = ctypes.CDLL(None, use_errno=True)
reading, writing = os.pipe()
waited = libc.epoll_create1(0)
event = (ctypes.c_char * 12)()
asked = (ctypes.c_int * 2)(reading, 1)
moment = (ctypes.c_long * 2)(0, 20000)
ended = {"poll": 0, "epoll_wait": 0, "nanosleep": 0}


def call(name, *arguments):
    if getattr(libc, name)(*arguments) < 0 and ctypes.get_errno() == errno.EINTR:
        ended[name] += 1


end = time.thread_time() + 1.5
while time.thread_time() < end:
    for i in range(100):
        call("poll", asked, 1, 0 if i % 25 else 1)
        call("epoll_wait", waited, event, 1, 0 if i % 25 else 1)
        if i % 10 == 0:
            call("nanosleep", moment, None)
print(json.dumps(ended))
"""


@pytest.mark.parametrize("rate", ("0.001", "0.01"))
@pytest.mark.few_pythons
@pytest.mark.statistical
def test_no_call_is_ended(profile, python, rate):
    ended = profile(PROGRAM, python, [], ["--cpu-sampling-rate", rate]).expect(0)
    assert set(ended.facts.values()) == {0}, ended.facts
    assert ended.profile.own["samples_taken"] >= 50, ended.profile.own
