# tests/package/test_commands.py - the two commands of the README, as far as they can be tried without running them whole.
#
# SPDX-License-Identifier: Apache-2.0
"""tools/build and tools/test-all with what a machine may lack."""

import json
import os
import subprocess
import sys

import pytest

from conftest import ROOT

sys.path.insert(0, os.path.join(ROOT, "tools"))
import test_stages  # noqa: E402


def run(*command, env=None):
    return subprocess.run(
        command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, check=False
    )


@pytest.fixture
def without_cmocka(tmp_path):
    """An environment in which pkg-config does not know cmocka, and ninja sets up but compiles nothing."""
    known = run("pkg-config", "--variable", "pc_path", "pkg-config").stdout.strip().split(":")
    hidden = tmp_path / "pkgconfig"
    hidden.mkdir()
    for folder in filter(os.path.isdir, known):
        for name in os.listdir(folder):
            if name != "cmocka.pc" and not (hidden / name).exists():
                (hidden / name).symlink_to(os.path.join(folder, name))
    programs = tmp_path / "bin"
    programs.mkdir()
    ninja = run("sh", "-c", "command -v ninja").stdout.strip()
    (programs / "ninja").write_text('#!/bin/sh\nexec %s "$@" build.ninja\n' % ninja)
    (programs / "ninja").chmod(0o755)
    (programs / "cmake").write_text("#!/bin/sh\nexit 1\n")  # which meson asks next
    (programs / "cmake").chmod(0o755)
    only_set_up = dict(os.environ, PATH="%s:%s" % (programs, os.environ["PATH"]), NINJA=ninja)
    return only_set_up, dict(only_set_up, PKG_CONFIG_LIBDIR=str(hidden))


def unit_tests(folder):
    tests = json.loads(run("meson", "introspect", "--tests", str(folder)).stdout)
    return [test["name"] for test in tests if "unit" in str(test["suite"])]


def test_a_folder_set_up_without_cmocka_has_unit_tests_afterwards(without_cmocka, tmp_path):
    environment, lacking = without_cmocka
    folder = str(tmp_path / "build")
    stage = next(stage for stage in test_stages.STAGES if stage.name == "build")
    command = [word if word != "build" else folder for word in stage.command]

    tried = run("tools/build", folder, env=lacking)
    assert tried.returncode == 0, tried.stdout
    assert not unit_tests(folder)

    refused = run(*command, env=lacking)
    assert refused.returncode != 0 and "cmocka" in refused.stdout

    built = run(*command, env=environment)
    assert built.returncode == 0, built.stdout
    assert "base" in unit_tests(folder)


def test_an_unknown_stage_is_said_before_anything_is_installed(tmp_path):
    (tmp_path / "apt-get").write_text("#!/bin/sh\necho installing\n")
    (tmp_path / "apt-get").chmod(0o755)
    (tmp_path / "dpkg-query").write_text("#!/bin/sh\nexit 1\n")  # nothing is installed
    (tmp_path / "dpkg-query").chmod(0o755)
    environment = dict(os.environ, PATH="%s:%s" % (tmp_path, os.environ["PATH"]))
    ended = run("tools/test-all", "format", "NOSUCH", env=environment)
    assert ended.returncode == 2
    assert "no stage is called NOSUCH" in ended.stdout
    assert "installing" not in ended.stdout
