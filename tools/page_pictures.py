#!/usr/bin/env python3
# tools/page_pictures.py BUILD - docs/page-light.png and docs/page-dark.png, of a fresh profile of examples/report.
#
# SPDX-License-Identifier: Apache-2.0
"""Takes the pictures of the page for the documentation."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "page")]

PICTURES = (("light", "#/overview"), ("dark", "#/lines?mode=functions"))
SIZE = {"width": 1280, "height": 800}


def playwright():
    import packages

    start, why = packages.playwright()
    return start() if start else sys.exit(why)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: tools/page_pictures.py BUILD")
    import showing

    showing.SCALENE = str(pathlib.Path(sys.argv[1]).resolve() / "src" / "cli" / "scalene")
    chromium = shutil.which("chromium-headless-shell") or sys.exit("no chromium-headless-shell here (tools/setup --tests installs it)")
    with tempfile.TemporaryDirectory() as name, playwright() as driver:
        folder = pathlib.Path(name)
        for file in (ROOT / "examples" / "report").glob("*.py"):
            shutil.copy(file, folder)
        command = [showing.SCALENE, "run", "-o", "report.json", "--", sys.executable, "report.py"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server = showing.Server(folder / "report.json")
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for theme, place in PICTURES:
            page = browser.new_context(viewport=SIZE, color_scheme=theme).new_page()
            page.goto(server.address + place)
            page.wait_for_selector(".hot, .row .source")
            page.wait_for_timeout(500)
            page.screenshot(path=ROOT / "docs" / f"page-{theme}.png")
        browser.close()
        server.end()


if __name__ == "__main__":
    main()
