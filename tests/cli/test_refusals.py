# tests/cli/test_refusals.py - what is refused before the program starts, in one line, and with which status.
#
# SPDX-License-Identifier: Apache-2.0
"""Refusals."""

import json
import os
import shutil
import struct
import subprocess
import sys

import pytest

import command_line
from command_line import one_line
from conftest import execute
from sampled import claimed

line = command_line.line


def refused(line, *words, status, env=None, program="t.py"):
    """The one line, after a check that the program did not run and no profile was written."""
    before = sorted(os.listdir(str(line.directory)))
    ended = line("run", *words, *([program] if program else []), env=env).expect(status)
    assert ended.stdout == ""
    assert sorted(os.listdir(str(line.directory))) == before
    return one_line(ended)


def test_no_program(line):
    assert "no program" in refused(line, status=1, program=None)
    assert "no program" in refused(line, "--cpu-only", status=1, program=None)


def test_a_missing_program_is_named_in_full(line):
    missing = os.path.join(os.path.realpath(str(line.directory)), "sub", "nope.py")
    assert missing in refused(line, status=1, program="sub/nope.py")
    assert "/nope" in refused(line, status=1, program="nope")


def test_a_directory_is_no_program_without_main(line):
    line.write("empty.py/readme", "")
    assert "__main__.py" in refused(line, status=1, program="empty.py")


def test_a_program_that_cannot_be_read(line):
    path = line.write("secret.py", "")
    os.chmod(path, 0)
    if os.access(path, os.R_OK):
        pytest.skip("root may read every file")
    assert "Permission denied" in refused(line, status=1, program="secret.py")


@pytest.mark.parametrize(
    "words, expected",
    [
        (["--cpu"], "--cpu-only"), (["--cpu-sampling-rate", "0"], "--cpu-sampling-rate"), (["--cpu-sampling-rate", "soon"], "soon"),
        (["--cpu-sampling-rate", "-1"], "-1"), (["--cpu-percent-threshold", "101"], "101"), (["--malloc-threshold", "1.5"], "1.5"),
        (["--allocation-sampling-window=0"], "0"), (["--allocation-sampling-window=1e6"], "from 1 to 1000000000000000"),
        (["--profile-interval", "nan"], "nan"), (["--on", "--off"], "--off"), (["--cpu-only=yes"], "no value"),
        (["-o", "--cpu-only"], "--outfile=FILE"), (["--outfile="], "empty"), (["-u", "--", "true"], "-u"),
        (["--push-interval", "5"], "--push-interval goes with --push URL"),
    ],
)
def test_a_wrong_line_is_a_usage_error(line, words, expected):
    assert expected in refused(line, *words, status=2)


def test_nothing_behind_an_option_that_needs_something(line):
    for words in (["-o"], ["-m"], ["--", ], ["-X"], ["---", "-c"]):
        assert refused(line, *words, status=2, program=None)


def test_a_wrong_value_behind_the_program_names_the_separator(line):
    ended = line("run", "t.py", "--cpu-sampling-rate", "fast").expect(2)
    assert "---" in one_line(ended)


def test_the_profile_must_be_writable_before_the_program_starts(line):
    os.mkdir(os.path.join(str(line.directory), "dir"))
    os.mkdir(os.path.join(str(line.directory), "taken.json"))
    for given in ("dir", "dir/", "taken.json", "taken", "no/such/a.json", "t.py/a.json"):
        assert given.split("/")[0].split(".")[0] in refused(line, "-o", given, status=1)


def test_a_directory_that_cannot_be_written(line):
    folder = os.path.join(str(line.directory), "locked")
    os.mkdir(folder, 0o555)
    if os.access(folder, os.W_OK):
        pytest.skip("root may write everywhere")
    assert "Permission denied" in refused(line, "-o", "locked/a.json", status=1)


def test_a_name_that_is_too_long_is_reported_before_the_program_starts(line):
    assert "File name too long" in refused(line, "-o", "x" * 300, status=1)


def test_a_folder_that_only_seems_to_take_files_is_reported_before_the_program_starts(line):
    assert "/proc" in refused(line, "-o", "/proc/a.json", status=1)


def test_the_longest_name_can_be_written(line):
    name = "x" * 250
    line("run", "--quiet", "-o", name, "t.py").expect(0)
    assert os.listdir(str(line.directory)).count(name + ".json") == 1


def test_a_file_is_written_whose_folder_takes_no_new_one(line):
    folder = os.path.join(str(line.directory), "folder")
    os.mkdir(folder)
    with open(os.path.join(folder, "a.json"), "w", encoding="utf-8") as old:
        old.write("old " * 100000)
    os.chmod(folder, 0o555)
    # Root may write everywhere, but not over what something is mounted on.
    before = []
    if os.access(folder, os.W_OK):
        before = ["unshare", "-m", "sh", "-c", 'mount --bind folder/a.json folder/a.json && exec "$0" "$@"']
        if subprocess.run([*before, "true"], cwd=str(line.directory), stderr=subprocess.DEVNULL).returncode != 0:
            pytest.skip("nothing can be mounted here")
    execute([*before, line.scalene, "run", "-o", "folder/a.json", "t.py"], cwd=line.directory).expect(0)
    with open(os.path.join(folder, "a.json"), encoding="utf-8") as profile:
        assert json.load(profile)["program"].endswith("t.py")


def test_a_device_can_take_the_profile(line):
    line("run", "-o", "/dev/null", "t.py").expect(0)
    assert not os.path.exists("/dev/null.json")


def test_the_profile_does_not_move_with_the_program(line):
    line.write("moves.py", "import os\nos.mkdir('sub')\nos.chdir('sub')\n")
    line("run", "-o", "out.json", "moves.py").expect(0)
    line("run", "---", "-c", "import os; os.chdir('sub')").expect(0)
    assert line.exists("out.json") and line.exists("scalene-profile.json")
    assert os.listdir(os.path.join(str(line.directory), "sub")) == []


def test_a_program_path_that_is_no_directory(line):
    assert "--program-path" in refused(line, "--program-path", "nowhere", status=1)
    assert "--program-path" in refused(line, "--program-path", "t.py", status=1)


def test_a_missing_command(line):
    assert "no-such-command" in refused(line, "--", "no-such-command", status=1, program=None)


def test_a_missing_agent(line, scalene):
    assert "SCALENE_AGENT_PATH" in refused(line, status=1, env={"SCALENE_AGENT_PATH": "/nowhere/x.so"})
    alone = os.path.join(str(line.directory), "alone")
    os.mkdir(alone)
    line.scalene = shutil.copy(scalene, alone)
    assert "libscalene-memory.so" in refused(line, status=1)


def make_elf(loader=b"/lib64/ld-linux-x86-64.so.2", library=b"", bits=64, machine=None):
    """A little executable that only looks like an interpreter: it must never be started."""
    if machine is None:
        with open("/proc/self/exe", "rb") as own:
            own.seek(18)
            machine = struct.unpack("<H", own.read(2))[0]
    ident = b"\x7fELF" + bytes([bits // 32, 1, 1]) + bytes(9)
    if bits == 32:
        return ident + struct.pack("<HHIIIIIHHHHHH", 2, machine, 1, 0, 0, 0, 0, 52, 32, 0, 0, 0, 0)
    segments = 3 if loader else 2
    at_loader = 64 + segments * 56
    at_dynamic = at_loader + 64
    at_strings = at_dynamic + 48
    size = at_strings + 64

    def segment(kind, offset, length):
        return struct.pack("<IIQQQQQQ", kind, 5, offset, offset, offset, length, length, 8)

    data = ident + struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, 0, 64, 0, 0, 64, 56, segments, 0, 0, 0)
    data += segment(1, 0, size) + segment(2, at_dynamic, 48)
    if loader:
        data += segment(3, at_loader, 64)
    data += (loader or b"").ljust(64, b"\0")
    data += struct.pack("<QQQQQQ", 1, 1, 5, at_strings, 0, 0)
    return data + (b"\0" + library).ljust(64, b"\0")


@pytest.mark.parametrize(
    "name, data, expected",
    [
        ("python3", make_elf(bits=32), "32-bit"), ("python3", make_elf(machine=8), "another kind of processor"),
        ("python3", make_elf(loader=b"/lib/ld-musl-x86_64.so.1"), "uses the musl C library and cannot be profiled; a 64-bit Python for glibc is needed"),
        ("python3", make_elf(loader=None), "static"), ("python3", make_elf(library=b"libpython3.7m.so.1.0"), "Python 3.7"),
        ("python3", make_elf(library=b"libpython2.7.so.1.0"), "Python 2.7"), ("python3.6", make_elf(library=b"libpython.so"), "Python 3.6"),
        ("python3", make_elf(library=b"libselinux.so.1"), "is not a Python interpreter"),
    ],
)
def test_an_interpreter_that_cannot_be_profiled(line, tmp_path, name, data, expected):
    interpreter = tmp_path / name
    interpreter.write_bytes(data)
    interpreter.chmod(0o755)
    (tmp_path / "link").symlink_to(interpreter)
    assert expected in refused(line, "--python", str(interpreter), status=1)
    assert expected in refused(line, "--python", str(tmp_path / "link"), status=1)


def test_a_set_uid_interpreter(line, tmp_path):
    interpreter = tmp_path / "python3"
    shutil.copy(os.path.realpath(sys.executable), str(interpreter))
    if os.geteuid() == 0:
        os.chown(str(interpreter), 65534, 65534)
    else:
        pytest.skip("only root can make a file that gives other rights")
    interpreter.chmod(0o4755)
    assert "set-uid" in refused(line, "--python", str(interpreter), status=1)


@pytest.mark.parametrize(
    "words, expected",
    [
        (["--clii"], "--cli"), (["--html=1"], "no value"), (["a.json", "b.json"], "one profile"), (["-o", "x", "--notebook"], "--notebook"),
        (["-o", "x", "--no-browser"], "--no-browser"), (["--outfile=x", "--port", "8080"], "--port"), (["-o", ""], "empty"),
        (["--api-keys-from-env", "--cli"], "--cli does not go with --api-keys-from-env"),
        (["--api-keys-from-env", "--html"], "--html does not go with --api-keys-from-env"),
        (["--json", "--tree"], "--json does not go with --tree"), (["--cli", "--unit=a"], "--unit goes with --tree"),
    ],
)
def test_view_refuses_what_it_does_not_know(line, words, expected):
    assert expected in one_line(line("view", *words).expect(2))


def test_view_of_a_missing_file(line):
    assert "scalene-profile.json" in one_line(line("view", "--cli").expect(1))
    assert "nope.json" in one_line(line("view", "--cli", "nope.json").expect(1))


@pytest.mark.parametrize("name, text, expected", [("e.json", "", "is empty"), ("p.py", "pass", "scalene run p.py")])
def test_view_of_what_is_no_profile_says_what_makes_one(line, name, text, expected):
    line.write(name, text)
    assert expected in one_line(line("view", "--cli", name).expect(1))


@pytest.mark.statistical  # needs that nothing was sampled
@pytest.mark.parametrize(
    "text, expected",
    [
        ("def f(:", "ended with exit status 1 before its code could be sampled"),
        ("import no_such_module", "ended with exit status 1 before its code could be sampled"),
        ("import os; os.abort()", "was ended by signal 6 (Aborted) before its code could be sampled"),
    ],
)
def test_a_program_that_fails_at_once_is_told_by_its_end_and_its_interpreter(line, text, expected):
    line.write("bad.py", text)
    said = line("run", "--cpu-only", "bad.py").stderr.splitlines()[-1]
    assert claimed(expected in said and "it ran with '/" in said), said


def test_the_interpreter_of_a_program_that_fails_is_named_as_its_environment_has_it(line, tmp_path):
    """What its link leads to has other packages."""
    line.write("bad.py", "import no_such_module")
    (tmp_path / "python3").symlink_to(os.path.realpath(sys.executable))
    path = "%s:%s" % (tmp_path, os.environ["PATH"])
    assert line("run", "--off", "bad.py", env={"PATH": path}).stderr.splitlines()[-1].endswith("it ran with '%s/python3'" % tmp_path)


def test_a_gpu_that_is_asked_for_and_missing_is_said(line):
    line.write("p.py", "sum(range(10**7))")
    missing = "--gpu was given, but no GPU was found"
    has_gpu = os.path.exists("/dev/nvidiactl") or os.path.exists("/dev/kfd")
    assert (missing in line("run", "--gpu", "p.py").stderr) != has_gpu
    assert missing not in line("run", "p.py").stderr
