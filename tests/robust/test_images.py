# tests/robust/test_images.py - memory of processes that execute another program, and of those that have ended.
#
# Truth: blocks too large to be sampled, and what the kernel says in the process itself.
#
# SPDX-License-Identifier: Apache-2.0
"""One process, several memories."""

import pytest

MEMORY = ("--memory",)

EXECUTES_ITSELF = """
import os, sys, time
left = int(sys.argv[1])
kept = bytearray(20_000_000)
time.sleep(0.2)
if left > 0:
    os.execv(sys.executable, [sys.executable, sys.argv[0], str(left - 1)])
"""


def test_memory_ends_with_exec(profile, python):
    found = profile(EXECUTES_ITSELF, python, ["3"], MEMORY).expect(0).profile.exact
    assert [one["exit_kind"] for one in found.own["processes"]] == ["exec", "exec", "exec", "exit"]
    # Another image would add 19; small blocks, which are sampled, are the rest.
    assert 15 < found.data["max_footprint_mb"] < 25, found.data["max_footprint_mb"]
    assert 15 < found.own["live_at_exit_mb"] < 25, found.own["live_at_exit_mb"]


PARENT_OF_A_SMALL_ONE = """
import subprocess, sys
kept = bytearray(200_000_000)
kept[::4096] = b"x" * len(kept[::4096])
code = "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
sys.exit(subprocess.call([sys.executable, "-c", code]))
"""


@pytest.mark.parametrize("options", [MEMORY, ()], ids=["everything", "time"])
def test_a_child_has_not_its_parents_peak(profile, python, options):
    ended = profile(PARENT_OF_A_SMALL_ONE, python, options=options).expect(0)
    # a child that is slow on its way to its program was a process before, too
    parent, child = (one for one in ended.profile.exact.own["processes"] if one["exit_kind"] != "exec")
    assert parent["max_rss_mb"] > 190, parent
    own_mb = int(ended.stdout) / 1024
    assert own_mb - 1 < child["max_rss_mb"] < own_mb + 5, (own_mb, child)


ENDS_UNNOTICED = """
import subprocess, sys, time
code = "import time; time.sleep(0.3); kept = bytearray(300_000); kept[::4096] = b'x' * len(kept[::4096]); raise SystemExit(1)"
child = subprocess.Popen([sys.executable, "-S", "-c", code])
time.sleep(1)
sys.exit(child.wait() - 1)
"""


def test_a_zombie_is_no_refusal(profile, python):
    """The kernel has no pages of a process that has ended and that nobody has waited for."""
    ended = profile(ENDS_UNNOTICED, python, options=MEMORY).expect(0)
    assert not any("pagemap" in note for note in ended.profile.own["notes"]), ended.profile.own["notes"]
    assert "pagemap" not in ended.stderr
