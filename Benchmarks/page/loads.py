"""Loads of a page in Chromium and in Firefox, and the times until its rows show."""

import pathlib
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Tests/Page"))
import browser  # noqa: E402
import firefox  # noqa: E402

LIMIT = 60  # The seconds that a load may take.
KEY = 0.15  # The seconds between two keys.

# Each expression is the text that shows, or "". The list keeps the rows of an older answer while the next one comes.
ROW = "[...document.querySelectorAll('#sheet > .row:not(.waiting)')].find(row => row.getClientRects().length)"
SHOWN = {
    "hint": "document.querySelector('#said')?.innerText",
    "rows": f"{ROW}?.innerText",
    "all": f"{ROW} && document.querySelectorAll('#sheet > .row:not(.waiting)').length > 8",
    "text": f"{ROW}?.querySelector('mark')?.innerText.length === 3 && {ROW}.innerText",
}


class Chromium(browser.Browser):
    name = "Chromium"

    def __init__(self):
        super().__init__()
        self.tab = browser.Tab(self)

    def evaluate(self, expression):
        return self.tab.evaluate(expression)

    def type(self, character):
        self.tab.type(character)


class Firefox(firefox.Firefox):
    name = "Firefox"

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory()
        super().__init__(self.directory.name)
        self.call("WebDriver:SetWindowRect", width=1280, height=800)

    def close(self):
        super().close()
        self.directory.cleanup()


KINDS = [kind for kind, module in ((Chromium, browser), (Firefox, firefox)) if module.executable()]


class Load:
    """One fresh load. `times` are seconds from the navigation to each thing that shows."""

    def __init__(self, driver, address, link="", keys="", things=("rows",)):
        self.driver, self.port = driver, address.rsplit(":", 1)[1].strip("/")
        self.times = {}
        driver.evaluate(f"void setTimeout(() => {{ location.href = '{address}{link}' }})")
        end = time.monotonic() + LIMIT
        if keys:
            # The page takes keys once its script has run.
            self.until("document.readyState !== 'loading' && 1", end)
            self.evaluate("document.querySelector('#query').focus()")
        due = time.monotonic()
        while len(self.times) < len(things):
            if keys and time.monotonic() >= due:
                driver.type(keys[0])
                keys, due = keys[1:], due + KEY
            for thing in things:
                if thing not in self.times and (at := self.seen(SHOWN[thing])):
                    self.times[thing] = at
            if time.monotonic() > end:
                raise TimeoutError(f"{address}{link} does not show {things} within {LIMIT} s")
            time.sleep(0.01)

    def evaluate(self, expression):
        try:
            return self.driver.evaluate(expression)
        except RuntimeError:
            return None  # The page is being replaced.

    def seen(self, expression):
        """The seconds since the navigation if the expression is true."""
        milliseconds = self.evaluate(f"location.port === '{self.port}' && ({expression}) ? performance.now() : 0")
        return milliseconds and milliseconds / 1000

    def until(self, expression, end):
        while not self.seen(expression):
            if time.monotonic() > end:
                raise TimeoutError(f"not so within {LIMIT} s: {expression}")
            time.sleep(0.01)
