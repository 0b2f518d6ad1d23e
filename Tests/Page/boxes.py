"""What the tests of the box share: records, a host of files for pages of all origins, and a page with the box."""

import http.server
import json
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time

import server
import test_page

MARKUP = "<img src=x onerror=\"document.title = 'taken'\"><script>document.title = 'taken'</script>"
RECORDS = [
    {"name": f"Tea {number:03}", "brand": "Alma" if number % 2 else "Borg", "price": number, "maker": {"town": f"Town {number}"}}
    for number in range(40)
] + [
    {"name": f"Zebra {MARKUP}", "brand": MARKUP, "price": 1, "maker": {"town": MARKUP}},
    {"name": "Long " + "x" * 200, "brand": "y" * 50_000, "price": 2},
    {"name": "Räuber \u202eevil\u0000\u0007", "brand": "[object Object]", "price": 3},
]
# The box and its parts, for the console of either browser.
NAMES = """
    const box = document.querySelector('shardq-box'), root = box?.shadowRoot, input = root?.querySelector('input')
    const rows = [...root?.querySelectorAll('[role=option]') ?? []], message = root?.querySelector('[role=status]')
    const active = rows.find(row => row.id === input.getAttribute('aria-activedescendant'))
    const isSeen = node => node.getClientRects().length > 0 && getComputedStyle(node).clipPath === 'none'
"""


def has_server():
    try:
        return bool(server.command("shardq-serve"))
    except FileNotFoundError:
        return False


class Host(http.server.SimpleHTTPRequestHandler):
    """Files for pages of all origins, by ranges. `held` is the beginning of names that wait, `log` has all names."""

    def do_GET(self):
        name = self.path.split("?")[0]
        self.server.log.append(name)
        if self.server.held and name.startswith(self.server.held):
            self.server.free.wait(60)
        page = self.server.pages.get(name)
        path = pathlib.Path(self.translate_path(self.path))
        data = page.encode() if page is not None else path.read_bytes() if path.is_file() else None
        if data is None:
            return self.send_error(404)
        wanted = self.headers.get("Range", "")
        start, end = (int(text) for text in wanted[6:].split("-")) if wanted else (0, len(data))
        body = data[start:end + 1]
        self.send_response(206 if wanted else 200)
        if wanted:
            self.send_header("Content-Range", f"bytes {start}-{start + len(body) - 1}/{len(data)}")
        self.send_header("Content-Type", "text/html" if page is not None else self.guess_type(name))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self):
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Access-Control-Expose-Headers", "Content-Range")
        super().end_headers()

    def log_message(self, *_):
        pass


class Page:
    """A page with a box; `kind` is a browser."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="box-")
        cls.addClassCleanup(shutil.rmtree, cls.directory, ignore_errors=True)
        lines = [json.dumps(record) + "\n" for record in RECORDS]
        cls.index = test_page.build(
            cls.directory, lines, "--key", "{name}", "--words", "--typos", "--weight", "price", "--filter", "brand", "--number", "price")
        cls.site = pathlib.Path(cls.directory, "site")
        made = subprocess.run([server.command("shardq-commands"), "page", "-i", cls.index, "-o", cls.site], capture_output=True)
        # Without a module there is no folder: Scripts/build-wasm.sh.
        cls.has_site = made.returncode == 0
        if not cls.has_site and made.returncode != 66:
            raise RuntimeError(made.stderr.decode())
        cls.site.mkdir(exist_ok=True)
        cls.server = test_page.Upstream(cls.index, "--cors", "*")
        cls.addClassCleanup(cls.server.stop)
        cls.browser = cls.kind(tempfile.mkdtemp(prefix="profile-", dir=cls.directory))
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.host = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *arguments: Host(*arguments, directory=str(self.site)))
        self.host.handle_error = lambda *_: None
        self.host.log, self.host.pages, self.host.held, self.host.free = [], {}, None, threading.Event()
        threading.Thread(target=self.host.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        self.addCleanup(self.stop)
        self.served = "http://%s:%d" % self.server.address
        self.files = f"http://localhost:{self.host.server_port}"
        self.before = 0

    def stop(self):
        self.host.free.set()
        self.browser.open("about:blank")
        self.host.shutdown()
        self.host.server_close()

    def open(self, script, attributes="", inside="", head=""):
        self.host.pages["/page"] = (
            f"<!doctype html><html lang=en><title>A shop</title>{head}<main><h1>A shop</h1><script type=module src='{script}'></script>"
            f"<shardq-box placeholder=Products {attributes}>{inside}</shardq-box></main>"
            "<script>window.said = []; for (const name of ['shardq-choose', 'shardq-error'])"
            " document.addEventListener(name, ({ detail }) => said.push([name, detail.message ?? detail]))</script>")
        self.browser.open("about:blank")
        self.before = len(self.browser.complaints())
        # The page has another origin than the server and the files.
        self.browser.open(f"http://127.0.0.1:{self.host.server_port}/page")
        self.wait("input !== undefined && input !== null")

    def evaluate(self, expression):
        return self.browser.evaluate(f"(() => {{ {NAMES}; return ({expression}) }})()")

    def wait(self, expression, seconds=20):
        end = time.monotonic() + seconds
        while True:
            try:
                if self.evaluate(f"!!({expression})"):
                    return
            except RuntimeError:
                pass  # The page before is going away.
            if time.monotonic() > end:
                self.fail(f"{expression}: {self.evaluate('root?.textContent.slice(0, 300)')} {str(self.complaints())[-600:]}")
            time.sleep(0.02)

    def type(self, text):
        self.evaluate(f"(input.focus(), input.select(), document.execCommand('insertText', false, {json.dumps(text)}))")

    def key(self, name, **more):
        more = json.dumps({"key": name, "bubbles": True, "cancelable": True, **more})
        return self.evaluate(f"input.dispatchEvent(new KeyboardEvent('keydown', {more}))")

    def keys(self, *names):
        for name in names:
            self.key(name)

    def labels(self):
        return self.evaluate("rows.map(row => row.textContent)")

    def complaints(self):
        return [said for said in self.browser.complaints()[self.before:] if "favicon" not in str(said)]

    def sources(self):
        """The scripts of a server and of a folder."""
        return [f"{self.served}/shardq-box.js"] + [f"{self.files}/shardq-box.js"] * self.has_site
