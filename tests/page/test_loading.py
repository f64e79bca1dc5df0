# tests/page/test_loading.py - other profiles by the picker and by dropping them, and what is refused.
#
# SPDX-License-Identifier: Apache-2.0
"""Opening other profiles."""

DROP = """([name, text]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name, { type: "application/json" }));
  const zone = document.querySelector(".drop-zone");
  for (const type of ["dragenter", "dragover"])
    zone.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  const veil = document.querySelector(".drop-veil")?.innerText;
  zone.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  return new Promise(done => setTimeout(() => done(document.querySelector(".drop-veil")?.innerText ?? veil ?? ""), 0));
}"""


def test_picker_opens_a_profile_of_the_original(show, made_profile, data):
    shown = show(made_profile, "#/lines")
    shown.page.get_by_label("Profile to open").set_input_files(data / "original.json")
    shown.page.wait_for_function("() => !document.querySelector('.side').innerText.includes('shop.py')")
    assert shown.place()[0] == "overview"
    assert shown.page.locator(".hot").count() >= 1
    shown.goto("#/lines")
    shown.page.locator(".row .source").first.wait_for()


def test_dropped_profile_is_opened(show, made_profile, data):
    shown = show(made_profile)
    shown.page.evaluate(DROP, ["full.json", (data / "full.json").read_text()])
    shown.page.wait_for_function("() => document.querySelector('.program').innerText.includes('rows.py')")
    assert "rows.py" in shown.page.title()


def test_what_is_no_profile_is_refused_and_the_old_one_stays(show, made_profile):
    shown = show(made_profile, allowed=("400", "413"))
    title = shown.page.title()
    for text in ("[1, 2]", "not json at all", '{"files": 7}'):
        shown.page.evaluate(DROP, ["wrong.json", text])
        message = shown.page.get_by_role("alert")
        message.wait_for()
        assert "wrong.json was not opened: " in message.inner_text()
        message.get_by_role("button", name="Close this message").click()
        message.wait_for(state="detached")
    assert shown.page.title() == title
    shown.goto("#/lines")
    shown.page.locator(".row .source").first.wait_for()
