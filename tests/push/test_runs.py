# tests/push/test_runs.py - `scalene run --push` and `scalene attach --push`: what is pushed is the profile, and the program notices nothing.
#
# A program works until it is told to end, which is when the receiver has got what a test needs.
#
# SPDX-License-Identifier: Apache-2.0
"""Pushes while programs run."""

import json
import os
import subprocess
import threading

import pytest
from receiver import TIMEOUT_S, Receiver, kinds_of, labels_of, resource_of, summed, sums_of

from conftest import clean_environment, execute, kill_group

PROGRAM = """\
import os
import sys
import threading
import time


def waits(keep):
    while not os.path.exists("over"):
        time.sleep(0.01)


def allocates(count):
    return [bytes(1000) for _ in range(count)]


def main():
    keep = []
    thread = threading.Thread(target=waits, args=(keep,))
    thread.start()
    print("ready", flush=True)
    keep.append(allocates(100000))  # so much that it is sampled
    while thread.is_alive():
        keep.append(allocates(1000))
        del keep[:-3]
    print("done", file=sys.stderr)
    return 3


sys.exit(main())
"""
WANTED = {"pyroscope": kinds_of, "otlp": sums_of}


@pytest.fixture(params=["pyroscope", "otlp"])
def kind(request):
    return request.param


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "prog.py").write_text(PROGRAM)
    return tmp_path


def start(folder, *command):
    """The process, once the program says that it is ready."""
    process = subprocess.Popen(
        command, cwd=str(folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", start_new_session=True, env=clean_environment()
    )
    assert process.stdout.readline() == "ready\n"
    return process


def end(process):
    """(status, stdout, stderr)."""
    try:
        out, errors = process.communicate(timeout=TIMEOUT_S)
    finally:
        kill_group(process)
    return process.returncode, out, errors


def totals(values):
    """What it adds up to: of single stacks, small ones become a part of their callers as a run gets longer. Without what is in use: where it
    is nothing in the end, no last push says so."""
    return {name: sum(stacks.values()) for name, stacks in values.items() if name not in ("in_use", "inuse_space")}


def test_all_pushes_of_a_run_are_its_profile(scalene, python, kind, folder):
    words = [scalene, "run", "--python", python.path, "--quiet", "--full-profile", "--push-interval", "1", "--label", "team=a", "--push-name", "shop/api v2"]
    with Receiver() as receiver:
        process = start(folder, *words, "--push", "%s+http://127.0.0.1:%d" % (kind, receiver.port), "prog.py")
        receiver.wait_for(6)
        (folder / "over").touch()
        assert end(process) == (3, "", "done\n")
        made = json.loads((folder / "scalene-profile.json").read_text())
        # each stack is rounded by itself, to the last digit: where small ones become a part of their callers, once more
        assert totals(summed(receiver.pushed)) == pytest.approx(totals(WANTED[kind](made)), rel=1e-5)
        last = receiver.pushed[-1]
        name, labels = labels_of(last) if kind == "pyroscope" else (resource_of(last)["service.name"], resource_of(last))
        assert name == {"pyroscope": "shop/api_v2", "otlp": "shop/api v2"}[kind]
        assert labels["team"] == "a" and "host" in labels or "host.name" in labels
        assert not made["scalene_c"].get("notes")


def test_the_last_push_comes_when_the_program_is_over_and_its_profile_written(scalene, folder):
    (folder / "over").touch()
    (folder / "prog.py").write_text("import os\nopen('pid', 'w').write(str(os.getpid()))\n" + PROGRAM)
    found = []

    def look(handler):
        pid = (folder / "pid").read_text()
        found.append((os.path.exists("/proc/" + pid), (folder / "scalene-profile.json").exists()))
        handler.send_response(200)
        handler.send_header("content-length", "0")
        handler.end_headers()

    with Receiver([look]) as receiver:
        execute([scalene, "run", "--push", "otlp+http://127.0.0.1:%d" % receiver.port, "--push-interval", "86400", "prog.py"], cwd=folder).expect(3)
    assert found == [(False, True)]


def test_a_receiver_that_is_not_there_is_said_in_one_sentence(scalene, folder):
    (folder / "over").touch()
    ended = execute([scalene, "run", "--push", "pyroscope+http://127.0.0.1:1", "prog.py"], cwd=folder).expect(3)
    made = json.loads((folder / "scalene-profile.json").read_text())
    (note,) = [note for note in made["scalene_c"]["notes"] if "push" in note]
    assert note.startswith("1 of 1 pushes to http://127.0.0.1:1 was lost")
    assert ended.stdout == "ready\n"
    assert ended.stderr.count("lost") == 1 and "scalene: %s\n" % note in ended.stderr and ended.stderr.startswith("done\n")


def test_ctrl_c_ends_the_wait_for_a_receiver_that_never_answers(scalene, folder):
    over = threading.Event()
    with Receiver([lambda handler: over.wait()] * 100) as receiver:
        process = start(folder, scalene, "run", "--quiet", "--push", "otlp+http://127.0.0.1:%d" % receiver.port, "--push-interval", "86400", "prog.py")
        (folder / "over").touch()
        receiver.wait_for(1, "seen")
        process.send_signal(2)
        status, _, errors = end(process)
        over.set()
    assert (status, errors) == (3, "done\n")
    assert "was lost" in (folder / "scalene-profile.json").read_text()


def test_attach_pushes_too(scalene, python, folder):
    with Receiver() as receiver:
        process = start(folder, python.path, "prog.py")
        words = ["--push", "otlp+http://127.0.0.1:%d" % receiver.port, "--push-interval", "1", "--duration", "3.5", "--full-profile", "-o", "p.json"]
        execute([scalene, "attach", *words, str(process.pid)], cwd=folder).expect(0)
        (folder / "over").touch()
        assert end(process)[0] == 3
        made = json.loads((folder / "p.json").read_text())
        assert totals(summed(receiver.pushed)) == totals(sums_of(made))
        assert resource_of(receiver.pushed[-1])["service.name"] == "prog.py"


def test_what_is_wrong_is_said_before_the_program_starts(scalene, folder):
    token = folder / "token"
    token.write_text("s3cret")
    token.chmod(0o644)
    for words, status, text in (
        (["--push", "localhost:4040"], 2, "scalene: run: --push: 'localhost:4040' is no address; write pyroscope+http://HOST:PORT, otlp+http://HOST:PORT, or either with https\n"),
        (["--push", "otlp+https://me:s3cret@c:4318"], 2, "--push-token-file"),
        (["--push", "otlp+https://c:4318", "--push-token-file", str(token)], 1, "others can read"),
        (["--push", "otlp+https://c:4318", "--push-interval", "0.5"], 2, "--push-interval"),
    ):
        ended = execute([scalene, "run", *words, "prog.py"], cwd=folder).expect(status)
        assert text in ended.stderr and "s3cret" not in ended.stderr and ended.stdout == ""
    assert not (folder / "scalene-profile.json").exists()


def test_the_yaml_file_may_say_where_to(scalene, folder):
    (folder / "over").touch()
    with Receiver() as receiver:
        (folder / "scalene.yaml").write_text("push: otlp+http://127.0.0.1:%d\npush-name: shop\n" % receiver.port)
        execute([scalene, "run", "-c", "scalene.yaml", "prog.py"], cwd=folder).expect(3)
        assert resource_of(receiver.pushed[-1])["service.name"] == "shop"
