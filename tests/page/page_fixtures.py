# tests/page/page_fixtures.py - a browser, profiles to show, and a page that says what went wrong in it.
#
# Playwright comes from the index into the tests' cache and drives Debian's chromium. Every page that a test
# opens is watched to its end: a message on the console, an exception, a breach of the page's policy or a
# request to anywhere but the page's own server fails the test.
#
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the browser tests."""

import pathlib
import shutil
import subprocess
import sys

import packages
import pytest
import showing

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "view" / "data"
PROGRAM = HERE / "program"


def _playwright():
    """The package, or why it cannot be had."""
    start, why = packages.playwright()
    return start or pytest.skip(why)


@pytest.fixture(scope="session")
def browser():
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no chromium on this machine (tools/setup --tests installs it)")
    with _playwright()() as playwright:
        # As root the browser's own sandbox does not start.
        made = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture(scope="session")
def made_profile(tmp_path_factory):
    """A profile of a real run: two files, two threads, memory, copies and waiting."""
    folder = tmp_path_factory.mktemp("program")
    for file in PROGRAM.iterdir():
        shutil.copy(file, folder)
    profile = folder / "made.json"
    done = subprocess.run(
        [showing.SCALENE, "run", "-o", str(profile), "--", sys.executable, "shop.py"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=showing.TIMEOUT_S,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return profile


@pytest.fixture
def show(browser):
    """show(profile, place="", width=..., ...): an open page of `scalene view`, as a showing.Shown."""
    opened = []

    def open_page(profile, place="", **options):
        shown = showing.Shown(browser, profile, place, **options)
        opened.append(shown)
        return shown

    yield open_page
    wrong = []
    for shown in opened:
        wrong += shown.close()
    assert not wrong, wrong


@pytest.fixture
def data():
    return DATA
