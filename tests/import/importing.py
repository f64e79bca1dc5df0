# tests/import/importing.py - imports files of other profilers for the tests, in a folder of their own.
#
# The files in data/ were made of data/prog.py.txt in /srv/example by py-spy 0.4.3, austin 3.7.0 (the binary one by 4.0.0), pyinstrument 5.1.3, memray 1.20.0
# and viztracer 1.1.1 (without the texts of sources that it adds) with Debian's Python 3.11, and by Tachyon of Python 3.15.2.
#
# SPDX-License-Identifier: Apache-2.0
"""Importing files, and what their profiles say."""

import json
import os
import shutil

import pytest

import invariants
import whole
from conftest import execute

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")


class Importer:
    """`scalene import` in a directory with prog.py: importer("pyspy.txt") -> the profile."""

    def __init__(self, scalene, directory):
        self.scalene = scalene
        self.directory = directory
        shutil.copy(os.path.join(DATA, "prog.py.txt"), os.path.join(str(directory), "prog.py"))

    def line(self, *words, **how):
        return execute([self.scalene, *words], cwd=self.directory, **how)

    def write(self, name, content):
        path = os.path.join(str(self.directory), name)
        with open(path, "wb") as out:
            out.write(content if isinstance(content, bytes) else content.encode())
        return path

    def stored(self, *names):
        for name in names:
            shutil.copy(os.path.join(DATA, name), str(self.directory))
        return self(*names)

    def __call__(self, *words):
        self.line("import", "-o", "out.json", *words).expect(0)
        with open(os.path.join(str(self.directory), "out.json"), encoding="utf-8") as file:
            profile = whole.complete(json.load(file))
        invariants.check(profile, words[0])
        return profile

    def refused(self, *words):
        """The sentence with which a file is refused."""
        ended = self.line("import", *words).expect(1)
        assert ended.stdout == "" and ended.stderr.startswith("scalene: import: ") and ended.stderr.count("\n") == 1
        return ended.stderr

    def refuses(self, content, *words):
        self.write("hostile", content)
        return self.refused("hostile", *words)


@pytest.fixture
def importer(scalene, tmp_path):
    return Importer(scalene, tmp_path)


def seconds(profile):
    """All time in the profile."""
    return sum(profile["scalene_c"]["time_s"].values())


def own(profile, name):
    """Own seconds of each function of a file, by name; those of one name together."""
    found = {}
    for file, content in profile["files"].items():
        if os.path.basename(file) == name:
            for function in content["functions"]:
                found[function["line"]] = found.get(function["line"], 0) + sum(function.get("time_s", {}).values())
    return found


def lines(profile, name, key="time_s"):
    """What each line of a file cost that cost something."""
    found = {}
    for file, content in profile["files"].items():
        if os.path.basename(file) == name:
            for record in content["lines"]:
                cost = record.get(key, 0)
                cost = sum(cost.values()) if isinstance(cost, dict) else cost
                if cost:
                    found[record["lineno"]] = cost
    return found


def near(number):
    return pytest.approx(number, rel=1e-6, abs=1e-8)
