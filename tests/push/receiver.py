# tests/push/receiver.py - receives what is pushed, on the loopback address, well or badly, as a test says.
#
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for Pyroscope and for a collector of OpenTelemetry, and a program that pushes when a test says so."""

import collections
import contextlib
import gzip
import http.server
import os
import re
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

from conftest import BUILD, ROOT

sys.path.insert(0, os.path.join(ROOT, "tests", "export"))
from exporting import everything, truth, write  # noqa: E402
from test_protobuf import fields, one, otlp, pprof  # noqa: E402

TIMEOUT_S = 300
SUMS = ("time", "waiting", "allocated", "copied", "gpu", *("blocked_" + wait for wait in ("io", "lock", "gil", "sleep", "child", "other")))
Pushed = collections.namedtuple("Pushed", "path query headers body")


class Receiver:
    """answers: what is answered, one after the other, then 200: a status, (status, headers), or a function of the handler."""

    def __init__(self, answers=(), port=0, certificate=None):
        self.answers = collections.deque(answers)
        self.pushed = []  # what was taken
        self.seen = []  # and what was refused, too: (time, path, headers)
        self.changed = threading.Condition()
        self.connections = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def setup(self):
                super().setup()
                outer.connections.append(self.connection)

            def do_POST(self):
                outer.handle(self)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        for connection in self.connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle(self, handler):
        body = handler.rfile.read(int(handler.headers["content-length"]))
        url = urllib.parse.urlsplit(handler.path)
        headers = {name.lower(): value for name, value in handler.headers.items()}
        with self.changed:  # until it is answered: who has waited for it may end this receiver at once
            answer = self.answers.popleft() if self.answers else 200
            status, more = answer if isinstance(answer, tuple) else (answer, {})
            self.seen.append((time.monotonic(), url.path, headers))
            if not callable(answer) and status // 100 == 2:
                self.pushed.append(Pushed(url.path, dict(urllib.parse.parse_qsl(url.query)), headers, body))
            self.changed.notify_all()
            if not callable(answer):
                self.reply(handler, status, more)
        if callable(answer):
            answer(handler)

    def reply(self, handler, status, more):
        handler.send_response(status)
        for name, value in more.items():
            handler.send_header(name, value)
        handler.send_header("content-length", "0")
        handler.end_headers()

    def wait_for(self, count, which="pushed"):
        with self.changed:
            assert self.changed.wait_for(lambda: len(getattr(self, which)) >= count, TIMEOUT_S), (which, len(getattr(self, which)))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def values_of(pushed):
    """value -> {stack: number}, of one request, decoded as an export is."""
    if pushed.path == "/ingest":
        assert pushed.headers["content-type"] == "application/octet-stream" and pushed.query["format"] == "pprof"
        return pprof(pushed.body)[0]
    assert (pushed.path, pushed.headers["content-type"], pushed.headers["content-encoding"]) == ("/v1development/profiles", "application/x-protobuf", "gzip")
    return otlp(gzip.decompress(pushed.body))[0]


def summed(requests):
    """The sum of what came; of what is in use, the last."""
    sums = collections.defaultdict(lambda: collections.defaultdict(int))
    for pushed in requests:
        for name, stacks in values_of(pushed).items():
            if name in ("in_use", "inuse_space"):
                sums[name] = stacks
                continue
            for stack, number in stacks.items():
                assert number > 0
                sums[name][stack] += number
    return {name: dict(stacks) for name, stacks in sums.items()}


def sums_of(made):
    """What all pushes of a run must add up to, as a collector gets it."""
    known = truth(made)
    wanted = {name: known[name] for name in SUMS if name in known}
    if "in_use_at_exit" in known:
        wanted["in_use"] = known["in_use_at_exit"]
    return wanted


def kinds_of(made):
    """The same as Pyroscope gets it."""
    known = truth(made)
    waiting = known.get("waiting", {})
    cpu = {stack: number - waiting.get(stack, 0) for stack, number in known["time"].items() if number > waiting.get(stack, 0)}
    wanted = {"wall": known["time"], "cpu": cpu, "alloc_space": known.get("allocated"), "inuse_space": known.get("in_use_at_exit")}
    return {name: stacks for name, stacks in wanted.items() if stacks}


class Pusher:
    """push_of: pushes profiles when it is told to."""

    PROGRAM = os.path.join(BUILD, "tests", "push", "push_of")

    def __init__(self, address, *words):
        self.process = subprocess.Popen([self.PROGRAM, address, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")

    def take(self, folder, made):
        path = write(folder, made, "pushed.json")
        self.process.stdin.write(path + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        assert answer in ("taken", "full"), self.process.stderr.read()
        return answer

    def end(self):
        """The sentence on what got lost, or "all sent"."""
        answer, errors = self.process.communicate(timeout=TIMEOUT_S)
        assert (self.process.returncode, errors) == (0, "")
        return answer.strip()


def so_far(share):
    """The profile when this share of everything() had been done."""
    made = everything()
    own = made["scalene_c"]
    own["call_tree"] = [[parent, frame, seconds * share, mb * share] for parent, frame, seconds, mb in own["call_tree"]]
    own["call_waiting_s"] = [seconds * share for seconds in own["call_waiting_s"]]
    for line in made["files"][made["program"]]["lines"]:
        for key in ("n_copy_mb_s", "n_gpu_s"):
            line[key] = line.get(key, 0) * share
        line["wait_s"] = {kind: seconds * share for kind, seconds in line.get("wait_s", {}).items()}
    return made


def spans(requests):
    """(begin, end) of each request in s, as its address says."""
    return [(int(pushed.query["from"]), int(pushed.query["until"])) for pushed in requests]


def labels_of(pushed):
    """(service, {label: value}), as Pyroscope reads them."""
    service, text = re.fullmatch(r"([A-Za-z0-9_./-]+){(.*)}", pushed.query["name"]).groups()
    return service, dict(label.split("=", 1) for label in text.split(",") if label)


def resource_of(pushed):
    """The attributes of a collector's request."""
    facts = otlp(gzip.decompress(pushed.body))[2]
    return {name: value for name, value in facts.items() if isinstance(value, str)}


def periods_of(pushed):
    """value -> how many of it one sample stands for, in a collector's request: Pyroscope refuses a profile that does not say so."""
    facts = otlp(gzip.decompress(pushed.body))[2]
    return {name: value[2] for name, value in facts.items() if not isinstance(value, str)}


def period_of(pushed):
    """(type, unit) that the samples were taken by, the time in ns that they begin at, and how long it is."""
    message = fields(gzip.decompress(pushed.body))
    kind = fields(one(message, 11))
    return message[6][one(kind, 1)].decode(), message[6][one(kind, 2)].decode(), one(message, 9), one(message, 10)
