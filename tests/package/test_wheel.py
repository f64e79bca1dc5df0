# tests/package/test_wheel.py - the source distribution and the wheel: their shape, and that the wheel works when it is installed.
#
# $SC_WHEEL names a wheel that was built already, and $SC_WHEEL_PYTHON an interpreter that it is for, such as one for musl;
# otherwise one is built here for this interpreter, which takes a minute and needs a package index for the build tools.
#
# SPDX-License-Identifier: Apache-2.0
"""The built and installed package."""

import json
import os
import re
import stat
import subprocess
import sys
import tarfile
import venv
import zipfile

import pytest

from conftest import ROOT, clean_environment, made_once

PYTHON = os.environ.get("SC_WHEEL_PYTHON", sys.executable)
UNREACHABLE = re.compile(r"No matching distribution|Temporary failure|Connection|Read timed out|HTTP error")


def make_environment(folder, python=None):
    """A new virtual environment; returns its interpreter."""
    if python is None:
        venv.create(str(folder), with_pip=True)
    else:
        subprocess.run([python, "-m", "venv", str(folder)], check=True, stdout=subprocess.DEVNULL)
    return os.path.join(str(folder), "bin", "python")


def run(*command, cwd, status=0):
    ended = subprocess.run(command, cwd=str(cwd), env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    assert ended.returncode == status, ended.stdout + ended.stderr
    return ended


@pytest.fixture(scope="session")
def sdist(tmp_path_factory):
    return made_once(tmp_path_factory, "sdist", lambda: build_sdist(tmp_path_factory.mktemp("sdist")))


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    if os.environ.get("SC_WHEEL"):
        return os.environ["SC_WHEEL"]
    return made_once(tmp_path_factory, "wheel", lambda: build_wheel(tmp_path_factory.mktemp("wheel")))


def build(*command):
    ended = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    if ended.returncode != 0 and UNREACHABLE.search(ended.stdout):
        pytest.skip("no package index for the build tools")
    assert ended.returncode == 0, ended.stdout[-4000:]


def build_sdist(folder):
    builder = make_environment(folder / "venv")
    build(builder, "-m", "pip", "install", "hatchling")
    build(builder, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder))
    (name,) = [name for name in os.listdir(str(folder)) if name.endswith(".tar.gz")]
    return str(folder / name)


def build_wheel(folder):
    builder = make_environment(folder / "venv")
    build(builder, "-m", "pip", "wheel", "--no-deps", "-w", str(folder), ROOT)
    (name,) = [name for name in os.listdir(str(folder)) if name.endswith(".whl")]
    return str(folder / name)


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory):
    """The interpreter of a virtual environment that holds the wheel and nothing else."""
    interpreter = make_environment(tmp_path_factory.mktemp("installed"), PYTHON)
    run(interpreter, "-m", "pip", "install", "--no-index", "--no-deps", wheel, cwd="/")
    return interpreter


def test_the_source_distribution_has_the_page_built_and_no_tests(sdist):
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"gui/built/app.js", "gui/built/app.css", "gui/built/index.html", "meson.build", "LICENSE", "src/cli/main.c"} <= names
    assert not [name for name in names if re.match(r"(tests|bench|build|dist|\.ci|\.github)\b|.*node_modules/", name)]


def test_one_wheel_serves_all_pythons(wheel):
    assert re.fullmatch(r"scalene-[\d.]+-py3-none-(linux|manylinux_2_28|musllinux_1_2)_(x86_64|aarch64)\.whl", os.path.basename(wheel))


def test_the_wheel_holds_the_tree_and_nothing_foreign(wheel):
    with zipfile.ZipFile(wheel) as archive:
        modes = {item.filename: item.external_attr >> 16 for item in archive.infolist()}
    names = {name for name in modes if ".dist-info/" not in name}
    assert names == {
        "scalene/__init__.py", "scalene/__main__.py", "scalene/_label.py", "scalene/_notebook.py", "scalene/_pytest_plugin.py",
        "scalene/_pytest_runs.py", "scalene/_session.py", "scalene/_show.py", "scalene/merge_scalene_neuron_profiles.py",
        "scalene/profile.py", "scalene/py.typed", "scalene/scalene_arguments.py", "scalene/scalene_config.py",
        "scalene/scalene_profiler.py", "scalene/set_nvidia_gpu_modes.py", "scalene/_native/bin/scalene",
        "scalene/_native/lib/scalene/libscalene.so", "scalene/_native/lib/scalene/libscalene-memory.so",
    }
    assert modes["scalene/_native/bin/scalene"] & stat.S_IXUSR


def test_the_command_and_the_module_agree(installed, tmp_path):
    command = os.path.join(os.path.dirname(installed), "scalene")
    by_command = run(command, "--version", cwd=tmp_path).stdout
    by_module = run(installed, "-m", "scalene", "--version", cwd=tmp_path).stdout
    assert by_command == by_module
    number = run(installed, "-c", "import scalene; print(scalene.__version__)", cwd=tmp_path).stdout.strip()
    assert by_command.startswith("Scalene version %s (" % number)


def test_a_program_is_profiled_with_the_environments_own_python(installed, tmp_path):
    (tmp_path / "work.py").write_text(
        "import sys, time\nend = time.process_time() + 0.5\nwhile time.process_time() < end:\n    sum(range(100))\nprint(sys.prefix)\n"
    )
    command = os.path.join(os.path.dirname(installed), "scalene")
    prefix = os.path.dirname(os.path.dirname(installed))
    for words in ([command], [installed, "-m", "scalene"]):
        ended = run(*words, "run", "--cpu-only", "-o", "out.json", "work.py", cwd=tmp_path)
        assert ended.stdout == prefix + "\n"
        profile = json.loads((tmp_path / "out.json").read_text())
        assert str(tmp_path / "work.py") in profile["files"]
        (tmp_path / "out.json").unlink()
    # the user's own choice wins over the inserted one
    other = os.path.realpath(PYTHON)
    ended = run(command, "run", "--python", other, "---", "-c", "import sys; print(sys.prefix)", cwd=tmp_path)
    assert ended.stdout != prefix + "\n"


def test_blocks_are_counted_once(installed, tmp_path):
    """musl's calloc and posix_memalign call the hooks of malloc and aligned_alloc."""
    (tmp_path / "work.py").write_text(
        "import ctypes\n"
        "libc = ctypes.CDLL(None)\n"
        "block = ctypes.c_void_p()\n"
        "def align():\n"
        "    for _ in range(30): libc.posix_memalign(ctypes.byref(block), 64, 1 << 20)\n"
        "cleared = [bytes(1 << 20) for _ in range(100)]\n"
        "align()\n"
    )
    command = os.path.join(os.path.dirname(installed), "scalene")
    run(command, "run", "-o", "out.json", "work.py", cwd=tmp_path)
    profile = json.loads((tmp_path / "out.json").read_text())
    lines = {line["lineno"]: line for line in profile["files"][str(tmp_path / "work.py")]["lines"]}
    assert round(lines[6]["n_malloc_mb"]) == 100
    assert round(lines[5]["n_malloc_mb"]) == 30


def test_a_program_profiles_itself(installed, tmp_path):
    (tmp_path / "work.py").write_text(
        "import time\n"
        "from scalene import scalene_profiler\n"
        "with scalene_profiler.enable_profiling('--quiet'):\n"
        "    end = time.process_time() + 0.3\n"
        "    while time.process_time() < end:\n"
        "        sum(range(100))\n"
    )
    ended = run(installed, "work.py", cwd=tmp_path)
    assert ended.stderr == ""
    profile = json.loads((tmp_path / "scalene-profile.json").read_text())
    assert str(tmp_path / "work.py") in profile["files"]
