# bench/scrolling.py - the time between two frames of the page while it is scrolled or moved.
#
# SPDX-License-Identifier: Apache-2.0
"""The part of `bench/view.py` that measures a real browser."""

import os
import shutil
import statistics
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import packages  # noqa: E402

SCROLLED_S = 5
PAGES = {
    "nothing moves": ("#/lines?mode=all", ".scroller", "() => {}"),
    "lines, 40 px a frame": ("#/lines?mode=all", ".scroller", "(one) => { one.scrollTop += 40; }"),
    "lines, 4,000 px a frame": ("#/lines?mode=all", ".scroller", "(one) => { one.scrollTop += 4000; }"),
    "functions, 40 px a frame": ("#/functions", ".scroller", "(one) => { one.scrollTop += 40; }"),
    "timeline, zooming": (
        "#/timeline",
        "canvas",
        """(one, frame) => {
          const box = one.getBoundingClientRect();
          const deltaY = frame % 100 < 50 ? -30 : 30;
          const at = { clientX: box.left + box.width * 0.6, clientY: box.top + box.height / 2 };
          one.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY, ctrlKey: true, bubbles: true, cancelable: true }));
        }""",
    ),
}
MEASURE = """
async ([selector, move, seconds]) => {
  const step = eval(move);
  const element = document.querySelector(selector);
  const times = [];
  await new Promise((done) => {
    const begun = performance.now();
    const frame = (now) => {
      times.push(now);
      step(element, times.length);
      if (now - begun < 1000 * seconds) requestAnimationFrame(frame);
      else done();
    };
    requestAnimationFrame(frame);
  });
  return times.slice(1).map((time, at) => time - times[at]);
}
"""


def measure(address):
    """Prints the intervals between frames for each kind of movement, at 1440 x 900."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    start, why = packages.playwright() if browser else (None, "no chromium here")
    if start is None:
        print("scrolling: left out, " + why)
        return
    with start() as made:
        window = made.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for name, (place, selector, move) in PAGES.items():
            # the page's policy forbids eval, which MEASURE uses
            page = window.new_page(viewport={"width": 1440, "height": 900}, bypass_csp=True)
            page.goto(address + place)
            page.locator(selector).first.wait_for()
            if "lines" in place and page.get_by_role("button", name="Show all").count():
                page.get_by_role("button", name="Show all").click()
            page.wait_for_timeout(1000)
            intervals = sorted(page.evaluate(MEASURE, [selector, move, SCROLLED_S]))
            late = sum(one > 25 for one in intervals) / len(intervals)
            print(
                "frames: %-40s median %5.1f ms  95 %% within %5.1f ms  longest %5.1f ms  %.1f %% late"
                % (name, statistics.median(intervals), intervals[int(0.95 * len(intervals))], intervals[-1], 100 * late)
            )
            page.close()
        window.close()
