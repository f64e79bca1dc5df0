# tests/page/showing.py - `scalene view` with a browser before it, and what is wrong with a page.
#
# SPDX-License-Identifier: Apache-2.0
"""A page of `scalene view`, open in a browser."""

import os
import pathlib
import re
import select
import signal
import subprocess
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCALENE = os.path.join(os.environ.get("SC_BUILD") or ROOT / "build", "src", "cli", "scalene")
TIMEOUT_S = 300
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/[0-9a-zA-Z_-]+/")

# Breaches of the policy are events of the document; they are kept where a test can read them.
WATCH = """
window.breaches = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.breaches.push(event.violatedDirective + " " + event.blockedURI));
"""


# The page asks, and changes the address, this long after the last key or movement.
REST_MS = 300
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"


def settle(page, rest_ms=REST_MS):
    """Waits until the page has asked what it wants to know, has all answers, and has drawn them."""
    deadline = time.monotonic() + TIMEOUT_S
    page.wait_for_timeout(rest_ms)
    page.evaluate(DRAWN)
    while page.pending and time.monotonic() < deadline:
        page.wait_for_timeout(20)
        page.evaluate(DRAWN)
    assert not page.pending, [request.url for request in page.pending]


class Server:
    """`scalene view --no-browser` on a profile, or another command that serves a page."""

    def __init__(self, profile, words=(), verb=("view",)):
        self.process = subprocess.Popen(
            [SCALENE, *verb, "--no-browser", *words, str(profile)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self.address = self._read_address()

    def _read_address(self):
        said = ""
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline:
            if not select.select([self.process.stdout], [], [], 0.2)[0]:
                continue
            piece = os.read(self.process.stdout.fileno(), 4096).decode()
            said += piece
            found = ADDRESS.search(said)
            if found:
                return found.group()
            if not piece:
                break
        self.end()
        raise AssertionError("scalene view printed no address: " + said)

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        return self.process.returncode


class Shown:
    """An open page. Its `page` is Playwright's."""

    def __init__(self, browser, profile, place="", width=1280, height=800, theme="light", file=None, allowed=(), words=(), verb=("view",)):
        self.server = None if file else Server(profile, words, verb)
        self.address = file.as_uri() if file else self.server.address
        self.context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
        self.context.set_default_timeout(1000 * TIMEOUT_S)
        self.context.add_init_script(WATCH)
        self.page = self.context.new_page()
        self.wrong = []
        self.requests = []
        self.allowed = allowed
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.wrong.append("exception: %s" % error))
        self.context.on("request", lambda request: self.requests.append(request.url))
        self.page.pending = set()
        self.page.on("request", lambda request: self.page.pending.add(request))
        self.page.on("requestfinished", lambda request: self.page.pending.discard(request))
        self.page.on("requestfailed", lambda request: self.page.pending.discard(request))
        if self.server:
            # A page that is reloaded slowly does not end the server: another one is open.
            urllib.request.urlopen(self.address + "api/alive", b"another page", timeout=TIMEOUT_S).close()
        self.response = self.page.goto(self.address + place)
        self.page.wait_for_selector(".shell, .blank h1")
        settle(self.page, rest_ms=50)  # after a frame it listens to keys

    def _console(self, message):
        if message.type in ("error", "warning") and not any(text in message.text for text in self.allowed):
            self.wrong.append("console: " + message.text)

    def strangers(self):
        """Requests to anywhere but the page's own server or file."""
        own = urllib.parse.urlsplit(self.address)
        return [url for url in self.requests if not url.startswith(("data:", "blob:")) and urllib.parse.urlsplit(url)[:2] != (own.scheme, own.netloc)]

    def close(self):
        """Ends all; what was wrong, as sentences."""
        wrong = list(self.wrong)
        wrong += ["request to " + url for url in self.strangers()]
        wrong += ["breach: " + breach for breach in self.page.evaluate("window.breaches")]
        self.context.close()
        if self.server:
            self.server.end()
        return wrong

    def goto(self, place):
        self.page.evaluate("place => { location.hash = place }", place)
        self.page.wait_for_function("place => location.hash === place", arg=place)
        settle(self.page, rest_ms=0)

    def place(self):
        """(view, words) of the address."""
        path, _, query = urllib.parse.unquote(self.page.evaluate("location.hash")).partition("?")
        return path.lstrip("#/"), dict(urllib.parse.parse_qsl(query))

    def resize(self, width, height=740):
        self.page.set_viewport_size({"width": width, "height": height})
        settle(self.page, rest_ms=50)

    def wear(self, theme):
        """Shows the page as a system of that theme does."""
        self.page.emulate_media(color_scheme=theme)
        settle(self.page, rest_ms=50)

    def overflow(self):
        """What reaches out of the window, or out of a box that does not scroll: descriptions."""
        return self.page.evaluate(OVERFLOW)


# An element reaches out of the window unless something around it scrolls or cuts it on purpose.
OVERFLOW = """() => {
  const wrong = [];
  if (document.documentElement.scrollWidth > innerWidth) wrong.push("the page scrolls sideways");
  const cut = (element) => {
    for (let around = element.parentElement; around; around = around.parentElement) {
      const style = getComputedStyle(around);
      if (style.overflowX !== "visible" || style.overflowY !== "visible") return true;
    }
    return false;
  };
  for (const element of document.querySelectorAll("body *")) {
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0 || cut(element)) continue;
    if (element.matches(".skip, .unseen")) continue;
    if (box.right > innerWidth + 1 || box.left < -1)
      wrong.push(`${element.tagName}.${element.className} from ${box.left} to ${box.right}`);
  }
  return wrong.slice(0, 5);
}"""
