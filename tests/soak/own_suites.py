# tests/soak/own_suites.py - the tests of the standard library that the interpreter has, some at random.
#
# SPDX-License-Identifier: Apache-2.0
"""A program of tools/soak; its argument is a seed."""

import importlib.util
import random
import sys
import unittest

NAMES = "test_json test_heapq test_queue test_bisect test_struct test_zlib test_textwrap test_copy test_weakref test_contextlib".split()
if importlib.util.find_spec("test") is None or importlib.util.find_spec("test.test_json") is None:
    sys.exit(0)
chosen = random.Random(int(sys.argv[1])).sample(NAMES, 4)
result = unittest.TextTestRunner(stream=sys.stdout).run(unittest.defaultTestLoader.loadTestsFromNames(["test." + name for name in chosen]))
sys.exit(not result.wasSuccessful())
