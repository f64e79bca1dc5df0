# tests/dump/test_dump.py - what `scalene dump` says of programs whose state is known and lasts.
#
# A program prints a line when it is about to come to that state; the dump is repeated until it
# shows it, so how fast the machine is decides nothing.
#
# SPDX-License-Identifier: Apache-2.0
"""`scalene dump` on programs that have come to rest."""

import json
import os
import re
import signal
import subprocess
import threading
import time

import pytest

import packages
from conftest import TIMEOUT_S, execute
from running import HERE, Running, doing

pytestmark = pytest.mark.by_version


@pytest.fixture
def start(scalene, python):
    def start_one(program, *words):
        return Running(scalene, [python.path, program + ".py", *words])

    return start_one


LOCKS = {
    "MainThread": "waits for thread N (one) to end", "one": "waits for the Lock at A, in whose `with` block thread N (two) is",
    "two": "waits for the Lock at A, in whose `with` block thread N (one) is", "owner": "waits to be notified",
    "wants_recursive": "waits for the RLock at A, which thread N (owner) holds", "in_condition": "waits to be notified",
    "wants_condition": "waits for the RLock at A, which thread N (in_condition) holds",
    "itself": "waits for the Lock at A, in whose `with` block it is itself", "left_before": "waits to be notified",
    "acquires": "waits to be notified", "wants_acquired": "waits for the Lock at A", "gives_up": "waits to be notified",
    "takes_again": "waits for the Lock at A", "gives": "waits for the Lock at A, in whose `with` block thread N (keeps) is",
    "gets": "waits to be notified", "keeps": "waits for the Lock at A",
    "hands": "waits for the Lock at A, in whose `with` block thread N (waits_for_handed) is",
    "waits_for_handed": "waits for the Lock at A, in whose `with` block thread N (hands) is", "holds_other": "waits to be notified",
    "releases": "waits for the Lock at A", "holds_released": "waits to be notified", "holds_and_gets": "waits for another thread",
    "wants_at_hand": "waits for the Lock at A, in whose `with` block thread N (holds_and_gets) is", "has_at_hand": "waits to be notified",
    "holds_in_expression": "waits to be notified", "wants_in_expression": "waits for the Lock at A", "takes_plain": "waits to be notified",
    "wants_plain": "waits for the Lock at A",
    "three": "waits for the Lock at A, in whose `with` block thread N (four) is, for a limited time",
    "four": "waits for the Lock at A, in whose `with` block thread N (three) is",
}


def test_who_holds_what_others_wait_for(start):
    with start("locks") as program:
        found = program.wait_for(lambda found: doing(found) == LOCKS)
    threads = {thread["name"]: thread for thread in found["threads"]}
    named = {thread["tid"]: thread["name"] for thread in found["threads"]}
    waits = {name: named.get(thread["waits_for_tid"]) for name, thread in threads.items()}
    assert {name: other for name, other in waits.items() if other} == {
        "MainThread": "one", "one": "two", "two": "one", "wants_recursive": "owner", "wants_condition": "in_condition", "itself": "itself",
        "three": "four", "four": "three", "wants_at_hand": "holds_and_gets",
        "gives": "keeps", "hands": "waits_for_handed", "waits_for_handed": "hands"}
    assert all(finding.startswith("deadlock, unless a lock was released inside its `with` block: ") for finding in found["findings"])
    assert [re.findall(r"\((\w+)\) waits for", finding) for finding in found["findings"]] == [["one", "two"], ["itself"], ["hands", "waits_for_handed"]]
    assert [frame["source"] for frame in threads["two"]["frames"]][0] == "with first:"


def test_what_threads_wait_for(start):
    with start("waits", "polls") as program:
        child, port = program.line.split()
        expected = {
            "accepts": "waits for a connection to socket 3 (listening at 127.0.0.1:%s)" % port,
            "receives": "receives from socket 4 (connected to 127.0.0.1:%s)" % port, "gets": "waits for an item of a queue",
            "results": "waits for the result of a future", "waits_for_child": "waits for a child process to end",
            "waits_a_while_for_child": "waits for a child process to end", "sleeps": "sleeps",
            "selects": "waits for files and sockets", "pool_0": "waits for work (thread pool)",
        }
        found = program.wait_for(lambda found: expected.items() <= doing(found).items())
        assert re.fullmatch(r"reads from file \d+ \(a pipe\)", doing(found)["reads"])
        assert re.fullmatch(r"reads from file 0 \(a pipe\)", doing(found)["MainThread"])
        assert not found["findings"] and int(child) > 0


VALUES = {
    "outer": {
        "argument": "1", "more": "(2, 3)", "key": "'k'", "others": "{'extra': 4}", "number": "42", "negative": "-7",
        "large": "<int of about 120 bits>", "zero": "0", "word": str(2**64 - 1), "below": str(-(2**63) - 5), "real": "2.5", "whole": "3.0", "tiny": "1e-300",
        "least": "5e-324", "fixed": "1000000000000000.0", "not_fixed": "1e+16", "third": repr(1 / 3), "wide": "'%s'... 50 in all" % ("\u00e9" * 40), "text": "'plain'",
        "quoted": "\"it's\\n\"", "accents": "'h\u00e9llo \u4e16\u754c \U0001f600'", "long_text": "'%s'... 1000 in all" % ("x" * 80),
        "data": "b\"\\x00ab'\"", "nothing": "None", "yes": "True", "no": "False", "items": "[1, 'two', [3, [... 1 in all]]]",
        "pair": "(1, 2)", "one": "(1,)", "empty": "[]", "many": "[0, 1, 2, 3, 4, ... 1000 in all]", "table": "{'a': 1, 2: [3]}",
        "numbers": "{5}", "no_numbers": "set()", "fewer": "{1, 3}", "shared": "'in a cell'",
        "half": "'a\\udc80b\\ud800c'", "name": "'caf\\udce9'", "shown": "'\\x7f\\x85\\xa0\\xad'", "halves": "'%s'... 30 in all" % ("\\udc80" * 26),
        "controls": "['%s..." % ("\\x1b" * 73), "wides": "[%s, '%s..." % (", ".join(["'%s'" % ("\u4e16" * 26)] * 3), "\u4e16" * 16),
    },
    "inner": {"shared": "'in a cell'"},
}


def test_local_variables(start):
    with start("values") as program:
        found = program.wait_for(lambda found: doing(found)["MainThread"].startswith("reads from file 0"), "--locals")
    frames = {frame["function"].rpartition(".")[2]: frame["locals"] for frame in found["threads"][0]["frames"]}
    outer = frames["outer"]
    assert re.fullmatch(r"<Something at 0x[0-9a-f]+>", outer.pop("thing"))
    assert re.fullmatch(r"<function at 0x[0-9a-f]+>", outer.pop("inner"))
    pretenders = {name: outer.pop(name) for name in list(outer) if name.startswith(("as_", "heir_"))}
    assert len(pretenders) == 18
    for name, value in pretenders.items():
        assert re.fullmatch(r"<%s at 0x[0-9a-f]+>" % name.partition("_")[2].replace("none", "NoneType"), value)
    assert outer == VALUES["outer"]
    assert frames["inner"] == VALUES["inner"]


def test_tasks(start):
    with start("tasks") as program:
        found = program.wait_for(lambda found: {task["name"] for task in found["tasks"]} >= {"outer-1", "awaits-1"})
        found = program.wait_for(lambda found: doing(found) == {"MainThread": "its event loop has nothing to run"})
    tasks = {task["name"]: task for task in found["tasks"]}
    assert tasks["awaits-1"]["awaits_tasks"] == ["outer-1"] and not tasks["outer-1"]["awaits_tasks"]
    assert [frame["function"] for frame in tasks["outer-1"]["frames"]] == ["sleep", "leaf", "outer"]
    assert [frame["source"] for frame in tasks["outer-1"]["frames"]][1:] == ["await asyncio.sleep(1000)", "await leaf()"]
    assert not found["findings"]


def test_which_task_awaits_which(start, python):
    expected = {
        "gathers": ["gathered-1", "gathered-2"], "waits": ["waited-1", "waited-2"], "waits_for": ["limited"], "awaits": ["awaited"],
        "gathers_many": ["many-%d" % i for i in range(10)],
    }
    if python.version >= (3, 11):
        expected["groups"] = ["grouped-1", "grouped-2"]
    expected["Task-1"] = sorted(expected)
    with start("awaits") as program:
        program.wait_for(lambda found: {task["name"]: sorted(task["awaits_tasks"]) for task in found["tasks"] if task["awaits_tasks"]} == expected)
        text = program.dump().expect(0).stdout
    assert "\nTask awaits: awaits task awaited\n" in text and "\nTask gathered-1\n" in text
    assert re.search(r"\nTask gathers: awaits tasks gathered-[12] and gathered-[12]\n", text)
    assert re.search(r"\nTask gathers_many: awaits tasks many-\d(, many-\d){7} and 2 more\n", text)


def test_all_tasks_are_counted(start):
    with start("many_tasks", "70000") as program:
        found = program.wait_for(lambda found: doing(found) == {"MainThread": "its event loop has nothing to run"})
    assert len(found["tasks"]) == 200 and found["tasks_left_out"] == 70001 - 200


def test_a_blocked_event_loop(start):
    with start("tasks", "blocked") as program:
        found = program.wait_for(lambda found: found["findings"])
    (finding,) = found["findings"]
    assert re.fullmatch(r"the event loop of thread \d+ \(MainThread\) is blocked: blocks \(.*/tasks.py:\d+\) reads from file 0 \(a pipe\); "
                        r"it runs no other task meanwhile", finding)


GREENLETS = {(3, 8): "greenlet==3.1.1 gevent==24.2.1", (3, 9): "greenlet==3.2.5 gevent==25.9.1"}
NEWEST_GREENLETS = "greenlet==3.5.6 gevent==26.9.0"


@pytest.fixture
def start_greenlets(scalene, python):
    def start_one(program, *words):
        wanted = GREENLETS.get(python.minor, NEWEST_GREENLETS).split()
        folder, why = packages.install(python, " ".join(wanted) if program == "hub" else wanted[0])
        if folder is None:
            pytest.skip("%s cannot be installed for %s: %s" % ("gevent" if program == "hub" else "greenlet", python.id, why))
        return Running(scalene, ["env", "PYTHONPATH=" + folder, python.path, program + ".py", *words])

    return start_one


def functions_of(greenlet):
    return [frame["function"].rpartition(".")[2] for frame in greenlet["frames"]]


@pytest.mark.parametrize("age", ["new", "old"])
def test_greenlets_that_are_switched_out(start_greenlets, python, age):
    if python.free_threaded:
        pytest.skip("needs the collector's lists: a free-threaded build has none")
    with start_greenlets("greenlets", age) as program:
        found = program.wait_for(lambda found: doing(found)["MainThread"].startswith("reads from file 0"))
        text = program.dump().expect(0).stdout
    assert found["greenlets_are_readable"] and {greenlet["doing"] for greenlet in found["greenlets"]} == {"is switched out"}
    assert sorted(map(functions_of, found["greenlets"])) == [
        ["<module>"], ["leave", "<genexpr>", "run"], ["leave", "<lambda>", "sorts"], ["leave", "deep", "deep", "deep", "deep", "goes_deep"]]
    assert sorted(re.sub("0x[0-9a-f]+", "A", greenlet["name"]) for greenlet in found["greenlets"]) == ["A", "A", "A (Generates)", "of the thread itself"]
    assert "\n4 greenlets are switched out\n" in text and "\nGreenlet of the thread itself: is switched out\n" in text


@pytest.mark.parametrize("word", ["rests", "blocked"])
def test_greenlets_of_gevent(start_greenlets, python, word):
    if python.free_threaded:
        pytest.skip("needs the collector's lists: a free-threaded build has none")
    with start_greenlets("hub", word) as program:
        found = program.wait_for(lambda found: doing(found)["MainThread"].startswith(
            "the hub of gevent has nothing to run" if word == "rests" else "reads from file 0"))
    known = {functions_of(greenlet)[-1]: greenlet for greenlet in found["greenlets"]}
    assert {name: greenlet["doing"] for name, greenlet in known.items() if name != "run"} == {
        "sleeps": "sleeps", "receives": "receives from a socket", "accepts": "waits for a connection", "waits": "is switched out",
        "<module>": "is switched out"}
    assert ("run" in known) == (word == "blocked")
    if word == "blocked":
        assert known["run"]["name"].endswith(" (the hub of gevent)")


@pytest.mark.one_python
def test_greenlets_that_cannot_be_read(start_greenlets):
    """Another module of that name is not taken for the package."""
    with start_greenlets("not_greenlets") as program:
        found = program.wait_for(lambda found: doing(found)["MainThread"].startswith("reads from file 0"))
        text = program.dump().expect(0).stdout
    assert not found["greenlets"] and not found["greenlets_are_readable"]
    assert text.endswith("\ngreenlets: not readable\n")


def test_native_code_that_keeps_the_lock(start, python):
    if python.free_threaded:
        pytest.skip("no interpreter lock")
    with start("spins") as program:
        found = program.wait_for(lambda found: found["findings"])
    (finding,) = found["findings"]
    assert re.match(r"one thread waits for the GIL, which thread \d+ \(spins\) keeps in native code that \w+ calls", finding)
    holder = [thread["name"] for thread in found["threads"] if thread["holds_gil"]]
    assert holder == ["spins"] and doing(found)["MainThread"] == "waits for the GIL"


@pytest.mark.statistical
def test_who_keeps_the_lock_is_found_at_once(start, python):
    """Though who waits for it wakes up every few milliseconds."""
    if python.free_threaded:
        pytest.skip("no interpreter lock")
    with start("spins") as program:
        program.wait_for(lambda found: found["findings"])
        assert sum(bool(json.loads(program.dump("--json").expect(0).stdout)["findings"]) for _ in range(20)) >= 14


def test_python_code_that_shares_the_lock(start):
    """It is at one instruction, too, but gives the lock to the other thread again and again."""
    with start("loops") as program:
        for _ in range(20):
            found = json.loads(program.dump("--json").expect(0).stdout)
            assert not found["findings"] and len(found["threads"]) == 2
            assert not [thread for thread in found["threads"] if thread["holds_gil"] and thread["doing"] == "sleeps"]


def test_native_functions(start):
    with start("values") as program:
        found = program.wait_for(lambda found: doing(found)["MainThread"].startswith("reads from file 0"), "--native")
    frames = found["threads"][0]["frames"]
    assert frames[0]["is_native"] and os.path.basename(frames[0]["file"]).startswith(("libc.", "libpthread", "ld-musl"))
    assert [frame["function"].rpartition(".")[2] for frame in frames if not frame["is_native"]] == ["inner", "outer", "<module>", "<module>"]


def test_text(start):
    with start("values") as program:
        program.wait_for(lambda found: doing(found)["MainThread"].startswith("reads from file 0"))
        text = program.dump("--locals").expect(0).stdout
    assert re.search(r"^Process \d+: .*values\.py 1 thread|^Process \d+: .* values\.py$", text, re.MULTILINE)
    assert re.search(r"^Thread \d+ MainThread: reads from file 0 \(a pipe\), CPU time \d+\.\d\d s$", text, re.MULTILINE)
    assert re.search(r"^    \S*inner +values\.py:\d+ +sys\.stdin\.read\(1\)  # waits here$", text, re.MULTILINE)
    assert "return inner() and (  # %s...\n" % ("\u4e16" * 58) in text
    assert "\n        quoted = \"it's\\n\"\n" in text
    assert re.search(r"^    <module> +<made by /lib/python3\.9/of\.py:11>:1$", text, re.MULTILINE)  # no path


def test_the_program_goes_on(start):
    """It is not stopped, not signalled, and ends as it would have."""
    with start("values") as program:
        for _ in range(5):
            program.dump("--native", "--locals").expect(0)
        program.process.stdin.write("x")
        program.process.stdin.flush()
        assert program.process.wait(TIMEOUT_S) == 0


CHURN = """
import sys, threading
def deep(n):
    return sum(range(50)) if n == 0 else deep(n - 1) + len([n] * 10)
def some():
    for _ in range(20):
        deep(30)
def starts():
    while True:
        thread = threading.Thread(target=some)
        thread.start()
        thread.join()
for _ in range(4):
    threading.Thread(target=starts, daemon=True).start()
print("ready", flush=True)
sys.stdin.read(1)
"""


def test_a_program_that_never_rests(scalene, python, tmp_path):
    path = tmp_path / "churn.py"
    path.write_text(CHURN)
    with Running(scalene, [python.path, str(path)]) as program:
        for _ in range(20):
            found = json.loads(program.dump("--json", "--native", "--locals").expect(0).stdout)
            assert found["threads"] and found["threads"][0]["name"] == "MainThread"
            functions = {frame["function"] for thread in found["threads"] if not thread["is_moving"] for frame in thread["frames"] if not frame["is_native"]}
            assert all(re.fullmatch(r"[\w.<>]+", function) for function in functions)
        program.process.stdin.write("x")
        program.process.stdin.flush()
        assert program.process.wait(TIMEOUT_S) == 0


EXECUTES = """
import os, sys
if len(sys.argv) == 1:
    print("ready", flush=True)
os.execv(sys.executable, [sys.executable, "-S", __file__, "again"])
"""


def test_a_process_that_executes_itself(scalene, python, tmp_path):
    """Most of the time it is just starting; a few readings find the interpreter all the same."""
    path = tmp_path / "executes.py"
    path.write_text(EXECUTES)
    with Running(scalene, [python.path, str(path)]) as program:
        for _ in range(30):
            assert json.loads(program.dump("--json").expect(0).stdout)["pid"] == program.pid


def test_threads_of_another_interpreter(start, python):
    if python.version < (3, 12):
        pytest.skip("needs Python 3.12")
    with start("interpreters") as program:
        read = dict.fromkeys(("MainThread", "executes", "of_the_other"), "reads from file 3 (a pipe)")
        # a thread that was only just begun may be seen before Python knows its number, without frames
        found = program.wait_for(lambda found: doing(found) == read and all(thread["frames"] for thread in found["threads"]))
        text = program.dump().expect(0).stdout
    assert {thread["name"]: thread["interpreter"] for thread in found["threads"]} == {"MainThread": 0, "executes": 1, "of_the_other": 1}
    functions = {thread["name"]: [frame["function"].rpartition(".")[2] for frame in thread["frames"]] for thread in found["threads"]}
    assert functions["executes"] == ["inner", "starts", "<module>"]
    assert functions["of_the_other"][:2] == ["inner", "run"] and functions["MainThread"] == ["<module>"]
    assert " executes (daemon) (interpreter 1): reads from" in text


@pytest.mark.one_python
def test_source_that_has_changed(scalene, python, tmp_path):
    path = tmp_path / "program.py"
    path.write_text("import sys\nprint('ready', flush=True)\nsys.stdin.read(1)\n")
    with Running(scalene, [python.path, str(path)]) as program:
        assert not program.wait_for(lambda found: found["threads"])["threads"][0]["frames"][-1]["source_has_changed"]
        later = time.time() + 60
        os.utime(path, (later, later))
        assert program.wait_for(lambda found: found["threads"])["threads"][0]["frames"][-1]["source_has_changed"]
        assert "[changed since the process started]" in program.dump().expect(0).stdout


DEEP = """
import sys
sys.setrecursionlimit(10000)
def deep(n):
    if n == 0:
        print("ready", flush=True)
        sys.stdin.read(1)
        return 0
    return deep(n - 1)
deep(500)
"""


@pytest.mark.one_python
def test_a_deep_recursion(scalene, python, tmp_path):
    path = tmp_path / "deep.py"
    path.write_text(DEEP)
    with Running(scalene, [python.path, str(path)]) as program:
        frames = program.wait_for(lambda found: found["threads"])["threads"][0]["frames"]
        text = program.dump().expect(0).stdout
    assert len(frames) == 502 and text.count("return deep(n - 1)") == 3
    assert "\n    [the same 497 more times]\n    <module> " in text


@pytest.mark.one_python
def test_a_stopped_process(start):
    with start("values") as program:
        os.kill(program.process.pid, signal.SIGSTOP)
        program.wait_for(lambda found: doing(found) == {"MainThread": "stopped by a signal"})
        os.kill(program.process.pid, signal.SIGCONT)


@pytest.mark.one_python
def test_another_users_process(scalene, start):
    if os.geteuid() != 0:
        pytest.skip("only root may become another user")
    with start("values") as program:
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", scalene, "dump", str(program.process.pid)]
        ended = execute(command, cwd=HERE)
    assert ended.status == 1 and not ended.stdout
    assert ended.stderr == ("scalene: dump: process %d: it is another user's, and the system lets only that user and root read it: use sudo\n"
                            % program.process.pid)


def test_a_process_in_a_container(scalene, python):
    inside = ["unshare", "--pid", "--fork", "--mount-proc"]
    if subprocess.run([*inside, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        pytest.skip("no PID namespace can be made")
    with Running(scalene, [*inside, python.path, "locks.py"]) as program:
        (inner,) = open("/proc/%d/task/%d/children" % ((program.process.pid,) * 2), encoding="ascii").read().split()
        program.pid = int(inner)
        found = program.wait_for(lambda found: doing(found) == LOCKS)
    assert len(found["findings"]) == 3


def test_a_process_that_c_has_forked(start):
    with start("forked") as program:
        program.pid = int(program.line.split()[0])
        found = program.wait_for(lambda found: doing(found) == {"MainThread": "reads from file 0 (a pipe)", "of_child": "waits to be notified"})
    assert all(thread["frames"] for thread in found["threads"])


FIRST_ENDS = """
import ctypes, sys, threading
def reads():
    print("ready", flush=True)
    sys.stdin.read(1)
threading.Thread(target=reads, name="reads").start()
ctypes.CDLL(None).syscall(60 if sys.argv[1] == "x86_64" else 93, 0)
"""


@pytest.mark.one_python
def test_a_process_whose_first_thread_has_ended(scalene, python, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(FIRST_ENDS)
    with Running(scalene, [python.path, str(path), os.uname().machine]) as program:
        found = program.wait_for(lambda found: doing(found) == {"MainThread": "has ended", "reads": "reads from file 0 (a pipe)"})
        assert found["threads"][1]["frames"][0]["source"] == "sys.stdin.read(1)" and "program.py" in found["command"]


@pytest.mark.one_python
def test_what_cannot_be_read(scalene):
    def dump(*words):
        return execute([scalene, "dump", *words], cwd=HERE)

    with subprocess.Popen(["sleep", "1000"]) as other:
        ended = dump(str(other.pid))
        assert (ended.status, ended.stderr) == (
            1, "scalene: dump: process %d: it is no Python that is known here (CPython 3.8 to 3.15, 64 bit), or is just starting\n" % other.pid)
        other.kill()
        while b"\nState:\tZ" not in open("/proc/%d/status" % other.pid, "rb").read():
            time.sleep(0.01)
        ended = dump(str(other.pid))
        assert (ended.status, ended.stderr) == (1, "scalene: dump: process %d: it has ended\n" % other.pid)
    ended = dump(str(other.pid))
    assert (ended.status, ended.stderr) == (1, "scalene: dump: process %d: there is no such process\n" % other.pid)
    thread = threading.Thread(target=time.sleep, args=(2,))
    thread.start()
    ended = dump(str(thread.native_id))
    assert (ended.status, ended.stderr) == (1, "scalene: dump: process %d: that is a thread of process %d\n" % (thread.native_id, os.getpid()))
    thread.join()
    assert dump("0").expect(2).stderr == "scalene: dump: '0' is no number of a process\n"
    assert dump("9999999999").expect(2).stderr == "scalene: dump: '9999999999' is no number of a process\n"
    assert dump().expect(2).stderr == "scalene: dump: name one process by its number, or one core file\n"
    assert dump("1", "2").expect(2).stderr == "scalene: dump: name one process by its number, or one core file\n"
