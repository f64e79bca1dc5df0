# tests/dump/programs/not_greenlets.py - a class that has the name of the one of greenlets, and is another.
#
# SPDX-License-Identifier: Apache-2.0
import sys

import greenlet

pretended = type("greenlet.greenlet", (), {"__slots__": ("a", "b", "c", "d")})()
print(greenlet.__name__, flush=True)
sys.stdin.read(1)
