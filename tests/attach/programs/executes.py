# tests/attach/programs/executes.py - executes itself again and again, until there is a file "end" beside it.
#
# SPDX-License-Identifier: Apache-2.0
import os
import sys
import time


def first():
    while time.monotonic() < end:
        sum(range(1000))


def second():
    while time.monotonic() < end:
        sum(range(1000))


words = sys.argv[1:] or ["first"]
end = time.monotonic() + 0.7
if words == ["first"]:
    print("ready", flush=True)
(second if words == ["second"] else first)()
if os.path.exists("end"):
    print("ended", flush=True)
    sys.exit(7)
os.execv(sys.executable, [sys.executable, "executes.py", "third" if words == ["second"] else "second"])
