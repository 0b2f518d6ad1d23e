"""Tests visits to the page of the real server: opened, reloaded, opened again, in another tab, after another start.

A browser keeps the page and asks whether the page is still valid; the headers of the 304 then apply to the kept page.
Each visit types, and checks that the list follows. `Tests/Page/run.sh` runs the tests; $PAGE_PICTURES names a directory
for pictures.
"""

import json
import os
import pathlib
import shutil
import tempfile
import time
import unittest

import browser
import firefox
import test_page


class Chromium(browser.Browser):
    """The same verbs as `Firefox` has."""

    def __init__(self, profile):
        super().__init__(profile)
        self.new_tab()

    def new_tab(self):
        self.tab = browser.Tab(self, isolated=False)
        self.said = []

    def size(self, width, height):
        self.tab.size(width, height)

    def open(self, url):
        self.keep()
        self.tab.call("Page.navigate", url="about:blank")
        self.tab.call("Page.navigate", url=url)

    def reload(self):
        self.keep()
        self.tab.call("Page.reload")

    def evaluate(self, expression):
        return self.tab.evaluate(expression)

    def type(self, text):
        self.tab.evaluate("document.querySelector('#query').focus()")
        for character in text:
            if character == "\ue00c":
                self.tab.press("Escape")
            else:
                self.tab.type(character)

    def undo(self):
        self.tab.call("Input.dispatchKeyEvent", type="keyDown", key="z", code="KeyZ", windowsVirtualKeyCode=90,
                      modifiers=2, commands=["undo"])

    def keep(self):
        self.said += self.tab.events
        self.tab.events = []

    def complaints(self):
        self.keep()
        return [
            event["params"]
            for event in self.said
            if event["method"] == "Runtime.exceptionThrown"
            or (event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] in ("error", "warning"))
        ]

    def screenshot(self, path):
        self.tab.screenshot(path)


class Visits:
    """The visits in both browsers; `kind` is one of them."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="visits-")
        cls.addClassCleanup(shutil.rmtree, cls.directory, ignore_errors=True)
        lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in test_page.dataset()]
        cls.index = test_page.build(cls.directory, lines)
        cls.log = pathlib.Path(cls.directory, "log")
        cls.server = test_page.Upstream(cls.index, "--log-format", "json", log=cls.log)
        cls.addClassCleanup(cls.server.stop)
        cls.url = "http://%s:%d/" % cls.server.address

    def setUp(self):
        self.browser = None
        self.profile = tempfile.mkdtemp(prefix="profile-", dir=self.directory)

    def tearDown(self):
        if self.browser:
            self.browser.close()

    def restart(self):
        if self.browser:
            self.browser.close()
        self.browser = None
        self.browser = self.kind(self.profile)

    def statuses(self):
        """The statuses of the answers for the page, in order."""
        lines = [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]
        return [line["status"] for line in lines if line["event"] == "request" and line["target"] == "/"]

    def wait(self, expression):
        end = time.monotonic() + 20
        while True:
            try:
                if self.browser.evaluate(expression):
                    return
            except RuntimeError:
                pass  # The page before is going away.
            self.assertLess(time.monotonic(), end, f"{expression}\n{self.browser.complaints()}")
            time.sleep(0.02)

    def follow(self, name):
        """Types, and checks that the page answers and has its style."""
        said, value = "document.querySelector('#said').innerText", "document.querySelector('#query').value"
        rows = "document.querySelectorAll('.row:not(.waiting)').length"
        self.wait(f"document.readyState === 'complete' && {value} === '' && {said}.startsWith('Results')")
        self.browser.type("san")
        self.wait(f"{said} === '3 matches' && {rows} === 3")
        self.browser.type(" jo")
        self.wait(f"{said} === '2 matches' && {rows} === 2")
        style = "getComputedStyle(document.querySelector('.row mark'))"
        self.assertEqual(self.browser.evaluate(f"[{style}.fontWeight >= 600 || {style}.fontWeight, document.styleSheets.length]"), [True, 1])
        self.browser.type("\ue00c")
        self.browser.type("\ue00c")
        self.wait(f"{value} === '' && {said}.startsWith('Results')")
        self.browser.undo()
        self.wait(f"{value} === 'san jo' && {said} === '2 matches'")
        self.assertEqual(self.browser.complaints(), [])
        if pictures := os.environ.get("PAGE_PICTURES"):
            self.browser.screenshot(os.path.join(pictures, f"{self.kind.__name__}-{name}.png"))

    def test_every_visit(self):
        before = len(self.statuses())
        self.restart()
        self.browser.open(self.url)
        self.follow("first")
        for number in range(2):
            self.browser.reload()
            # The address has the typed text.
            self.wait("document.querySelector('#query')?.value === 'san jo'")
            self.browser.open(self.url)
            self.follow(f"again{number}")
        self.browser.reload()
        self.browser.new_tab()
        self.browser.open(self.url)
        self.follow("tab")
        self.restart()
        self.browser.open(self.url)
        self.follow("restarted")
        statuses = self.statuses()[before:]
        # The first visit gets the page, all others a 304.
        self.assertEqual(statuses[0], 200)
        self.assertEqual(set(statuses[1:]), {304}, statuses)
        self.assertGreaterEqual(len(statuses), 7)

    def test_the_page_of_one_of_several_indexes(self):
        several = test_page.Upstream(f"cities={self.index}", "-i", f"again={self.index}")
        try:
            self.restart()
            self.browser.open("http://%s:%d/" % several.address)
            self.wait("document.links.length === 2")
            self.browser.evaluate("document.links[1].click()")
            self.wait("location.pathname === '/again/'")
            self.follow("named")
        finally:
            several.stop()


@unittest.skipUnless(browser.executable(), "there is no Chromium; Scripts/dependencies.sh --tests installs it on Debian")
class InChromium(Visits, unittest.TestCase):
    kind = Chromium

    def test_requests_of_another_origin(self):
        """Sends the header fields of common libraries, for which the browser makes a request in advance."""
        for options, wanted in [(("--cors", "*"), [200, 200, 200, 400]), ((), ["TypeError"] * 4)]:
            api = test_page.Upstream(self.index, *options)
            try:
                self.restart()
                address = "http://%s:%d" % api.address
                for path, status in zip(["/api/?q=San", "/v1/search?q=san&_=1", "/reverse/?lat=0&lon=0", "/api?q=a&lat=1&lon=2"], wanted):
                    fields = {"X-Requested-With": "XMLHttpRequest", "Cache-Control": "no-cache", "Accept": "application/json",
                              "Content-Type": "application/json", "If-None-Match": '"x"', "Pragma": "no-cache", "X-Own": "1"}
                    asked = f"fetch({json.dumps(address + path)}, {{headers: {json.dumps(fields)}}})"
                    # A script can also read a problem, which says the remedy.
                    script = f"{asked}.then(r => r.json().then(body => body.type ? r.status : 0), error => error.name)"
                    script = script.replace("body.type", "body.type || body.query !== undefined")
                    self.assertEqual(self.browser.tab.evaluate(script, awaits=True), status, path)
            finally:
                api.stop()


@unittest.skipUnless(firefox.executable(), "there is no Firefox; Scripts/dependencies.sh --tests installs it on Debian")
class InFirefox(Visits, unittest.TestCase):
    kind = firefox.Firefox


if __name__ == "__main__":
    unittest.main()
