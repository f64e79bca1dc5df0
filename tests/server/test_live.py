# tests/server/test_live.py - a profile that is written again and again while the server shows it.
#
# SPDX-License-Identifier: Apache-2.0
"""`scalene view --follow`: versions, replacement, what is no profile."""

import json
import os
import threading

import pytest
from serving import data, serve, wait_for

QUESTIONS = ("api/overview", "api/functions?file=all", "api/stacks", "api/timeline", "api/memory", "api/search?text=a")


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
        wait_for(lambda n=number: is_at(server, n), "the new profile")
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
            wait_for(lambda n=number: is_at(server, n), "the new profile")
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
    wait_for(trouble, "a word on the half profile")
    assert is_at(server, 1)
    path.unlink()
    wait_for(lambda: "is no longer there" in (trouble() or ""), "a word on the missing file")
    assert is_at(server, 1)
    path.mkdir()
    wait_for(lambda: "is no longer there" not in (trouble() or ""), "a word on the directory")
    assert is_at(server, 1)
    path.rmdir()
    replace(path, numbered(3))
    wait_for(lambda: is_at(server, 3), "the new profile")
    assert trouble() is None
    assert state(server)["version"] == 2


def test_a_paused_page_stays_and_then_has_the_newest(followed):
    server, path = followed
    assert json.loads(server.ask("api/pause", method="POST", body=b"1").body)["live"]["is_paused"] is True
    replace(path, numbered(2))
    replace(path, numbered(3))
    assert state(server)["version"] == 1
    assert is_at(server, 1)
    assert json.loads(server.ask("api/pause", method="POST", body=b"0").body)["live"]["is_paused"] is False
    wait_for(lambda: is_at(server, 3), "the newest profile")
    assert state(server)["version"] == 2


def test_another_profile_ends_the_following(followed):
    server, path = followed
    loaded = server.ask("api/load?name=other", method="POST", body=numbered(20).encode())
    assert loaded.headers["Profile-Version"] == "2"
    replace(path, numbered(3))
    assert state(server) == {"version": 2}
    assert is_at(server, 20)
