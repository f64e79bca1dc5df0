# tests/server/test_other_users.py - another user of the machine gets nothing, whatever he knows.
#
# SPDX-License-Identifier: Apache-2.0
"""Two users and one server."""

import os
import socket
import stat
import urllib.parse

import other_user
import pytest
from conftest import until
from serving import data, environment, serve
from test_life import fake_browser, opened, target_in

# Sends one request and prints what comes back.
ASK = """
import socket, sys
host, port, request = sys.argv[1:]
with socket.create_connection((host, int(port)), timeout=300) as connection:
    got = b""
    try:
        connection.sendall(request.encode())
        while piece := connection.recv(65536):
            got += piece
    except ConnectionError:
        pass
print(got.decode())
"""

# Opens so many connections, says so, and keeps them until its input ends.
IDLE = """
import socket, sys
host, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
kept = [socket.create_connection((host, port), timeout=300) for _ in range(count)]
print("open", flush=True)
sys.stdin.read()
"""


def request(server, target):
    return f"GET {target} HTTP/1.1\r\nHost: {server.host}:{server.port}\r\nConnection: close\r\n\r\n"


@other_user.needs_root
@pytest.mark.parametrize("host", ("127.0.0.1", "::1", "0.0.0.0"))
def test_another_user_gets_no_answer_with_the_right_token(scalene, host):
    with serve(scalene, "--no-browser", "--host", host, data("cpu"), env=environment()) as server:
        server.host = "127.0.0.1" if host == "0.0.0.0" else host
        name = f"[{host}]" if ":" in host else server.host
        asked = f"GET /{server.token}/api/overview HTTP/1.1\r\nHost: {name}:{server.port}\r\nConnection: close\r\n\r\n"
        assert server.raw(asked.encode()).startswith(b"HTTP/1.1 200")
        assert other_user.run(ASK, server.host, server.port, asked).strip() == ""
        assert server.raw(asked.encode()).startswith(b"HTTP/1.1 200")
        status, _out, err = server.end()
    assert status == 0
    assert err.count("a connection of user 65534 was refused: the page is for user 0 alone\n") == 1


@other_user.needs_root
def test_the_once_only_address_is_not_for_another_user(scalene, tmp_path):
    browser = fake_browser(tmp_path)
    with serve(scalene, data("cpu"), env=environment(BROWSER=str(browser))) as server:
        target = target_in(opened(tmp_path))
        assert other_user.run(ASK, server.host, server.port, request(server, target)).strip() == ""
        assert server.ask_at(target).status == 303


@other_user.needs_root
def test_idle_connections_of_another_user_block_nobody(server):
    process = other_user.start(IDLE, server.host, server.port, 500)
    try:
        assert process.stdout.readline() == "open\n"
        for _ in range(3):
            assert server.answer("api/overview")
    finally:
        process.communicate(timeout=300)


@other_user.needs_root
def test_a_connection_that_its_user_has_closed_is_ignored(server):
    """The kernel says that a socket without an owner is root's."""
    program = """
import socket, sys
for _ in range(100):
    connection = socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=300)
    connection.sendall(sys.argv[3].encode())
    connection.close()
"""
    body = b"gone"
    post = f"POST /{server.token}/api/bye HTTP/1.1\r\nHost: {server.host}:{server.port}\r\nContent-Length: 4\r\n\r\n{body.decode()}"
    server.answer("api/alive", method="POST", body=body)
    other_user.run(program, server.host, server.port, post)
    with pytest.raises(Exception, match="timed out"):
        server.process.wait(5)


def test_what_a_browser_is_given_is_in_a_place_of_our_own(scalene, tmp_path):
    """Others read the words of a command line; they say no more than where a private file is."""
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    browser = fake_browser(tmp_path)
    env = environment(BROWSER=str(browser), XDG_RUNTIME_DIR=str(runtime), HOME=str(tmp_path / "home"))
    with serve(scalene, data("cpu"), env=env) as server:
        address = opened(tmp_path)
        assert address.startswith(runtime.as_uri() + "/") and str(server.port) not in address
        path = urllib.parse.unquote(urllib.parse.urlsplit(address).path)
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
        assert server.token not in open(path, encoding="utf-8").read()
        assert server.ask_at(target_in(address)).status == 303
        until(lambda: not list(runtime.iterdir()), "the file is left after it has been used")


@pytest.mark.parametrize("place", ("of others", "missing"))
def test_a_folder_that_others_can_write_to_is_not_used(scalene, tmp_path, place):
    runtime, home = tmp_path / "runtime", tmp_path / "home"
    (home / ".cache").mkdir(parents=True, mode=0o700)
    if place == "of others":
        runtime.mkdir()
        runtime.chmod(0o777)
    browser = fake_browser(tmp_path)
    env = environment(BROWSER=str(browser), XDG_RUNTIME_DIR=str(runtime), HOME=str(home))
    env.pop("XDG_CACHE_HOME", None)
    with serve(scalene, data("cpu"), env=env) as server:
        assert opened(tmp_path).startswith((home / ".cache").as_uri() + "/")
        assert server.end()[0] == 0
    assert not list((home / ".cache").iterdir())


def test_a_browser_that_sees_no_hidden_folder_is_given_a_visible_one(scalene, tmp_path):
    home = tmp_path / "home"
    (home / "snap").mkdir(parents=True, mode=0o700)
    browser = fake_browser(tmp_path)
    with serve(scalene, data("cpu"), env=environment(BROWSER=str(browser), HOME=str(home))) as server:
        assert opened(tmp_path).startswith(home.as_uri() + "/scalene-view-")
        assert server.end()[0] == 0
    assert [path.name for path in home.iterdir()] == ["snap"]


def test_many_idle_connections_of_ones_own_are_bounded(server):
    """Those beyond the bound are closed, so that a page that waits for one is not left waiting."""
    kept = [socket.create_connection((server.host, server.port), timeout=300) for _ in range(250)]
    try:
        kept[-1].settimeout(60)
        assert kept[-1].recv(1) == b""
        for connection in kept[:20]:
            connection.close()
        until(lambda: is_answered(server), "no connection is taken in any more")
    finally:
        for connection in kept:
            connection.close()


def is_answered(server):
    try:
        return server.ask("api/overview").status == 200
    except OSError:
        return False
