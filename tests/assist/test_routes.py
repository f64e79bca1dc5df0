# tests/assist/test_routes.py - the page's questions about proposals, over HTTP.
#
# SPDX-License-Identifier: Apache-2.0
"""What the server answers without a browser."""

import http.client
import json
import os
import pathlib
import sys

import asking
import pytest
from services import KEYS, SERVICES
from stand_in import StandIn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
import serving  # noqa: E402

project = asking.project

PLACE = {"file": 0, "lineno": 5, "end_lineno": 7, "goal": "performance"}


def environment(stand_in=None):
    names = {name for service in SERVICES.values() for name in service.environment("")}
    made = {key: value for key, value in serving.environment().items() if key not in names}
    if stand_in:
        made.update(stand_in.service.environment(stand_in.url))
    return made


def serve(project, *words, stand_in=None):
    profile = os.path.join(project.directory, "scalene-profile.json")
    return serving.serve(project.scalene, "--no-browser", profile, *words, cwd=project.directory, env=environment(stand_in))


def post(server, question, body):
    response = server.ask("api/ai/" + question, method="POST", body=json.dumps(body).encode())
    return response.status, response.body


def events(body):
    found = []
    for block in body.decode().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


def test_services_are_listed_without_their_keys(project):
    with StandIn(SERVICES["bedrock"], asking.FASTER) as stand_in, serve(project, stand_in=stand_in) as server:
        status, body = post(server, "providers", {})
        answer = json.loads(body)
        assert status == 200 and answer["chosen"] == "amazon"
        assert len(answer["providers"]) == 7
        amazon = next(one for one in answer["providers"] if one["id"] == "amazon")
        assert amazon["ready"]
        assert {field["id"] for field in amazon["fields"] if field["set"]} == {
            "aws-access-key", "aws-secret-key", "aws-session-token", "aws-region", "aws-endpoint-url"
        }
        for key in KEYS.values():
            assert key not in body.decode()


def test_an_answer_comes_as_events_and_is_applied_by_its_number(project):
    with StandIn(SERVICES["anthropic"], asking.FASTER) as stand_in, serve(project, stand_in=stand_in) as server:
        status, body = post(server, "ask", {"provider": "anthropic", **PLACE})
        assert status == 200
        found = events(body)
        assert {name for name, _ in found} == {"delta", "done"} and found[-1][0] == "done"
        assert "".join(data["text"] for name, data in found if name == "delta") == asking.FASTER
        proposal = found[-1][1]
        assert proposal["code"] == "    result = (count - 1) * count * (2 * count - 1) // 6\n"
        assert [row[0] for row in proposal["rows"]].count("-") == 3
        status, body = post(server, "apply", {"proposal": proposal["id"] + 1})
        assert status == 400 and b"not kept" in body
        status, body = post(server, "apply", {"proposal": proposal["id"]})
        assert status == 200 and json.loads(body)["backup"].endswith(".scalene-backup")
        assert b"// 6" in project.read()
        status, body = post(server, "apply", {"proposal": proposal["id"]})
        assert status == 500 and b"has changed since the run" in body


def test_measuring_must_be_allowed(project):
    with StandIn(SERVICES["anthropic"], asking.FASTER) as stand_in, serve(project, stand_in=stand_in) as server:
        number = events(post(server, "ask", {"provider": "anthropic", **PLACE})[1])[-1][1]["id"]
        for allowed in (None, False, 1, "true"):
            status, body = post(server, "measure", {"proposal": number, "allowed": allowed})
            assert status == 400 and b"was not allowed" in body
        found = events(post(server, "measure", {"proposal": number, "allowed": True, "rounds": 3})[1])
        assert [name for name, _ in found] == ["run"] * 8 + ["done"]
        assert found[-1][1]["rounds"] == 3 and found[-1][1]["same_output"] is True


def test_a_question_goes_on_when_another_profile_is_loaded(project):
    """What the question needs of the profile it has taken with it."""
    with StandIn(SERVICES["anthropic"], asking.FASTER, "trickle") as stand_in, serve(project, stand_in=stand_in) as server:
        connection = http.client.HTTPConnection(server.host, server.port, timeout=300)
        connection.request("POST", "/%s/api/ai/ask" % server.token, json.dumps({"provider": "anthropic", **PLACE}))
        response = connection.getresponse()
        assert response.status == 200 and response.read(10)
        assert server.ask("api/load", method="POST", body=b"{}").status == 200
        assert response.read(200)
        connection.close()
        assert stand_in.left.wait(300)
        assert server.is_running()


@pytest.mark.parametrize("question", ["ask", "models", "apply", "measure"])
def test_nobody_asks_from_other_machines(project, question):
    with StandIn(SERVICES["anthropic"], asking.FASTER) as stand_in, serve(project, "--host", "0.0.0.0", stand_in=stand_in) as server:
        server.host = "127.0.0.1"
        body = {"provider": "anthropic", "proposal": 1, "allowed": True, **PLACE}
        status, answer = post(server, question, body)
        assert status == 403 and b"loopback" in answer
        assert not stand_in.requests


def test_the_end_of_the_server_ends_a_question(project):
    with StandIn(SERVICES["anthropic"], asking.FASTER, "trickle") as stand_in, serve(project, stand_in=stand_in) as server:
        connection = http.client.HTTPConnection(server.host, server.port, timeout=300)
        connection.request("POST", "/%s/api/ai/ask" % server.token, json.dumps({"provider": "anthropic", **PLACE}))
        assert connection.getresponse().read(10)
        status, _, err = server.end()  # long before the answer ends
        assert status == 0, err
        assert stand_in.left.wait(300)
