# tests/dump/programs/forked.py - a process that C has forked, so that Python does not know its number.
#
# SPDX-License-Identifier: Apache-2.0
import ctypes
import os
import sys
import threading

never = threading.Event()


def waits():
    never.wait()


threading.Thread(target=waits, name="of_parent", daemon=True).start()
pid = ctypes.PyDLL(None).fork()
if pid == 0:
    threading.Thread(target=waits, name="of_child", daemon=True).start()
    print("%d ready" % os.getpid(), flush=True)
sys.stdin.read(1)
