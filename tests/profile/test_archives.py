# tests/profile/test_archives.py - programs inside archives are shown as others are.
#
# SPDX-License-Identifier: Apache-2.0
"""zipapp and its like: the source is read out of the archive."""

import json
import subprocess
import zipfile

import pytest

from conftest import clean_environment

HELPER = """import os
import time


def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(2000))


os.chdir("/")
"""
MAIN = "from inner.helper import spin\n\nspin(0.4)\n"


@pytest.fixture(params=[zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED], ids=["stored", "deflated"])
def archive(request, tmp_path):
    path = tmp_path / "app.pyz"
    path.write_bytes(b"#!/usr/bin/env python3\n")
    with zipfile.ZipFile(path, "a", request.param) as file:
        for name, text in (("__main__.py", MAIN), ("inner/__init__.py", ""), ("inner/helper.py", HELPER)):
            file.writestr(name, text)
    return path


def test_source_is_read_out_of_the_archive(profile, python, archive, scalene, tmp_path):
    found = profile("", python, what=[archive.name], cwd=tmp_path).expect(0).profile
    names = [str(archive / "inner" / "helper.py"), str(archive / "__main__.py")]
    assert names[0] in found.files and set(found.files) <= set(names)
    lines = [line["line"] for line in found.file(names[0])["lines"]]
    assert "".join(lines).replace("\\u003c", "<") == HELPER
    assert [one["line"] for one in found.file(names[0])["functions"]] == ["spin"]
    saved = tmp_path / "profile.json"
    saved.write_text(json.dumps(found.exact.data))
    shown = subprocess.run([scalene, "view", "--cli", str(saved)], stdout=subprocess.PIPE, env=clean_environment(), check=True)
    assert "        sum(range(2000))" in shown.stdout.decode()
