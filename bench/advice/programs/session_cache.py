# bench/advice/programs/session_cache.py - a server that remembers the session of each request and forgets none.
#
# SPDX-License-Identifier: Apache-2.0
# advice: leak
# also: peak_allocation garbage_collection
import hashlib

REQUESTS = 460_000
sessions = {}


def session_of(token):
    if token not in sessions:
        sessions[token] = {"token": token, "cart": [0] * 30, "history": [token]}  # <- here
    return sessions[token]


def handle(number):
    token = hashlib.sha1(b"%d" % number).hexdigest()
    session = session_of(token)
    session["cart"][0] += 1
    return len(session["history"])


def serve():
    return sum(handle(number) for number in range(REQUESTS))


print(serve())
