"""Drives a headless Chromium over the pipe of its debugging protocol, with Python's standard library only.

Every wait is bounded. The module stops the browser and its children by the id of their process group.
"""

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
KEYS = {  # Name: virtual key code, and the text it types.
    "Enter": (13, "\r"),
    "Escape": (27, None),
    "Backspace": (8, None),
    "Tab": (9, None),
    "ArrowUp": (38, None),
    "ArrowDown": (40, None),
    "ArrowLeft": (37, None),
    "ArrowRight": (39, None),
    "PageUp": (33, None),
    "PageDown": (34, None),
    "Home": (36, None),
    "End": (35, None),
}


def executable():
    """The path of a Chromium, or None."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One browser process. A page of it is a `Tab`."""

    def __init__(self, profile=None):
        """A given profile stays when the browser ends."""
        self.is_own = profile is None
        self.profile = profile or tempfile.mkdtemp(prefix="page-")
        # All descriptors are above 4, because the protocol uses 3 and 4.
        ends = [*os.pipe(), *os.pipe()]
        inward, self.writer, self.reader, outward = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
        for end in ends:
            os.close(end)
        flags = [
            "--headless=new",
            "--remote-debugging-pipe",
            f"--user-data-dir={self.profile}",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-extensions",
            "--disable-default-apps",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--mute-audio",
            "--no-pings",
            "--disable-features=Translate,OptimizationHints,MediaRouter",
            "about:blank",
        ]
        if os.geteuid() == 0:
            flags.insert(0, "--no-sandbox")  # Chromium has none for root.
        # The protocol is spoken on descriptors 3 and 4. Another process puts the pipes there: a fork in this one, which
        # has threads, should do nothing.
        place = (
            "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); "
            "os.execv(sys.argv[3], sys.argv[3:])"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", place, str(inward), str(outward), executable(), *flags],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(inward, outward),
            start_new_session=True,
        )
        os.close(inward)
        os.close(outward)
        self.buffer, self.number, self.answers, self.tabs = bytearray(), 0, {}, {}
        try:
            self.call("Browser.getVersion", timeout=60)
        except Exception:
            self.close()
            raise

    def close(self):
        if not self.is_own:
            try:  # Closed by the protocol, so that its cache is on the disk.
                self.call("Browser.close", timeout=20)
                self.process.wait(20)
            except (OSError, RuntimeError, TimeoutError, subprocess.TimeoutExpired):
                pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait(10)
        os.close(self.writer)
        os.close(self.reader)
        if self.is_own:
            shutil.rmtree(self.profile, ignore_errors=True)

    def read(self, timeout):
        """Reads the browser's messages within `timeout` seconds; returns at the first message."""
        if not select.select([self.reader], [], [], max(0, timeout))[0]:
            return
        data = os.read(self.reader, 1 << 20)
        if not data:
            raise RuntimeError("the browser has ended")
        self.buffer += data
        *messages, rest = self.buffer.split(b"\0")
        self.buffer = bytearray(rest)
        for message in map(json.loads, messages):
            if "id" in message:
                self.answers[message["id"]] = message
            elif message.get("sessionId") in self.tabs:
                self.tabs[message["sessionId"]].events.append(message)

    def call(self, method, session=None, timeout=20, **parameters):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        os.write(self.writer, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + timeout
        while number not in self.answers:
            if time.monotonic() > end:
                raise TimeoutError(f"{method} has not been answered for {timeout} s")
            self.read(end - time.monotonic())
        answer = self.answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]


class Tab:
    """A page in a browser context of its own, or in that of the profile."""

    def __init__(self, browser, width=1280, height=800, dark=False, touch=False, reduced=True, ratio=1, isolated=True):
        self.browser, self.events = browser, []
        context = {}
        if isolated:
            self.context = browser.call("Target.createBrowserContext")["browserContextId"]
            context = {"browserContextId": self.context}
        self.target = browser.call("Target.createTarget", url="about:blank", **context)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        browser.tabs[self.session] = self
        for domain in ("Page", "Runtime", "Network", "Log", "Accessibility"):
            self.call(f"{domain}.enable")
        self.size(width, height, touch, ratio)
        self.call(
            "Emulation.setEmulatedMedia",
            features=[
                {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                {"name": "prefers-reduced-motion", "value": "reduce" if reduced else "no-preference"},
            ],
        )
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def size(self, width, height, touch=False, ratio=1):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=ratio,
            mobile=bool(touch),
        )
        self.call("Emulation.setTouchEmulationEnabled", enabled=bool(touch))

    def close(self):
        self.browser.tabs.pop(self.session, None)
        self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def evaluate(self, expression, awaits=False):
        """The value of a JavaScript expression."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=awaits)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", str(result)))
        return result["result"].get("value")

    def wait(self, expression, timeout=10):
        """Waits until the expression is true, and returns its value."""
        end = time.monotonic() + timeout
        while True:
            value = self.evaluate(expression)
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(
                    f"not so within {timeout} s: {expression}\n" + self.evaluate("document.body.innerText")[:600]
                )
            self.browser.read(0.02)

    def open(self, url):
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && document.title !== ''")

    def type(self, text):
        for character in text:
            self.call("Input.dispatchKeyEvent", type="keyDown", text=character, key=character)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=character)

    def press(self, key, times=1, modifiers=0):
        code, text = KEYS[key] if key in KEYS else (ord(key.upper()), key)
        for _ in range(times):
            down = {"text": text} if text and not modifiers else {}
            self.call(
                "Input.dispatchKeyEvent",
                type="keyDown" if down else "rawKeyDown",
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                modifiers=modifiers,
                **down,
            )
            self.call(
                "Input.dispatchKeyEvent",
                type="keyUp",
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                modifiers=modifiers,
            )

    def middle(self, selector):
        box = self.evaluate(
            f"(() => {{ const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            " return [r.left + r.width / 2, r.top + r.height / 2] })()"
        )
        return box

    def click(self, at):
        """Clicks on a selector's middle, or on a point."""
        x, y = self.middle(at) if isinstance(at, str) else at
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, start, end, steps=5):
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=start[0], y=start[1], button="left", clickCount=1)
        for step in range(1, steps + 1):
            x, y = (start[i] + (end[i] - start[i]) * step / steps for i in (0, 1))
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button="left", buttons=1)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], button="left", clickCount=1)

    def wheel(self, at, by):
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=at[0], y=at[1], deltaX=0, deltaY=by)

    def touch(self, kind, *points):
        self.call(
            "Input.dispatchTouchEvent",
            type=kind,
            touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)],
        )

    def tree(self):
        """The accessibility tree: (role, name, properties) of all that is not ignored."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [
            (
                node["role"]["value"],
                node.get("name", {}).get("value", ""),
                {p["name"]: p["value"].get("value") for p in node.get("properties", [])},
            )
            for node in nodes
            if not node.get("ignored")
        ]

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
