#!/usr/bin/env python3
"""Makes the pictures of README.md and docs/: a recording of the terminal, and the page in Chromium.

    Scripts/pictures.py [NAME...]     without names all of them, in half a minute

The programs are those of $SHARDQ_BIN, else of bin/: `Scripts/build.sh --all` makes them. They answer from the index that
the clone carries, and from the shop of Examples/shop. `Scripts/build-wasm.sh` makes the files that
`shardq page` takes, `Scripts/dependencies.sh --tests` installs tmux and Chromium, and pngquant makes the PNG files small.
The letters of the page are those of the font DejaVu Sans (Debian: fonts-dejavu-core). The recording has the times of its
run, so run it on a quiet machine; the other pictures hardly differ from run to run.
"""

import base64
import contextlib
import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import terminal_picture

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "Tests", "Page"))
import browser  # noqa: E402

BIN = os.path.abspath(os.environ.get("SHARDQ_BIN", os.path.join(ROOT, "bin")))
SHARDQ = os.path.join(BIN, "shardq")
SHARDS = os.path.join(ROOT, "shards")


def terminal(scratch):
    """Types a name with an error into the list, goes through the results, takes one, and prints a map."""
    shutil.copytree(SHARDS, os.path.join(scratch, "shards"), ignore=shutil.ignore_patterns(".lock"))
    recorder = terminal_picture.Recorder(scratch, BIN + ":/usr/bin:/bin")
    try:
        recorder.watch(0.6)
        recorder.keys("shardq", 0.14)
        recorder.keys(["Enter"], 1.2)
        recorder.keys("lodnon", 0.3)
        still = recorder.clock
        recorder.watch(1.5)
        recorder.keys(["Down", "Down"], 0.8)
        recorder.keys(["Up", "Up"], 0.5, 0.4)
        recorder.keys(["Enter"], 1.2)
        recorder.keys("shardq map springfield us", 0.08, 0.2)
        recorder.keys(["Enter"], 3.5)
    finally:
        recorder.close()
    label = "lodnon is typed and finds London; then five Springfields are on a map"
    return terminal_picture.drawing(recorder.frames(), still, label)


@contextlib.contextmanager
def served(*options):
    """The address of `shardq serve`."""
    server = subprocess.Popen([SHARDQ, "serve", "--listen", "127.0.0.1:0", *options], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, cwd=ROOT)
    try:
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        server.wait(20)


@contextlib.contextmanager
def hosted(directory):
    """The address of a host of files."""
    class Files(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=directory)) as server:
        server.handle_error = lambda *_: None  # A browser may end connections at any time.
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


@contextlib.contextmanager
def page(address, width, height, **options):
    """The page in a tab, with a cursor that does not blink, since it is not seen."""
    chromium = browser.Browser()
    try:
        tab = browser.Tab(chromium, width=width, height=height, **options)
        tab.open(address)
        tab.wait("document.querySelector('#total').textContent !== ''")
        tab.evaluate("document.querySelector('#query').style.caretColor = 'transparent'")
        tab.evaluate("document.querySelector('#query').focus()")
        yield tab
    finally:
        chromium.close()


def typed(tab, text, found):
    """Types a text, and waits for rows whose marked letters are those found."""
    tab.type(text)
    tab.wait(f"document.querySelector('.row mark')?.textContent === {json.dumps(found)}")
    tab.wait("!document.querySelector('.row.waiting')")


def taken(tab):
    """The PNG of the page once it rests: two pictures one after the other are the same."""
    before, end = None, time.monotonic() + 30
    while time.monotonic() < end:
        picture = base64.b64decode(tab.call("Page.captureScreenshot", format="png")["data"])
        if picture == before:
            return smaller(picture)
        before = picture
        time.sleep(0.6)
    raise TimeoutError("the page does not rest")


def smaller(picture):
    return subprocess.run(["pngquant", "--quality=85-100", "--speed=1", "--strip", "-"], input=picture, check=True,
                          stdout=subprocess.PIPE).stdout


def cities(scratch):
    """Beginnings of names typed, and a city taken: its neighbours on the map, and its fields."""
    with served("-i", SHARDS, "--title", "Cities", "--label", "population=Population") as address:
        with page(address, 1180, 640) as tab:
            typed(tab, "ha", "Ha")
            tab.press("ArrowDown", 7)
            tab.press("Enter")
            tab.wait("document.querySelector('#chosen').textContent === 'Hamburg, DE'")
            return taken(tab)


@contextlib.contextmanager
def shop(scratch, width, height, **options):
    """The page of the cookbook's shop in a tab."""
    example = os.path.join(ROOT, "Examples", "shop")
    index, source = os.path.join(scratch, "index"), os.path.join(scratch, "products.jsonl")
    with hosted(scratch) as pictures:
        make = [sys.executable, os.path.join(example, "make.py"), scratch, "--pictures", pictures + "pictures/"]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([SHARDQ, "build", "-q", "-i", index, "--id", "sku", "--key", "{name}, {brand}", "--weight", "sold",
                        "--words", "--typos", "--filter", "category", "--filter", "brand", "--filter", "colour",
                        "--number", "price", "--number", "rating", "--number", "added", source], check=True)
        look = "--page-file", os.path.join(example, "look"), "--image-origin", pictures.rstrip("/")
        with served("-i", index, *look) as address, page(address, width, height, **options) as tab:
            tab.wait("document.querySelectorAll('#top li').length > 0")
            tab.wait("[...document.querySelectorAll('.thumb:not([hidden])')].every(image => image.naturalWidth > 0)")
            yield tab


def wide(scratch):
    """Cards, and the chosen product beside them."""
    with shop(scratch, 1280, 760) as tab:
        typed(tab, "desk", "Desk")
        tab.click("#layout")
        tab.press("ArrowDown")
        tab.press("ArrowRight", 2)
        tab.press("Enter")
        tab.wait("chosen !== null")
        return taken(tab)


def phone(scratch):
    """The beginning on a phone: the last chosen products, and the best ones."""
    with shop(scratch, 390, 780) as tab:
        tab.evaluate("[5, 2].forEach(row => recent.note(rowAt(row))); showBegin()")
        return taken(tab)


def dark(scratch):
    """Rows in a dark window, and the highlighted product beside them."""
    with shop(scratch, 1180, 640, dark=True) as tab:
        typed(tab, "lamp", "lamp")
        tab.press("ArrowDown", 2)
        return taken(tab)


def static(scratch):
    """The page from a host of files alone: a typing error is corrected, and the place found is on the map."""
    site = os.path.join(scratch, "site")
    subprocess.run([SHARDQ, "page", "-q", "-i", SHARDS, "-o", site], check=True)
    with hosted(site) as address, page(address, 1100, 620) as tab:
        typed(tab, "lodnon", "London")
        tab.press("ArrowDown")
        return taken(tab)


PICTURES = {
    "terminal.svg": terminal, "page.png": cities, "shop.png": wide, "shop-phone.png": phone, "shop-dark.png": dark,
    "static-page.png": static,
}


def missing():
    """The sentences about missing programs and files."""
    for program in ("shardq", "shardq-commands", "shardq-serve"):
        if not os.access(os.path.join(BIN, program), os.X_OK):
            yield f"{program} is not in {BIN}: Scripts/build.sh --server"
    if not os.path.exists(os.path.join(ROOT, ".build/wasm/module/shardq.wasm")):
        yield "the files of shardq page are missing: Scripts/build-wasm.sh .build/wasm/module/shardq.wasm"
    for program in ("tmux", "pngquant"):
        if not shutil.which(program):
            yield f"{program} is missing: apt-get install {program}"
    if not browser.executable():
        yield "Chromium is missing: apt-get install chromium"


def main(names):
    if lacks := [f"unknown picture: {name}; there are {', '.join(PICTURES)}" for name in names if name not in PICTURES]:
        sys.exit("\n".join(lacks))
    if lacks := list(missing()):
        sys.exit("\n".join(lacks))
    for name in names or PICTURES:
        with tempfile.TemporaryDirectory(prefix="shardq-pictures-") as scratch:
            try:
                picture = PICTURES[name](scratch)
            except subprocess.CalledProcessError as error:
                sys.exit(f"{name}: {error}")
        with open(os.path.join(ROOT, "docs", name), "wb") as file:
            file.write(picture if isinstance(picture, bytes) else picture.encode())
        print(f"docs/{name}: {len(picture):,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
