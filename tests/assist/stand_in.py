# tests/assist/stand_in.py - a service on the loopback address that answers well or badly, as a test says.
#
# SPDX-License-Identifier: Apache-2.0
"""The server around a service of services.py."""

import http.server
import json
import threading
import time

from services import Wrong


class Request:
    def __init__(self, handler, body):
        self.method = handler.command
        self.path = handler.path
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        self.body = body
        self.asked = None

    def json(self):
        try:
            return json.loads(self.body)
        except ValueError as why:
            raise Wrong(400, "We could not parse the JSON body: %s" % why) from None


class StandIn:
    """A service on the loopback address. mode says how it answers; requests are kept."""

    def __init__(self, service, answer, mode="stream"):
        self.service = service
        self.answer = answer
        self.mode = mode
        self.requests = []
        self.wrong = []
        self.over = threading.Event()  # the test ends
        self.left = threading.Event()  # the one who asked has gone in the middle of an answer
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                outer.handle(self)

            do_POST = do_GET

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()

    def handle(self, handler):
        request = Request(handler, handler.rfile.read(int(handler.headers.get("content-length", "0"))))
        self.requests.append(request)
        try:
            kind = self.service.check(request)
        except Wrong as why:
            self.wrong.append(str(why))
            self.reply(handler, why.status, self.service.error(why.status, "%s" % why))
            return
        if kind == "list":
            self.reply(handler, 200, self.service.models())
        else:
            getattr(self, "answer_" + self.mode.split(":")[0])(handler, *self.mode.split(":")[1:])

    def reply(self, handler, status, value, headers=()):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        handler.send_response(status)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(data)))
        for name, text in headers:
            handler.send_header(name, text)
        handler.end_headers()
        handler.wfile.write(data)

    def begin(self, handler):
        handler.send_response(200)
        handler.send_header("content-type", self.service.stream_type)
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()

    def put(self, handler, data):
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        handler.wfile.flush()

    def answer_stream(self, handler, reason=None):
        self.begin(handler)
        stream = self.service.stream(self.answer, reason) if reason else self.service.stream(self.answer)
        data = b"".join(stream)
        # cut at other places than the service's own pieces
        for start in range(0, len(data), 61):
            self.put(handler, data[start : start + 61])
        handler.wfile.write(b"0\r\n\r\n")

    def answer_whole(self, handler):
        self.reply(handler, 200, self.service.whole(self.answer))

    def answer_parts(self, handler):
        self.reply(handler, 200, self.service.whole_of_parts(self.answer))

    def answer_status(self, handler, status, sentence):
        headers = [("location", "http://127.0.0.1:1/")] if status.startswith("3") else []
        self.reply(handler, int(status), self.service.error(int(status), sentence), headers)

    def answer_endless(self, handler, status):
        """An error whose body has no end; what has been sent of it is counted."""
        handler.send_response(int(status))
        handler.send_header("content-type", "text/plain")
        handler.end_headers()
        self.sent = 0
        try:
            while self.sent < 1 << 30:
                handler.wfile.write(b"x" * 65536)
                self.sent += 65536
        except OSError:
            self.left.set()

    def answer_busy(self, handler, seconds, times="1000"):
        """Turns away the first requests, then answers."""
        if len(self.requests) > int(times):
            self.answer_stream(handler)
        else:
            self.reply(handler, 429, self.service.error(429, "Rate limit reached"), [("retry-after", seconds)])

    def answer_body(self, handler, status, name):
        """Turns away with an error that the service has under this name."""
        self.reply(handler, int(status), getattr(self.service, name)())

    def answer_quota(self, handler):
        self.reply(handler, *self.service.quota())

    def answer_cut(self, handler):
        self.begin(handler)
        data = b"".join(self.service.stream(self.answer))
        self.put(handler, data[: len(data) // 2])
        handler.close_connection = True

    def answer_short(self, handler):
        """Ends in good order, but without the service's own ending."""
        self.begin(handler)
        data = b"".join(self.service.stream(self.answer))
        self.put(handler, data[: len(data) // 2])
        handler.wfile.write(b"0\r\n\r\n")

    def answer_lost(self, handler):
        """The service's own ending comes, but not that of the transfer."""
        self.begin(handler)
        self.put(handler, b"".join(self.service.stream(self.answer)))
        handler.close_connection = True

    def answer_empty_reasons(self, handler):
        """As some servers do: a reason to end in each piece, which is none."""
        self.begin(handler)
        self.put(handler, b"".join(self.service.stream(self.answer, self.service.too_long)).replace(b"null", b'""'))
        handler.wfile.write(b"0\r\n\r\n")

    def answer_broken(self, handler):
        self.begin(handler)
        self.put(handler, next(iter(self.service.stream(self.answer))) + self.service.stream_error())
        handler.wfile.write(b"0\r\n\r\n")

    def answer_silent(self, handler):
        self.begin(handler)
        self.put(handler, next(iter(self.service.stream(self.answer))))
        self.over.wait()

    def answer_trickle(self, handler):
        """A piece now, then a little every now and then, until nobody listens."""
        self.begin(handler)
        try:
            for piece in list(self.service.stream(self.answer * 200)):
                self.put(handler, piece)
                time.sleep(0.2)
        except OSError:
            self.left.set()

    def answer_garbage(self, handler):
        self.begin(handler)
        self.put(handler, b"data: {]\n\n\x00\xff<html>{]\n" * 40)
        handler.wfile.write(b"0\r\n\r\n")

    def answer_huge(self, handler):
        self.begin(handler)
        try:
            for _ in range(200):
                self.put(handler, b"x" * 65536)
            handler.wfile.write(b"0\r\n\r\n")
        except OSError:
            pass
