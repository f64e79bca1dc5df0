# tests/soak/web.py - gunicorn and uvicorn under load on loopback, ended by SIGTERM.
#
# SPDX-License-Identifier: Apache-2.0
# needs: gunicorn uvicorn
"""A program of tools/soak; its argument is a seed."""

import http.client
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

WSGI = """
def application(environ, start_response):
    total = sum(i ^ 5 for i in range(20000))
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [("%s %d" % (environ["PATH_INFO"], total)).encode()]
"""
ASGI = """
async def application(scope, receive, send):
    if scope["type"] != "http":
        return
    total = sum(i ^ 5 for i in range(20000))
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": ("%s %d" % (scope["path"], total)).encode()})
"""


def ask(path, number):
    connection = http.client.HTTPConnection("localhost", timeout=30)
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.settimeout(30)
    connection.sock.connect(path)
    connection.request("GET", "/%d" % number)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, text


def load(command, text):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "app.py"), "w") as out:
            out.write(text)
        path = os.path.join(folder, "s")
        server = subprocess.Popen([sys.executable, "-m", *(word.format(path) for word in command)], cwd=folder, stderr=subprocess.DEVNULL)
        for _ in range(600):
            try:
                ask(path, 0)
                break
            except OSError:
                time.sleep(0.1)
        answers = []
        numbers = random.Random(int(sys.argv[1])).choices(range(1000), k=120)

        def client(mine):
            for number in mine:
                answers.append(ask(path, number))

        threads = [threading.Thread(target=client, args=(numbers[i::4],)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        server.send_signal(signal.SIGTERM)
        print(server.wait(), len(answers), sorted(answers)[:3], sorted(answers)[-3:])


load(["gunicorn", "-w", "2", "-b", "unix:{}", "app:application"], WSGI)
load(["gunicorn", "-k", "gthread", "--threads", "4", "-b", "unix:{}", "app:application"], WSGI)
load(["uvicorn", "--log-level", "error", "--uds", "{}", "app:application"], ASGI)
