"""Tests filters, ranges, orders and the place of the page without a server: those of Tests/Page/test_filters.py."""

import http.server
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Page"))
import browser  # noqa: E402
import firefox  # noqa: E402
import test_filters as served  # noqa: E402


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Static:
    def serve(self, index, *options):
        program = pathlib.Path(os.environ.get("SHARDQ_BIN", ROOT / "bin")) / "shardq"
        site = tempfile.mkdtemp(prefix="site-", dir=self.directory)
        subprocess.run(
            [program, "page", "-i", index, "-o", f"{site}/page", *options], check=True, timeout=60, capture_output=True)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *a: Files(*a, directory=f"{site}/page"))
        server.handle_error = lambda *_: None  # A browser may end connections at any time.
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}/"


@unittest.skipUnless(browser.executable(), "there is no Chromium; Scripts/dependencies.sh --tests installs it on Debian")
class InChromium(Static, served.ChromiumFilters, unittest.TestCase):
    pass


@unittest.skipUnless(firefox.executable(), "there is no Firefox; Scripts/dependencies.sh --tests installs it on Debian")
class InFirefox(Static, served.filters.FirefoxFilters, unittest.TestCase):
    pass


if __name__ == "__main__":
    unittest.main()
