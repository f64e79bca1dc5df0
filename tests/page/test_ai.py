# tests/page/test_ai.py - asking a service from the page: setup, question, proposal, applying, measuring.
#
# SPDX-License-Identifier: Apache-2.0
"""The view of proposals, with stand-ins for the services."""

import itertools
import json
import pathlib
import re
import sys

import pytest
import showing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "assist"))
import asking  # noqa: E402
from services import KEYS, SERVICES  # noqa: E402
from stand_in import StandIn  # noqa: E402

PLACE = "#/ai?file=prog.py&line=5&end=7"


@pytest.fixture
def project(scalene, tmp_path, monkeypatch):
    for service in SERVICES.values():
        for name in service.environment(""):
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SCALENE_AI_TIMEOUT", "300")
    return asking.Project(scalene, tmp_path).record()


def profile_of(project):
    return pathlib.Path(project.directory) / "scalene-profile.json"


def open_ai(show, project, monkeypatch, stand_in=None, place=PLACE, **options):
    if stand_in:
        for name, value in stand_in.service.environment(stand_in.url).items():
            monkeypatch.setenv(name, value)
    shown = show(profile_of(project), place, **options)
    shown.page.get_by_role("heading", name="AI service").wait_for()
    return shown


def ask(shown, name="Anthropic"):
    shown.page.get_by_role("button", name="Ask " + name).click()


def test_a_proposal_is_asked_for_shown_and_applied(show, project, monkeypatch):
    with StandIn(SERVICES["anthropic"], asking.FASTER) as stand_in:
        shown = open_ai(show, project, monkeypatch, stand_in)
        assert shown.page.locator("#service-select").input_value() == "anthropic"
        ask(shown)
        diff = shown.page.locator(".diff")
        diff.wait_for()
        assert "for number in range(count):" in diff.locator(".removed").all_inner_texts()[1]
        assert "(2 * count - 1) // 6" in diff.locator(".added").inner_text()
        assert "needs no loop at all" in shown.page.locator(".ai-remarks").inner_text()
        shown.page.get_by_role("button", name="Apply to the file").click()
        shown.page.get_by_text("what it was is in").wait_for()
    assert "// 6" in project.read().decode()
    assert not stand_in.wrong


def test_what_is_shown_before_is_what_is_sent(show, project, monkeypatch):
    with StandIn(SERVICES["openai"], asking.FASTER) as stand_in:
        shown = open_ai(show, project, monkeypatch, stand_in)
        shown.page.get_by_text("Preview request").click()
        text = shown.page.locator(".ai-prompt pre").inner_text()
        shown.page.get_by_role("radio", name="Less memory").click()
        shown.page.wait_for_function("() => document.querySelector('.ai-prompt pre').textContent.includes('a lower peak')")
        assert "a lower peak" not in text and not stand_in.requests
        shown.page.get_by_role("radio", name="Less time").click()
        shown.page.wait_for_function("() => document.querySelector('.ai-prompt pre').textContent.includes('less time')")
        ask(shown, "OpenAI")
        shown.page.locator(".diff").wait_for()
    assert "\n".join(stand_in.requests[0].asked).split() == text.split()


def test_keys_of_the_environment_never_reach_the_page(show, project, monkeypatch):
    with StandIn(SERVICES["anthropic"], asking.FASTER) as stand_in:
        for service in SERVICES.values():
            for name, value in service.environment(stand_in.url).items():
                monkeypatch.setenv(name, value)
        shown = open_ai(show, project, monkeypatch)
        # the answers the page has had, asked for once more
        texts = [shown.page.request.post(shown.address + "api/ai/providers", data="{}").text()]
        texts.append(shown.page.request.get(shown.address + "api/overview").text())
        services = shown.page.locator("#service-select option").evaluate_all("all => all.map(one => one.value)")
        assert len(services) == len(SERVICES) - 1  # one of them takes two kinds of keys
        for service in services:
            shown.page.locator("#service-select").select_option(service)
            showing.settle(shown.page)
            texts.append(shown.page.content())
        texts.append(shown.page.evaluate("JSON.stringify(localStorage)"))
        assert any("providers" in text for text in texts)
        for key in KEYS.values():
            assert not any(key in text for text in texts)


def test_a_typed_key_is_hidden_and_sent_and_remembered_nowhere(show, project, monkeypatch):
    """The page's address may be another user's the next time, and all that the browser keeps for it."""
    with StandIn(SERVICES["openai"], asking.FASTER) as stand_in:
        shown = open_ai(show, project, monkeypatch)
        page = shown.page
        page.locator("#service-select").select_option("openai")
        assert page.get_by_role("button", name="Ask OpenAI").is_disabled()
        field = page.locator("#api-key")
        assert field.get_attribute("autocomplete") == "one-time-code"
        assert field.get_attribute("type") == "password"
        field.fill(KEYS["openai"])
        page.get_by_role("button", name="Show the API key").click()
        assert field.get_attribute("type") == "text" and field.input_value() == KEYS["openai"]
        page.get_by_text("More settings").click()
        assert page.locator(".ai-address").count() == 0
        page.locator("#openai-custom-url").fill(stand_in.url + "/v1")
        assert page.locator(".ai-address").inner_text() == "at " + stand_in.url + "/v1"
        shown.goto("#/lines")  # it stays as long as the page is open
        shown.goto(PLACE)
        page.locator("#service-select").wait_for()
        assert page.locator("#service-select").input_value() == "openai" and field.input_value() == KEYS["openai"]
        ask(shown, "OpenAI")
        page.locator(".diff").wait_for()
        kept = page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])")
        assert KEYS["openai"] not in kept and stand_in.url not in kept and "openai" not in kept
        page.reload()
        page.locator("#service-select").wait_for()
        assert page.locator("#service-select").input_value() == "anthropic"
    assert not stand_in.wrong


def test_what_is_kept_of_services_is_neither_used_nor_left(show, project, monkeypatch):
    """Older pages kept it, and whoever has served a page at this address can have put it there."""
    shown = open_ai(show, project, monkeypatch)
    page = shown.page
    planted = {"ai.field.openai-custom-url": "http://127.0.0.1:9/v1", "ai.field.api-key": "sk-planted", "ai.keep-keys": True,
               "ai.provider": "openai", "ai.model.openai": "planted", "mode": "all"}
    for name, value in planted.items():
        page.evaluate("([name, value]) => localStorage.setItem('scalene.' + name, JSON.stringify(value))", [name, value])
    page.reload()
    page.locator("#service-select").wait_for()
    assert page.locator("#service-select").input_value() == "anthropic"
    page.locator("#service-select").select_option("openai")
    assert page.locator("#api-key").input_value() == "" and page.locator("#openai-custom-url").input_value() == ""
    assert page.get_by_label("model").input_value() == ""
    assert page.evaluate("Object.keys(localStorage).sort()") == ["scalene.mode"]


def test_an_address_of_the_environment_is_shown_without_its_password(show, project, monkeypatch):
    with StandIn(SERVICES["anthropic"], asking.FASTER) as stand_in:
        shown = open_ai(show, project, monkeypatch, stand_in)
        assert shown.page.locator(".ai-address").inner_text() == "at " + stand_in.url
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://name:s3cret@example.invalid/v1")
    other = show(profile_of(project), PLACE)
    assert other.page.locator(".ai-address").inner_text() == "at https://example.invalid/v1"
    assert "s3cret" not in other.page.request.post(other.address + "api/ai/providers", data="{}").text()


def test_a_key_of_the_environment_goes_to_no_address_that_was_typed_in(show, project, monkeypatch):
    with StandIn(SERVICES["openai"], asking.FASTER) as stand_in, StandIn(SERVICES["openai"], asking.FASTER) as thief:
        shown = open_ai(show, project, monkeypatch, stand_in, allowed=("400",))
        shown.page.get_by_text("More settings").click()
        shown.page.locator("#openai-custom-url").fill(thief.url + "/v1")
        ask(shown, "OpenAI")
        shown.page.get_by_role("alert").wait_for()
        assert "needs its API key" in shown.page.get_by_role("alert").inner_text()
    assert not thief.requests


def test_models_are_listed(show, project, monkeypatch):
    with StandIn(SERVICES["gemini"], asking.FASTER) as stand_in:
        shown = open_ai(show, project, monkeypatch, stand_in)
        shown.page.get_by_role("button", name="List models").click()
        shown.page.get_by_text("2 models").wait_for()
        offered = shown.page.locator("datalist option").evaluate_all("all => all.map((one) => one.value)")
    assert offered == SERVICES["gemini"].shown_models


def test_a_changed_signature_is_flagged_before_it_is_applied(show, project, monkeypatch):
    answer = "```python\ndef total(number):\n    return sum(range(number))\n```\n"
    with StandIn(SERVICES["anthropic"], answer) as stand_in:
        shown = open_ai(show, project, monkeypatch, stand_in, place="#/ai?file=prog.py&line=4&end=8")
        ask(shown)
        shown.page.locator(".diff").wait_for()
        said = shown.page.locator(".ai-interface").inner_text()
    assert "the parameters of total were (count) and are (number)" in said


def test_a_run_that_does_not_reach_the_lines_is_reported(show, project, monkeypatch):
    with StandIn(SERVICES["anthropic"], asking.FASTER) as stand_in:
        shown = open_ai(show, project, monkeypatch, stand_in)
        ask(shown)
        shown.page.get_by_label("command").fill("python3 -c pass")
        shown.page.get_by_label("run it this once").check()
        shown.page.get_by_role("button", name="Measure").click()
        verdict = shown.page.locator(".ai-measured .note")
        verdict.wait_for(timeout=600000)
    assert "neither version was seen in the lines of the proposal" in verdict.inner_text()
    assert "bad" in verdict.get_attribute("class")


def test_the_usual_model_is_that_of_the_region(show, project, monkeypatch):
    with StandIn(SERVICES["bedrock"], asking.FASTER) as stand_in:
        for name, value in stand_in.service.environment(stand_in.url).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("AWS_REGION", "us-east-1")
        shown = show(profile_of(project), PLACE)
        model = shown.page.get_by_label("model")
        assert model.get_attribute("placeholder").startswith("us.anthropic.") and model.input_value() == ""
        shown.page.get_by_label("region").fill("eu-central-1")
        assert model.get_attribute("placeholder") == "the usual one"
        ask(shown, "Amazon Bedrock")
        shown.page.locator(".diff").wait_for()
        assert not stand_in.wrong and "/eu.anthropic." in stand_in.requests[0].path
        model.fill("us.amazon.nova-pro-v1:0")
        ask(shown, "Amazon Bedrock")
        shown.page.get_by_role("alert").wait_for()
    assert "/us.amazon.nova-pro-v1" in stand_in.requests[1].path


def test_the_text_comes_as_it_is_written_and_can_be_cancelled(show, project, monkeypatch):
    with StandIn(SERVICES["anthropic"], asking.FASTER, "trickle") as stand_in:
        shown = open_ai(show, project, monkeypatch, stand_in)
        ask(shown)
        shown.page.locator(".ai-answer").wait_for()
        shown.page.get_by_role("button", name="Cancel").click()
        shown.page.get_by_text("Cancelled.").wait_for()
        assert stand_in.left.wait(300), "the service was not left"


def test_an_answer_comes_while_another_view_is_looked_at(show, project, monkeypatch):
    with StandIn(SERVICES["anthropic"], asking.FASTER, "trickle") as stand_in:
        shown = open_ai(show, project, monkeypatch, stand_in)
        ask(shown)
        answer = shown.page.locator(".ai-answer")
        answer.wait_for()
        length = len(answer.inner_text())
        shown.page.get_by_role("tab", name="Lines").click()
        shown.page.locator(".row").first.wait_for()
        assert answer.is_hidden()
        shown.page.wait_for_function("length => document.querySelector('.ai-answer').textContent.length > length", arg=length)
        shown.page.get_by_role("tab", name="AI").click()
        assert answer.is_visible() and shown.page.get_by_role("button", name="Cancel").is_visible()
        assert shown.page.locator(".row").count() == 0 and not stand_in.left.is_set()


def test_a_proposal_is_there_until_another_one_is_asked_for(show, project, monkeypatch):
    with StandIn(SERVICES["anthropic"], asking.FASTER) as stand_in:
        shown = open_ai(show, project, monkeypatch, stand_in)
        ask(shown)
        shown.page.locator(".diff").wait_for()
        shown.goto("#/lines?file=prog.py&line=2")
        shown.page.locator(".row").first.wait_for()
        shown.goto("#/ai?file=prog.py&line=2")
        assert shown.page.locator(".diff").is_visible()
        assert shown.page.get_by_role("heading", name="Proposal for lines 5 to 7 of prog.py").is_visible()
        assert len(stand_in.requests) == 1


@pytest.mark.parametrize(
    "mode, said", [("status:401:no", "does not accept the key"), ("quota", "is used up"), ("cut", "broke off before its end")]
)
def test_what_goes_wrong_is_said(show, project, monkeypatch, mode, said):
    with StandIn(SERVICES["anthropic"], asking.FASTER, mode) as stand_in:
        shown = open_ai(show, project, monkeypatch, stand_in)
        ask(shown)
        shown.page.get_by_role("alert").wait_for()
        assert said in shown.page.get_by_role("alert").inner_text()


def test_the_end_of_the_server_is_said(show, project, monkeypatch):
    with StandIn(SERVICES["anthropic"], asking.FASTER) as stand_in:
        shown = open_ai(show, project, monkeypatch, stand_in, allowed=("ERR_CONNECTION_REFUSED", "Failed to load resource"))
        shown.server.process.terminate()
        shown.server.process.wait(showing.TIMEOUT_S)
        ask(shown)
        shown.page.locator(".ai").get_by_role("alert").get_by_text("scalene view has ended").wait_for()


def test_markup_in_an_answer_is_text(show, project, monkeypatch):
    answer = "<img src=x onerror=alert(1)><script>alert(2)</script>\n```python\nresult = '</script><img src=y>'\n```\n"
    with StandIn(SERVICES["anthropic"], answer) as stand_in:
        shown = open_ai(show, project, monkeypatch, stand_in)
        ask(shown)
        shown.page.locator(".diff").wait_for()
        assert shown.page.locator("main img, .ai img").count() == 0
        assert "<script>alert(2)</script>" in shown.page.locator(".ai-remarks").inner_text()


@pytest.mark.statistical
def test_a_proposal_is_measured_when_it_is_allowed(show, project, monkeypatch):
    project.record(args=["20000000"])
    with StandIn(SERVICES["anthropic"], asking.FASTER) as stand_in:
        shown = open_ai(show, project, monkeypatch, stand_in)
        ask(shown)
        page = shown.page
        button = page.get_by_role("button", name="Measure")
        button.wait_for()
        assert button.is_disabled()
        assert "runs the proposed code on this machine, as you" in page.locator(".ai-measure").inner_text()
        assert project.directory in page.locator(".ai-measure .note").inner_text()
        assert re.fullmatch(r"/\S+ %s 20000000" % re.escape(project.program), page.locator(".ai-command").inner_text().strip())
        page.locator("#ai-allow").check()
        button.click()
        page.locator(".ai-measured table").wait_for(timeout=600000)
        assert "output and exit status are the same" in page.locator(".ai-measured .note").inner_text()
        row = page.locator(".ai-measured tr", has_text="time").first.inner_text()
        assert float(re.search(r"(-[\d.]+) ± ", row)[1]) < -40
        assert not page.locator("#ai-allow").is_checked()
        assert button.is_disabled()


def test_the_command_of_a_foreign_profile_is_not_offered(show, project, monkeypatch):
    project.record(args=["20000000"], is_own=False)
    with StandIn(SERVICES["anthropic"], asking.FASTER) as stand_in:
        shown = open_ai(show, project, monkeypatch, stand_in)
        ask(shown)
        page = shown.page
        page.locator("#ai-allow").check()
        assert "not one that you have run here" in page.locator(".ai-measure .note").inner_text()
        assert page.locator(".ai-command").count() == 0
        assert page.get_by_role("button", name="Measure").is_disabled()
        page.get_by_label("command").fill("python3 prog.py 5")
        assert not page.locator("#ai-allow").is_checked()
        page.locator("#ai-allow").check()
        assert page.get_by_role("button", name="Measure").is_enabled()
        assert page.locator(".ai-command").inner_text() == "python3 prog.py 5"


def test_what_cannot_be_seen_in_a_proposal_is_shown_and_warned_of(show, project, monkeypatch):
    answer = "```python\n    result = 0  # \u202e\u2066 count\u200b\n```\n"
    with StandIn(SERVICES["anthropic"], answer) as stand_in:
        shown = open_ai(show, project, monkeypatch, stand_in)
        ask(shown)
        shown.page.locator(".diff").wait_for()
        text = shown.page.locator(".diff").inner_text()
        assert "<U+202E><U+2066> count<U+200B>" in text and not re.search("[\u202e\u2066\u200b]", text)
        said = shown.page.locator(".ai-unseen").inner_text()
    assert "line 5 would have the character U+202E in it, which changes the order" in said


def test_a_proposal_that_changes_the_output_cannot_be_applied(show, project, monkeypatch):
    with StandIn(SERVICES["anthropic"], asking.WRONG) as stand_in:
        shown = open_ai(show, project, monkeypatch, stand_in)
        ask(shown)
        page = shown.page
        page.locator("#ai-allow").check()
        page.get_by_role("button", name="Measure").click()
        page.locator(".ai-measured table").wait_for(timeout=600000)
        assert "THE OUTPUT HAS CHANGED" in page.locator(".ai-measured .note").inner_text()
        assert page.get_by_role("button", name="Apply to the file").is_disabled()


def test_questions_that_make_no_sense_are_refused(show, project, monkeypatch):
    shown = open_ai(show, project, monkeypatch, allowed=("400",))
    bodies = (b"", b"[]", b"{", b"{\"provider\": 1}", b"{\"proposal\": 99}", b"[" * 60000)
    for question, body in itertools.product(("models", "prompt", "ask", "apply", "measure"), bodies):
        answer = shown.page.request.post(shown.address + "api/ai/" + question, data=body)
        assert answer.status == 400, (question, body[:20])
        assert set(json.loads(answer.text())) == {"error"}, (question, body[:20])


def test_it_fits_the_window(show, project, monkeypatch):
    with StandIn(SERVICES["anthropic"], asking.FASTER) as stand_in:
        shown = open_ai(show, project, monkeypatch, stand_in)
        ask(shown)
        shown.page.locator(".diff").wait_for()
        for width in (360, 1280, 3840):
            shown.resize(width)
            assert shown.overflow() == [], width
