# tests/accuracy/test_identity.py - code that stands where other code stood is not that other code.
#
# A program makes clones of a function that differ in the name of their file alone, one after the other. Each is freed
# before the next is made, which then gets its address, and that of its file's name.
#
# Truth: what each clone was asked to use. Error: 0.6 s on a CPU at 250 samples a second, and as much of waiting; shares
# are of 10 to 40 %. With an identity by address the first file has them whole, or two have them. Limit: 15 points, of bytes 3.
#
# SPDX-License-Identifier: Apache-2.0
"""Time, waiting, bytes and awaits of code whose addresses are used again."""

import os

import pytest

pytestmark = pytest.mark.statistical

NAMES = ["part%d.py" % i for i in range(4)]
PARTS = (1, 2, 3, 4)
LIMIT = 15

HEAD = """
import asyncio, json, os, time, types

FOLDER = os.path.dirname(os.path.abspath(__file__)) + "/"
NAMES = %r
PARTS = %r
places = {}


def burn(part):
    until = time.thread_time() + 0.015 * part
    while time.thread_time() < until:
        for _ in range(200):
            pass


def sleep(part):
    time.sleep(0.015 * part)


def allocate(part):
    bytearray(part << 20)


async def wait(part):
    await asyncio.sleep(0.015 * part)


async def wait_in_turn():
    for name, part in list(zip(NAMES, PARTS)) * 4:
        await clone(wait, name)(part)


def clone(function, name):
    code = function.__code__.replace(co_filename=FOLDER + name)
    places.setdefault((id(code), id(code.co_filename)), set()).add(name)
    return types.FunctionType(code, globals())


for name in NAMES:
    with open(FOLDER + name, "w") as file, open(__file__) as own:
        file.write(own.read())
""" % (NAMES, PARTS)

TAIL = """
print(json.dumps(max(len(names) for names in places.values())))
"""

EACH = """
for name, part in list(zip(NAMES, PARTS)) * 4:
    clone(%s, name)(part)
"""


def record_shares(ended, value):
    """What the files have of a number, in percent of their sum."""
    numbers = []
    for name in NAMES:
        file = ended.profile.data["files"].get(os.path.join(os.path.dirname(ended.program), name), {"lines": []})
        numbers.append(sum(value(line) for line in file["lines"]))
    assert sum(numbers) > 0
    return [100 * number / sum(numbers) for number in numbers]


def assert_true_shares(ended, python, value, limit):
    found = record_shares(ended, value)
    # a build without the GIL frees code later
    assert ended.facts >= 2 or python.free_threaded, "addresses were not used again: %d" % ended.facts
    assert all(abs(share - 10 * part) <= limit for share, part in zip(found, PARTS)), found


def test_time_on_a_cpu(profile, python):
    ended = profile(HEAD + EACH % "burn" + TAIL, python, options=["--cpu-sampling-rate", "0.004"]).expect(0)
    assert_true_shares(ended, python, lambda line: line["n_cpu_percent_python"] + line["n_cpu_percent_c"], LIMIT)


@pytest.mark.few_pythons
def test_waiting_seen_from_outside(profile, python):
    ended = profile(HEAD + EACH % "sleep" + TAIL, python).expect(0)
    assert_true_shares(ended, python, lambda line: line["n_sys_percent"], LIMIT)


@pytest.mark.few_pythons
def test_bytes(profile, python):
    ended = profile(
        HEAD + EACH % "allocate" + TAIL, python, options=["--memory", "--malloc-threshold", "0", "--cpu-percent-threshold", "0"]
    ).expect(0)
    assert_true_shares(ended, python, lambda line: line["n_malloc_mb"], 3)


@pytest.mark.few_pythons
def test_awaits(profile, python):
    ended = profile(HEAD + "asyncio.run(wait_in_turn())\n" + TAIL, python).expect(0)
    assert_true_shares(ended, python, lambda line: line["n_async_await_percent"], LIMIT)
