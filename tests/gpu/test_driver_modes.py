# tests/gpu/test_driver_modes.py - `scalene set-nvidia-gpu-modes`.
#
# SPDX-License-Identifier: Apache-2.0
"""Switching on what lets the driver report load by process."""

import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile

import pytest

import standins
from conftest import ROOT, clean_environment

nvml, make_nvml = standins.nvml, standins.make_nvml

TWO = "device name=NVIDIA_H200\ndevice name=NVIDIA_T4 accounting=1\n"
REFUSED = "error nvmlDeviceSetPersistenceMode 4\nerror nvmlDeviceSetAccountingMode 4\n"
NOBODY = 65534

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


@pytest.fixture(scope="module")
def scalene(scalene):
    """A copy where other users may execute it, wherever the tree lies."""
    with tempfile.TemporaryDirectory(prefix="sc-modes-") as folder:
        os.chmod(folder, 0o755)
        yield shutil.copy2(scalene, folder)


def run(scalene, nvml, *words, user=None, **more):
    environment = {**clean_environment(), **nvml.environment, **more}
    return subprocess.run(
        [scalene, "set-nvidia-gpu-modes", *words], env=environment, user=user, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=300, check=False,
    )


def test_what_is_off_is_switched_on(scalene, nvml):
    nvml.write(TWO)
    ended = run(scalene, nvml)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert nvml.calls() == ["persistence 0 1", "accounting 0 1", "persistence 1 1"]
    lines = ended.stdout.splitlines()
    assert lines[:2] == [
        "GPU 0 (NVIDIA H200): persistence mode off, accounting mode off",
        "GPU 1 (NVIDIA T4): persistence mode off, accounting mode on",
    ]
    assert lines[-2:] == [
        "GPU 0 (NVIDIA H200): persistence mode on, accounting mode on",
        "GPU 1 (NVIDIA T4): persistence mode on, accounting mode on",
    ]
    for words in ("Every user of this machine can read", "until the machine restarts", "nvidia-smi -am 0"):
        assert words in ended.stdout


def test_a_gpu_without_accounting_is_left_as_it_is(scalene, nvml):
    nvml.write("device\n" + "error nvmlDeviceGetAccountingMode 3\nerror nvmlDeviceGetPersistenceMode 3\n")
    ended = run(scalene, nvml)
    assert (ended.returncode, ended.stderr, nvml.calls()) == (0, "", [])
    assert ended.stdout == (
        "GPU 0 (NVIDIA Standin): persistence mode not available, accounting mode not available\nThere is nothing to switch on.\n"
    )


def test_a_refusal_is_reported(scalene, nvml):
    nvml.write(TWO + "error nvmlDeviceSetAccountingMode 15\n")
    ended = run(scalene, nvml)
    assert ended.returncode == 1
    assert ended.stderr == ('scalene: set-nvidia-gpu-modes: GPU 0: accounting mode stays off: NVIDIA\'s driver says "GPU is lost"\n')


@pytest.mark.parametrize(
    "script, words",
    [
        ("init 9 0\n", "there is no NVIDIA GPU here"),
        ("init 0 0\n", "there is no NVIDIA GPU here"),
        ("init 18 0\n", "different versions"),
        ("device open=15\n", "GPU 0: NVIDIA's driver says"),
    ],
)
def test_without_a_gpu_it_fails(scalene, nvml, script, words):
    nvml.write(script)
    ended = run(scalene, nvml)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert words in ended.stderr and ended.stderr.count("\n") == 1


def test_words_it_does_not_know_are_refused(scalene, nvml):
    nvml.write(TWO)
    for word in ("--of", "now"):
        ended = run(scalene, nvml, word)
        assert ended.returncode == 2
        assert nvml.calls() == []


@pytest.fixture
def sudo(tmp_path_factory, nvml):
    """A sudo that writes down what it is to run; where it is and where it writes."""
    path = os.path.join(nvml.folder, "sudo")
    with open(path, "w") as stream:
        stream.write('#!/bin/sh\necho "sudo ran: $*"\nexit 7\n')
    os.chmod(path, 0o755)
    return nvml.folder + ":/usr/bin:/bin"


@as_root
def test_others_than_root_are_given_the_command(scalene, nvml, sudo):
    nvml.write(TWO + REFUSED)
    ended = run(scalene, nvml, user=NOBODY, PATH=sudo)
    assert ended.returncode == 1
    path = os.path.realpath(scalene)
    assert ended.stderr == ("scalene: set-nvidia-gpu-modes: only root may; run: sudo %s set-nvidia-gpu-modes\n" % path)
    assert "sudo ran" not in ended.stdout


@as_root
def test_yes_runs_sudo(scalene, nvml, sudo):
    nvml.write(TWO + REFUSED)
    ended = run(scalene, nvml, "--yes", user=NOBODY, PATH=sudo)
    assert ended.returncode == 7
    assert ended.stdout.endswith("sudo ran: -- %s set-nvidia-gpu-modes\n" % os.path.realpath(scalene))


@as_root
@pytest.mark.parametrize("answer, status", [("y\n", 7), ("n\n", 1), ("\n", 1)])
def test_at_a_terminal_there_is_a_question(scalene, nvml, sudo, answer, status):
    nvml.write(TWO + REFUSED)
    ours, theirs = pty.openpty()
    environment = {**clean_environment(), **nvml.environment, "PATH": sudo}
    process = subprocess.Popen([scalene, "set-nvidia-gpu-modes"], env=environment, user=NOBODY, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    text = ""
    is_asked = False
    while select.select([ours], [], [], 300)[0]:
        try:
            some = os.read(ours, 65536).decode()
        except OSError:  # the other end is closed
            break
        text += some
        if not is_asked and text.endswith("[y/N] "):
            is_asked = True
            os.write(ours, answer.encode())
    os.close(ours)
    assert process.wait(300) == status
    assert "Run 'sudo %s set-nvidia-gpu-modes' now? [y/N]" % os.path.realpath(scalene) in text
    assert ("sudo ran" in text) == (status == 7)
    assert ("only root may" in text) == (status == 1)


@as_root
def test_root_that_may_not_is_given_the_reason(scalene, nvml):
    nvml.write(TWO + REFUSED)
    ended = run(scalene, nvml, "--yes")
    assert ended.returncode == 1
    assert "persistence mode stays off: NVIDIA's driver says \"Insufficient Permissions\"" in ended.stderr


def test_the_original_name_is_the_same(scalene, nvml, tmp_path):
    nvml.write(TWO)
    package = tmp_path / "scalene"
    os.symlink(os.path.join(ROOT, "python", "scalene"), package)
    program = "import scalene, runpy; scalene.native_program = lambda: %r; " % scalene
    program += "runpy.run_module('scalene.set_nvidia_gpu_modes', run_name='__main__')"
    ended = subprocess.run(
        [sys.executable, "-c", program], env={**clean_environment(), **nvml.environment, "PYTHONPATH": str(tmp_path)}, capture_output=True,
        text=True, timeout=300, check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert nvml.calls() == ["persistence 0 1", "accounting 0 1", "persistence 1 1"]
