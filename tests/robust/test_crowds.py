# tests/robust/test_crowds.py - more children at once than the limit on open files has room for.
#
# SPDX-License-Identifier: Apache-2.0
"""Many children and few descriptors."""

import ctypes
import fcntl
import os
import resource

import pytest
from conftest import BUILD, UNTIL_SEEN

# Only root may have more descriptors on their way to the observer than a process may have open (unix(7)).
CAP_SYS_ADMIN, CAP_SYS_RESOURCE, PR_CAPBSET_DROP = 21, 24, 24


def few_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))


def few_descriptors_as_no_root():
    few_descriptors()
    for capability in (CAP_SYS_ADMIN, CAP_SYS_RESOURCE):
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability)


@pytest.fixture
def only_one_crowd():
    """All processes of a user count: such tests run one after another."""
    with open(os.path.join(BUILD, "crowd.lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


CROWD = """
import json, os, time
with open("/proc/%d/cmdline" % os.getppid()) as line:
    words = line.read().split("\\0")
path = words[words.index("-o") + 1]
def wait_until_known(count):
    known = ()
    while len(known) != count:
        time.sleep(0.05)
        if os.path.exists(path):
            with open(path) as text:
                known = json.load(text).get("scalene_c", {}).get("processes", ())
reading, writing = os.pipe()
pids = []
for k in range(30):
    pid = os.fork()
    if pid == 0:
        os.close(writing)
        os.read(reading, 1)
        os._exit(7)
    pids.append(pid)
    if len(pids) % 10 == 0:
        wait_until_known(1 + len(pids))
time.sleep(0.5)  # many polls
os.close(writing)
for pid in pids:
    os.waitpid(pid, 0)
"""


@pytest.mark.few_pythons
@pytest.mark.usefixtures("only_one_crowd")
def test_more_children_than_descriptors(profile, python):
    """One that cannot be looked at now, as no file can be opened, has not ended."""
    found = profile(CROWD, python, options=UNTIL_SEEN, prepare=few_descriptors).expect(0).profile
    assert [(one["exit_kind"], one["exit_value"]) for one in found.own["processes"][1:]] == [("exit", 7)] * 30


BURST = """
import os, signal
reading, writing = os.pipe()
os.kill(os.getppid(), signal.SIGSTOP)
for k in range(40):
    if os.fork() == 0:
        os.write(writing, b"x")
        os._exit(0)
for k in range(40):
    os.read(reading, 1)
os.kill(os.getppid(), signal.SIGCONT)
for k in range(40):
    os.wait()
"""


@pytest.mark.few_pythons
@pytest.mark.usefixtures("only_one_crowd")
def test_more_children_at_once_than_descriptors(profile, python):
    """While the observer does nothing: one whose buffer cannot be sent to it is counted."""
    found = profile(BURST, python, prepare=few_descriptors_as_no_root).expect(0).profile
    lost = found.own["losses"]["child_not_followed"]
    assert len(found.own["processes"]) + lost == 41 and lost >= 10, (len(found.own["processes"]), lost)
    notes = [note for note in found.own["notes"] if note.startswith("not followed")]
    assert notes == ["not followed: 'python' in %d processes: more of them began at once than the limit on open files lets meet the observer "
                     "(ulimit -n raises it)" % lost]
