# tests/server/test_live.py - a profile that is written again and again while the server shows it.
#
# SPDX-License-Identifier: Apache-2.0
"""`scalene view --follow` and `scalene live`: versions, replacement, what is no profile, the program's end."""

import json
import os
import signal
import subprocess
import threading

import pytest
from conftest import until
from serving import TIMEOUT_S, data, first_line, live, serve

QUESTIONS = ("api/overview", "api/functions?file=all", "api/stacks", "api/timeline", "api/memory", "api/search?text=a")
WAITS = "import sys\nprint('begun', flush=True)\nsys.exit(int(sys.stdin.readline() or 9))\n"
# A shell has what it starts in the background ignore Ctrl-C, the tests included.
CATCHES = """\
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    open("ready", "x").close()
    while True:
        time.sleep(0.01)
except KeyboardInterrupt:
    print("caught", flush=True)
    sys.exit(7)
"""


def replace(path, text):
    """As an observer does it: another file takes the name."""
    beside = path.with_suffix(".new")
    beside.write_text(text)
    os.replace(beside, path)


def numbered(number):
    """A profile whose overview, functions and files all have the number."""
    profile = json.loads(open(data("full"), encoding="utf-8").read())
    profile["elapsed_time_sec"] = number
    first = sorted(profile["files"])[0]
    profile["files"]["/program/of/%d.py" % number] = profile["files"].pop(first)
    return json.dumps(profile)


def state(server, name="a test"):
    return json.loads(server.ask("api/alive", method="POST", body=name.encode()).body)


def is_at(server, number):
    return server.answer("api/overview")["elapsed_s"] == number


@pytest.fixture
def followed(scalene, tmp_path):
    path = tmp_path / "followed.json"
    path.write_text(numbered(1))
    with serve(scalene, "--follow", str(path)) as server:
        yield server, path


def test_a_new_profile_is_shown_and_answers_say_which_they_are_from(followed):
    server, path = followed
    assert state(server) == {"version": 1, "live": {"is_growing": True, "is_paused": False, "ending": None, "trouble": None}}
    assert server.ask("api/overview").headers["Profile-Version"] == "1"
    for number in (2, 3):
        replace(path, numbered(number))
        until(lambda n=number: is_at(server, n), "the new profile")
        answers = [server.ask(question) for question in QUESTIONS]
        assert {answer.headers["Profile-Version"] for answer in answers} == {str(number)}
        assert state(server)["version"] == number
    assert server.ask("").headers["Profile-Version"] is None
    assert server.ask("app.js").headers["Profile-Version"] is None


def test_a_profile_that_is_not_followed_stays(scalene, tmp_path):
    path = tmp_path / "once.json"
    path.write_text(numbered(1))
    with serve(scalene, str(path)) as server:
        replace(path, numbered(2))
        assert state(server) == {"version": 1}
        assert is_at(server, 1)


def test_answers_are_whole_and_of_one_profile_while_it_is_replaced(followed):
    server, path = followed
    seen, wrong, is_over = {}, [], threading.Event()

    def ask():
        while not is_over.is_set():
            for question in ("api/overview", "api/search?text=program"):
                answer = server.ask(question)
                key = question, answer.headers["Profile-Version"]
                if answer.status != 200 or seen.setdefault(key, answer.body) != answer.body:
                    wrong.append(key)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for number in range(2, 8):
            replace(path, numbered(number))
            until(lambda n=number: is_at(server, n), "the new profile")
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
    assert not wrong
    for (question, version), body in seen.items():
        names = {file["name"] for file in json.loads(body)["files"]} if question == "api/overview" else set()
        assert question != "api/overview" or "/program/of/%s.py" % version in names, (version, names)


def test_what_is_no_profile_leaves_the_last_one_and_says_so(followed):
    server, path = followed

    def trouble():
        return state(server)["live"]["trouble"]

    replace(path, numbered(2)[:5000])
    until(trouble, "a word on the half profile")
    assert is_at(server, 1)
    path.unlink()
    until(lambda: "is no longer there" in (trouble() or ""), "a word on the missing file")
    assert is_at(server, 1)
    path.mkdir()
    until(lambda: "is no longer there" not in (trouble() or ""), "a word on the directory")
    assert is_at(server, 1)
    path.rmdir()
    replace(path, numbered(3))
    until(lambda: is_at(server, 3), "the new profile")
    assert trouble() is None
    assert state(server)["version"] == 2


def test_a_paused_page_stays_and_then_has_the_newest(followed, scalene):
    server, path = followed
    assert json.loads(server.ask("api/pause", method="POST", body=b"1").body)["live"]["is_paused"] is True
    with serve(scalene, "--follow", str(path)) as other:  # looks as often, so the first one has looked when this has twice
        for number in (2, 3):
            replace(path, numbered(number))
            until(lambda n=number: is_at(other, n), "the new profile at one that is not paused")
    assert state(server)["version"] == 1
    assert is_at(server, 1)
    assert json.loads(server.ask("api/pause", method="POST", body=b"0").body)["live"]["is_paused"] is False
    until(lambda: is_at(server, 3), "the newest profile")
    assert state(server)["version"] == 2


def test_another_profile_ends_the_following(followed):
    server, path = followed
    loaded = server.ask("api/load?name=other", method="POST", body=numbered(20).encode())
    assert loaded.headers["Profile-Version"] == "2"
    replace(path, numbered(3))
    assert state(server) == {"version": 2}
    assert is_at(server, 20)


def test_after_the_end_it_is_the_page_of_view(scalene, tmp_path):
    program = tmp_path / "waits.py"
    program.write_text(WAITS)
    with live(scalene, program, "one", cwd=tmp_path) as server:
        assert "(Ctrl-C reaches the program)" in server.line
        until(lambda: state(server)["version"] > 1, "a second profile")
        assert state(server)["live"]["ending"] is None
        server.process.stdin.write(b"3\n")
        until(lambda: not state(server)["live"]["is_growing"], "the end")
        assert state(server)["live"]["ending"] == "ended with status 3"
        path = str(tmp_path / "scalene-profile.json")
        assert server.answer("api/overview")["path"] == path
        with serve(scalene, path) as view:
            for question in QUESTIONS:
                assert server.ask(question).body == view.ask(question).body, question
        assert server.end() == (3, "begun\n", "scalene: program ended with status 3; Ctrl-C ends the page\n")


def test_the_end_is_told_though_a_paused_page_shows_something_else(scalene, tmp_path):
    program = tmp_path / "waits.py"
    program.write_text(WAITS)
    with live(scalene, program, "one", cwd=tmp_path) as server:
        assert server.ask("api/pause", method="POST", body=b"1").status == 200
        assert server.ask("api/load?name=other", method="POST", body=numbered(20).encode()).status == 200
        server.process.stdin.write(b"3\n")
        assert first_line(server.process.stderr) == "scalene: program ended with status 3; Ctrl-C ends the page\n"
        assert server.end()[0] == 3


def test_an_interrupt_reaches_the_program_and_then_the_server(scalene, tmp_path):
    program = tmp_path / "catches.py"
    program.write_text(CATCHES)
    with live(scalene, "-o", tmp_path / "kept.json", program, cwd=tmp_path) as server:
        until((tmp_path / "ready").exists, "the program's own handler")
        server.process.send_signal(signal.SIGINT)
        until(lambda: not state(server)["live"]["is_growing"], "the end")
        assert state(server)["live"]["ending"] == "ended with status 7"
        assert server.end() == (7, "caught\n", "scalene: program ended with status 7; Ctrl-C ends the page\n")
    assert json.loads((tmp_path / "kept.json").read_text())["files"]


def test_a_page_is_told_the_end_before_the_server_ends(scalene, tmp_path):
    program = tmp_path / "waits.py"
    program.write_text(WAITS)
    with live(scalene, program, "one", cwd=tmp_path) as server:
        state(server)  # a page is open
        server.process.terminate()
        until(lambda: not state(server)["live"]["is_growing"], "the end")
        assert state(server)["live"]["ending"] == "ended by signal 15 (Terminated)"
        assert server.answer("api/overview")["elapsed_s"] > 0
        server.process.communicate(timeout=TIMEOUT_S)
        assert server.process.returncode == -signal.SIGTERM


def test_a_process_that_runs_already_is_left(scalene, tmp_path):
    code = "import time\nprint('begun', flush=True)\nwhile True: time.sleep(0.01)"
    watched = subprocess.Popen(["/usr/bin/python3", "-c", code], stdout=subprocess.PIPE)
    try:
        watched.stdout.readline()
        with live(scalene, watched.pid, cwd=tmp_path) as server:
            assert "(Ctrl-C leaves the process)" in server.line
            until(lambda: state(server)["version"] > 1, "a second profile")
            server.process.send_signal(signal.SIGINT)
            until(lambda: not state(server)["live"]["is_growing"], "the end")
            assert state(server)["live"]["ending"] == "left running"
            assert server.end() == (0, "", "scalene: program left running; Ctrl-C ends the page\n")
        assert watched.poll() is None
    finally:
        watched.kill()
        watched.wait()
        watched.stdout.close()


def test_pages_that_close_leave_the_program_running(scalene, tmp_path):
    program = tmp_path / "waits.py"
    program.write_text(WAITS)
    with live(scalene, program, cwd=tmp_path) as server:
        state(server, "closes")
        server.ask("api/bye", method="POST", body=b"closes")
        until(lambda: state(server, "")["version"] > 2, "more profiles")
        server.ask("api/bye", method="POST", body=b"")
        server.process.stdin.write(b"4\n")
        out, _ = server.process.communicate(timeout=TIMEOUT_S)
        assert (server.process.returncode, out) == (4, b"begun\n")


def test_a_program_that_dies_by_a_signal_ends_it_in_the_same_way(scalene, tmp_path):
    program = tmp_path / "dies.py"
    program.write_text("import os, sys\nsys.stdin.readline()\nos.kill(os.getpid(), 9)\n")
    with live(scalene, program, cwd=tmp_path) as server:
        server.process.stdin.write(b"\n")
        until(lambda: not state(server)["live"]["is_growing"], "the end")
        assert state(server)["live"]["ending"] == "ended by signal 9 (Killed)"
        assert server.end()[0] == -9


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ([], 2, "scalene: live: name a program or the number of a process (scalene live --help)\n"),
        (["--no-such", "prog.py"], 2, "scalene: live: no such option: '--no-such' (scalene live --help)\n"),
        (["missing.py"], 1, "missing.py"),
        (["-o", "/dev/null", "prog.py"], 1, "scalene: live: --outfile: '/dev/null' is no regular file, and the page is made of it\n"),
    ],
)
def test_without_a_program_there_is_no_page(scalene, tmp_path, words, status, message):
    done = subprocess.run([scalene, "live", *words], cwd=tmp_path, capture_output=True, timeout=TIMEOUT_S, check=False, text=True)
    assert done.returncode == status
    assert message in done.stderr
    assert "http://" not in done.stdout + done.stderr


def test_a_port_that_is_taken_is_found_before_the_program_begins(scalene, server, tmp_path):
    (tmp_path / "begins.py").write_text("open('begun', 'w')\n")
    words = [scalene, "live", "--port", str(server.port), "begins.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, timeout=TIMEOUT_S, check=False, text=True)
    assert (done.returncode, done.stderr) == (1, f"scalene: port {server.port} cannot be used: Address already in use\n")
    assert os.listdir(tmp_path) == ["begins.py"]
