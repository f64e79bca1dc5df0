# tests/cli/test_modes.py - who may read what a run, a page and a merged profile leave behind.
#
# SPDX-License-Identifier: Apache-2.0
"""Files that hold source text are for their owner alone."""

import json
import os
import stat
import threading

import pytest

from conftest import execute

SECRET = "password = 'tell nobody'\nprint(sum(i * i for i in range(3000000)))\n"


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "prog.py"
    path.write_text(SECRET)
    path.chmod(0o600)
    return path


def watch(folder, seen, ended):
    """Notes the modes of all that is ever seen in a folder."""
    while not ended.is_set():
        for name in os.listdir(folder):
            try:
                seen.setdefault(name, set()).add(mode(os.path.join(folder, name)))
            except FileNotFoundError:
                pass


@pytest.mark.parametrize("umask", (0o000, 0o022, 0o077))
def test_profile_and_page_are_for_their_owner(scalene, program, umask):
    folder = program.parent
    seen, ended = {}, threading.Event()
    watching = threading.Thread(target=watch, args=(folder, seen, ended))
    before = os.umask(umask)
    watching.start()
    try:
        execute([scalene, "run", "--cpu-only", "--profile-all", "prog.py"], cwd=folder).expect(0)
        execute([scalene, "view", "--html"], cwd=folder).expect(0)
    finally:
        os.umask(before)
        ended.set()
        watching.join()
    assert "tell nobody" in (folder / "scalene-profile.json").read_text()
    assert mode(folder / "scalene-profile.json") == mode(folder / "scalene-profile.html") == 0o600
    assert not [name for name, modes in seen.items() if any(one & 0o077 for one in modes)], seen


def test_a_profile_that_is_replaced_is_for_its_owner_from_then_on(scalene, program):
    folder = program.parent
    profile = folder / "scalene-profile.json"
    narrow = 0o400 if os.geteuid() == 0 else 0o600  # others may not replace what they may not write
    for old, new in ((0o644, 0o600), (narrow, narrow)):
        profile.unlink(missing_ok=True)
        profile.write_text("{}")
        profile.chmod(old)
        execute([scalene, "run", "--cpu-only", "prog.py"], cwd=folder).expect(0)
        assert mode(profile) == new and json.loads(profile.read_text())["files"]


def test_a_profile_of_another_kind_of_file_is_written_as_it_is(scalene, program):
    done = execute([scalene, "run", "--cpu-only", "-o", "/dev/stdout", "prog.py"], cwd=program.parent).expect(0)
    assert '"elapsed_time_sec"' in done.stdout
