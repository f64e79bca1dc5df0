# tests/page/test_editor.py - lines opened in an editor: by links, by a key, by the editor's own message.
#
# SPDX-License-Identifier: Apache-2.0
"""Links to the editor."""

import json
import subprocess

import showing


def path_of(profile, name):
    return next(path for path in json.loads(profile.read_text())["files"] if path.endswith(name))


def test_a_line_and_a_file_have_links(show, made_profile):
    page = show(made_profile, "#/lines?file=shop.py&line=32").page
    link = page.get_by_role("link", name="Open in VS Code", exact=True)
    link.wait_for()
    path = path_of(made_profile, "shop.py")
    assert link.get_attribute("href") == "vscode://file%s:32" % path
    assert page.get_by_role("link", name="Open in VS Code: shop.py").get_attribute("href") == "vscode://file%s:1" % path


def test_another_editor_is_chosen_and_remembered(show, made_profile):
    shown = show(made_profile, "#/lines?file=shop.py&line=32")
    page = shown.page
    page.get_by_role("link", name="Open in VS Code", exact=True).wait_for()
    page.keyboard.press("?")
    page.get_by_label("Lines are opened in").select_option(label="PyCharm")
    page.keyboard.press("Escape")
    link = page.get_by_role("link", name="Open in PyCharm", exact=True)
    assert link.get_attribute("href") == "pycharm://open?file=%s&line=32" % path_of(made_profile, "shop.py")
    page.reload()
    link.wait_for()


def test_an_own_address_is_checked(show, made_profile):
    page = show(made_profile, "#/lines?file=shop.py&line=32").page
    page.get_by_role("link", name="Open in VS Code", exact=True).wait_for()
    page.keyboard.press("?")
    page.get_by_label("Lines are opened in").select_option(label="another editor")
    address = page.get_by_label("Address with")
    address.fill("javascript:alert('{path}')")
    page.get_by_text("This is not followed").wait_for()
    assert page.locator(".editor-link").count() == 0
    address.fill("emacs://open{path}?line={line}")
    page.get_by_text("This is not followed").wait_for(state="detached")
    page.keyboard.press("Escape")
    link = page.get_by_role("link", name="Open in the editor", exact=True)
    assert link.get_attribute("href") == "emacs://open%s?line=32" % path_of(made_profile, "shop.py")


def test_within_an_editor_its_extension_is_asked(show, made_profile):
    shown = show(made_profile)
    shown.context.add_init_script(
        """window.sent = []; let taken = false;
        window.acquireVsCodeApi = () => {
          if (taken) throw new Error("acquired twice");
          taken = true;
          return { postMessage: (message) => window.sent.push(message) };
        };"""
    )
    page = shown.page
    page.goto(shown.address + "#/lines?file=shop.py&line=32")
    page.reload()
    link = page.get_by_role("link", name="Open in the editor", exact=True)
    link.click()
    path = path_of(made_profile, "shop.py")
    assert page.evaluate("sent") == [{"command": "jumpToLine", "filePath": path, "lineNumber": 32}]
    page.get_by_role("grid").focus()
    page.keyboard.press("ArrowUp")
    line = int(page.locator(".row.cursor").get_attribute("data-line"))
    page.keyboard.press("o")
    assert page.evaluate("sent")[1] == {"command": "jumpToLine", "filePath": path, "lineNumber": line} and line < 32


# What VS Code 1.90 does with the page of an extension (src/vs/workbench/contrib/webview/browser/pre/index.html): it puts its own style and
# script first into the head, which takes the windows around away, says its theme, writes the text into a frame, and takes clicks on links to itself.
WEBVIEW = """async (html) => {
  window.sent = [];
  const made = new DOMParser().parseFromString(html, "text/html");
  const script = made.createElement("script");
  script.textContent = `globalThis.acquireVsCodeApi = (() => {
    let taken = false;
    return () => {
      if (taken) throw new Error("An instance of the VS Code API has already been acquired");
      taken = true;
      return Object.freeze({ postMessage: (message) => sent.push(message), setState() {}, getState() {} });
    };
  })();
  const sent = window.parent.sent;
  delete window.parent;
  delete window.top;
  delete window.frameElement;
  document.addEventListener("securitypolicyviolation", (event) => sent.push(event.violatedDirective));`;
  const style = made.createElement("style");
  style.textContent = "body { background-color: transparent; color: #ccc; padding: 0 20px; }";
  made.head.prepend(style);
  made.body.dataset.vscodeThemeKind = "vscode-dark";
  made.head.prepend(script);
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-same-origin allow-scripts allow-forms allow-pointer-lock allow-downloads";
  frame.src = "/fake.html";
  frame.style.cssText = "width: 1200px; height: 800px";
  document.body.append(frame);
  await new Promise((done) => (frame.onload = done));
  const inner = frame.contentDocument;
  inner.open();
  inner.write("<!DOCTYPE html>\\n" + made.documentElement.outerHTML);
  inner.close();
  inner.addEventListener("click", (event) => {
    for (const node of event.composedPath()) if (node.tagName === "A" && node.href) return event.preventDefault();
  });
}"""


def test_the_page_works_as_an_extension_of_vs_code_shows_it(browser, made_profile, tmp_path):
    subprocess.run([showing.SCALENE, "view", "--html", "-o", "page.html", made_profile], cwd=tmp_path, stdout=subprocess.DEVNULL, check=True)
    context = browser.new_context()
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.route("**/*", lambda route: route.fulfill(body="<!DOCTYPE html><body>", content_type="text/html"))
    page.goto("http://editor.test/")
    page.evaluate(WEBVIEW, (tmp_path / "page.html").read_text(encoding="utf-8"))
    frame = page.frame_locator("iframe")
    frame.get_by_role("tab", name="Lines").click()
    frame.get_by_role("link", name="Open in the editor").first.click()
    (message,) = page.evaluate("sent")
    assert frame.locator("html").get_attribute("data-theme") == "dark"
    assert message["command"] == "jumpToLine" and message["filePath"] in json.loads(made_profile.read_text())["files"]
    assert errors == []
    context.close()


def test_an_editor_that_answers_with_a_page_leaves_this_one_open(show, made_profile):
    page = show(made_profile, "#/lines?file=shop.py&line=32").page
    page.get_by_role("link", name="Open in VS Code", exact=True).wait_for()
    page.keyboard.press("?")
    page.get_by_label("Lines are opened in").select_option(label="another editor")
    page.get_by_label("Address with").fill("http://localhost:63342/api/file{path}:{line}")
    page.keyboard.press("Escape")
    link = page.locator(".editor-link").first
    page.wait_for_function("() => document.querySelector('.editor-link').href.startsWith('http:')")
    assert link.get_attribute("target") == "_blank" and link.get_attribute("rel") == "noopener"
