# tests/dump/programs/loops.py - Python code that runs at one instruction, beside a thread that wakes up all the time.
#
# SPDX-License-Identifier: Apache-2.0
import threading
import time


def loops():
    while True:
        pass


threading.Thread(target=loops, name="loops", daemon=True).start()
print("ready", flush=True)
while True:
    time.sleep(0.001)
