#!/usr/bin/env python3
"""Makes the pictures of README.md and docs/: a recording of the terminal, and the page in Chromium.

    Scripts/pictures.py [NAME...]     without names all of them, in half a minute

The programs are those of $SHARDQ_BIN, else of bin/: `Scripts/build.sh --all` makes them. They answer from the index that
the clone carries, and from a list of products that this script makes up. `Scripts/build-wasm.sh` makes the files that
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
import random
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
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


@contextlib.contextmanager
def page(address, width, height):
    """The page in a tab, with a cursor that does not blink, since it is not seen."""
    chromium = browser.Browser()
    try:
        tab = browser.Tab(chromium, width=width, height=height)
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


# Each kind of product with its picture, on a field of 200 by 200.
KINDS = {
    "Desk lamp": '<path d="M62 166h84M112 166L136 104 92 62" {line}/><path d="M42 96l22-56 48 34z" {fill}/>',
    "Desk chair": '<path d="M70 40v68h62M101 108v34M70 164l31-22 31 22" {line}/><path d="M62 36h18v70H62z" {fill}/>',
    "Desk pad": '<path d="M38 70h124v70H38z" {line}/><path d="M52 84h62v42H52z" {fill}/>',
    "Desk organizer": '<path d="M48 92h104v68H48z" {fill}/><path d="M72 92V48M100 92V36M128 92V56" {line}/>',
    "Shelf": '<path d="M50 40v124M150 40v124M50 60h100M50 104h100M50 148h100" {line}/>',
    "Stool": '<path d="M68 92l-14 72M132 92l14 72M62 130h76" {line}/><path d="M52 72h96v20H52z" {fill}/>',
}
BRANDS = {"Lumen": "#b5452c", "Oakline": "#5f7a4d", "Norde": "#3c6e8f", "Kobalt": "#6a5a9c"}


def picture_of(kind, brand):
    line = f'fill="none" stroke="{BRANDS[brand]}" stroke-width="10" stroke-linecap="round" stroke-linejoin="round"'
    drawing = KINDS[kind].format(line=line, fill=f'fill="{BRANDS[brand]}"')
    return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200" width="200" height="200">'
            f'<path d="M0 0h200v200H0z" fill="{BRANDS[brand]}" fill-opacity=".14"/>{drawing}</svg>')


def shop(images):
    """Made-up products: 5,000, the same ones each time."""
    made = random.Random(7)
    for number in range(5000):
        kind, brand = made.choice(sorted(KINDS)), made.choice(sorted(BRANDS))
        yield {
            "id": f"SKU{number:06}",
            "name": f"{kind} {made.choice(['Air', 'Mini', 'Pro', 'Solo'])} {made.randint(1, 40)}",
            "brand": brand, "price": f"{made.randint(1900, 24900) / 100:.2f}", "stock": made.randint(0, 90),
            "description": f"The {made.choice(['compact', 'quiet', 'sturdy'])} {kind.lower()} for every day, made of "
                           f"recycled material, with a warranty of {made.randint(2, 5)} years.",
            "url": f"https://shop.example/{number}", "tags": made.sample(["new", "sale", "last pieces"], 2),
            "photo": f"{images}{kind.replace(' ', '-')}-{brand}.svg", "sold": made.randint(0, 999),
        }


def products(scratch):
    """A list without places: images and prices, and the record of a row."""
    with hosted(scratch) as images:
        for kind in KINDS:
            for brand in BRANDS:
                with open(os.path.join(scratch, f"{kind.replace(' ', '-')}-{brand}.svg"), "w") as file:
                    file.write(picture_of(kind, brand))
        with open(os.path.join(scratch, "products.jsonl"), "w") as file:
            file.writelines(json.dumps(product) + "\n" for product in shop(images))
        index = os.path.join(scratch, "products")
        subprocess.run([SHARDQ, "build", "-q", "-i", index, "--key", "{name}", "--id", "id", "--weight", "sold",
                        os.path.join(scratch, "products.jsonl")], check=True)
        look = ["--title", "Desk & Co", "--subtitle", "{brand} · {price} €", "--image", "photo", "--image-origin",
                images.rstrip("/"), "--fields", "id,price,stock,description,url,tags"]
        for label in ("id=Article", "price=Price in EUR", "url=Shop"):
            look += ["--label", label]
        with served("-i", index, *look) as address, page(address, 1180, 640) as tab:
            typed(tab, "desk", "Desk")
            tab.press("ArrowDown")
            return taken(tab)


def static(scratch):
    """The page from a host of files alone: a typing error is corrected, and the place found is on the map."""
    site = os.path.join(scratch, "site")
    subprocess.run([SHARDQ, "page", "-q", "-i", SHARDS, "-o", site], check=True)
    with hosted(site) as address, page(address, 1100, 620) as tab:
        typed(tab, "lodnon", "London")
        tab.press("ArrowDown")
        return taken(tab)


PICTURES = {"terminal.svg": terminal, "page.png": cities, "page-list.png": products, "static-page.png": static}


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
