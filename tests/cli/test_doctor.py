# tests/cli/test_doctor.py - `scalene doctor`.
#
# SPDX-License-Identifier: Apache-2.0
"""What it says is what a run does, and the exit status says whether a run works."""

import errno
import json
import os
import resource
import signal
import subprocess

import pytest

import command_line
import refused_calls
from conftest import execute

line = command_line.line

CHECKS = {"python", "run", "memory", "folder", "kernel", "processors", "perf", "limits", "sandbox", "gpu", "terminal", "browser", "ai"}
PERMITS = {"read_memory", "read_waits", "read_maps", "read_pages"}


def checks(ended, status):
    """The checks by their ids; `works` says the same as the exit status."""
    told = json.loads(ended.expect(status).stdout)
    assert sorted(told) == ["checks", "works"]
    assert told["works"] is (status == 0)
    assert all(sorted(check) == ["cost", "found", "id", "state"] for check in told["checks"])
    assert all(check["state"] in ("ok", "part", "no") for check in told["checks"])
    return {check["id"]: check for check in told["checks"]}


@pytest.mark.one_python
def test_a_python_that_can_be_profiled(line, python):
    found = checks(line("doctor", "--json", "--python", python.path), 0)
    assert CHECKS | PERMITS <= set(found)
    assert found["python"]["state"] == found["run"]["state"] == "ok"
    assert "(from --python): CPython 3." in found["python"]["found"]
    assert not [name for name in os.listdir(line.directory) if name != "t.py"]


def test_a_python_that_is_refused_is_refused_in_the_words_of_a_run(line):
    found = checks(line("doctor", "--json", "--python", "/bin/true"), 1)
    assert found["python"]["state"] == found["run"]["state"] == "no"
    run = line("run", "--python", "/bin/true", "t.py").expect(1)
    assert found["run"]["found"] == run.stderr.strip()
    assert not PERMITS & set(found)


@pytest.mark.one_python
def test_a_limit_that_leaves_no_room_for_the_samples(line, python):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000000, before[1]))
    try:
        found = checks(line("doctor", "--json", "--python", python.path), 1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert found["python"]["state"] == "ok"
    assert found["run"]["state"] == "no" and "could not make a buffer" in found["run"]["found"]
    assert "bytes a file 1000000" in found["limits"]["found"]


@pytest.mark.one_python
def test_what_the_filter_of_a_container_refuses(line, python):
    """Memory is read in another way then; where that is refused, too, its part alone is missing."""
    found = checks(line("doctor", "--json", "--python", python.path, prepare=refused_calls.refuse(*refused_calls.OF_DOCKER)), 0)
    assert found["perf"]["state"] == "part"
    assert {found[name]["state"] for name in ("run", "memory", "read_memory", "read_waits", "read_maps")} == {"ok"}
    assert found["sandbox"]["found"].startswith("no new privileges, seccomp")
    refused = refused_calls.refuse(*refused_calls.READS_OF_MEMORY, code=errno.ENOSYS)
    found = checks(line("doctor", "--json", "--python", python.path, prepare=refused), 0)
    assert found["read_memory"]["state"] == "part" and found["read_waits"]["state"] == "ok"
    assert "note" not in found


@pytest.mark.one_python
def test_a_filter_that_leaves_no_place_for_the_samples(line, python):
    found = checks(line("doctor", "--json", "--python", python.path, prepare=refused_calls.refuse("memfd_create")), 1)
    assert found["run"]["state"] == "no" and "memfd_create" in found["run"]["found"]


@pytest.mark.one_python
def test_timers_that_are_refused(line, python):
    found = checks(line("doctor", "--json", "--python", python.path, prepare=refused_calls.refuse("timer_create")), 0)
    assert found["run"]["state"] == "ok" and found["timers"]["state"] == "part"


@pytest.mark.one_python
def test_too_few_descriptors_for_the_profiler(line, python):
    """What it could not look at is said."""
    found = checks(line("doctor", "--json", "--python", python.path, prepare=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (15, 15))), 0)
    assert found["note"]["state"] == "part" and "the limit on open files (15)" in found["note"]["found"]


@pytest.mark.one_python
def test_a_folder_for_temporary_files_that_is_full(line, python):
    os.mkdir(os.path.join(line.directory, "full"))
    before = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=64k none full && exec "$0" "$@"']
    if subprocess.run([*before, "true"], cwd=str(line.directory), stderr=subprocess.DEVNULL).returncode != 0:
        pytest.skip("nothing can be mounted here")
    env = dict(os.environ, TMPDIR=os.path.join(str(line.directory), "full"))
    found = checks(execute([*before, line.scalene, "doctor", "--json", "--python", python.path], cwd=line.directory, env=env), 0)
    assert found["run"]["state"] == "ok"


@pytest.mark.one_python
def test_keys_of_services_are_not_shown(line, python):
    env = dict(os.environ, OPENAI_API_KEY="secret-of-mine")
    ended = line("doctor", "--python", python.path, env=env).expect(0)
    assert "openai" in ended.stdout and "secret-of-mine" not in ended.stdout + ended.stderr


# The one who tried this Python is told to end, and this waits to be ended.
TELLS = """
import os, time
with open("/proc/%d/status" % os.getppid()) as run:
    os.kill(next(int(row.split()[1]) for row in run if row.startswith("PPid:")), NUMBER)
time.sleep(30)
"""


@pytest.mark.one_python
@pytest.mark.parametrize("command", ["doctor", "selftest"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_and_leaves_nothing(line, python, command, number):
    os.mkdir(os.path.join(line.directory, "temporary"))
    line.write("sitecustomize.py", TELLS.replace("NUMBER", str(int(number))))
    env = dict(os.environ, PYTHONPATH=str(line.directory), TMPDIR=os.path.join(line.directory, "temporary"))
    ended = line(command, "--python", python.path, env=env).expect(-number)
    assert ended.stdout == "" and os.listdir(env["TMPDIR"]) == []


def test_what_is_no_option(line):
    line("doctor", "--fast").expect(2)
    line("doctor", "t.py").expect(2)
