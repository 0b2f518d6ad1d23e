"""Tests the page with lists of every kind and options of `shardq serve`, in Chromium and in Debian's firefox-esr.

The lists are products with links, prices and images; words of one field; places of one country; hostile and huge records.
$PAGE_PICTURES names a directory for pictures of the pages. `Tests/Page/run.sh` runs the tests.
"""

import functools
import http.server
import json
import os
import pathlib
import shutil
import socket
import tempfile
import threading
import time
import unittest
import urllib.request

import browser
import firefox
import test_page
import test_visits

PRODUCTS = 300
DOT = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"><circle cx="100" cy="100" r="80" fill="teal"/></svg>'
)
HOSTILE = {
    "name": "zz <b>bold</b> {name} \u202egnp.exe",
    "brand": "<script>document.title = 'taken'</script>",
    "price": "1\u0000\u0007\u001b[31m2",
    "url": "javascript:document.title='taken'",
    "mail": "https://user:word@evil.example/",
    "tel": "data:text/html,<script>document.title='taken'</script>",
    "place": "https://shop.example/\u202egpj",
    "photo": "javascript:document.title='taken'",
    "note": "x" * 5000,
    "__proto__": {"polluted": "yes"},
}


def products(images):
    for i in range(PRODUCTS):
        yield {
            "id": f"SKU{i:04}", "name": f"Desk lamp {i:03}", "brand": "Lumen & Co" if i % 2 == 0 else None,
            "price": f"{i}.50", "url": f"https://shop.example/{i}?a=1&b=2", "mail": "mailto:sales@shop.example",
            "tel": "tel:+4930123", "place": "geo:52.5,13.4", "tags": ["new", "sale"],
            "photo": f"{images}/dot.svg" if i % 2 == 0 else "http://127.0.0.1:9/other.svg",
        }
    yield HOSTILE


def lines(records):
    return [json.dumps(record) + "\n" for record in records]


def free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


class Images(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Pages:
    """Pages of lists in a browser of the class `kind`, and a host of images."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="lists-")
        cls.addClassCleanup(shutil.rmtree, cls.directory, ignore_errors=True)
        pathlib.Path(cls.directory, "dot.svg").write_text(DOT)
        images = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Images, directory=cls.directory))
        threading.Thread(target=images.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        cls.addClassCleanup(images.server_close)
        cls.addClassCleanup(images.shutdown)
        cls.images = f"http://127.0.0.1:{images.server_port}"
        cls.browser = cls.kind(tempfile.mkdtemp(prefix="profile-", dir=cls.directory))
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def build(cls, name, records, *options):
        directory = pathlib.Path(cls.directory, name)
        directory.mkdir()
        return test_page.build(directory, lines(records), *options)

    def serve(self, index, *options):
        server = test_page.Upstream(index, *options)
        self.addCleanup(server.stop)
        self.url = "http://%s:%d/" % server.address
        return server

    before = 0

    def complaints(self):
        """The complaints of this test."""
        return self.browser.complaints()[self.before:]

    def open(self, address=""):
        self.browser.open("about:blank")  # This ends the requests of the page before.
        self.before = len(self.browser.complaints())
        self.browser.open(self.url + address)
        self.wait("document.readyState === 'complete' && byId('said').textContent !== ''")

    def evaluate(self, expression):
        """The value of an expression. In Firefox the names of the page's script are missing."""
        names = "const byId = id => document.getElementById(id), input = byId('query')"
        return self.browser.evaluate(f"(() => {{ {names}; return ({expression}) }})()")

    def wait(self, expression):
        end = time.monotonic() + 20
        while True:
            try:
                if self.evaluate(f"!!({expression})"):
                    return
            except RuntimeError:
                pass  # The page before is going away.
            self.assertLess(time.monotonic(), end, f"{expression}\n{str(self.complaints())[-600:]}")
            time.sleep(0.02)

    def type(self, text, said):
        """Replaces the text in the field by typing, and waits until the page says `said`."""
        self.evaluate("input.select()")
        self.browser.type(text)
        self.wait(f"input.value === {json.dumps(text)} && byId('said').innerText.startsWith({json.dumps(said)})")
        # The answers to shorter texts may have said the same.
        marked = f"document.querySelector('.row mark')?.textContent.toLowerCase() === {json.dumps(text)}"
        self.wait(f"!document.body.classList.contains('open') || {marked} || document.querySelector('.row.quiet')")

    def choose(self, label):
        self.key("Enter")
        self.wait("!byId('card').hidden && !byId('card').classList.contains('preview')"
                  f" && byId('chosen').textContent === {json.dumps(label)}")

    def shown(self, *expressions):
        return self.evaluate("[%s]" % ", ".join(expressions))

    def picture(self, name):
        if pictures := os.environ.get("PAGE_PICTURES"):
            self.browser.screenshot(os.path.join(pictures, f"{self.kind.__name__}-{name}.png"))

    def key(self, name):
        """Presses a key in the field."""
        self.evaluate(
            f"input.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{name}', bubbles: true, cancelable: true }}))")

    def violations(self):
        return json.loads(self.browser.tab.evaluate(
            "axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) =>"
            " [id, nodes.map(({ html, failureSummary }) => html + failureSummary)])))", awaits=True))


class Lists(Pages):
    """The tests of both browsers."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.products = cls.build("products", products(cls.images), "--key", "{name}")
        cls.words = cls.build("words", ({"word": f"ba{i:04}"} for i in range(500)), "--key", "{word}")
        hamlets = ({"name": f"Machi {i:03}", "lat": 33 + i // 3 % 20 / 2, "lon": 131 + i // 3 % 23 / 2 + i % 3 / 50} for i in range(300))
        cls.places = cls.build("places", hamlets, "--key", "{name}")

    def test_options_of_the_command_and_of_a_file(self):
        file = pathlib.Path(self.directory, "look")
        file.write_text(
            "# Of a shop\ntitle = overridden\nlang = de-AT\nlabel = price=Preis <in> €\nlabel = id=Artikel\n"
            "subtitle = '{brand} · {price} € · {tags}'\nfields = id,price,tags\nplaceholder = Suche\ntext = browse=Alles \"zeigen\"\n")
        self.serve(self.products, "--page-file", file, "--title", "Tische & <Lampen>")
        self.open()
        self.wait("byId('total').textContent === '301 Einträge'")
        self.assertEqual(
            self.shown("document.title", "document.querySelector('h1').textContent", "input.placeholder",
                       "document.documentElement.lang", "byId('said').innerText.split(/\\s*\\n\\s*/).join(' ')"),
            ["Tische & <Lampen>", "Tische & <Lampen>", "Suche", "de-AT",
             "Die Ergebnisse erscheinen beim Tippen. Alles \"zeigen\""])
        self.type("desk", "300 Treffer")
        self.wait("document.querySelectorAll('.row .detail').length > 5")
        detail = "[...document.querySelectorAll('.row .detail')].slice(0, 2).map(row => row.textContent)"
        self.assertEqual(self.shown(detail, "byId('said').innerText"),
                         [["Lumen & Co · 0.50 € · new, sale", "1.50 € · new, sale"], "300 Treffer"])
        self.choose("Desk lamp 000")
        self.assertEqual(
            self.shown("[...byId('fields').children].map(node => node.textContent)", "document.title"),
            [["Artikel", "SKU0000", "Preis <in> €", "0.50", "Tags", "new, sale"], "Desk lamp 000 – Tische & <Lampen>"])
        self.type("zzz", "Nichts beginnt mit „zzz“.")
        self.assertEqual(self.complaints(), [])

    def test_links_and_images(self):
        self.serve(self.products, "--image", "photo", "--image-origin", self.images)
        with urllib.request.urlopen(self.url, timeout=10) as answer:
            rules = answer.headers["Content-Security-Policy"]
        self.assertIn(f"img-src 'self' data: {self.images};", rules)
        self.assertEqual(rules.count(self.images), 1)
        self.open()
        self.type("desk lamp 000", "1 match")
        self.choose("Desk lamp 000")
        self.wait("byId('picture').naturalWidth === 200 && !byId('picture').hidden")
        links = "[...document.querySelectorAll('#fields a')].map(({ href, rel }) => [href, rel])"
        self.assertEqual(self.evaluate(links), [
            [href, "noopener noreferrer"] for href in
            ["https://shop.example/0?a=1&b=2", "mailto:sales@shop.example", "tel:+4930123", "geo:52.5,13.4"]])
        self.assertEqual(self.evaluate("document.querySelector('.row .thumb').naturalWidth"), 200)
        self.picture("products")
        # An image of another origin is not loaded, and stays a field.
        self.type("desk lamp 001", "1 match")
        self.choose("Desk lamp 001")
        self.assertEqual(self.shown("byId('picture').hidden", "document.querySelector('.row .thumb').hidden",
                                    "byId('fields').textContent.includes('http://127.0.0.1:9/other.svg')"),
                         [True, True, True])
        self.assertEqual(self.complaints(), [])

    def test_hostile_records_are_text(self):
        self.serve(self.products, "--image", "photo", "--image-origin", self.images, "--subtitle", "{price}·{brand}")
        self.open()
        self.type("zz", "1 match")
        self.choose(HOSTILE["name"])
        self.assertEqual(
            self.shown("document.querySelectorAll('#card a, #card script, #card b, .row b, .row script').length",
                       "byId('chosen').textContent", "document.querySelector('.row .title').textContent.includes('<b>')",
                       "document.querySelector('.row .thumb').hidden", "'polluted' in {}", "document.title.slice(0, 5)"),
            [0, HOSTILE["name"], True, True, False, "zz <b"])
        texts = self.evaluate("[...document.querySelectorAll('#fields dd')].map(node => node.textContent)")
        for name in ("brand", "price", "url", "mail", "tel", "place", "photo"):
            self.assertIn(HOSTILE[name], texts)
        self.assertIn("x" * 2000 + "… (5,000 characters in all)", texts)
        self.assertEqual(self.complaints(), [])

    def test_one_column_with_the_highlighted_record(self):
        self.browser.size(1000, 800)
        self.addCleanup(self.browser.size, 1280, 800)
        self.serve(self.products)
        self.open()
        self.type("desk", "300 matches")
        self.wait("document.querySelector('#card').offsetHeight > 100")
        width, left, right = self.shown(
            "byId('matches').offsetWidth", "byId('matches').getBoundingClientRect().left",
            "innerWidth - byId('matches').getBoundingClientRect().right")
        self.assertTrue(640 <= width <= 720, width)
        self.assertLess(abs(left - right), 20)
        for label in ("Desk lamp 000", "Desk lamp 001", "Desk lamp 002"):
            self.key("ArrowDown")
            self.wait(f"byId('chosen').textContent === '{label}'")
        self.assertEqual(self.shown("byId('card').className", "document.title"), ["preview", "desk – shardq"])
        # The list reaches to the record, and that to the end.
        self.assertEqual(self.shown(
            "byId('matches').getBoundingClientRect().bottom <= byId('card').getBoundingClientRect().top + 1",
            "byId('card').getBoundingClientRect().bottom >= innerHeight - 1", "byId('map').offsetHeight"), [True, True, 0])
        self.picture("preview")
        # Right below a short list.
        self.type("desk lamp 001", "1 match")
        self.wait("byId('chosen').textContent === 'Desk lamp 001' && byId('matches').offsetHeight === 61"
                  " && Math.abs(byId('matches').getBoundingClientRect().bottom - byId('card').getBoundingClientRect().top) < 2")
        self.assertIn("Tagsnew, sale", self.evaluate("byId('fields').textContent"))
        self.assertEqual(self.complaints(), [])

    def test_words_have_one_line(self):
        self.serve(self.words)
        self.open()
        self.assertEqual(self.shown("byId('rule').textContent", "byId('cost').offsetHeight"),
                         ["Matches the beginning of a name; case and accents are ignored.", 0])
        self.type("ba", "500 matches")
        self.wait("document.querySelector('.row').offsetHeight === 44 && document.querySelectorAll('.row').length > 9")
        tops = self.evaluate("[...document.querySelectorAll('.row')].map(row => row.getBoundingClientRect().top)")
        self.assertEqual({round(b - a) for a, b in zip(sorted(tops), sorted(tops)[1:])}, {44})
        self.assertEqual(self.evaluate("byId('card').offsetHeight"), 0)
        self.picture("words")

    def test_hints_say_what_the_index_can(self):
        index = self.build("able", ({"name": f"Lamp {i}"} for i in range(30)), "--key", "{name}", "--words", "--typos")
        self.serve(index)
        self.open()
        self.assertEqual(self.evaluate("byId('rule').textContent"),
                         "Matches the beginning of any word; case and accents are ignored. Typing errors are corrected.")
        # Other names match by their beginnings too.
        named = ({"name": f"Lamp {i}", "other": [f"light {i}"]} for i in range(30))
        self.serve(self.build("named", named, "--key", "{name}", "--alias", "other"))
        self.open()
        self.assertEqual(self.evaluate("byId('rule').textContent"),
                         "Matches the beginning of a name; case and accents are ignored.")

    def view(self):
        """Zoom, latitude and longitude of the map, which the address shows when the map rests."""
        self.wait("location.hash.includes('map=')")
        return [float(part) for part in self.evaluate("location.hash").partition("map=")[2].split("&")[0].split("/")]

    def test_the_map_leaves_what_is_gone(self):
        self.serve(self.places)
        self.open()
        self.type("machi 011", "1 match")
        self.choose("Machi 011")
        self.wait("location.hash.includes('map=')")
        zoom, latitude, _ = self.view()
        self.assertTrue(zoom > 7 and abs(latitude - 34.5) < 1, (zoom, latitude))
        self.picture("places")
        self.type("xyzzy", "Nothing begins")
        self.wait(f"!location.hash.includes('map={zoom:.2f}/')")
        zoom, latitude, longitude = self.view()
        # All places again: Japan, not the world.
        self.assertTrue(4 < zoom < 7 and abs(latitude - 37.75) < 1 and abs(longitude - 136.5) < 1, (zoom, latitude, longitude))
        self.assertEqual(self.complaints(), [])

    def test_a_server_that_goes_and_comes_again(self):
        port = str(free_port())
        server = self.serve(self.products, "--listen", f"127.0.0.1:{port}")
        self.open()
        self.type("desk lamp 00", "10 matches")
        server.stop()
        self.browser.type("1")
        self.wait("!byId('notice').hidden && document.querySelectorAll('.row').length > 5")
        self.serve(self.products, "--listen", f"127.0.0.1:{port}")
        self.wait("byId('notice').hidden && byId('said').innerText === '1 match'")
        # Reload the page, and come back from another one.
        self.browser.reload()
        self.wait("input?.value === 'desk lamp 001' && byId('said').innerText === '1 match'")
        self.evaluate("location.assign('/healthz')")
        self.wait("location.pathname === '/healthz'")
        self.evaluate("history.back()")
        self.wait("input?.value === 'desk lamp 001' && byId('said').innerText === '1 match'")
        self.type("desk", "300 matches")


@unittest.skipUnless(browser.executable(), "there is no Chromium; Scripts/dependencies.sh --tests installs it on Debian")
class InChromium(Lists, unittest.TestCase):
    kind = test_visits.Chromium

    def setUp(self):
        self.browser.tab.size(1280, 800)

    def test_the_map_fits_and_gathers(self):
        self.serve(self.places)
        self.open()
        self.wait("map.levels !== null")
        # All of the list is in sight, and it fills a good part of the map.
        west, south = self.evaluate("map.point([131, 33])")
        east, north = self.evaluate("map.point([142, 42.5])")
        width, height = self.shown("map.width", "map.height")
        self.assertTrue(0 < west < east < width and 0 < north < south < height, (west, east, north, south))
        self.assertGreater(max((east - west) / width, (south - north) / height), 0.6)
        home = self.evaluate("map.scale")
        self.type("machi 0", "100 matches")
        self.wait("answer.pages.size > 0 && map.drawn.some(({ hits }) => hits)")
        # Each row is drawn once, alone or in one circle.
        self.assertEqual(self.evaluate(
            "map.clusters().reduce((sum, { hits }) => sum + hits.length, 0) === map.hits().length"), True)
        self.evaluate("map.fitHits(map.drawn.find(({ hits }) => hits).hits)")
        self.assertGreater(self.evaluate("map.scale"), home * 1.5)
        self.assertFalse(self.evaluate("byId('fit').hidden"))
        self.evaluate("byId('fit').click()")
        self.assertLess(self.evaluate("map.scale"), home * 2)
        self.assertEqual(self.complaints(), [])

    def test_words_on_a_phone(self):
        """A chosen word shows no more than its row: the list stays."""
        self.browser.tab.size(360, 740)
        self.serve(self.words)
        self.open()
        self.type("ba", "500 matches")
        self.key("ArrowDown")
        self.key("Enter")
        self.wait("document.querySelector('.row[aria-current=true]')?.innerText.startsWith('ba0000')")
        self.assertGreater(self.evaluate("byId('matches').offsetHeight"), 400)

    def test_no_network(self):
        self.serve(self.products)
        self.open()
        tab = self.browser.tab
        off = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        tab.call("Network.emulateNetworkConditions", offline=True, **off)
        self.browser.type("desk")
        self.wait("byId('notice').innerText.startsWith('There is no network.')")
        # Not by its own timer.
        self.evaluate("clearTimeout(notice.timer)")
        tab.call("Network.emulateNetworkConditions", offline=False, **off)
        self.wait("byId('notice').hidden && answer.query === 'desk'")

    def test_windows_of_every_size(self):
        """Windows from one pixel on break nothing; from 200 pixels on the field, a row and the record can be used."""
        for index in (self.places, self.products):
            self.serve(index)
            self.open()
            tab = self.browser.tab
            for width, height in [(1, 1), (1, 900), (1600, 1), (200, 200), (320, 256), (740, 320), (1024, 330), (5000, 3000)]:
                tab.size(width, height)
                self.type(*(("ma", "300") if index == self.places else ("desk", "300")))
                self.key("ArrowDown")
                if min(width, height) >= 200:
                    with self.subTest(index=index.parent.name, size=(width, height)):
                        field, rows, right = self.shown(
                            "input.offsetWidth", "byId('matches').offsetHeight", "document.documentElement.scrollWidth")
                        self.assertGreaterEqual(field, 150)
                        self.assertGreaterEqual(rows, 60)
                        self.assertLessEqual(right, width)
                self.key("Enter")
                self.wait("chosen !== null")
                if min(width, height) >= 200:
                    self.assertGreater(self.evaluate("byId('card').offsetHeight"), 40)
                self.evaluate("document.querySelector('#card .close').click()")
                self.wait("chosen === null")
            tab.size(1280, 800)
            self.assertEqual(self.complaints(), [])

    def test_records_of_ten_megabytes(self):
        records = [{"name": f"Large {i}", "text": "<b>" * (3_400_000 if i == 1 else 300_000)} for i in range(5)]
        index = self.build("large", [*records, {"name": "Large fields"} | {f"f{i}": i for i in range(1000)}], "--key", "{name}")
        self.serve(index)
        self.open()
        # Pasted, because each key would ask for all of them.
        self.evaluate("input.focus(), document.execCommand('insertText', false, 'large')")
        rows = "[...document.querySelectorAll('.row:not(.waiting) .title')].map(row => row.innerText)"
        self.wait(f"({rows}).length === 6")
        self.assertEqual(sorted(self.evaluate(rows)),
                         ["Large 0", *[f"Large {i}" for i in range(2, 5)], "Large fields", "This record is too large to show here."])
        self.assertEqual(self.evaluate("answer.count"), 6)
        self.choose("Large 0")
        self.assertLess(self.evaluate("byId('fields').textContent.length"), 2100)
        self.evaluate("input.select(), document.execCommand('insertText', false, 'large f')")
        self.wait("byId('said').innerText === '1 match'")
        self.choose("Large fields")
        self.assertIn("and 801 more fields", self.evaluate("byId('fields').textContent"))
        self.evaluate("input.select(), document.execCommand('insertText', false, 'large 1')")
        self.wait("document.querySelector('.row.quiet')")
        self.assertEqual(self.evaluate(rows), ["This record is too large to show here."])
        self.key("Enter")
        self.assertEqual(self.evaluate("chosen"), None)

    def test_the_accessibility_checker_finds_nothing(self):
        checker = test_page.axe()
        if not checker:
            self.skipTest("there is no axe.min.js: Scripts/dependencies.sh --tests")
        for index, text, said in ((self.products, "desk", "300"), (self.words, "ba", "500")):
            options = ("--image", "photo", "--image-origin", self.images) if index == self.products else ()
            self.serve(index, *options)
            for width, height, dark in [(360, 740, True), (1280, 800, False), (320, 256, False)]:
                self.browser.tab.size(width, height)
                scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
                motion = {"name": "prefers-reduced-motion", "value": "reduce"}
                self.browser.tab.call("Emulation.setEmulatedMedia", features=[scheme, motion])
                self.open()
                self.browser.evaluate(checker + ";0")
                for state in ("listed", "chosen"):
                    if state == "listed":
                        self.type(text, said)
                        self.key("ArrowDown")
                    if state == "chosen":
                        self.key("Enter")
                        self.wait("chosen !== null")
                    with self.subTest(list=index.parent.name, size=(width, height), dark=dark, state=state):
                        self.assertEqual(self.violations(), [])


@unittest.skipUnless(firefox.executable(), "there is no Firefox; Scripts/dependencies.sh --tests installs it on Debian")
class InFirefox(Lists, unittest.TestCase):
    kind = firefox.Firefox


if __name__ == "__main__":
    unittest.main()
