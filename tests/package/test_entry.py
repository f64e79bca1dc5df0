# tests/package/test_entry.py - the Python front: which native command line it makes.
#
# A shell script stands in for the native program, so that nothing has to be built.
#
# SPDX-License-Identifier: Apache-2.0
"""Entry points of the scalene package."""

import os
import re
import shutil
import subprocess

import pytest

from conftest import ROOT, clean_environment

ECHO = '#!/bin/sh\nfor word in "$0" "$@"; do printf "%s\\n" "$word"; done\nexit 7\n'


@pytest.fixture
def package(tmp_path):
    """A copy of the package's Python files; its native program prints its words and ends with 7."""
    folder = tmp_path / "site" / "scalene"
    shutil.copytree(os.path.join(ROOT, "python", "scalene"), str(folder))
    shutil.rmtree(str(folder / "_native"), ignore_errors=True)
    (folder / "_native" / "bin").mkdir(parents=True)
    program = folder / "_native" / "bin" / "scalene"
    program.write_text(ECHO)
    program.chmod(0o755)
    return folder


def start(python, package, *words, code=None, module="scalene", env=None):
    what = ["-m", module] if code is None else ["-c", code]
    return subprocess.run(
        [python.path, *what, *words],
        env=clean_environment({"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1", **(env or {})}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
    )


def of_the_build(name):
    with open(os.path.join(ROOT, "meson.build"), encoding="utf-8") as build:
        return re.search("^%s '(.*?)'" % name, build.read(), re.MULTILINE)[1]


def executable_of(python):
    return subprocess.run(
        [python.path, "-c", "import sys; print(sys.executable)"], stdout=subprocess.PIPE, universal_newlines=True, check=True,
    ).stdout.rstrip("\n")


@pytest.mark.parametrize(
    "words, native",
    [
        ([], []), (["--version"], ["--version"]), (["view", "--cli"], ["view", "--cli"]), (["run"], ["run", "--python", None]),
        (["doctor", "--json"], ["doctor", "--python", None, "--json"]), (["selftest"], ["selftest", "--python", None]),
        (["optimize", "a.py:1"], ["optimize", "--python", None, "a.py:1"]),
        (["--cli", "--json", "t.py", "x"], ["--cli", "--json", "t.py", "x"]), (["--help"], ["--help"]),
        (["run", "-o", "x y", "t.py", "run", ""], ["run", "--python", None, "-o", "x y", "t.py", "run", ""]),
    ],
)
def test_words_reach_the_native_program(python, package, words, native):
    ended = start(python, package, *words)
    assert ended.returncode == 7
    own = executable_of(python)
    expected = [str(package / "_native" / "bin" / "scalene")] + [own if word is None else word for word in native]
    assert ended.stdout.split("\n")[:-1] == expected


@pytest.mark.parametrize("words", [["compare", "--", "a.py", "--", "b.py"], ["view"], ["live", "a.py"], ["run", "a.py"], ["--cpu-only", "./tool"], ["t.py"]], ids=lambda words: words[0])
def test_lines_without_the_option_are_told_the_interpreter(python, package, tmp_path, words):
    (package / "_native" / "bin" / "scalene").write_text('#!/bin/sh\necho "$SCALENE_OWN_PYTHON"\n')
    own = "" if words[0] == "run" else executable_of(python)
    assert start(python, package, *words).stdout == own + "\n"
    code = "from scalene.__main__ import main; main()"
    assert start(python, package, *words, code=code, env={"VIRTUAL_ENV": str(tmp_path)}).stdout == "\n"


def test_the_command_is_the_same(python, package):
    ended = start(python, package, "view", code="from scalene.__main__ import main; main()")
    assert ended.returncode == 7
    assert ended.stdout.splitlines()[-1] == "view"


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_the_command_leaves_the_choice_to_another_environment_that_is_active(python, package, variable, tmp_path):
    code = "from scalene.__main__ import main; main()"
    own = executable_of(python)
    prefix = start(python, package, code="import sys; print(sys.prefix)").stdout.strip()
    words = [start(python, package, "run", "t.py", code=code, env={variable: where}).stdout.splitlines()[1:] for where in (str(tmp_path), prefix, "")]
    assert words == [["run", "t.py"], ["run", "--python", own, "t.py"], ["run", "--python", own, "t.py"]]
    assert start(python, package, "run", "t.py", env={variable: str(tmp_path)}).stdout.splitlines()[2:4] == ["--python", own]


def test_one_of_two_active_environments_is_chosen_by_the_native_program(python, package, tmp_path):
    code = "from scalene.__main__ import main; main()"
    prefix = start(python, package, code="import sys; print(sys.prefix)").stdout.strip()
    ended = start(python, package, "run", "t.py", code=code, env={"VIRTUAL_ENV": prefix, "CONDA_PREFIX": str(tmp_path)})
    assert ended.stdout.splitlines()[1:] == ["run", "t.py"]


@pytest.mark.parametrize("how", ["path", "name", "first"])
def test_the_command_of_an_environment_serves_that_environment(python, package, tmp_path, how):
    """As `.venv/bin/scalene` while another one is active: that of conda is as soon as a shell begins."""
    code = "import sys; sys.prefix, sys.executable, sys.argv[0] = %r, %r, %r; from scalene.__main__ import main; main()"
    folder = tmp_path / ".venv" / "bin"
    folder.mkdir(parents=True)
    for name in ("scalene", "python3"):
        (folder / name).write_text("")
        (folder / name).chmod(0o755)
    elsewhere = tmp_path / "bin"
    elsewhere.mkdir()
    (elsewhere / "scalene").symlink_to(folder / "scalene")
    path = {"path": "/usr/bin", "name": "%s:/usr/bin" % elsewhere, "first": "%s:/usr/bin" % folder}[how]
    own = str(folder / "python3")
    script = str((elsewhere if how == "name" else folder) / "scalene")
    words = start(python, package, "run", "t.py", code=code % (str(tmp_path / ".venv"), own, script), env={"CONDA_PREFIX": "/opt/conda", "PATH": path})
    assert words.stdout.splitlines()[1:] == (["run", "t.py"] if how == "name" else ["run", "--python", own, "t.py"]), words.stderr


def test_what_uvx_has_made_serves_the_environment_that_is_active(python, package, tmp_path):
    """It puts its own folder first on PATH."""
    code = "import sys; sys.prefix, sys.executable, sys.argv[0] = %r, %r, %r; from scalene.__main__ import main; main()"
    folder = tmp_path / "uv" / "archive-v0" / "x1" / "bin"
    folder.mkdir(parents=True)
    for name in ("scalene", "python3"):
        (folder / name).write_text("")
        (folder / name).chmod(0o755)
    words = code % (str(folder.parent), str(folder / "python3"), str(folder / "scalene"))
    ended = start(python, package, "run", "t.py", code=words, env={"VIRTUAL_ENV": "/home/user/.venv", "PATH": "%s:/usr/bin" % folder})
    assert ended.stdout.splitlines()[1:] == ["run", "t.py"], ended.stderr


def test_modules_of_the_package_need_no_import_of_their_own(python, package):
    ended = start(python, package, code="import scalene; print(scalene.scalene_profiler.start, scalene.profile, hasattr(scalene, 'nothing'))")
    assert ended.returncode == 0 and "function start" in ended.stdout and ended.stdout.rstrip().endswith("False"), ended.stderr


@pytest.mark.parametrize("mark", ["pipx_metadata.json", "uv-receipt.toml"])
def test_an_environment_for_the_command_alone_has_no_programs_of_the_user(python, package, tmp_path, mark):
    code = "import sys; sys.prefix = %r; from scalene.__main__ import main; main()" % str(tmp_path)
    assert start(python, package, "run", "t.py", code=code).stdout.splitlines()[2] == "--python"
    (tmp_path / mark).write_text("")
    assert start(python, package, "run", "t.py", code=code).stdout.splitlines()[1:] == ["run", "t.py"]
    assert start(python, package, "run", "t.py", code=code, env={"VIRTUAL_ENV": str(tmp_path)}).stdout.splitlines()[2] == "--python"


def test_traces_of_neuron_are_merged_by_the_native_program(python, package):
    ended = start(python, package, "a b", "t", "o", module="scalene.merge_scalene_neuron_profiles")
    assert ended.returncode == 7
    assert ended.stdout.splitlines()[1:] == ["merge-neuron", "a b", "t", "o"]


@pytest.mark.parametrize("module", ["scalene", "scalene.merge_scalene_neuron_profiles"])
def test_a_missing_native_program_is_reported_in_one_line(python, package, module):
    shutil.rmtree(str(package / "_native"))
    ended = start(python, package, "--version", module=module)
    assert ended.returncode == 1
    assert ended.stderr.startswith("scalene: cannot start") and ended.stderr.count("\n") == 1


def test_importing_changes_nothing(python, package):
    code = (
        "import os, sys; before = dict(os.environ), set(sys.modules); import scalene;"
        "assert dict(os.environ) == before[0];"
        "print(sorted(set(sys.modules) - before[1] - {'__future__'}))"
    )
    ended = start(python, package, code=code)
    assert ended.stdout == "['scalene']\n", ended.stderr


def test_unknown_names_are_attribute_errors(python, package):
    ended = start(python, package, code="import scalene; scalene.nonsense")
    assert "AttributeError: module 'scalene' has no attribute 'nonsense'" in ended.stderr


def test_names_that_programs_for_the_original_import_are_there(python, package):
    metadata = package.parent / "scalene-9.8.7.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: scalene\nVersion: 9.8.7\n")
    code = (
        "from scalene.scalene_config import SCALENE_PORT, scalene_date, scalene_version\n"
        "from scalene.scalene_profiler import Scalene, ScaleneArguments\n"
        "from scalene import scalene_arguments, scalene_profiler\n"
        "assert ScaleneArguments is scalene_arguments.ScaleneArguments\n"
        "assert (Scalene.start, Scalene.stop) == (scalene_profiler.start, scalene_profiler.stop)\n"
        "args = ScaleneArguments(profile_all=True)\n"
        "assert args.profile_all and args.memory and not args.html and args.cpu_sampling_rate == 0.01\n"
        "Scalene.set_initialized()\n"
        "print(scalene_version, scalene_date, SCALENE_PORT)\n"
        "import sys; sys.argv[1:] = ['view', '--cli']\n"
        "sys.stdout.flush()\n"
        "Scalene.main()\n"
    )
    ended = start(python, package, code=code)
    assert ended.stderr == "" and ended.returncode == 7
    assert ended.stdout.splitlines() == ["9.8.7 %s 11235" % of_the_build("version_date ="), str(package / "_native" / "bin" / "scalene"), "view", "--cli"]


def test_the_debian_package_has_the_version_of_the_build():
    with open(os.path.join(ROOT, "debian/changelog"), encoding="utf-8") as log:
        assert log.readline().startswith("scalene (%s) " % of_the_build("  version:"))
