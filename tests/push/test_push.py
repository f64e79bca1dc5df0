# tests/push/test_push.py - what is pushed adds up to the profile, whatever the receiver does, or it is said what is missing.
#
# Here profiles are made, so that all numbers are known; tests/push/test_runs.py runs programs.
#
# SPDX-License-Identifier: Apache-2.0
"""Pushes of made profiles, to a receiver that takes them well or badly."""

import os
import re
import socket
import subprocess
import threading

import pytest
from receiver import Pusher, Receiver, free_port, kinds_of, labels_of, period_of, periods_of, resource_of, so_far, spans, summed, sums_of

WANTED = {"pyroscope": kinds_of, "otlp": sums_of}
REQUESTS = {"pyroscope": 3, "otlp": 1}  # of a push that has everything


@pytest.fixture(params=["pyroscope", "otlp"])
def kind(request):
    return request.param


def push(kind, port, *words):
    return Pusher("%s+http://127.0.0.1:%d" % (kind, port), *words)


def whole(kind):
    return WANTED[kind](so_far(1))


def totals(values):
    return {name: sum(stacks.values()) for name, stacks in values.items()}


# -------- what is pushed --------


def test_pushes_add_up_to_the_profile_number_by_number(kind, tmp_path):
    with Receiver() as receiver:
        pusher = push(kind, receiver.port)
        for at, share in enumerate((1 / 7, 1 / 3, 2 / 3, 1)):
            assert pusher.take(tmp_path, so_far(share)) == "taken"
            receiver.wait_for((at + 1) * REQUESTS[kind])
        assert pusher.end() == "all sent"
        assert summed(receiver.pushed) == whole(kind)
        assert len(receiver.pushed) == 4 * REQUESTS[kind] + 1  # what is in use at the end, too


def test_stacks_that_are_folded_later_keep_the_sum(kind, tmp_path):
    folded = so_far(1)
    tree = folded["scalene_c"]["call_tree"]
    tree[6][2] += tree[7][2]  # what calls itself stands at its caller, as where a tree has grown too large
    tree[7][2] = 0.0
    with Receiver() as receiver:
        pusher = push(kind, receiver.port)
        pusher.take(tmp_path, so_far(1 / 2))
        pusher.take(tmp_path, folded)
        assert pusher.end() == "all sent"
        assert totals(summed(receiver.pushed)) == totals(whole(kind))


def test_pyroscope_gets_name_labels_kinds_and_times(tmp_path):
    made = so_far(1)
    made["scalene_c"]["labels"] = {"host": "n\x1b7", "rank": "3", "data-set": "a,b}c=d é"}
    with Receiver() as receiver:
        pusher = push("pyroscope", receiver.port)
        pusher.take(tmp_path, made)
        receiver.wait_for(3)
        pusher.take(tmp_path, so_far(1))
        assert pusher.end() == "all sent"
        first, second = receiver.pushed[:3], receiver.pushed[3:4]
        for pushed in first:
            assert labels_of(pushed) == ("prog.py", {"host": "n_7", "rank": "3", "data_set": "a_b_c=d é"})
            assert pushed.query["spyName"] == "scalene" and pushed.headers["user-agent"].startswith("scalene/")
        assert {period_of(pushed)[:2] for pushed in first} == {("cpu", "nanoseconds"), ("wall", "nanoseconds"), ("space", "bytes")}
        ((begin, end),) = set(spans(first))
        assert {period_of(pushed)[2] // 10**9 for pushed in first} == {begin} == {1_790_000_000}
        assert {span[0] for span in spans(second)} == {end}  # one after the other, without a gap


def test_a_collector_gets_the_service_and_the_labels(tmp_path):
    with Receiver() as receiver:
        pusher = push("otlp", receiver.port)
        pusher.take(tmp_path, so_far(1))
        assert pusher.end() == "all sent"
        facts = resource_of(receiver.pushed[0])
        assert (facts["service.name"], facts["host.name"], facts["rank"]) == ("prog.py", "n<U+001B>7", "3")
        assert periods_of(receiver.pushed[0]) == {"time": 10_000_000, **{name: 1 for name in whole("otlp") if name != "time"}}


def test_nothing_new_is_no_push(tmp_path):
    still = so_far(1)
    still["scalene_c"]["call_at_exit_mb"] = [0.0] * len(still["scalene_c"]["call_tree"])
    with Receiver() as receiver:
        pusher = push("otlp", receiver.port)
        for _ in range(3):
            pusher.take(tmp_path, still)
        assert pusher.end() == "all sent"
        assert len(receiver.pushed) == 1


# -------- receivers that do not take it --------


def test_a_receiver_that_comes_later_gets_all(kind, tmp_path):
    port = free_port()
    pusher = push(kind, port)
    pusher.take(tmp_path, so_far(1 / 3))
    pusher.take(tmp_path, so_far(1))
    with Receiver(port=port) as receiver:
        receiver.wait_for(2 * REQUESTS[kind])
        assert pusher.end() == "all sent"
        assert summed(receiver.pushed) == whole(kind)


def test_a_receiver_that_dies_and_comes_back_gets_all(kind, tmp_path):
    with Receiver() as receiver:
        pusher = push(kind, receiver.port)
        pusher.take(tmp_path, so_far(1 / 3))
        receiver.wait_for(REQUESTS[kind])
    taken = receiver.pushed
    pusher.take(tmp_path, so_far(2 / 3))
    with Receiver(port=receiver.port) as again:
        pusher.take(tmp_path, so_far(1))
        again.wait_for(2 * REQUESTS[kind])
        assert pusher.end() == "all sent"
        assert summed(taken + again.pushed) == whole(kind)


def hang_up(handler):
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def talk_garbage(handler):
    handler.wfile.write(b"\x00\xff\r\n" * 1000)
    hang_up(handler)


PASSING = {
    "500": 500, "502": 502, "503": 503, "408": 408, "422": 422, "429 with a time": (429, {"retry-after": "1"}), "503 with nonsense": (503, {"retry-after": "soon"}),
    "hangs up": hang_up, "garbage": talk_garbage,
}  # fmt: skip


@pytest.mark.parametrize("answer", PASSING)
def test_what_may_be_taken_later_is_sent_again(kind, answer, tmp_path):
    with Receiver([PASSING[answer]]) as receiver:
        pusher = push(kind, receiver.port)
        pusher.take(tmp_path, so_far(1 / 2))
        receiver.wait_for(REQUESTS[kind])
        pusher.take(tmp_path, so_far(1))
        assert pusher.end() == "all sent"
        assert summed(receiver.pushed) == whole(kind)
        assert len(receiver.seen) == len(receiver.pushed) + 1


def lost(sentence, count, of, receiver, why):
    pattern = r"%d of %d pushes to http://127\.0\.0\.1:%d (was|were) lost, [0-9.]+ s of the run, which only this profile has: %s" % (count, of, receiver.port, why)
    assert re.fullmatch(pattern, sentence), sentence


@pytest.mark.parametrize("status", [400, 401, 404, 413])
def test_what_is_refused_is_lost_and_said(kind, status, tmp_path):
    with Receiver([status]) as receiver:
        pusher = push(kind, receiver.port)
        pusher.take(tmp_path, so_far(1 / 2))
        receiver.wait_for(1, "seen")
        pusher.take(tmp_path, so_far(1))
        lost(pusher.end(), 1, 3, receiver, "it answered %d" % status)
        assert len(receiver.seen) == 2 * REQUESTS[kind] + 1 and len(receiver.pushed) == len(receiver.seen) - 1


def test_one_push_in_parts_is_lost_once(tmp_path):
    with Receiver([400, 400, 400]) as receiver:
        pusher = push("pyroscope", receiver.port)
        pusher.take(tmp_path, so_far(1))
        receiver.wait_for(3, "seen")
        lost(pusher.end(), 1, 2, receiver, "it answered 400")


def test_a_receiver_that_always_fails_ends_nothing_but_the_pushes(kind, tmp_path):
    with Receiver([500] * 1000) as receiver:
        pusher = push(kind, receiver.port)
        pusher.take(tmp_path, so_far(1))
        lost(pusher.end(), 2, 2, receiver, "it answered 500")
        assert not receiver.pushed


def test_one_that_fails_at_each_attempt_lets_the_next_one_pass(tmp_path):
    with Receiver([500] * 6) as receiver:
        pusher = push("otlp", receiver.port)
        pusher.take(tmp_path, so_far(1 / 2))
        pusher.take(tmp_path, so_far(1))
        receiver.wait_for(1)
        lost(pusher.end(), 1, 3, receiver, "it answered 500")
        assert len(receiver.seen) == 8


def test_what_was_not_ready_is_not_counted_as_refused(tmp_path):
    with Receiver([503] * 5 + [500]) as receiver:
        pusher = push("otlp", receiver.port)
        pusher.take(tmp_path, so_far(1))
        receiver.wait_for(3, "seen")
        assert pusher.end() == "all sent"
        assert len(receiver.seen) == 8 and summed(receiver.pushed) == whole("otlp")


def test_a_receiver_that_asks_for_time_is_not_asked_again_at_the_end(tmp_path):
    with Receiver([(429, {"retry-after": "100000"})] * 1000) as receiver:
        pusher = push("otlp", receiver.port)
        pusher.take(tmp_path, so_far(1))
        receiver.wait_for(1, "seen")
        lost(pusher.end(), 2, 2, receiver, "it answered 429")
        assert len(receiver.seen) == 1


def test_nobody_listens_at_all(kind, tmp_path):
    port = free_port()
    pusher = push(kind, port)
    pusher.take(tmp_path, so_far(1))
    sentence = pusher.end()
    assert "2 of 2 pushes to http://127.0.0.1:%d were lost" % port in sentence and "connect" in sentence


def test_a_receiver_that_never_answers_holds_nobody_up(kind, tmp_path):
    over = threading.Event()
    with Receiver([lambda handler: over.wait()] * 100) as receiver:
        pusher = push(kind, receiver.port)
        pusher.take(tmp_path, so_far(1))
        lost(pusher.end(), 2, 2, receiver, "it did not answer in time")
        over.set()


def test_an_answer_without_an_end_is_taken_as_one(tmp_path):
    over = threading.Event()

    def never_end(handler):
        handler.send_response(200)
        handler.end_headers()
        try:
            while not over.is_set():
                handler.wfile.write(bytes(10000))
        except OSError:
            over.set()

    with Receiver([never_end]) as receiver:
        pusher = push("otlp", receiver.port)
        pusher.take(tmp_path, so_far(1))
        assert over.wait(300)
        assert pusher.end() == "all sent"
        assert len(receiver.seen) == 2


def test_while_nothing_can_be_sent_the_next_push_covers_a_longer_time(kind, tmp_path):
    over = threading.Event()

    def wait(handler):
        over.wait()
        hang_up(handler)

    with Receiver([wait]) as receiver:
        pusher = push(kind, receiver.port)
        steps = 0
        while pusher.take(tmp_path, so_far((steps + 1) / 128)) == "taken":
            steps += 1
        assert steps == 90 // REQUESTS[kind]
        assert pusher.take(tmp_path, so_far((steps + 2) / 128)) == "full"
        over.set()
        receiver.wait_for(90)
        assert pusher.take(tmp_path, so_far(1)) == "taken"
        assert pusher.end() == "all sent"
        assert summed(receiver.pushed) == whole(kind)


# -------- tokens, and who may have them --------


def token(folder, text="s3cret", mode=0o600):
    path = folder / "token"
    path.write_bytes(text.encode())
    path.chmod(mode)
    return str(path)


def test_the_token_of_the_file_is_sent(kind, tmp_path):
    with Receiver() as receiver:
        pusher = push(kind, receiver.port, token(tmp_path, "s3cret-._~+/=\n"))
        pusher.take(tmp_path, so_far(1))
        assert pusher.end() == "all sent"
        assert {headers["authorization"] for _, _, headers in receiver.seen} == {"Bearer s3cret-._~+/="}


def test_a_redirect_is_not_followed_and_says_so(kind, tmp_path):
    with Receiver() as other, Receiver([(307, {"location": "http://127.0.0.1:%d/ingest" % other.port})] * REQUESTS[kind]) as receiver:
        pusher = push(kind, receiver.port, token(tmp_path))
        pusher.take(tmp_path, so_far(1))
        receiver.wait_for(REQUESTS[kind], "seen")
        lost(pusher.end(), 1, 2, receiver, "it answered 307, and redirects are not followed")
        assert not other.seen


def refused(*words):
    done = subprocess.run([Pusher.PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    assert done.returncode == 1
    return done.stderr.strip()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o644])
def test_a_token_that_others_can_read_is_refused(mode, tmp_path):
    path = token(tmp_path, mode=mode)
    assert refused("otlp+http://127.0.0.1:4318", path) == "--push-token-file: others can read '%s'; `chmod 600` keeps it from them" % path


@pytest.mark.parametrize("text", ["", "\n", "two words", "line\r\nx-evil: 1", "\x00", "é", "a" * 8193], ids=range(7))
def test_what_is_no_token_is_refused(text, tmp_path):
    path = token(tmp_path, text)
    assert refused("otlp+http://127.0.0.1:4318", path) == "--push-token-file: '%s' holds no token" % path


def test_a_token_is_in_a_file(tmp_path):
    assert "is no file" in refused("otlp+http://127.0.0.1:4318", str(tmp_path))
    assert "cannot read" in refused("otlp+http://127.0.0.1:4318", str(tmp_path / "none"))
    os.mkfifo(str(tmp_path / "pipe"), 0o600)
    assert "is no file" in refused("otlp+http://127.0.0.1:4318", str(tmp_path / "pipe"))


def test_a_token_does_not_go_over_a_network_in_the_clear(tmp_path):
    path = token(tmp_path)
    assert refused("otlp+http://192.0.2.1:4318", path) == "--push: the token would be sent in the clear to 'http://192.0.2.1:4318'; the address must have https"


# -------- TLS --------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of this machine's, with its key, and without it."""
    folder = tmp_path_factory.mktemp("certificate")
    command = "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
    subprocess.run(command.split(), cwd=str(folder), check=True, stderr=subprocess.DEVNULL)
    both = folder / "both.pem"
    both.write_text((folder / "key.pem").read_text() + (folder / "cert.pem").read_text())
    return str(both), str(folder / "cert.pem")


def test_an_unknown_certificate_gets_nothing(certificate, tmp_path):
    with Receiver(certificate=certificate[0]) as receiver:
        pusher = Pusher("otlp+https://127.0.0.1:%d" % receiver.port, token(tmp_path))
        pusher.take(tmp_path, so_far(1))
        assert "2 of 2 pushes" in pusher.end()
        assert not receiver.seen


def test_a_trusted_certificate_gets_the_token(certificate, tmp_path, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", certificate[1])
    with Receiver(certificate=certificate[0]) as receiver:
        pusher = Pusher("otlp+https://127.0.0.1:%d" % receiver.port, token(tmp_path))
        pusher.take(tmp_path, so_far(1))
        assert pusher.end() == "all sent"
        assert summed(receiver.pushed) == whole("otlp")
