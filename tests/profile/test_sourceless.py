# tests/profile/test_sourceless.py - code whose source is nowhere is shown by the numbers of its lines.
#
# SPDX-License-Identifier: Apache-2.0
"""A distribution of .pyc files alone has lines and functions."""

import json
import os
import subprocess

import pytest
from conftest import clean_environment

HELPER = """
import time

class Work:
    def spin(self, seconds):
        end = time.thread_time() + seconds
        while end > time.thread_time():
            sum(range(2000))
"""
MAIN = "import helper\n\nhelper.Work().spin(0.4)\n"


@pytest.mark.by_version
def test_lines_have_their_numbers(profile, python, scalene, tmp_path):
    source = tmp_path / "helper.py"
    source.write_text(HELPER)
    subprocess.run([python.path, "-m", "compileall", "-q", "-b", str(source)], env=clean_environment(), check=True)
    os.unlink(source)
    found = profile(MAIN, python).expect(0).profile
    assert str(source) in found.files
    lines = found.file(str(source))["lines"]
    assert [line["lineno"] for line in lines] == list(range(1, len(lines) + 1)) and 6 < len(lines) < 9
    assert {line["line"] for line in lines} == {"\n"}
    assert [one["line"] for one in found.file(str(source))["functions"]] in (["Work.spin"], ["spin"])
    saved = tmp_path / "profile.json"
    saved.write_text(json.dumps(found.exact.data))
    shown = subprocess.run([scalene, "view", "--cli", str(saved)], stdout=subprocess.PIPE, env=clean_environment(), check=True)
    assert "no source that has its lines was found" in shown.stdout.decode()
