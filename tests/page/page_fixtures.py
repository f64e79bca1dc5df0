# tests/page/page_fixtures.py - a browser, profiles to show, and a page that says what went wrong in it.
#
# Playwright comes from the index into the tests' cache and drives Debian's chromium. Every page that a test
# opens is watched to its end: a message on the console, an exception, a breach of the page's policy or a
# request to anywhere but the page's own server fails the test.
#
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the browser tests."""

import json
import pathlib
import shutil
import subprocess

import packages
import pytest
import showing
from conftest import BUILD

BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")  # the first starts no windows, in half the time
HERE = pathlib.Path(__file__).resolve().parent
DATA = pathlib.Path(BUILD) / "tests" / "view" / "data"
PROGRAMS = HERE / "programs"
# Stands for the folder of the program in a profile that is kept.
FOLDER = "/folder/of/the/program"


def _playwright():
    """The package, or why it cannot be had."""
    start, why = packages.playwright()
    return start or pytest.skip(why)


@pytest.fixture(scope="session")
def browser():
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no chromium-headless-shell on this machine (tools/setup --tests installs it)")
    with _playwright()() as playwright:
        # As root the browser's own sandbox does not start.
        made = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"], timeout=1000 * showing.TIMEOUT_S)
        yield made
        made.close()


def measured(folder, program):
    """The profile of one run of a program of PROGRAMS that was copied into the folder."""
    profile = folder / "measured.json"
    done = subprocess.run(
        [showing.SCALENE, "run", "-o", str(profile), "--", "/usr/bin/python3", program], cwd=folder, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=showing.TIMEOUT_S, encoding="utf-8", check=False,
    )
    assert done.returncode == 0, done.stdout
    return profile


def recorded(config, factory, name, program):
    """A profile of PROGRAMS/name/program as it was recorded once, beside the sources that it was made from.

    A page on it shows the same numbers each time, so that tests of the page depend on no sample. --update records it anew.
    """
    folder = factory.mktemp(name)
    for file in (PROGRAMS / name).iterdir():
        shutil.copy(file, folder)
    kept = HERE / "data" / (name + ".json")
    if config.getoption("--update"):
        profile = json.loads(measured(folder, program).read_text(encoding="utf-8"))
        kept.write_text(json.dumps(profile, separators=(",", ":")).replace(str(folder), FOLDER) + "\n", encoding="utf-8")
    profile = folder / (name + ".json")
    profile.write_text(kept.read_text(encoding="utf-8").replace(FOLDER, str(folder)), encoding="utf-8")
    return profile


@pytest.fixture(scope="session")
def made_profile(pytestconfig, tmp_path_factory):
    """Two files, two threads, memory, copies and waiting."""
    return recorded(pytestconfig, tmp_path_factory, "shop", "shop.py")


@pytest.fixture(scope="session")
def async_profile(pytestconfig, tmp_path_factory):
    """An event loop with calls that block it, and fifty tasks that wait."""
    return recorded(pytestconfig, tmp_path_factory, "tasks", "tasks.py")


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
