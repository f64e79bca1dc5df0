# tests/server/test_life.py - how the server begins, which browser it opens, and when it ends.
#
# SPDX-License-Identifier: Apache-2.0
"""Port, address, browser, signals and pages."""

import contextlib
import http.client
import os
import re
import signal
import socket
import stat
import subprocess
import urllib.parse

import pytest
from conftest import until
from serving import TIMEOUT_S, data, environment, serve


def test_the_address_is_on_one_line(server):
    assert server.line.startswith(f"Serving {data('full')} at http://127.0.0.1:")
    assert server.line.count("\n") == 1
    assert 11235 <= server.port < 12235
    status, out, err = server.end()
    assert (status, out, err) == (0, "", "")


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
def test_a_signal_ends_it_well(server, number):
    assert server.answer("api/overview")
    assert server.end(number)[0] == 0
    # another test's server may have the port by now; it does not know the token, and may end just then
    with contextlib.suppress(ConnectionError):
        assert server.ask("api/overview").status == 403


def test_nohup(scalene):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # inherited by what is started
    try:
        with serve(scalene) as server:
            server.process.send_signal(signal.SIGHUP)
            with pytest.raises(subprocess.TimeoutExpired):
                server.process.wait(0.5)
            assert server.end()[0] == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_signal_ends_it_with_open_connections(server):
    open_one = http.client.HTTPConnection(server.host, server.port, timeout=TIMEOUT_S)
    open_one.request("GET", f"/{server.token}/")
    open_one.getresponse().read()
    assert server.end()[0] == 0
    open_one.close()


def test_it_listens_on_the_loopback_address_alone(server):
    with open("/proc/net/tcp", encoding="ascii") as file:
        rows = [line.split()[1] for line in file.readlines()[1:] if line.split()[3] == "0A"]
    assert [row for row in rows if row.endswith(f":{server.port:04X}")] == [f"0100007F:{server.port:04X}"]


def test_two_servers_have_two_ports_and_two_tokens(scalene):
    with serve(scalene) as one, serve(scalene) as other:
        assert one.port != other.port
        assert one.token != other.token
        assert other.ask("api/overview", token=one.token).status == 403
        assert one.answer("api/overview")
        assert other.answer("api/overview")


def test_a_port_that_is_asked_for_is_used(scalene):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with serve(scalene, "--port", str(port), data("cpu")) as server:
        assert server.port == port
        second = subprocess.run([scalene, "view", "--no-browser", "--port", str(port), data("cpu")], capture_output=True, timeout=TIMEOUT_S)
    assert (second.returncode, second.stdout) == (1, b"")
    assert second.stderr.decode() == f"scalene: view: port {port} cannot be used: Address already in use\n"


def test_another_address_is_warned_of(scalene):
    with serve(scalene, "--host", "0.0.0.0", data("cpu")) as server:
        assert server.answer("api/overview")
        err = server.end()[2]
    assert "other machines can reach this address" in err


def test_an_address_that_is_not_here_is_refused(scalene):
    for host in ("192.0.2.1", "no.such.host.invalid"):
        done = subprocess.run([scalene, "view", "--no-browser", "--host", host, data("cpu")], capture_output=True, timeout=TIMEOUT_S)
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr.decode().startswith("scalene: view: ")
        assert done.stderr.count(b"\n") == 1


def test_it_ends_when_its_pages_have_closed(server):
    server.answer("api/alive", method="POST", body=b"one")
    server.answer("api/alive", method="POST", body=b"two")
    server.answer("api/bye", method="POST", body=b"one")
    with pytest.raises(subprocess.TimeoutExpired):
        server.process.wait(4)
    server.answer("api/bye", method="POST", body=b"two")
    assert server.process.wait(TIMEOUT_S) == 0


def test_a_page_that_is_reloaded_over_a_slow_line_does_not_end_the_server(server):
    server.answer("api/alive", method="POST", body=b"one")
    server.answer("api/bye", method="POST", body=b"one")
    assert server.ask("").status == 200  # its script is still on its way
    with pytest.raises(subprocess.TimeoutExpired):
        server.process.wait(6)
    server.answer("api/alive", method="POST", body=b"two")
    server.answer("api/bye", method="POST", body=b"two")
    assert server.process.wait(TIMEOUT_S) == 0


def fake_browser(folder, name="browser"):
    """A program that notes the address it is started with."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> {folder}/opened\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def opened(folder):
    path = folder / "opened"
    until(lambda: path.exists() and path.read_text().endswith("\n"), "no browser was started")
    return path.read_text().strip()


def target_in(address):
    """What the page of a file:// address leads to."""
    with open(urllib.parse.unquote(urllib.parse.urlsplit(address).path), encoding="utf-8") as file:
        return "/" + re.search(r'content="0; url=http://[^/]+/([^"]+)"', file.read())[1]


def test_the_users_browser_is_opened_with_an_address_that_works_once(scalene, tmp_path):
    browser = fake_browser(tmp_path)
    with serve(scalene, data("cpu"), env=environment(BROWSER=f"/no/such/browser:{browser} --new %s")) as server:
        words = opened(tmp_path)
        assert words.startswith("--new file:///")
        assert server.token not in words
        target = target_in(words.split()[1])
        assert target.startswith("/open/")
        first = server.ask_at(target)
        assert (first.status, first.headers["Location"]) == (303, f"/{server.token}/")
        assert server.ask_at(target).status == 403


@pytest.mark.parametrize("display", ("DISPLAY", "WAYLAND_DISPLAY"))
def test_the_desktops_browser_is_opened_where_there_is_a_desktop(scalene, tmp_path, display):
    fake_browser(tmp_path / "bin", "xdg-open")
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    with serve(scalene, data("cpu"), env=environment(PATH=path, **{display: ":0"})) as server:
        assert server.ask_at(target_in(opened(tmp_path / "bin"))).status == 303


def view_without_browser(scalene, tmp_path, **variables):
    """`scalene view` where no browser can be opened: it writes the page and ends."""
    ended = subprocess.run([scalene, "view", data("cpu")], cwd=tmp_path, env=environment(**variables), capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0 and ended.stdout.endswith("Profile saved to: scalene-profile.html\n")
    assert "no graphical browser shows it" in ended.stderr and "scalene-profile.html" in ended.stderr
    assert (tmp_path / "scalene-profile.html").read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("browser", ("lynx", "w3m", "elinks", "links", "browsh"))
def test_browsers_for_terminals_are_not_opened(scalene, tmp_path, browser):
    view_without_browser(scalene, tmp_path, BROWSER=str(fake_browser(tmp_path, browser)) + ":" + browser)
    assert not (tmp_path / "opened").exists()


def test_without_a_desktop_the_page_is_written_to_a_file(scalene, tmp_path):
    fake_browser(tmp_path / "bin", "xdg-open")
    view_without_browser(scalene, tmp_path, PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    assert not (tmp_path / "bin" / "opened").exists()


def test_where_no_browser_starts_the_page_is_written_to_a_file(scalene, tmp_path):
    opener = fake_browser(tmp_path / "bin", "xdg-open")
    opener.write_text("#!/bin/sh\nexit 3\n")
    view_without_browser(scalene, tmp_path, BROWSER="/no/such/browser")
    os.unlink(tmp_path / "scalene-profile.html")
    view_without_browser(scalene, tmp_path, DISPLAY=":0", PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")


def test_a_browser_that_cannot_be_started_leaves_the_address_that_was_asked_for(scalene):
    with serve(scalene, data("cpu"), "--host", "127.0.0.1", env=environment(BROWSER="/no/such/browser")) as server:
        assert "no graphical browser was found" in server.end()[2]


def test_a_demo_waits_for_a_profile(scalene, tmp_path):
    with serve(scalene, "demo", cwd=tmp_path) as server:
        assert server.answer("api/overview")["files"] == []
        with open(data("cpu"), "rb") as file:
            assert server.ask("api/load", "POST", file.read()).status == 200
        assert server.answer("api/overview")["files"]


def test_what_is_no_profile_starts_no_server(scalene, tmp_path):
    (tmp_path / "scalene-profile.json").write_text("{")
    for words in ((), ("--html",), ("missing.json",)):
        done = subprocess.run([scalene, "view", "--no-browser", *words], cwd=tmp_path, capture_output=True, timeout=TIMEOUT_S)
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr.count(b"\n") == 1
    assert not (tmp_path / "scalene-profile.html").exists()


def test_a_file_replaces_the_one_before_as_one_step(scalene, tmp_path):
    for _ in range(2):
        done = subprocess.run([scalene, "view", "--html", data("full")], cwd=tmp_path, capture_output=True, timeout=TIMEOUT_S)
        assert done.returncode == 0
    assert os.listdir(tmp_path) == ["scalene-profile.html"]
