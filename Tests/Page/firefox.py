"""Drives a headless Firefox over its remote protocol (Marionette), with Python's standard library only.

Every wait is bounded. The module stops the browser and its children by the id of their process group.
"""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

NAMES = ("firefox-esr", "firefox")
PREFERENCES = {
    # A loaded machine may stop the whole browser for seconds, which is no fault of a script.
    "dom.max_script_run_time": 60,
    "marionette.port": 0,  # A free port; the profile names it.
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.aboutwelcome.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
}


def executable():
    """The path of a Firefox, or None."""
    return os.environ.get("FIREFOX") or next(filter(None, map(shutil.which, NAMES)), None)


class Firefox:
    """One browser process with the profile in a directory, which stays when it ends."""

    def __init__(self, profile):
        self.profile = pathlib.Path(profile)
        self.profile.mkdir(exist_ok=True)
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()]
        (self.profile / "user.js").write_text("".join(lines))
        port_file = self.profile / "MarionetteActivePort"
        port_file.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [executable(), "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile",
             str(self.profile), "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "HOME": str(self.profile)},
        )
        self.number, self.socket = 0, None
        try:
            end = time.monotonic() + 90
            while not (port_file.exists() and port_file.read_text().strip()):
                if time.monotonic() > end or self.process.poll() is not None:
                    raise RuntimeError("Firefox has not started")
                time.sleep(0.05)
            self.socket = socket.create_connection(("127.0.0.1", int(port_file.read_text())), timeout=90)
            self.file = self.socket.makefile("rb")
            self.receive()
            self.call("WebDriver:NewSession")
        except Exception:
            self.kill()
            raise

    def receive(self):
        size = b""
        while (byte := self.file.read(1)) != b":":
            if not byte:
                raise RuntimeError("Firefox has ended")
            size += byte
        return json.loads(self.file.read(int(size)))

    def call(self, name, **parameters):
        self.number += 1
        data = json.dumps([0, self.number, name, parameters]).encode()
        self.socket.sendall(b"%d:" % len(data) + data)
        _, number, error, result = self.receive()
        assert number == self.number, (number, self.number)
        if error:
            raise RuntimeError(f"{name}: {error['message']}")
        return result

    def close(self):
        """Quits the browser as a person does, so that its cache is on the disk."""
        try:
            self.call("Marionette:Quit", flags=["eAttemptQuit"])
            self.process.wait(30)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            pass
        self.kill()

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait(10)
        if self.socket:
            self.file.close()
            self.socket.close()

    # The functions that the tests of both browsers use.

    def size(self, width, height):
        """Gives the page this size; the window has more."""
        outer = self.evaluate("[outerWidth - innerWidth, outerHeight - innerHeight]")
        self.call("WebDriver:SetWindowRect", width=width + outer[0], height=height + outer[1])

    def open(self, url):
        self.call("WebDriver:Navigate", url="about:blank")
        self.call("WebDriver:Navigate", url=url)

    def reload(self):
        # The protocol's own reload bypasses the cache; a person's does not.
        self.evaluate("document.documentElement.setAttribute('data-old', ''), location.reload()")
        end = time.monotonic() + 20
        # A document that loads has no element yet.
        while self.evaluate("document.documentElement?.hasAttribute('data-old') ?? true"):
            if time.monotonic() > end:
                raise TimeoutError("the page is not reloaded")
            time.sleep(0.02)

    def new_tab(self):
        handle = self.call("WebDriver:NewWindow", type="tab")["handle"]
        self.call("WebDriver:SwitchToWindow", handle=handle)

    def evaluate(self, expression):
        return self.call("WebDriver:ExecuteScript", script=f"return ({expression})", args=[])["value"]

    def type(self, text):
        (reference,) = self.call("WebDriver:FindElement", using="css selector", value="#query")["value"].values()
        self.call("WebDriver:ElementSendKeys", id=reference, text=text)

    def undo(self):
        self.type("\ue009z\ue009")

    def complaints(self):
        """The console's messages about pages: all that name a policy, and errors of the page itself."""
        self.call("Marionette:SetContext", value="chrome")
        try:
            said = self.call(
                "WebDriver:ExecuteScript",
                # `instanceof` makes the fields of a message visible.
                script="return Services.console.getMessageArray().map(m => m instanceof Ci.nsIScriptError "
                "? [m.sourceName, m.category, m.errorMessage] : ['', '', m.message])",
                args=[],
            )["value"]
        finally:
            self.call("Marionette:SetContext", value="content")
        return [text for source, category, text in said if "http:" in source or "CSP" in category or "Content-Security-Policy" in text]

    def screenshot(self, path):
        import base64

        data = self.call("WebDriver:TakeScreenshot", full=False)["value"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
