# tests/page/test_editor.py - lines opened in an editor: by links, by a key, by the editor's own message.
#
# SPDX-License-Identifier: Apache-2.0
"""Links to the editor."""

import json


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
