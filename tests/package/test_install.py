# tests/package/test_install.py - `meson install`: what it puts where, and that it works from there.
#
# SPDX-License-Identifier: Apache-2.0
"""The installed tree."""

import os
import re
import subprocess

import pytest

from conftest import BUILD, execute

PAGES = ("", "-attach", "-compare", "-completion", "-doctor", "-export", "-help", "-history", "-import", "-live", "-mcp", "-merge", "-optimize", "-profile", "-diff", "-dump", "-run", "-selftest", "-set-nvidia-gpu-modes", "-top", "-view")
EXPECTED = {
    "bin/scalene", "lib/scalene/libscalene.so", "lib/scalene/libscalene-memory.so", "share/bash-completion/completions/scalene",
    "share/fish/vendor_completions.d/scalene.fish", "share/zsh/site-functions/_scalene",
    *("share/man/man1/scalene%s.1" % page for page in PAGES),
}


@pytest.mark.one_python
def test_the_installed_tree(python, tmp_path):
    command = ["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", str(tmp_path / "root")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (prefix,) = {os.path.dirname(folder) for folder, _, files in os.walk(str(tmp_path / "root")) if folder.endswith("/bin") and "scalene" in files}
    found = {os.path.relpath(os.path.join(folder, name), prefix) for folder, _, files in os.walk(str(tmp_path / "root")) for name in files}
    # Debian has a folder for each processor in lib/
    assert {re.sub("^lib[^/]*/.*scalene/", "lib/scalene/", name) for name in found} == EXPECTED
    (tmp_path / "t.py").write_text("print('ran')\n")
    ended = execute([os.path.join(prefix, "bin/scalene"), "run", "--python", python.path, "t.py"], cwd=tmp_path).expect(0)
    assert ended.stdout == "ran\n" and "agent" not in ended.stderr
