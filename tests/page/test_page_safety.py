# tests/page/test_page_safety.py - hostile text stays text; nothing but the page's own server is asked; a file from disk.
#
# SPDX-License-Identifier: Apache-2.0
"""What must not happen, whatever a profile holds."""

import contextlib
import html
import http.server
import json
import subprocess
import threading
import urllib.parse

import pytest
import showing

VIEWS = ("overview", "lines", "functions", "flame", "sandwich", "timeline", "memory", "processes", "ai")

SCRIPTS = (
    "<script>window.ran = 1</script>", "<img src=x onerror='window.ran = 2'>", "</script><svg onload='window.ran = 3'>",
    "javascript:window.ran = 4", "'\"><iframe srcdoc='<script>parent.ran = 5</script>'>",
)


def hostile(value, number):
    """A profile's value with a script in every text of it."""
    if isinstance(value, str):
        return value + SCRIPTS[number % len(SCRIPTS)]
    if isinstance(value, list):
        return [hostile(item, number + i) for i, item in enumerate(value)]
    return value


def make_hostile(made_profile, tmp_path):
    profile = json.loads(made_profile.read_text())
    number = 0
    for file in profile["files"].values():
        for row in file["lines"] + file["functions"]:
            number += 1
            row["line"] = hostile(row["line"], number)
    profile["files"] = {name + SCRIPTS[i % 3]: file for i, (name, file) in enumerate(profile["files"].items())}
    profile["program"] += SCRIPTS[1]
    profile["args"] = [*profile.get("args", []), *SCRIPTS]
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps(profile))
    return path


def walk(shown):
    for view in VIEWS:
        shown.goto("#/" + view)
        showing.settle(shown.page)
    shown.goto("#/lines?mode=all")
    shown.page.locator(".row").first.wait_for()


def test_scripts_in_a_profile_are_shown_as_text(show, made_profile, tmp_path):
    shown = show(make_hostile(made_profile, tmp_path))
    assert "<img src=x" in shown.page.locator(".header").inner_text()
    walk(shown)
    assert "<script>window.ran" in shown.page.locator(".list").inner_text()
    shown.page.get_by_role("combobox").fill("window.ran")
    shown.page.get_by_role("option").first.wait_for()
    assert shown.page.evaluate("window.ran") is None
    assert shown.page.locator("iframe, script:not([src]), img").count() == 0


def test_hostile_numbers_and_names_are_shown(show, data):
    shown = show(data / "hostile.json")
    for view in VIEWS:
        shown.goto("#/" + view)
        showing.settle(shown.page)
        assert "NaN" not in shown.page.locator("body").inner_text()


def test_policy_is_there_and_strict(show, made_profile):
    shown = show(made_profile)
    policy = shown.response.headers["content-security-policy"]
    for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"):
        assert part in policy
    assert "unsafe" not in policy
    walk(shown)
    assert shown.strangers() == []
    assert len(shown.requests) > 5
    # and it holds: a script that is not the page's own does not run
    shown.page.evaluate("() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s); }")
    assert shown.page.evaluate("window.ran") is None
    shown.page.wait_for_function("() => window.breaches.length === 1")
    shown.page.evaluate("() => { window.breaches.length = 0 }")
    shown.wrong = [text for text in shown.wrong if "inline script" not in text]


def standalone(profile, folder):
    path = folder / "alone.html"
    done = subprocess.run(
        [showing.SCALENE, "view", "--standalone", str(profile)], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=showing.TIMEOUT_S, encoding="utf-8", check=False,
    )
    made = sorted(folder.glob("*.html"))
    assert done.returncode == 0 and made, done.stdout
    made[0].rename(path)
    return path


def test_standalone_file_opens_from_disk(show, made_profile, tmp_path):
    shown = show(None, file=standalone(made_profile, tmp_path))
    assert shown.page.get_by_role("heading", name="Where does the time go?").is_visible()
    assert shown.page.get_by_role("tab", name="AI").count() == 0
    assert shown.page.get_by_role("button", name="Open").count() == 0
    for view in ("lines", "functions", "flame", "sandwich", "timeline", "memory", "processes"):
        shown.goto("#/" + view)
        showing.settle(shown.page)
        assert shown.page.get_by_role("alert").count() == 0, view
    shown.goto("#/overview")
    shown.page.locator(".where .hot").first.click()
    shown.page.locator(".row.chosen").wait_for()
    shown.page.locator(".row.chosen .c-self").hover()
    shown.page.get_by_role("tooltip").get_by_text("samples").wait_for()
    shown.page.get_by_role("combobox").fill("grow")
    shown.page.get_by_role("option").first.wait_for()
    shown.goto("#/functions?sort=copy")
    shown.page.locator(".function-name").first.wait_for()
    assert all(url.startswith(("file:", "data:")) for url in shown.requests)


def test_standalone_file_of_a_hostile_profile_runs_nothing(show, made_profile, tmp_path):
    shown = show(None, file=standalone(make_hostile(made_profile, tmp_path), tmp_path))
    shown.goto("#/lines?mode=all")
    shown.page.locator(".row").first.wait_for()
    assert shown.page.evaluate("window.ran") is None


def test_server_that_has_ended_is_reported(show, made_profile):
    shown = show(made_profile, allowed=("ERR_CONNECTION_REFUSED", "Failed to load resource"))
    shown.server.process.terminate()
    shown.server.process.wait(showing.TIMEOUT_S)
    shown.page.get_by_role("combobox").fill("anything")
    shown.page.get_by_text("scalene view has ended").wait_for()


def test_the_end_of_the_server_is_reported_without_a_request(show, made_profile):
    shown = show(made_profile, allowed=("ERR_CONNECTION_REFUSED", "Failed to load resource"))
    shown.server.process.terminate()
    shown.server.process.wait(showing.TIMEOUT_S)
    shown.page.get_by_role("alert").get_by_text("scalene view has ended").wait_for()
    assert shown.page.get_by_role("heading", name="Where does the time go?").is_visible()


def test_another_program_at_the_port_is_not_the_server(show, made_profile):
    """The same port may be given to another server while the page is open."""
    shown = show(made_profile, allowed=("Failed to load resource", "ERR_CONNECTION_REFUSED"))
    shown.server.process.terminate()
    shown.server.process.wait(showing.TIMEOUT_S)
    port = urllib.parse.urlsplit(shown.address).port
    try:
        other = http.server.ThreadingHTTPServer(("127.0.0.1", port), http.server.BaseHTTPRequestHandler)
    except OSError:  # the server of a test beside this one is there already, which is another program, too
        other = contextlib.nullcontext()
    with other:
        if isinstance(other, http.server.ThreadingHTTPServer):
            threading.Thread(target=other.serve_forever, daemon=True).start()
        shown.page.get_by_role("alert").get_by_text("scalene view has ended").wait_for()
        if isinstance(other, http.server.ThreadingHTTPServer):
            other.shutdown()


@pytest.mark.parametrize(("policy", "said"), [("default-src 'self'", True), ("default-src * 'unsafe-inline' data:", False)])
def test_where_the_script_is_not_let_in_the_page_says_so(browser, made_profile, tmp_path, policy, said):
    """A frame has the policy of the page around it, as in an editor's web view, beside its own."""
    text = html.escape(standalone(made_profile, tmp_path).read_text(encoding="utf-8"))
    around = "<!doctype html><iframe sandbox='allow-scripts' srcdoc='%s'></iframe>" % text
    headers = {"Content-Security-Policy": policy}
    page = browser.new_page()
    page.set_default_timeout(1000 * showing.TIMEOUT_S)
    try:
        page.route("**/*", lambda route: route.fulfill(body=around, content_type="text/html; charset=utf-8", headers=headers))
        page.goto("http://127.0.0.1:9/around.html")
        frame = page.frame_locator("iframe")
        if said:
            frame.get_by_text("This page needs its script").wait_for()
        else:
            frame.locator(".shell").wait_for()
            assert frame.get_by_text("This page needs its script").count() == 0
    finally:
        page.close()
