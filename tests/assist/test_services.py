# tests/assist/test_services.py - every service: questions, answers, lists of models, and what goes wrong.
#
# SPDX-License-Identifier: Apache-2.0
"""Asking stand-ins of all services."""

import os
import signal
import socket
import time

import pytest

import asking
from asking import FASTER, LOOP
from services import KEYS, SERVICES
from stand_in import StandIn

project = asking.project

every = pytest.mark.parametrize("name", list(SERVICES))
streamed = pytest.mark.parametrize("name", ["openai", "anthropic", "gemini", "bedrock", "ollama"])

NEW_LINE = "+    result = (count - 1) * count * (2 * count - 1) // 6"


@every
@pytest.mark.parametrize("mode", ["stream", "whole"])
def test_a_proposal_is_shown_as_a_difference(project, name, mode):
    with StandIn(SERVICES[name], FASTER, mode) as stand_in:
        ended = project.optimize(*LOOP, stand_in=stand_in).expect(0)
    assert "-    for number in range(count):" in ended.stdout
    assert NEW_LINE in ended.stdout
    assert "needs no loop at all" in ended.stdout
    asked = [request for request in stand_in.requests if request.asked]
    assert len(asked) == 1
    assert "result += number * number" in asked[0].asked[1]
    assert asked[0].headers["user-agent"].startswith("scalene/")


@every
def test_models_are_listed(project, name):
    with StandIn(SERVICES[name], FASTER) as stand_in:
        ended = project.optimize("--list-models", stand_in=stand_in).expect(0)
    assert ended.stdout.splitlines() == SERVICES[name].shown_models


@every
@pytest.mark.parametrize("status, said", [(401, "does not accept the key"), (403, "does not accept the key")])
def test_a_bad_key_is_said_and_never_repeated(project, name, status, said):
    keys = " ".join(KEYS.values())
    with StandIn(SERVICES[name], FASTER, "status:%d:bad key %s" % (status, keys)) as stand_in:
        ended = project.optimize(*LOOP, stand_in=stand_in).expect(1)
    assert said in ended.stderr and ended.stdout == ""
    assert len([request for request in stand_in.requests if request.asked]) == 1


def test_a_key_that_gemini_does_not_know_is_a_bad_key(project):
    with StandIn(SERVICES["gemini"], FASTER) as stand_in:
        ended = project.optimize(
            *LOOP, "--provider", "gemini", env=dict(SERVICES["gemini"].environment(stand_in.url), GEMINI_API_KEY="wrong")
        ).expect(1)
    assert "Gemini does not accept the key" in ended.stderr


@every
def test_an_error_of_the_service_is_reported_without_keys(project, name):
    keys = " ".join(KEYS[kind] for kind in ([SERVICES[name].key] if SERVICES[name].key else []))
    with StandIn(SERVICES[name], FASTER, "status:500:it broke \x1b[31m %s" % keys) as stand_in:
        ended = project.optimize(*LOOP, stand_in=stand_in).expect(1)
    assert "has a problem of its own (status 500: it broke" in ended.stderr
    assert "\x1b" not in ended.stderr
    if keys:
        assert "***" in ended.stderr


@every
@pytest.mark.parametrize(
    "status, said", [(404, "has no model '"), (413, "too long"), (400, "did not take the question (status 400: no good)"), (302, "another address")]
)
def test_refusals_have_one_sentence(project, name, status, said):
    with StandIn(SERVICES[name], FASTER, "status:%d:no good" % status) as stand_in:
        ended = project.optimize(*LOOP, stand_in=stand_in).expect(1)
    assert said in ended.stderr
    assert len([line for line in ended.stderr.splitlines() if "asking" not in line]) == 1


@pytest.mark.parametrize("name", ["openai", "anthropic", "gemini"])
def test_a_quota_that_is_used_up_is_said_and_not_asked_again(project, name):
    with StandIn(SERVICES[name], FASTER, "quota") as stand_in:
        ended = project.optimize(*LOOP, stand_in=stand_in).expect(1)
    assert "is used up" in ended.stderr
    assert len(stand_in.requests) == 1


@pytest.mark.parametrize(
    "name, error, said",
    [
        ("openai", "rate", "was asked too often or too much: try again in a minute"),
        ("gemini", "rate", "was asked too often or too much: try again in 42 s"),
        ("gemini", "day", "is used up"),
    ],
)
def test_a_limit_per_minute_is_no_empty_account(project, name, error, said):
    with StandIn(SERVICES[name], FASTER, "body:429:" + error) as stand_in:
        ended = project.optimize(*LOOP, stand_in=stand_in).expect(1)
    assert said in ended.stderr


def test_an_answer_in_parts_is_read_without_its_thoughts(project):
    with StandIn(SERVICES["compatible"], FASTER, "parts") as stand_in:
        ended = project.optimize(*LOOP, stand_in=stand_in).expect(0)
    assert NEW_LINE in ended.stdout


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/chat/completions/"])
def test_the_whole_address_of_questions_is_understood(project, path):
    service = SERVICES["openai"]
    with StandIn(service, FASTER) as stand_in:
        env = dict(service.environment(stand_in.url), OPENAI_BASE_URL=stand_in.url + path)
        ended = project.optimize(*LOOP, "--provider", "openai", env=env).expect(0)
        listed = project.optimize("--list-models", "--provider", "openai", env=env).expect(0)
    assert NEW_LINE in ended.stdout and listed.stdout.split() == service.shown_models


@pytest.mark.parametrize(
    "path", ["/openai/deployments/my%20deployment/chat/completions?api-version=2025-01-01-preview", "/openai/deployments/my%20deployment"]
)
def test_addresses_as_azure_shows_them_are_understood(project, path):
    service = SERVICES["azure"]
    with StandIn(service, FASTER) as stand_in:
        env = dict(service.environment(stand_in.url), AZURE_OPENAI_ENDPOINT=stand_in.url + path)
        project.optimize(*LOOP, *service.words, env=env).expect(0)


@pytest.mark.parametrize("path", ["/openai/v1", "/openai/v1/", "/openai/v1/chat/completions"])
def test_the_newer_interface_of_azure_is_seen_in_the_address(project, path):
    service = SERVICES["azure"]
    with StandIn(service, FASTER) as stand_in:
        env = dict(service.environment(stand_in.url), AZURE_OPENAI_ENDPOINT=stand_in.url + path)
        project.optimize(*LOOP, *service.words, env=env).expect(1)  # the stand-in has the older one alone
    asked = stand_in.requests[-1]
    assert asked.path == "/openai/v1/chat/completions" and asked.json()["model"] == "my deployment"


@streamed
def test_one_asked_too_often_says_when_to_come_back(project, name):
    with StandIn(SERVICES[name], FASTER, "busy:77") as stand_in:
        ended = project.optimize(*LOOP, stand_in=stand_in).expect(1)
    assert "try again in 77 s" in ended.stderr
    assert len([request for request in stand_in.requests if request.asked]) == 1


@streamed
def test_one_busy_for_a_moment_is_asked_again(project, name):
    # what Ollama has is asked for first
    times = 2 if name == "ollama" else 1
    with StandIn(SERVICES[name], FASTER, "busy:1:%d" % times) as stand_in:
        ended = project.optimize(*LOOP, stand_in=stand_in).expect(0)
    assert NEW_LINE in ended.stdout
    assert len([request for request in stand_in.requests if request.asked]) == 2


@every
@pytest.mark.parametrize("mode", ["cut", "short"])
def test_an_answer_that_breaks_off_is_no_proposal(project, name, mode):
    with StandIn(SERVICES[name], FASTER, mode) as stand_in:
        ended = project.optimize(*LOOP, stand_in=stand_in).expect(1)
    assert "broke off before its end" in ended.stderr and ended.stdout == ""
    assert len([request for request in stand_in.requests if request.asked]) == 1


@every
def test_an_error_in_the_middle_of_an_answer_is_reported(project, name):
    with StandIn(SERVICES[name], FASTER, "broken") as stand_in:
        ended = project.optimize(*LOOP, stand_in=stand_in).expect(1)
    assert "stopped with an error: The server had an error" in ended.stderr


@pytest.mark.parametrize("name", [name for name in SERVICES if not name.startswith("bedrock")])
def test_an_error_with_the_status_of_an_answer_is_reported(project, name):
    with StandIn(SERVICES[name], FASTER, "status:200:Provider returned error") as stand_in:
        ended = project.optimize(*LOOP, stand_in=stand_in).expect(1)
    assert "stopped with an error: Provider returned error" in ended.stderr


@every
def test_a_whole_answer_counts_however_its_connection_ends(project, name):
    with StandIn(SERVICES[name], FASTER, "lost") as stand_in:
        assert NEW_LINE in project.optimize(*LOOP, stand_in=stand_in).expect(0).stdout


def test_an_empty_reason_is_none(project):
    with StandIn(SERVICES["compatible"], FASTER, "empty_reasons") as stand_in:
        assert "cut at its limit" in project.optimize(*LOOP, stand_in=stand_in).expect(1).stderr


@every
def test_an_answer_cut_at_its_limit_is_said(project, name):
    with StandIn(SERVICES[name], FASTER, "stream:" + SERVICES[name].too_long) as stand_in:
        assert "cut at its limit" in project.optimize(*LOOP, stand_in=stand_in).expect(1).stderr


@pytest.mark.parametrize("name", [name for name in SERVICES if SERVICES[name].refused])
def test_a_refused_question_is_said(project, name):
    with StandIn(SERVICES[name], FASTER, "stream:" + SERVICES[name].refused) as stand_in:
        assert "refused to answer" in project.optimize(*LOOP, stand_in=stand_in).expect(1).stderr


@every
@pytest.mark.parametrize("mode", ["garbage", "huge"])
def test_nonsense_is_an_error(project, name, mode):
    with StandIn(SERVICES[name], FASTER, mode) as stand_in:
        ended = project.optimize(*LOOP, stand_in=stand_in).expect(1)
    assert "answer" in ended.stderr and ended.stdout == ""


def test_a_silent_service_is_given_up(project):
    with StandIn(SERVICES["openai"], FASTER, "silent") as stand_in:
        ended = project.optimize(*LOOP, stand_in=stand_in, env={"SCALENE_AI_TIMEOUT": "0.7"}).expect(1)
    assert "did not answer in 1 s" in ended.stderr


def test_an_interrupted_question_ends_at_once(project):
    with StandIn(SERVICES["openai"], FASTER, "silent") as stand_in:

        def interrupt(process):
            end = time.monotonic() + 300
            while not stand_in.requests and time.monotonic() < end:
                time.sleep(0.02)
            os.kill(process.pid, signal.SIGINT)

        ended = project.optimize(*LOOP, stand_in=stand_in, env={"SCALENE_AI_TIMEOUT": "600"}, act=interrupt).expect(1)
    assert ended.stderr.splitlines()[-1] == "scalene: optimize: cancelled"


def test_no_network_is_said(project):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = "http://127.0.0.1:%d" % unused.getsockname()[1]
        ended = project.optimize(*LOOP, "--provider", "openai", env=SERVICES["openai"].environment(url)).expect(1)
    assert "OpenAI cannot be reached: nothing answers at '%s'" % url in ended.stderr


def test_an_unknown_host_is_said(project):
    env = {"ANTHROPIC_API_KEY": KEYS["anthropic"], "ANTHROPIC_BASE_URL": "https://nobody.invalid"}
    ended = project.optimize(*LOOP, "--provider", "anthropic", env=env).expect(1)
    assert "Anthropic cannot be reached" in ended.stderr


def test_a_proxy_of_the_environment_is_used(project):
    """What is not on this machine goes to the proxy, which here is a stand-in that takes any path."""
    env = {"OLLAMA_HOST": "http://models.example:11434"}
    with StandIn(SERVICES["ollama"], FASTER) as stand_in:
        env["http_proxy"] = stand_in.url
        project.optimize(*LOOP, "--provider", "ollama", env=env).expect(1)
    assert stand_in.requests[0].path == "http://models.example:11434/api/tags"


def test_a_key_never_travels_in_the_clear(project):
    env = {"OPENAI_API_KEY": KEYS["openai"], "OPENAI_BASE_URL": "http://models.example/v1"}
    ended = project.optimize(*LOOP, "--provider", "openai", env=env).expect(2)
    assert "in the clear" in ended.stderr


@pytest.mark.parametrize("host", ["127.0.0.1.evil.example", "localhost.evil.example", "127.0.0.1@evil.example"])
def test_names_that_look_like_this_machine_are_not(project, host):
    env = {"OPENAI_API_KEY": KEYS["openai"], "OPENAI_BASE_URL": "http://%s/v1" % host}
    assert "in the clear" in project.optimize(*LOOP, "--provider", "openai", env=env).expect(2).stderr


def test_a_missing_key_is_named(project):
    ended = project.optimize(*LOOP, "--provider", "anthropic").expect(2)
    assert "Anthropic needs its API key ($ANTHROPIC_API_KEY)" in ended.stderr
    ended = project.optimize(*LOOP).expect(2)
    assert "no service is set up" in ended.stderr


def test_the_service_whose_key_is_there_is_chosen(project):
    with StandIn(SERVICES["gemini"], FASTER) as stand_in:
        ended = project.optimize(*LOOP, env=SERVICES["gemini"].environment(stand_in.url)).expect(0)
    assert "asking Gemini" in ended.stderr


def test_keys_are_in_no_argument_and_no_file(project, tmp_path):
    lines = []

    def look(process):
        end = time.monotonic() + 300
        while not stand_in.requests and time.monotonic() < end:
            with open("/proc/%d/cmdline" % process.pid, "rb") as file:
                lines.append(file.read())
            time.sleep(0.01)

    with StandIn(SERVICES["bedrock"], FASTER) as stand_in:
        project.optimize(*LOOP, "--apply", "--yes", stand_in=stand_in, act=look).expect(0)
    texts = list(lines)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            texts.append(path.read_bytes())
    assert len(texts) >= 3
    for key in KEYS.values():
        assert not any(key.encode() in text for text in texts)
