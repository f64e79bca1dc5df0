# python/scalene/profile.py - `python -m scalene.profile --on|--off --pid PID`: switches profiling on and off.
#
# The observer of a profiled program listens on a Unix socket that is named after the program's
# process; the observer of a child is that of one of its ancestors.
#
# SPDX-License-Identifier: Apache-2.0
"""Switches the profiling of a running program on and off."""

from __future__ import annotations

import errno
import os
import select
import socket
import struct
import sys
import time

from scalene._label import find_agent

# An observer keeps only a few connections that have sent nothing yet, and closes one of them when more come.
ATTEMPTS = 100

# What was measured is written before the answer.
WRITTEN_S = 300

# On a machine with too few CPUs, or while it writes a large profile, an observer answers late.
BUSY_S = 60


def _stat(pid: int) -> list[str]:
    """The process's state, its parent, and so on."""
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8", errors="replace") as stream:
            return stream.read().rpartition(")")[2].split()
    except OSError:
        return []


def _parent(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[1]) if len(fields) > 1 else 0


def order(word: str, pid: int, is_own: bool = True) -> bool | None:
    """Sends "on", "off" or "state" to the observer of a process. Whether profiling is on now, or None when
    no observer answers."""
    if pid == os.getpid():  # which may be a daemon: those have left their ancestors
        answer = order_to(word, getattr(find_agent(), "observer", int)(), 5, is_own)
        if answer is not None:
            return answer
    for _ in range(64):
        if pid < 1:  # that of a container's first process is 1
            break
        answer = order_to(word, pid, 5, is_own)
        if answer is not None:
            return answer
        pid = _parent(pid)
    return None


def _connect(client: socket.socket, address: str, end: float) -> None:
    """Connects; waits while the queue of connections is full, which a socket that does not block does not do itself."""
    while True:
        try:
            client.connect(address)
            return
        except BlockingIOError:
            if time.monotonic() >= end:
                raise
            time.sleep(0.01)


def _answer(client: socket.socket, observer: int, patience_s: float) -> bytes:
    """Waits for longer than patience_s while the observer is only busy. b"" when it is not there any more."""
    end = time.monotonic() + max(patience_s, BUSY_S)
    answered = select.poll()
    answered.register(client, select.POLLIN)
    while not answered.poll(patience_s * 1000):
        if _stat(observer)[:1] in (["T"], ["t"]) or time.monotonic() >= end:
            raise BlockingIOError(errno.EAGAIN, "no answer")
    return client.recv(16)


def order_to(word: str, pid: int, patience_s: float, is_own: bool = True) -> bool | None:
    """Like order(), but only to the observer of exactly this process. "off" holds from the time of this call, so
    that the time until the observer reads it is not charged to the program. is_own: the program switches itself;
    else what was measured is in the file when the answer comes. An observer that is stopped has patience_s."""
    begin_ns = time.monotonic_ns()
    end = time.monotonic() + patience_s
    for _ in range(ATTEMPTS):
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
                client.setblocking(False)
                _connect(client, "\0scalene-control-%d" % pid, end)
                # any process can take the name before an observer does: only one of our own user is accepted
                observer, user, _ = struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
                if user != os.geteuid():
                    return None
                client.send(b"%s %d" % (word.encode(), begin_ns if is_own else 0), socket.MSG_NOSIGNAL)
                answer = _answer(client, observer, patience_s if is_own else WRITTEN_S)
                if answer:
                    return answer == b"on"
        except OSError as error:
            if error.errno is None:
                raise  # not by us: a TimeoutError of the program's alarm, say
            if not isinstance(error, (BrokenPipeError, ConnectionResetError)):
                return None
    return None


def main() -> None:
    import argparse

    parser = argparse.ArgumentParser(prog="python3 -m scalene.profile", description=__doc__)
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--on", action="store_true", help="switch profiling on")
    group.add_argument("--off", action="store_true", help="switch profiling off")
    parser.add_argument("--pid", type=int, required=True, help="of the program, or of `scalene run`")
    options = parser.parse_args()
    if order("on" if options.on else "off", options.pid, is_own=False) is None:
        sys.exit("scalene: no program is profiled as process %d" % options.pid)
    print("scalene: profiling is %s" % ("on" if options.on else "off"))


if __name__ == "__main__":
    main()
