# tests/server/serving.py - running `scalene view` as a server, and speaking to it.
#
# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of the page's server."""

import contextlib
import html.parser
import http.client
import json
import os
import re
import select
import signal
import socket
import subprocess
import time
import types

from conftest import BUILD

TIMEOUT_S = 300
DATA = os.path.join(BUILD, "tests", "view", "data")
ADDRESS = re.compile(r"http://([^/:]+|\[[^]]+\]):(\d+)/([0-9a-f]{32})/")


def data(name):
    return os.path.join(DATA, name + ".json")


def environment(**more):
    """Without a browser and a display, unless a test gives one."""
    made = {key: value for key, value in os.environ.items() if key not in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")}
    made.update(more)
    return made


def first_line(stream):
    """One line of a pipe, waited for no longer than TIMEOUT_S."""
    line = b""
    deadline = time.monotonic() + TIMEOUT_S
    while not line.endswith(b"\n") and time.monotonic() < deadline:
        if select.select([stream], [], [], 0.2)[0]:
            byte = os.read(stream.fileno(), 1)
            if not byte:
                break
            line += byte
    return line.decode()


class Server:
    """A running `scalene view` or `scalene live` and its address, which `live` leaves to stderr."""

    def __init__(self, process, stream=None):
        self.process = process
        self.line = first_line(stream or process.stdout)
        found = ADDRESS.search(self.line)
        assert found, (self.line, process.stderr.read() if process.poll() is not None else "")
        self.host, self.port, self.token = found[1].strip("[]"), int(found[2]), found[3]

    def ask(self, path, method="GET", body=None, token=None, **headers):
        """(status, headers, body) of a request behind the token."""
        return self.ask_at(f"/{token or self.token}/{path}", method, body, **headers)

    def ask_at(self, target, method="GET", body=None, **headers):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=TIMEOUT_S)
        try:
            sent = {key.replace("_", "-"): value for key, value in headers.items()}
            connection.putrequest(method, target, skip_host="Host" in sent, skip_accept_encoding=True)
            if body is not None and "Content-Length" not in sent:
                sent["Content-Length"] = str(len(body))
            for key, value in sent.items():
                connection.putheader(key, value)
            connection.endheaders(body)
            response = connection.getresponse()
            return types.SimpleNamespace(status=response.status, headers=response.headers, body=response.read())
        finally:
            connection.close()

    def answer(self, question, **more):
        """The JSON of a question that has an answer."""
        response = self.ask(question, **more)
        assert response.status == 200, response.body
        return json.loads(response.body)

    def raw(self, sent, first_byte_s=TIMEOUT_S):
        """All that comes back for these bytes, until the server closes, sends no first byte for so long, or then nothing for a second."""
        got = b""
        with socket.create_connection((self.host, self.port), timeout=first_byte_s) as connection:
            with contextlib.suppress(OSError):
                connection.sendall(sent)
                while piece := connection.recv(65536):
                    got += piece
                    connection.settimeout(1)
        return got

    def is_running(self):
        return self.process.poll() is None

    def end(self, number=signal.SIGINT):
        """(status, rest of stdout, stderr) after a signal."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=TIMEOUT_S)
        return self.process.returncode, out.decode(), err.decode()


@contextlib.contextmanager
def serve(scalene, *words, cwd=None, env=None):
    """`scalene view`, killed in the end if the test has left it running."""
    words = words or (data("full"),)
    process = subprocess.Popen(
        [scalene, "view", *(() if env else ("--no-browser",)), *words], cwd=cwd, env=env or environment(), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
    )
    with ended(process):
        yield Server(process)


@contextlib.contextmanager
def live(scalene, *words, cwd):
    """`scalene live`; what is written to the process's stdin is the program's."""
    process = subprocess.Popen(
        [scalene, "live", "--no-browser", *map(str, words)], cwd=cwd, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, bufsize=0,
    )
    with ended(process):
        yield Server(process, process.stderr)


@contextlib.contextmanager
def ended(process):
    try:
        yield
    finally:
        if process.poll() is None:
            process.terminate()  # so that it removes the file a browser was given
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(TIMEOUT_S)
            process.kill()
        err = process.communicate()[1]
        assert b"Sanitizer" not in err, err.decode(errors="replace")


class Elements(html.parser.HTMLParser):
    """The elements of a page and what stands in its scripts and styles."""

    def __init__(self):
        super().__init__()
        self.tags = []
        self.texts = []
        self.is_open = False

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.texts.append("")
        self.is_open = True

    def handle_endtag(self, tag):
        self.is_open = False

    def handle_data(self, data):
        if self.is_open:
            self.texts[-1] += data

    def addresses(self):
        """What the page loads."""
        return [attributes[key] for _tag, attributes in self.tags for key in ("src", "href") if key in attributes]
