# tests/dump/test_core.py - what `scalene dump` says of core files.
#
# Most of them are made of a process that stands (core_writer.py), so that the dump of the process
# itself is the truth.
#
# SPDX-License-Identifier: Apache-2.0
"""`scalene dump` on core files: whole ones, cut ones, and ones that lie."""

import json
import os
import random
import re
import signal
import subprocess
import time

import pytest

from conftest import clean_environment, execute
from core_writer import PAGE, write_core
from running import HERE, Running, doing

pytestmark = pytest.mark.by_version

@pytest.fixture
def start(scalene, python):
    def start_one(program):
        return Running(scalene, [python.path, os.path.join(HERE, "programs", program + ".py")])  # a core does not tell the folder that it ran in

    return start_one


SEGV_MAPERR = 1
SI_USER, SI_TKILL = 0, -6


def dump_core(scalene, path, *options):
    return execute([scalene, "dump", *options, str(path)], cwd=HERE)


def same_part(found):
    """What a core file shows as the process does: not the times, nor what its files are."""
    for thread in found["threads"]:
        thread["doing"] = re.sub(r"(?:file|socket) (\d+)(?: \(.*\))?", r"file \1", thread["doing"])
        del thread["cpu_s"], thread["has_crashed"]
    parts = {key: found[key] for key in ("pid", "python", "is_free_threaded", "tasks", "greenlets", "greenlets_are_readable")}
    return dict(parts, threads={thread["tid"]: thread for thread in found["threads"]},
                findings=[re.sub(r" \(a pipe\)", "", finding) for finding in found["findings"] if not finding.startswith("the event loop")])


def rests(found):
    return all(thread["is_blocked"] for thread in found["threads"])


@pytest.mark.parametrize("program, options", [("locks", []), ("waits", ["--native"]), ("values", ["--native", "--locals"]), ("tasks", ["--native"])])
def test_a_core_file_shows_what_the_process_does(start, scalene, tmp_path, program, options):
    core = tmp_path / "core"
    with start(program) as running:
        running.wait_for(lambda found: rests(found) and (program != "tasks" or {"outer-1", "awaits-1"} <= {task["name"] for task in found["tasks"]}))
        for _ in range(10):  # until nothing has moved meanwhile
            before = same_part(json.loads(running.dump("--json", *options).expect(0).stdout))
            write_core(running.pid, core)
            after = same_part(json.loads(running.dump("--json", *options).expect(0).stdout))
            if before == after:
                break
        running.process.kill()
        running.process.wait()
        found = json.loads(dump_core(scalene, core, "--json", *options).expect(0).stdout)
    assert found["ending"] == "written while it ran" and not found["losses"]
    assert [thread["tid"] for thread in found["threads"]][0] == found["pid"]
    # a core shows one moment: who waits in a queue's lock of the interpreter may be seen on its way
    assert same_part(found) == before


@pytest.fixture
def rested(start, tmp_path):
    """A function that makes a core of a program of one thread; the program, its core, and its head's length."""
    running = start("values")

    def make(**how):
        running.wait_for(lambda found: doing(found)["MainThread"].startswith("reads from file 0"))
        path = tmp_path / "core"
        return path, write_core(running.pid, path, **how)

    with running:
        make.pid = running.pid
        yield make


@pytest.mark.parametrize("facts, words, has_crashed", [
    ((signal.SIGSEGV, SEGV_MAPERR, 0xDEAD0), "ended by SIGSEGV at address 0xdead0, in thread %d (MainThread)", True),
    ((signal.SIGSEGV, 128, 0), "ended by SIGSEGV, in thread %d (MainThread)", True),
    ((signal.SIGABRT, SI_TKILL, "own"), "ended by SIGABRT, in thread %d (MainThread)", True),
    ((signal.SIGQUIT, SI_USER, 1), "ended by SIGQUIT from process 1", False),
    ((signal.SIGQUIT, 128, 0), "ended by SIGQUIT", False),  # by the terminal
    ((signal.SIGABRT, SI_USER, 0), "ended by SIGABRT", False),  # from another PID namespace
    ((33, SI_TKILL, "own"), "ended by signal 33, in thread %d (MainThread)", True),
])
def test_the_signal_that_ended_it(rested, scalene, facts, words, has_crashed):
    number, code, detail = facts
    path, _ = rested(signal=int(number), code=code, detail=rested.pid if detail == "own" else detail)
    ended = dump_core(scalene, path).expect(0)
    words = words % rested.pid if "%d" in words else words
    assert re.match(r"Core file of process %d: \S+ \S+\nPython [\d.]+( \(free-threaded\))?, %s, CPU time 0\.25 s, 1 thread; innermost call first\n"
                    % (rested.pid, re.escape(words)), ended.stdout)
    (thread,) = json.loads(dump_core(scalene, path, "--json").expect(0).stdout)["threads"]
    assert thread["has_crashed"] == has_crashed
    assert thread["doing"].startswith("ended the process by " if has_crashed else "reads from file 0")


def test_the_thread_that_crashed_is_first(start, scalene, tmp_path):
    core = tmp_path / "core"
    with start("waits") as running:
        found = running.wait_for(lambda found: rests(found) and doing(found).get("sleeps") == "sleeps")
        (tid,) = [thread["tid"] for thread in found["threads"] if thread["name"] == "sleeps"]
        write_core(running.pid, core, signal=int(signal.SIGSEGV), code=SEGV_MAPERR, detail=16, first=tid)
    found = json.loads(dump_core(scalene, core, "--json").expect(0).stdout)
    assert [thread["tid"] for thread in found["threads"] if thread["has_crashed"]] == [tid] == [found["threads"][0]["tid"]]
    assert found["ending"] == "ended by SIGSEGV at address 0x10, in thread %d (sleeps)" % tid


def test_files_that_have_changed(rested, scalene):
    """A file that was mapped is only read where it is still the same."""
    as_it_is, _ = rested()
    truth = json.loads(dump_core(scalene, as_it_is, "--json", "--native").expect(0).stdout)
    renamed, _ = rested(rename=lambda name: name + " (deleted)")
    found = json.loads(dump_core(scalene, renamed, "--json", "--native").expect(0).stdout)
    assert found["threads"][0]["frames"][1:] and not found["losses"]
    names = [frame["function"].replace(" (deleted)", "") for frame in found["threads"][0]["frames"]]
    assert names == [frame["function"] for frame in truth["threads"][0]["frames"]]

    def other(mapping, page):
        is_python = "python" in os.path.basename(mapping.name)
        return wrong(page) if is_python and mapping.offset == 0 else page

    changed, _ = rested(change=other)
    assert re.fullmatch(r"scalene: dump: '.*core': '\S*python\S*' has changed since the core was written: dump it where the program ran, or put that "
                        r"file there again\n", dump_core(scalene, changed).expect(1).stderr)
    gone, _ = rested(rename=lambda name: name.replace("python", "no-python") if "python" in os.path.basename(name) else name)
    assert "' is not there any more: dump it where the program ran" in dump_core(scalene, gone).expect(1).stderr

    def other_libc(mapping, page):
        is_libc = os.path.basename(mapping.name).startswith(("libc.", "libc-", "ld-musl"))
        return wrong(page) if is_libc and mapping.offset == 0 else page

    partly, _ = rested(change=other_libc)
    found = json.loads(dump_core(scalene, partly, "--json", "--native").expect(0).stdout)
    assert [frame["function"].rpartition(".")[2] for frame in found["threads"][0]["frames"] if not frame["is_native"]] == ["inner", "outer", "<module>", "<module>"]
    assert any("has changed since the core was written" in loss for loss in found["losses"])


def wrong(page):
    return page[:40] + bytes(byte ^ 0xFF for byte in page[40:])


def kind_of(ended):
    """A dump that has shown something, or has said in one sentence why not."""
    assert ended.status in (0, 1), (ended.status, ended.stderr)
    lines = ended.stderr.splitlines()
    assert not lines if ended.status == 0 else len(lines) == 1 and lines[0].startswith("scalene: dump: '"), ended.stderr
    return ended.status


@pytest.mark.one_python
def test_cut_core_files(rested, scalene):
    path, head_bytes = rested()
    length = os.path.getsize(path)
    sizes = [4, 40, 63, 64, 100, head_bytes // 2, head_bytes] + [length * part // 20 for part in range(19, 0, -1)]
    shown = 0
    for size in sorted(sizes, reverse=True):
        os.truncate(path, size)
        ended = dump_core(scalene, path)
        if kind_of(ended) == 0:
            assert "\n(the core file is cut: it lacks " in ended.stdout
            shown += 1
        else:
            assert re.search("cut|is empty", ended.stderr), ended.stderr
    assert shown > 0, "a little is lost, and all is refused"


@pytest.mark.one_python
def test_core_files_that_lie(rested, scalene):
    """Wrong notes and headers: what is read is checked."""
    path, head_bytes = rested(signal=int(signal.SIGSEGV), code=SEGV_MAPERR, detail=16)
    with open(path, "r+b", 0) as core:
        whole = core.read(head_bytes)
        chance = random.Random(0)
        kinds = []
        for _ in range(200):
            wrong = bytearray(whole)
            for _ in range(chance.choice([1, 2, 8, 64])):
                at = chance.randrange(len(wrong) if chance.random() < 0.7 else 1024)
                wrong[at:at + 8] = chance.choice([bytes([chance.randrange(256)]), b"\xff" * 8, bytes(8), bytes([0xFF] * 7 + [0x7F])])[:len(wrong) - at]
            core.seek(0)
            core.write(wrong[:len(whole)])
            kinds.append(kind_of(dump_core(scalene, path, "--native", "--locals")))
    assert set(kinds) == {0, 1}, "all were refused, or none"


@pytest.mark.one_python
def test_what_is_no_core_file(rested, scalene, tmp_path):
    path, _ = rested()
    head = path.read_bytes()[:PAGE]

    def why(name, content=None):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        ended = dump_core(scalene, tmp_path / name).expect(1)
        begin = "scalene: dump: '%s': " % (tmp_path / name)
        assert ended.stderr.startswith(begin) and ended.stderr.count("\n") == 1
        return ended.stderr[len(begin):-1]

    os.mkfifo(tmp_path / "fifo")
    assert why("missing") == "it cannot be read: No such file or directory"
    assert why("fifo") == "it is no regular file"
    assert why(".") == "it is a directory, and no core file"
    assert why("empty", b"") == "it is empty"
    assert why("text", b"no core file at all, but a text of some length " * 3) == "it is no core file"
    assert why("short", b"x") == "it is no core file"
    assert why("short_core", head[:40]) == "it was cut within its first header"
    for magic, tool in ((b"\x28\xb5\x2f\xfd", "unzstd"), (b"\x04\x22\x4d\x18", "lz4 -d"), (b"\xfd7zXZ\0", "unxz"), (b"\x1f\x8b", "gunzip")):
        assert why("packed", magic + bytes(100)) == "it is compressed: unpack it first, with '%s', or let systemd write it with 'coredumpctl dump PID > core'" % tool
    assert why("program", head[:16] + b"\x03\0" + head[18:]) == "it is a program or a library, and no core file"
    assert why("other", head[:18] + b"\x14\0" + head[20:]) == "it is of another kind of processor (ELF machine 20) than this one"
    for at in (4, 5):
        assert why("word", head[:at] + (b"\1" if at == 4 else b"\2") + head[at + 1:]) == (
            "it is of a 32-bit program, or of a processor with another order of bytes")
    with open(tmp_path / "sparse", "wb") as sparse:
        sparse.write(head[:64])
        sparse.truncate(1 << 40)
    assert "it lists no threads" in why("sparse")
    with subprocess.Popen(["sh", "-c", "echo ready; read line"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        while len(open("/proc/%d/syscall" % other.pid).read().split()) != 9:
            time.sleep(0.01)
        write_core(other.pid, tmp_path / "other")
        other.stdin.close()
    assert why("other").startswith("it is of no Python that is known here")


@pytest.mark.one_python
def test_a_core_file_that_must_not_be_read(rested, scalene):
    path, _ = rested()
    if os.geteuid() == 0:
        pytest.skip("root may read all files")
    os.chmod(path, 0)
    assert dump_core(scalene, path).expect(1).stderr.endswith("it cannot be read: Permission denied\n")


# The kernel counts CPU time in a core file by ticks, and a machine that shares its processors loses some of them: some dozen are used.
CRASHES = """
import ctypes, faulthandler, threading, time
while time.process_time() < 0.3:
    pass
if %r:
    faulthandler.enable()
threading.Thread(target=time.sleep, args=(1000,), name="other", daemon=True).start()
def crash(number):
    ctypes.string_at(number)
def outer():
    kept = [1, 2]
    crash(16)
outer()
"""


@pytest.mark.parametrize("is_handled", [False, True])
def test_a_core_file_of_the_kernel(scalene, python, tmp_path, is_handled):
    pattern = open("/proc/sys/kernel/core_pattern").read().strip()
    if not re.fullmatch(r"[\w.]+", pattern):
        pytest.skip("needs a system that puts core files into the folder: its core_pattern is %s" % pattern)
    (tmp_path / "crashes.py").write_text(CRASHES % is_handled)
    ended = subprocess.run(["sh", "-c", "ulimit -c unlimited && exec \"$@\"", "sh", python.path, "crashes.py"], cwd=tmp_path, capture_output=True,
                           env=clean_environment({}), check=False)
    if ended.returncode == 2 or b"ulimit" in ended.stderr:
        pytest.skip("needs a limit of core files that can be raised")
    assert ended.returncode == -signal.SIGSEGV
    (core,) = [name for name in os.listdir(tmp_path) if name.startswith(pattern)]
    found = json.loads(dump_core(scalene, tmp_path / core, "--json", "--native", "--locals").expect(0).stdout)
    first = found["threads"][0]
    assert first["has_crashed"] and first["is_main"] and first["doing"] == "ended the process by SIGSEGV"
    assert found["ending"] == "ended by SIGSEGV%s, in thread %d (MainThread)" % ("" if is_handled else " at address 0x10", found["pid"])
    frames = [frame for frame in first["frames"] if not frame["is_native"]]
    assert [frame["function"] for frame in frames[-3:]] == ["crash", "outer", "<module>"]
    assert frames[-3]["locals"] == {"number": "16"} and frames[-2]["locals"] == {"kept": "[1, 2]"}
    assert found["cpu_s"] > 0
    native = [os.path.basename(frame["file"]) for frame in first["frames"] if frame["is_native"]]
    assert any(name.startswith("_ctypes") for name in native), native
    if is_handled:
        told = re.findall(r'File "(.*)", line (\d+) in (.*)', ended.stderr.decode().partition("Current thread")[2])
        own = [(frame["file"], str(frame["line"]), frame["function"].rpartition(".")[2]) for frame in frames]
        assert [(os.path.basename(file), line, name) for file, line, name in told] == [(os.path.basename(file), line, name) for file, line, name in own]
