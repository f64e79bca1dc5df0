# tests/run/test_unseen_forks.py - children of which no handler of fork knows.
#
# SPDX-License-Identifier: Apache-2.0
"""A raw clone, or _Fork, whose child starts threads."""

import pytest

from conftest import BUSY

PROGRAM = BUSY + """
import ctypes, os, signal, sys, threading
libc = ctypes.CDLL(None)
def begin():
    if sys.argv[1] == "_Fork":
        return libc._Fork()
    clone = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
    return libc.syscall(clone, signal.SIGCHLD, 0, 0, 0, 0)
own = threading.Thread(target=busy, args=(0.2,), name="own")
own.start()
own.join()
while len(os.listdir("/proc/self/task")) > 1:  # such a child inherits a lock that a thread holds at its end
    pass
pid = begin()
if pid == 0:
    for _ in range(3):
        thread = threading.Thread(target=busy, args=(0.2,), name="the child's")
        thread.start()
        thread.join()
    os._exit(0)
print(os.waitpid(pid, 0)[1], os.getpid())
"""


@pytest.mark.parametrize("way", ["clone", "_Fork"])
def test_threads_of_a_child_are_not_taken_for_the_parents(profile, bare, python, way):
    if way == "_Fork" and bare("import ctypes; ctypes.CDLL(None)._Fork", python).status != 0:
        pytest.skip("this glibc has no _Fork")
    ended = profile(PROGRAM, python, [way], options=["--memory"]).expect(0)
    status, pid = map(int, ended.stdout.split())
    threads = ended.profile.own["threads"]
    assert status == 0
    assert {thread["pid"] for thread in threads} == {pid}
    assert {thread["name"] for thread in threads} <= {"MainThread", "own"} and len(threads) <= 2, threads
