# tests/server/test_safety.py - strangers, tricks and hostile profiles: refused or shown, never run, never a crash.
#
# SPDX-License-Identifier: Apache-2.0
"""What the server does not do."""

import base64
import concurrent.futures
import contextlib
import hashlib
import itertools
import json
import os
import re
import shutil
import socket
import subprocess

import pytest
from conftest import bound_memory
from serving import DATA, TIMEOUT_S, Elements, data, environment, serve

HEADERS = {
    "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
}


def test_every_answer_has_the_headers_that_keep_strangers_out(server):
    for target in (f"/{server.token}/", f"/{server.token}/api/overview", f"/{server.token}/nothing", "/"):
        headers = server.ask_at(target).headers
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; ")
        assert "unsafe" not in policy and "*" not in policy
        assert {key: headers[key] for key in HEADERS} == HEADERS
        assert not [key for key in headers if key.lower().startswith("access-control-")]
        assert "Set-Cookie" not in headers


@pytest.mark.parametrize(
    "target", ("/", "/api/overview", "/app.js", "/index.html", "/favicon.ico", "/" + "0" * 32 + "/", "//", "/open/" + "0" * 32, "/%2e")
)
def test_without_the_token_there_is_nothing(server, target):
    response = server.ask_at(target)
    assert response.status == 403
    assert set(json.loads(response.body)) == {"error"}
    assert server.token.encode() not in response.body


def test_a_part_of_the_token_is_no_token(server):
    wrong = server.token[:-1] + ("0" if server.token[-1] != "0" else "1")
    for token in (wrong, server.token[:-1], server.token + "0", server.token.upper() + "x"):
        assert server.ask("api/overview", token=token).status == 403


@pytest.mark.parametrize("host", ("evil.example:PORT", "evil.example", "127.0.0.1.evil.example:PORT", "127.0.0.1:1", ""))
def test_another_name_for_this_address_is_refused(server, host):
    response = server.ask("api/overview", Host=host.replace("PORT", str(server.port)))
    assert response.status == 403


def test_a_request_without_a_host_is_refused(server):
    got = server.raw(f"GET /{server.token}/api/overview HTTP/1.0\r\n\r\n".encode())
    assert b" 403 " in got.split(b"\r\n", 1)[0]
    got = server.raw(f"GET /{server.token}/api/overview HTTP/1.1\r\n\r\n".encode())
    assert got.split(b" ", 2)[1] in (b"400", b"403")


@pytest.mark.parametrize("name, status", (("Host", b" 403 "), ("Origin", b" 403 "), ("X-Other", b" 200 ")))
@pytest.mark.parametrize("is_first", (False, True))
def test_a_header_that_decides_stands_once(server, name, status, is_first):
    own = f"http://{server.host}:{server.port}" if name == "Origin" else f"{server.host}:{server.port}"
    values = [own, own.replace(server.host, "evil.example")]
    lines = [f"{name}: {value}\r\n" for value in (values[::-1] if is_first else values)]
    host = "" if name == "Host" else f"Host: {server.host}:{server.port}\r\n"
    got = server.raw(f"GET /{server.token}/api/overview HTTP/1.1\r\n{host}{''.join(lines)}Connection: close\r\n\r\n".encode())
    assert status in got.split(b"\r\n", 1)[0]


@pytest.mark.parametrize("origin", ("http://evil.example", "null", "https://127.0.0.1:PORT", "http://127.0.0.1:1", "x"))
def test_pages_of_other_sites_are_refused(server, origin):
    origin = origin.replace("PORT", str(server.port))
    assert server.ask("api/overview", Origin=origin).status == 403
    assert server.ask("api/load", "POST", b"{}", Origin=origin).status == 403
    own = f"http://127.0.0.1:{server.port}"
    assert server.ask("api/alive", "POST", b"", Origin=own).status == 200


def test_a_preflight_gets_no_leave(server):
    response = server.ask("api/load", "OPTIONS", Origin="http://evil.example", Access_Control_Request_Method="POST")
    assert response.status == 403
    assert server.ask("api/load", "OPTIONS").status == 405


@pytest.mark.parametrize("method", ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "POST"))
def test_other_methods_are_named_by_allow(server, method):
    response = server.ask("api/overview", method, b"" if method == "POST" else None)
    assert response.status == 405
    assert response.headers["Allow"] == "GET, HEAD"


def test_head_is_get_without_a_body(server):
    response = server.ask("app.js", "HEAD")
    assert (response.status, response.body) == (200, b"")
    assert int(response.headers["Content-Length"]) > 1000


@pytest.mark.parametrize(
    "path",
    (
        "..", "../", "../../../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "..%2f..%2fetc%2fpasswd", "/etc/passwd", "./app.js", "app.js/",
        "app.js%00.txt", "api%2foverview", "api/overview%20", "api//overview", "scalene-profile.json", "\\..\\..\\etc\\passwd",
    ),
)
def test_paths_lead_nowhere_else(server, path):
    response = server.ask(path)
    assert response.status == 404
    assert b"root:" not in response.body


def test_bytes_that_are_no_http_are_survived(server):
    token = server.token.encode()
    for sent in (
        b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), b"GET / HTTP/9.9\r\n\r\n",
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"X: " + b"y" * 200_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
        b"POST /" + token + b"/api/load HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        b"POST /" + token + b"/api/load HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /" + token + b"/api/file?file=\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /" + token + b"/api/search?text=" + b"%" * 5000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ):
        server.raw(sent, first_byte_s=1)  # to some of it, no answer comes
    assert server.answer("api/overview")["served"]
    assert server.end()[0] == 0


def test_a_body_too_large_is_refused_before_it_is_sent(server):
    response = server.ask("api/load", "POST", b"", Content_Length=str(3 << 30))
    assert response.status == 413
    response = server.ask("api/alive", "POST", b"x" * 2000)
    assert response.status == 413
    response = server.ask("api/overview", "GET", b"x")
    assert response.status == 413


def test_a_body_in_pieces_has_its_limit_too(server):
    piece = b"400\r\n" + b"x" * 1024 + b"\r\n"
    head = f"POST /{server.token}/api/alive HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nTransfer-Encoding: chunked\r\n\r\n"
    got = server.raw(head.encode() + piece * 4 + b"0\r\n\r\n")
    assert b" 413 " in got.split(b"\r\n", 1)[0]


SCRIPT = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>\u2028"


def scripts_everywhere(value):
    """The profile with the script before every string of it, and in the names of its files."""
    if isinstance(value, str):
        return SCRIPT + value
    if isinstance(value, list):
        return [scripts_everywhere(item) for item in value]
    if isinstance(value, dict):
        return {key: scripts_everywhere(item) for key, item in value.items()}
    return value


def hostile_profile():
    with open(data("full"), encoding="utf-8") as file:
        profile = scripts_everywhere(json.load(file))
    profile["files"] = {SCRIPT + name: file for name, file in profile["files"].items()}
    return profile


def test_scripts_in_every_string_stay_text(scalene, tmp_path):
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps(hostile_profile()), encoding="utf-8")
    with serve(scalene, str(path)) as server:
        response = server.ask("api/overview")
        assert response.headers["Content-Type"] == "application/json"
        overview = json.loads(response.body)
        assert all(file["name"].startswith(SCRIPT) for file in overview["files"])
        rows = server.answer("api/file?file=0&mode=all")["rows"]
        assert any("</script>" in "".join(text for _style, text in row["code"]) for row in rows)


def test_no_text_breaks_out_of_the_standalone_file(scalene, tmp_path):
    (tmp_path / "scalene-profile.json").write_text(json.dumps(hostile_profile()), encoding="utf-8")
    keys = {name: "sk-secret-in-the-environment" for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY")}
    done = subprocess.run([scalene, "view", "--standalone"], cwd=tmp_path, env=environment(**keys), capture_output=True, timeout=TIMEOUT_S)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Profile saved to: scalene-profile.html" in done.stdout
    text = (tmp_path / "scalene-profile.html").read_text(encoding="utf-8")
    assert "sk-secret" not in text
    assert "alert(1)</script" not in text and "<img" not in text
    page = Elements()
    page.feed(text)
    page.close()
    scripts = [(attributes, text) for (tag, attributes), text in zip(page.tags, page.texts) if tag == "script"]
    assert [attributes for attributes, _text in scripts] == [{"type": "application/json", "id": "answers"}, {}]
    answers = json.loads(scripts[0][1])
    assert answers["api/overview"]["files"][0]["name"].startswith(SCRIPT)
    assert all(address.startswith("data:image/") for address in page.addresses())
    policy = next(attributes["content"] for _tag, attributes in page.tags if "http-equiv" in attributes)
    assert re.fullmatch(
        r"default-src 'none'; script-src 'sha256-[\w+/]{43}='; style-src 'sha256-[\w+/]{43}='; img-src data:; "
        r"base-uri 'none'; form-action 'none'",
        policy,
    )


def test_the_policy_of_the_standalone_file_names_its_own_script(scalene, tmp_path):
    subprocess.run([scalene, "view", "--html", data("cpu")], cwd=tmp_path, check=True, timeout=TIMEOUT_S, capture_output=True)
    page = Elements()
    page.feed((tmp_path / "scalene-profile.html").read_text(encoding="utf-8"))
    policy = next(attributes["content"] for _tag, attributes in page.tags if "http-equiv" in attributes)
    for wanted, kind in (("script", {}), ("style", {})):
        text = next(text for (tag, attributes), text in zip(page.tags, page.texts) if (tag, attributes) == (wanted, kind))
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{wanted}-src 'sha256-{digest}'" in policy


HOSTILE = {
    "nested lists": b"[" * 1_000_000,
    "nested objects": b'{"files":' * 300_000,
    "nested stacks": b'{"files": {}, "stacks": ' + b"[" * 1000 + b"]" * 1000 + b"}",
    "huge numbers": b'{"files": {}, "elapsed_time_sec": 1e400}',
    "more digits than fit": b'{"files": {}, "elapsed_time_sec": ' + b"9" * 100_000 + b"}",
    "not a number": b'{"files": {}, "elapsed_time_sec": NaN}',
    "a NUL": b'{"files": {"a\\u0000b": {"lines": [], "functions": []}}}',
    "no text": bytes(range(256)) * 100,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_profiles_are_shown_or_refused(server, name):
    response = server.ask("api/load", "POST", HOSTILE[name])
    assert response.status in (200, 400)
    json.loads(response.body)
    assert server.answer("api/overview")
    assert server.end()[0] == 0


GB = 1 << 30


def view_a_stream(scalene, pieces, most_bytes):
    """(status, stderr) of showing what comes through a pipe, with a bound on the command's memory."""
    process = subprocess.Popen(
        [scalene, "view", "--no-browser", "/dev/stdin"], env=environment(), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, bufsize=0, preexec_fn=bound_memory(scalene, most_bytes),
    )
    with contextlib.suppress(BrokenPipeError):
        for piece in pieces:
            process.stdin.write(piece)
    said = process.communicate(timeout=10 * TIMEOUT_S)[1].decode()
    return process.returncode, said


def test_a_profile_of_two_gigabytes_is_refused_before_it_is_read(scalene, tmp_path):
    with open(tmp_path / "large.json", "wb") as file:
        file.write(b'{"files": {}, "elapsed_time_sec": 1, "x": "')
        file.truncate(2 * GB)
    ended = subprocess.run(
        [scalene, "view", "--no-browser", "large.json"], cwd=tmp_path, env=environment(), capture_output=True, timeout=TIMEOUT_S,
        check=False, preexec_fn=bound_memory(scalene, GB // 2),
    )
    assert (ended.returncode, ended.stderr.decode()) == (1, "scalene: view: 'large.json' is larger than 1024 MB\n")


@pytest.mark.parametrize("head", (b"", b'{"files": {}, "stacks": '), ids=("alone", "in a member"))
def test_a_thousand_million_nested_lists_are_refused(scalene, head):
    piece = b"[" * 1_000_000
    status, said = view_a_stream(scalene, itertools.chain([head], itertools.repeat(piece, 1000)), 4 * GB)
    assert status == 1
    assert said.startswith("scalene: view: '/dev/stdin' is not a profile: ") and said.count("\n") == 1


def test_a_stream_without_an_end_is_refused(scalene):
    status, said = view_a_stream(scalene, itertools.repeat(b" " * 1_000_000, 3000), 4 * GB)
    assert (status, said) == (1, "scalene: view: '/dev/stdin' is larger than 1024 MB\n")


def test_a_body_of_two_gigabytes_is_refused_unread(server):
    for length in (GB + 1, 2 * GB, 1 << 62):
        response = server.raw(
            f"POST /{server.token}/api/load HTTP/1.1\r\nHost: {server.host}:{server.port}\r\nContent-Length: {length}\r\n\r\n[[[[".encode()
        )
        assert response.split(b" ", 2)[1] == b"413", response[:100]
    assert server.answer("api/overview")


def test_lone_surrogates_and_huge_numbers_are_shown(server):
    line = {"lineno": 4_000_000_000, "line": "\ud800 \udcff x\n", "n_cpu_percent_python": 1e15, "n_peak_mb": 1e15}
    file = {"percent_cpu_time": 1e15, "lines": [line], "functions": [], "imports": [], "leaks": {}}
    with open(data("full"), encoding="utf-8") as full:
        profile = json.load(full)
    profile["files"] = {"/x/\udc80\ud83d.py": file}
    response = server.ask("api/load", "POST", json.dumps(profile).encode())
    assert response.status == 200
    overview = json.loads(response.body)
    assert overview["files"][0]["percent"] == 100
    assert "\udc80" in overview["files"][0]["name"]
    row = server.answer("api/file?file=0&mode=all")["rows"][0]
    assert row["lineno"] == 4_000_000_000
    assert server.answer("api/cost?file=0&line=4000000000")["percent"] == 100


def test_of_a_very_long_line_the_beginning_is_shown(server):
    text = "a=1;" * 500_000 + "é" * 100 + "\n"
    file = {"percent_cpu_time": 100, "lines": [{"lineno": 1, "line": text, "n_cpu_percent_python": 100}], "functions": [], "imports": [], "leaks": {}}
    profile = {"files": {"/x/y.py": file}, "elapsed_time_sec": 1}
    assert server.ask("api/load", "POST", json.dumps(profile).encode()).status == 200
    response = server.ask("api/file?file=0&mode=all")
    code = json.loads(response.body)["rows"][0]["code"]
    assert "".join(piece[1] for piece in code) == text[:20000] + " ... (1980200 bytes more)"
    assert len(response.body) < 1_000_000


def test_many_connections_at_once(server):
    questions = ("api/overview", "api/file?file=0&mode=all", "api/functions?file=all", "api/search?text=e", "app.js")

    def ask(number):
        return server.ask(questions[number % len(questions)]).status

    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        assert set(pool.map(ask, range(500))) == {200}


def test_answers_while_profiles_are_loaded(server):
    with open(data("cpu"), "rb") as file:
        text = file.read()

    def work(number):
        if number % 10 == 0:
            return server.ask("api/load", "POST", text).status
        return server.ask("api/file?file=0&mode=all").status

    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        assert set(pool.map(work, range(200))) == {200}


def test_connections_that_say_nothing_delay_nobody(server):
    silent = [socket.create_connection((server.host, server.port)) for _ in range(50)]
    try:
        assert server.answer("api/overview")
        assert server.end()[0] == 0
    finally:
        for connection in silent:
            connection.close()


def test_nothing_of_the_directory_is_served(scalene, tmp_path):
    (tmp_path / "secret.txt").write_text("root:secret")
    shutil.copy(os.path.join(DATA, "cpu.json"), tmp_path / "scalene-profile.json")
    with serve(scalene, str(tmp_path / "scalene-profile.json"), cwd=tmp_path) as server:
        for path in ("secret.txt", "scalene-profile.json", "api/secret.txt"):
            assert server.ask(path).status == 404
