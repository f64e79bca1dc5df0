# tests/robust/test_preloads.py - getting the agent into programs with libraries, users and paths of their own.
#
# SPDX-License-Identifier: Apache-2.0
"""Sanitizers, other users, other root directories, and odd places of installation."""

import json
import os
import shutil
import subprocess

import pytest

from conftest import BUILD, execute
from package_copy import copy_package

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")

OVERFLOW = """
#include <stdlib.h>
char read_at(int place) { char *block = calloc(10, 1); char byte = block[place]; free(block); return byte; }
"""

SANITIZED = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
print("at 3:", library.read_at(3), flush=True)
blocks = [bytearray(100000) for _ in range(200)]
print("at 12:", library.read_at(12), flush=True)
"""


@pytest.fixture(scope="session")
def sanitized_library(tmp_path_factory):
    """The address sanitizer's runtime, and a library built for it that reads behind a block."""
    folder = tmp_path_factory.mktemp("sanitized")
    (folder / "overflow.c").write_text(OVERFLOW)
    library = folder / "overflow.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-fsanitize=address", "-o", library, folder / "overflow.c"], check=True)
    runtime = subprocess.run(["gcc", "-print-file-name=libasan.so"], check=True, stdout=subprocess.PIPE, universal_newlines=True)
    return os.path.realpath(runtime.stdout.strip()), str(library)


@pytest.mark.few_pythons
@pytest.mark.parametrize("options", [(), ("--memory",)], ids=["time", "memory"])
def test_the_address_sanitizer_preloaded_by_the_user(bare, profile, python, sanitized_library, options):
    runtime, library = sanitized_library
    how = {"env": {"LD_PRELOAD": runtime, "ASAN_OPTIONS": "detect_leaks=0"}}
    plain = bare(SANITIZED, python, [library], **how)
    ended = profile(SANITIZED, python, [library], options, **how)
    assert plain.status == 1 and "heap-buffer-overflow" in plain.stderr
    assert (ended.status, ended.stdout) == (plain.status, plain.stdout) and "at 3: 0" in ended.stdout
    assert "heap-buffer-overflow" in ended.stderr
    assert ended.profile is not None
    if options:
        assert ended.profile.exact.data["max_footprint_mb"] > 15  # of 19: so little is sampled densely


@pytest.mark.one_python
def test_options_of_the_sanitizer_stay_the_users(profile, python, sanitized_library):
    runtime, library = sanitized_library
    env = {"LD_PRELOAD": runtime, "ASAN_OPTIONS": "detect_leaks=0:exitcode=77"}
    assert profile(SANITIZED, python, [library], env=env).status == 77


CHILDREN = """
import os, subprocess, sys
def become():
    os.setgid(65534)
    os.setuid(65534)
show = "import os; print(os.getuid(), 'LD_PRELOAD' in os.environ)"
for how in ({"preexec_fn": become}, {}):
    for command in ([sys.argv[1], "-c", show], ["/bin/sh", "-c", sys.argv[1] + ' -c "%s"' % show]):
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/", universal_newlines=True, **how)
        print(ended.returncode, ended.stdout, ended.stderr)
ended = subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", "/usr/bin/env"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/", universal_newlines=True)
print(ended.returncode, "PRELOAD" in ended.stdout, ended.stderr)
os.setresuid(65534, 65534, 0)
print(os.system("true"), os.popen("echo popen").read())
"""


@pytest.fixture
def private_agent(tmp_path):
    """The agent in a folder that only its owner can search."""
    folder = tmp_path / "private"
    folder.mkdir(mode=0o700)
    path = folder / "libscalene.so"
    shutil.copy(os.path.join(BUILD, "src", "agent", "libscalene.so"), path)
    return str(path)


@as_root
@pytest.mark.one_python
def test_children_of_a_user_who_cannot_read_the_agent(bare, profile, python, private_agent):
    system = "/usr/bin/python3"  # one that every user can execute
    plain = bare(CHILDREN, python, [system])
    ended = profile(CHILDREN, python, [system], ["--quiet"], env={"SCALENE_AGENT_PATH": private_agent})
    assert "65534 False" in plain.stdout
    assert (ended.status, ended.stdout, ended.stderr) == (plain.status, plain.stdout, plain.stderr)
    notes = " ".join(ended.profile.own["notes"])
    assert "not followed: '/usr/bin/python3' ran as another user" in notes


FORKED = """
import os, time
os.setgid(65534)
os.setuid(65534)
if os.fork() == 0:
    time.sleep(0.3)
    os._exit(0)
print(os.wait()[1])
"""


@as_root
@pytest.mark.one_python
def test_a_process_that_forks_after_it_has_become_another_user(profile, python):
    ended = profile(FORKED, python, options=["--quiet"]).expect(0)
    assert ended.stdout == "0\n"
    (note,) = [one for one in ended.profile.own["notes"] if "another user" in one]
    assert note.startswith("not followed: ") and "in 1 process: it ran as another user" in note


@as_root
@pytest.mark.one_python
def test_a_command_that_becomes_another_user(python, scalene, private_agent, tmp_path):
    out = tmp_path / "profile.json"
    command = [scalene, "run", "--cpu-only", "-o", out, "--", "setpriv", "--reuid=65534", "--clear-groups", "/usr/bin/python3", "-c", "print(3)"]
    ended = execute([str(word) for word in command], cwd="/", env={"SCALENE_AGENT_PATH": private_agent})
    assert ended.status == 0 and ended.stdout == "3\n"
    assert "cannot be preloaded" not in ended.stderr
    assert "ran as another user" in ended.stderr and "not a CPython" not in ended.stderr


@as_root
@pytest.mark.one_python
def test_a_child_in_another_root_directory(profile, python, tmp_path):
    root = tmp_path / "root"
    libraries = subprocess.run(["ldd", "/bin/true"], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    for file in ["/bin/true", *(word for word in libraries.split() if word.startswith("/"))]:
        place = root / file.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    text = "import os, subprocess, sys\nprint(subprocess.run(['/bin/true'], preexec_fn=lambda: os.chroot(sys.argv[1])).returncode)\n"
    ended = profile(text, python, [str(root)], ["--quiet"])
    assert (ended.status, ended.stdout, ended.stderr) == (0, "0\n", "")


@pytest.mark.few_pythons
@pytest.mark.parametrize("name", ["with a blank", "with:colon", "with$ORIGIN", "with 'quotes' and $LIB"])
def test_installed_in_an_odd_place(bare, profile, python, tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    agent = folder / "libscalene-memory.so"
    shutil.copy(os.path.join(BUILD, "src", "agent", "libscalene-memory.so"), agent)
    links = tmp_path / "links"
    links.mkdir()
    text = "import os, subprocess, sys\nprint(os.environ.get('LD_PRELOAD'))\nsubprocess.check_call([sys.executable, '-c', 'sum(range(10**7))'])\nprint(os.system('true'))\n"
    env = {"SCALENE_AGENT_PATH": str(agent), "TMPDIR": str(links)}
    ended = profile(text, python, options=["--memory", "--quiet"], env=env)
    assert (ended.status, ended.stdout, ended.stderr) == (0, "None\n0\n", "")
    # a child that was sampled between its fork and its exec is one more
    assert sum(process.get("exit_kind") != "exec" for process in ended.profile.own["processes"]) == 2
    assert os.listdir(links) == []


LATE = """
import ctypes, os, sys
from scalene import scalene_profiler
caller = ctypes.CDLL(os.path.join(sys.argv[1], "caller.so"))
scalene_profiler.start("--quiet", "--cpu-only", "-o", sys.argv[2])
late = ctypes.CDLL(os.path.join(sys.argv[1], "late.so"))
print(caller.find(), late.find_other(), late.find_plainly())
scalene_profiler.stop()
"""

CALLER = """
#include <dlfcn.h>
#include <stddef.h>
int find(void) { return dlopen("$ORIGIN/folder/found.so", RTLD_NOW) != NULL; }
int find_other(void) { return dlopen("$ORIGIN/folder/other.so", RTLD_NOW) != NULL; }
int find_plainly(void) { return dlopen("plain.so", RTLD_NOW) != NULL; }
"""


def test_a_library_finds_others_beside_it_when_started_late(python, tmp_path):
    (tmp_path / "caller.c").write_text(CALLER)
    (tmp_path / "folder").mkdir()
    compiler = ["gcc", "-shared", "-fPIC", "-Wl,-rpath,$ORIGIN/folder", "-o"]
    for name in ("caller.so", "late.so", "folder/found.so", "folder/other.so", "folder/plain.so"):
        subprocess.run([*compiler, tmp_path / name, tmp_path / "caller.c"], check=True)
    (tmp_path / "prog.py").write_text(LATE)
    site = tmp_path / "site"
    site.mkdir()
    copy_package(str(site))
    out = tmp_path / "late.json"
    ended = execute([python.path, str(tmp_path / "prog.py"), str(tmp_path), str(out)], cwd=tmp_path, env={"PYTHONPATH": str(site)})
    assert (ended.status, ended.stdout) == (0, "1 1 1\n"), ended.stderr
    assert "scalene_c" in json.loads(out.read_text())
