# tests/dump/programs/spins.py - a thread stays in native code and keeps the interpreter lock.
#
# SPDX-License-Identifier: Apache-2.0
import re
import threading
import time


def spins():
    re.match("(a+)+$", "a" * 60 + "b")


thread = threading.Thread(target=spins, name="spins", daemon=True)
print("ready", flush=True)
thread.start()
while True:
    time.sleep(0.001)  # and then waits for the lock
