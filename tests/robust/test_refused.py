# tests/robust/test_refused.py - what the system does not let the observer read of the program costs only that part.
#
# SPDX-License-Identifier: Apache-2.0
"""A profile where ptrace and its kin are not permitted."""

import dataclasses
import os
import shutil

import pytest

import refused_calls
from conftest import BUSY, SEEN, UNTIL_SEEN

PROGRAM = BUSY + """
import ctypes, sys

if "undumpable" in sys.argv:
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE


def native(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(values)  #: native


values = list(range(20000))
busy(0.3)
native(0.3)
block = bytearray(40 << 20)  #: block
time.sleep(0.4)
print("done")
sys.exit(5)
"""

def without_capabilities():
    """In front of a command: nothing is permitted but what an ordinary user may do."""
    if os.geteuid() != 0:
        return []
    return [shutil.which("setpriv") or pytest.skip("no setpriv"), "--bounding-set=-all", "--inh-caps=-all"]


def check_numbers(ended):
    """All that the agent reports is there, and time in which nothing ran is waiting and not a CPU's fault."""
    assert ended.stdout == "done\n"
    found = ended.profile
    assert 0.2 < found.cpu_inside("busy") < 0.45, found.hottest()
    assert 0.2 < found.cpu_inside("native") < 0.45, found.hottest()
    assert found.inside("busy").python > 3 * found.inside("busy").native, found.hottest()
    assert found.marked("native").native > 3 * found.marked("native").python, found.hottest()
    times = found.own["time_s"]
    waited = sum(times.get(kind, 0) for kind in ("io", "sleep", "other_wait"))
    assert waited > 0.3, times


def notes_of(ended):
    found = [note for note in ended.profile.own["notes"] if "ptrace" in note]
    assert all(note in ended.stderr for note in found), ended.stderr
    return found


@pytest.mark.statistical
def test_memory_that_may_not_be_read(profile, python):
    ended = profile(PROGRAM, python, options=["--memory"], prepare=refused_calls.refuse(*refused_calls.READS_OF_MEMORY)).expect(5)
    check_numbers(ended)
    block = ended.profile.record("block")
    assert 39 < block["n_malloc_mb"] < 42, block
    notes = notes_of(ended)
    assert len(notes) == 1 and "reading the memory" in notes[0], notes


@pytest.mark.few_pythons
def test_no_process_that_reads_files(profile, python):
    ended = profile("print(1)", python, prepare=refused_calls.refuse("socketpair")).expect(0)
    for what in ("files", "programs"):
        assert "a process that reads %s could not be started (Operation not permitted)" % what in ended.stderr
    assert "in time" not in ended.stderr


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_a_program_that_closes_itself(profile, python):
    """After its beginning, so that what was looked at before is known."""
    ended = profile(PROGRAM, python, ["undumpable"], before=without_capabilities()).expect(5)
    check_numbers(ended)
    assert any("what process" in note for note in notes_of(ended)), ended.profile.own["notes"]


@pytest.fixture
def closed_python(python, tmp_path_factory):
    """Executed but not read, it and all it becomes is closed from its first instruction on."""
    folder = tmp_path_factory.mktemp("closed")
    prefix = os.path.dirname(os.path.dirname(os.path.realpath(python.path)))
    (folder / "pyvenv.cfg").write_text("home = %s/bin\n" % prefix)
    (folder / "bin").mkdir()
    closed = str(folder / "bin" / "python3")
    shutil.copy(os.path.realpath(python.path), closed)
    os.chmod(closed, 0o111)
    return dataclasses.replace(python, path=closed)


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_an_interpreter_that_may_not_be_read(profile, closed_python):
    ended = profile(PROGRAM, closed_python, before=without_capabilities()).expect(5)
    check_numbers(ended)
    notes = notes_of(ended)
    assert [any(part in note for note in notes) for part in ("reading the memory", "waits for", "which files")] == [True] * 3, notes


@pytest.mark.few_pythons
def test_pages_that_may_not_be_asked_about(profile, closed_python):
    """What is allocated counts as used then."""
    text = SEEN + "block = bytes(64 << 20)  #: block\nwait_until_seen()\n"
    options = ["--memory", "--malloc-threshold", "0", "--cpu-percent-threshold", "0", *UNTIL_SEEN]
    ended = profile(text, closed_python, options=options, before=without_capabilities()).expect(0)
    assert 63 < ended.profile.exact.record("block")["n_peak_mb"] < 66
    assert any("pagemap" in note for note in ended.profile.own["notes"]), ended.profile.own["notes"]
