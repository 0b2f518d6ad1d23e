"""Tests the look of the page in Chromium and in Debian's firefox-esr: rows that lead to addresses, cards, the record
beside the list, the beginning, the owner's colour, logo and title, and hostile records in all of them.

Each test has a server or a folder of `shardq page`; the folder needs the module that Scripts/build-wasm.sh makes.
`Tests/Page/run.sh` runs the tests.
"""

import functools
import http.server
import json
import pathlib
import subprocess
import tempfile
import threading
import time
import unittest

import browser
import firefox
import server
import test_lists
import test_page
import test_visits

MODULE = server.ROOT / ".build/wasm/module/shardq.wasm"
SHOP = "--words", "--typos", "--weight", "sold", "--key", "{name}, {brand}"
SCRIPT = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>"


def lamps(images):
    """Sixty lamps, the last one the best; each third has no picture, the others have two."""
    for i in range(60):
        yield {
            "name": f"Desk lamp {i:02}", "brand": "Lumen" if i % 2 else "Norde", "price": f"{1000 + i}.5", "sold": i,
            "url": f"{images}/product-{i}.html", "photos": [f"{images}/dot.svg", f"{images}/other.svg"] if i % 3 else [],
        }


def hostile(images):
    """Records with markup in every field, and with addresses that run scripts."""
    addresses = [
        "javascript:document.title='taken'", "JaVaScript:document.title='taken'", " javascript:document.title='taken'",
        "java\tscript:document.title='taken'", "data:text/html,<script>document.title='taken'</script>", "//[", "a b",
        "https://user:word@evil.example/", "file:///etc/passwd", f"blob:{images}/1", "x" * 10_000,
    ]
    for i, address in enumerate(addresses):
        yield {
            "name": f"zz {i:02} {SCRIPT}", "brand": SCRIPT, "price": SCRIPT, "sold": i, "url": address,
            "photos": [[address], {"url": address}], "__proto__": {"polluted": "yes"},
        }
    yield {"name": "zy long", "brand": "b" * 10_000, "price": "9" * 10_000, "sold": 1, "url": "a/b"}


class Looks(test_lists.Pages):
    """The tests of both browsers."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for i in range(60):
            pathlib.Path(cls.directory, f"product-{i}.html").write_text(f"<!doctype html><title>Product {i}</title>")
        cls.lamps = cls.build("lamps", lamps(cls.images), *SHOP)
        cls.hostile = cls.build("hostile", hostile(cls.images), *SHOP[:4], "--key", "{name}")
        cls.look = ("--image", "photos", "--image-origin", cls.images, "--row", "{name}", "--row-right", "{price} €",
                    "--subtitle", "{brand}")

    def setUp(self):
        self.browser.size(1280, 800)

    def host(self, index, *options):
        """Serves a folder of `shardq page`."""
        if not MODULE.exists():
            self.skipTest("there is no shardq.wasm: Scripts/build-wasm.sh .build/wasm/module/shardq.wasm")
        site = pathlib.Path(tempfile.mkdtemp(dir=self.directory), "site")
        subprocess.run([server.command("shardq"), "page", "-q", "-i", index, "-o", site, *options], check=True)
        files = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(test_lists.Images, directory=site))
        threading.Thread(target=files.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        self.addCleanup(files.server_close)
        self.addCleanup(files.shutdown)
        self.url = f"http://127.0.0.1:{files.server_port}/"

    def both(self, index, *options):
        """The list from a server, and from a host of files."""
        for place in (self.serve, self.host):
            place(index, *options)
            self.open()
            yield place.__name__

    def rows(self, part):
        """A part of the rows, in their order."""
        return self.evaluate(
            "[...document.querySelectorAll('.row:not(.waiting)')].sort((a, b) => a.ariaPosInSet - b.ariaPosInSet)"
            f".map(row => {part})")

    def typed(self, text, first):
        """Types a text and waits for the whole answer, whose first row has a name."""
        self.evaluate("input.focus(), input.select()")
        self.browser.type(text)
        self.wait(f"document.querySelectorAll('.row:not(.waiting)').length > 0 && input.value === {json.dumps(text)}"
                  f" && document.querySelector('#match-0 .title').textContent.startsWith({json.dumps(first)})"
                  f" && document.querySelector('#match-0 mark').textContent.toLowerCase() === {json.dumps(text)}"
                  " && document.querySelector('#match-0').ariaPosInSet === '1' && byId('busy').hidden")

    def test_rows_lead_to_addresses(self):
        for _ in self.both(self.lamps, *self.look, "--link", "url", "--lang", "de"):
            self.typed("desk", "Desk lamp 59")
            self.assertEqual(self.rows("[row.localName, row.href, row.querySelector('.title').textContent,"
                                       " row.querySelector('.right').textContent]")[:2],
                             [["a", f"{self.images}/product-{i}.html", f"Desk lamp {i}", f"1.0{i},50 €"] for i in (59, 58)])
            # The marks are those of the key, at the same letters of the row.
            self.assertEqual(self.rows("row.querySelector('mark').textContent")[0], "Desk")
            self.key("ArrowDown")
            self.wait("byId('chosen').textContent === 'Desk lamp 59'")
            self.assertEqual(self.shown("document.querySelector('#chosen a').href", "byId('place').textContent"),
                             [f"{self.images}/product-59.html", "1.059,50 €"])
            self.key("ArrowDown")
            self.key("Enter")
            self.wait("document.title === 'Product 58'")
            self.evaluate("history.back()")
            self.wait("input?.value === 'desk' && document.querySelectorAll('.row:not(.waiting)').length > 5")
            self.evaluate("document.querySelector('#match-3').click()")
            self.wait("document.title === 'Product 56'")
            # The page notes the records that it led to.
            self.browser.open(self.url)
            self.wait("document.querySelectorAll('#recent a').length === 2")
            self.assertEqual(self.evaluate("[...document.querySelectorAll('#recent a')].map(a => [a.textContent, a.href])"),
                             [[f"Desk lamp {i}", f"{self.images}/product-{i}.html"] for i in (56, 58)])
            self.assertEqual([said for said in self.complaints() if "favicon" not in str(said)], [])

    def test_cards(self):
        for _ in self.both(self.lamps, *self.look):
            self.typed("desk", "Desk lamp 59")
            self.assertEqual(self.evaluate("byId('layout').title"), "Show as cards")
            self.evaluate("byId('layout').click()")
            tops = "[...new Set([...document.querySelectorAll('.row')].map(row => Math.round(row.getBoundingClientRect().top)))]"
            self.wait(f"location.hash === '#q=desk&view=grid' && {tops}.length < document.querySelectorAll('.row').length / 3")
            self.assertEqual(self.evaluate("byId('layout').title"), "Show as a list")
            # The card of a record without picture begins with its text.
            heads = self.rows("[row.querySelector('.title').getBoundingClientRect().top - row.getBoundingClientRect().top > 100,"
                              " row.querySelector('.thumb').hidden]")
            self.assertEqual(heads[:3], [[True, False], [True, False], [False, True]])
            columns = self.evaluate("document.querySelector('#sheet').style.getPropertyValue('--columns')")
            self.assertGreaterEqual(int(columns), 4)
            for name, row in [("ArrowDown", 0), ("ArrowRight", 1), ("ArrowDown", 1 + int(columns)), ("ArrowLeft", int(columns)),
                              ("ArrowUp", 0), ("ArrowUp", None), ("ArrowDown", 0)]:
                self.key(name)
                self.assertEqual(self.evaluate("document.querySelector('.row[aria-selected=true]')?.id ?? null"),
                                 None if row is None else f"match-{row}", name)
            # To the end of the list, where the last card is in sight.
            self.wait("(byId('matches').scrollTop = 1e6) && document.querySelector('#match-59:not(.waiting)')?.getBoundingClientRect().bottom <= innerHeight")
            self.browser.reload()
            self.wait("document.body?.classList.contains('grid') && document.querySelectorAll('.row:not(.waiting)').length > 5")
            self.evaluate("byId('layout').click()")
            self.wait(f"location.hash === '#q=desk' && {tops}.length === document.querySelectorAll('.row').length")
            # Firefox advises against lists that follow a scroller.
            self.assertEqual([said for said in self.complaints() if "scroll-linked" not in str(said)], [])

    def test_a_link_with_fields_and_a_record_without_picture_that_leaves_no_gap(self):
        self.serve(self.lamps, *self.look, "--link", "products/{name}?by={brand}")
        self.open()
        self.typed("desk", "Desk lamp 59")
        self.assertEqual(self.rows("row.href")[0], f"{self.url}products/Desk%20lamp%2059?by=Lumen")
        lefts = self.rows("row.querySelector('.title').getBoundingClientRect().left - row.getBoundingClientRect().left")
        hidden = self.rows("row.querySelector('.thumb').hidden")
        self.assertEqual(hidden[:6], [False, False, True, False, False, True])
        self.assertTrue(lefts[2] == lefts[5] < 30 and lefts[0] == lefts[1] == lefts[3] > 60, lefts[:6])
        # A picture that does not come leaves none either.
        self.evaluate("document.querySelector('#match-1 .thumb').src = '/nowhere.png'")
        self.wait("document.querySelector('#match-1 .thumb').hidden")
        self.assertEqual(self.rows("row.querySelector('.title').getBoundingClientRect().left")[1],
                         self.rows("row.querySelector('.title').getBoundingClientRect().left")[2])

    def test_the_record_stands_beside_the_list(self):
        self.serve(self.lamps, *self.look)
        self.open()
        field = self.evaluate("input.getBoundingClientRect().left")
        self.typed("desk", "Desk lamp 59")
        self.choose("Desk lamp 59")
        beside = "byId('card').getBoundingClientRect().left >= byId('matches').getBoundingClientRect().right"
        self.assertEqual(self.shown(beside, "byId('card').getBoundingClientRect().top < 100", "byId('matches').offsetHeight > 500",
                                    "document.documentElement.scrollWidth <= innerWidth", "input.getBoundingClientRect().left"),
                         [True, True, True, True, field])
        self.browser.size(1000, 800)
        self.wait("byId('card').getBoundingClientRect().top >= byId('matches').getBoundingClientRect().bottom - 1")

    def test_the_beginning(self):
        for place in self.both(self.lamps, *self.look):
            self.wait("document.querySelectorAll('#top li').length === 12")
            self.assertEqual(self.shown(
                "document.querySelector('#top .title').textContent", "document.querySelector('#top .right').textContent",
                "byId('recent').hidden", "document.querySelectorAll('#top .thumb:not([hidden])').length",
                "byId('help').offsetHeight"), ["Desk lamp 59", "1,059.50 €", True, 8, 0])
            # The top of the list leads to its records, and the page notes the last eight.
            for i in range(10):
                self.evaluate(f"document.querySelectorAll('#top a')[{i}].click()")
                self.wait(f"!byId('card').hidden && byId('chosen').textContent === 'Desk lamp {59 - i}'")
            names = "[...document.querySelectorAll('#recent a')].map(a => a.textContent)"
            self.assertEqual(self.evaluate(names), [f"Desk lamp {i}" for i in range(50, 58)])
            self.browser.open(self.url)
            self.wait(f"({names}).length === 8")
            self.evaluate("document.querySelectorAll('#recent a')[2].click()")
            self.wait("byId('chosen').textContent === 'Desk lamp 52'")
            self.assertEqual(self.evaluate(names), [f"Desk lamp {i}" for i in (52, 50, 51, 53, 54, 55, 56, 57)])
            self.evaluate("byId('forget').click()")
            self.assertEqual(self.shown("byId('recent').hidden", "localStorage.getItem('shardq chosen /')"), [True, None])
            # Nonsense in the storage is no entry, and no address there runs a script.
            kept = [["a", "b", "c", "javascript:1", "javascript:document.title='taken'"], ["a"], 7, None, [1, 2, 3, 4, 5]]
            self.evaluate(f"localStorage.setItem('shardq chosen /', {json.dumps(json.dumps(kept))})")
            self.browser.open(self.url)
            self.wait("byId('said').textContent !== '' && !byId('recent').hidden")
            self.assertEqual(self.evaluate("[...document.querySelectorAll('#recent a')].map(a => [a.textContent, a.hash, "
                                           "a.querySelector('img')])"), [["c", "#key=a&is=b", None]])
            self.evaluate("localStorage.setItem('shardq chosen /', '{')")
            self.browser.open(self.url)
            self.wait("byId('said').textContent !== ''")
            self.assertTrue(self.evaluate("byId('recent').hidden"))
            self.typed("desk", "Desk lamp 59")
            self.assertEqual(self.complaints(), [], place)

    def test_the_owner(self):
        for _ in self.both(self.lamps, *self.look, "--title", "Lamps & <Co>", "--accent", "gold", "--logo",
                           self.images + "/dot.svg", "--home", "../"):
            self.wait("document.querySelector('.logo').naturalWidth === 200")
            self.assertEqual(self.shown("document.querySelector('h1 a').href", "document.querySelector('h1').textContent",
                                        "document.title"), [self.url, "Lamps & <Co>", "Lamps & <Co>"])
            red, green, blue = json.loads(self.evaluate(
                "getComputedStyle(document.querySelector('h1')).color.replace('rgb(', '[').replace(')', ']')"))
            # Gold, but darker: gold on white has a contrast of 1.4.
            self.assertTrue(160 > red > green > blue == 0, (red, green, blue))
            self.typed("desk", "Desk lamp 59")
            # The letters that match are not coloured, nor is the first letter of the title.
            self.assertEqual(self.shown(*(f"getComputedStyle({node}).color" for node in (
                "document.querySelector('.row mark')", "document.querySelector('.row .title')"))), ["rgb(28, 32, 36)"] * 2)
            self.assertEqual(self.evaluate("getComputedStyle(document.querySelector('h1'), '::first-letter').color"),
                             f"rgb({red}, {green}, {blue})")
            self.assertEqual(self.complaints(), [])

    def test_hostile_records(self):
        for _ in self.both(self.hostile, *self.look, "--link", "url"):
            self.typed("zz", "zz 10")
            self.wait("document.querySelectorAll('.row:not(.waiting)').length === 11")
            self.assertEqual(self.rows("[row.hasAttribute('href'), row.querySelector('.thumb').hidden]"), [[False, True]] * 11)
            self.assertEqual(self.shown(
                "document.querySelectorAll('.row :is(img:not(.thumb), script, b), #card script, #card img:not(#picture)').length",
                "document.querySelector('.row .title').textContent.includes('<img src=x onerror=')", "'polluted' in {}"),
                [0, True, False])
            self.key("ArrowDown")
            self.key("Enter")
            self.wait("!byId('card').hidden && !byId('card').classList.contains('preview')")
            self.evaluate("byId('layout').click()")
            self.typed("zy", "zy long")
            # Bounded: no text of ten thousand letters is on the page as a whole.
            self.assertLess(self.evaluate("Math.max(...[...document.querySelectorAll('main *')].filter(node => !node.children.length)"
                                          ".map(node => node.textContent.length))"), 2100)
            self.assertEqual(self.rows("row.href"), [self.url + "a/b"])
            self.key("Enter")
            self.wait("location.pathname === '/a/b'")
            self.browser.open(self.url)
            self.wait("document.querySelectorAll('#recent a').length === 2")
            self.assertNotIn("taken", self.evaluate("document.title"))
            self.evaluate("document.querySelectorAll('#recent a')[1].click()")
            self.wait("!byId('card').hidden && byId('chosen').textContent.startsWith('zz ')")
            # The address asks for /a/b, which no host has.
            self.assertEqual([said for said in self.complaints() if "taken" in str(said) or "Exception" in str(said)], [])

    def test_a_label_of_ten_thousand_letters(self):
        self.serve(self.build("labels", [{"name": "zy " + "long " * 2000, "sold": 1, "price": "1"}], *SHOP[:4], "--key", "{name}"),
                   "--row-right", "{price}")
        self.open()
        self.typed("zy", "zy long")
        self.key("ArrowDown")
        self.key("Enter")
        self.wait("!byId('card').hidden && !byId('card').classList.contains('preview')")
        self.browser.open(self.url)
        self.wait("document.querySelectorAll('#recent a').length === 1")
        self.evaluate("document.querySelector('#recent a').click()")
        self.wait("byId('chosen').textContent.startsWith('zy long')")
        self.assertEqual(self.shown("byId('chosen').textContent.length", "byId('chosen').offsetHeight < innerHeight / 2"), [301, True])
        self.assertEqual(self.complaints(), [])

    def test_refused_options(self):
        for options, said in [
            (["--link", "javascript:alert({name})"], "--link: the page has no addresses of javascript:"),
            (["--link", "adress"], "--link: the index has no field adress"),
            (["--logo", "data:image/svg+xml,x"], "--logo: the page has no addresses of data:"),
            (["--home", "javascript:1"], "--home: the page has no addresses of javascript:"),
            (["--accent", "red}body{display:none"], "--accent: red}body{display:none is not a colour"),
            (["--row", "{title}"], "--row: the index has no field title"),
            (["--row-right", "price"], "--row-right: it names no field"),
        ]:
            for command in (["serve", "--listen", "127.0.0.1:0"], ["page", "-o", pathlib.Path(self.directory, "none")]):
                done = subprocess.run([server.command("shardq-commands"), *command, "-i", self.lamps, *options],
                                      capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(done.returncode, 64, (command, options, done.stderr))
                self.assertIn(said, done.stderr)


@unittest.skipUnless(browser.executable(), "there is no Chromium; Scripts/dependencies.sh --tests installs it on Debian")
class InChromium(Looks, unittest.TestCase):
    kind = test_visits.Chromium

    def targets(self):
        found = self.browser.call("Target.getTargets")["targetInfos"]
        return sorted(one["url"] for one in found if one["type"] == "page" and "product-" in one["url"])

    def click(self, selector, button="left", modifiers=0):
        x, y = self.browser.tab.middle(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.tab.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=1, modifiers=modifiers)

    def test_other_tabs(self):
        """Ctrl with a click or Enter, and the middle button, open another tab; the page stays."""
        self.serve(self.lamps, *self.look, "--link", "url")
        self.open()
        self.typed("desk", "Desk lamp 59")
        self.click("#match-0", modifiers=2)
        self.click("#match-1", button="middle")
        self.browser.tab.press("ArrowDown", 3)
        self.browser.tab.press("Enter", modifiers=2)
        wanted = [f"{self.images}/product-{i}.html" for i in (57, 58, 59)]
        end = time.monotonic() + 10
        while self.targets() != wanted and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(self.targets(), wanted)
        self.assertEqual(self.shown("input.value", "document.activeElement === input", "location.hash"), ["desk", True, "#q=desk"])
        self.assertEqual(self.evaluate("recent.list.map(([label]) => label.slice(10, 12))"), ["57", "58", "59"])
        for target in self.browser.call("Target.getTargets")["targetInfos"]:
            if "product-" in target["url"]:
                self.browser.call("Target.closeTarget", targetId=target["targetId"])

    def test_without_storage(self):
        script = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError') } })"
        added = self.browser.tab.call("Page.addScriptToEvaluateOnNewDocument", source=script)["identifier"]
        self.addCleanup(self.browser.tab.call, "Page.removeScriptToEvaluateOnNewDocument", identifier=added)
        self.serve(self.lamps, *self.look)
        self.open()
        self.wait("document.querySelectorAll('#top li').length === 12")
        self.evaluate("document.querySelector('#top a').click()")
        self.wait("chosen?.label === 'Desk lamp 59, Lumen' && document.querySelectorAll('#recent a').length === 1")
        self.evaluate("byId('forget').click()")
        self.wait("byId('recent').hidden")
        self.assertEqual(self.complaints(), [])

    def test_cards_on_a_phone(self):
        for width, columns in [(320, 2), (390, 2), (600, 3)]:
            self.browser.size(width, 740)
            self.serve(self.lamps, *self.look)
            self.open("#q=desk&view=grid")
            self.wait(f"list.columns === {columns} && document.querySelectorAll('.row:not(.waiting)').length > 3")
            self.assertLessEqual(self.evaluate("document.documentElement.scrollWidth"), width)

    def test_records_of_ten_megabytes(self):
        records = [{"name": f"Large {i}", "brand": "<b>" * (3_400_000 if i == 1 else 300_000), "price": "1", "url": "a", "sold": i,
                    "photos": "<b>" * 300_000} for i in range(4)]
        self.serve(self.build("large", records, *SHOP[2:4], "--key", "{name}"), *self.look, "--link", "url")
        self.open()
        self.wait("document.querySelectorAll('#top li').length === 3")
        self.evaluate("input.focus(), document.execCommand('insertText', false, 'large')")
        self.wait("document.querySelectorAll('.row:not(.waiting)').length === 4")
        self.assertEqual(self.evaluate("document.querySelectorAll('.row[href]').length"), 3)
        self.assertLess(self.evaluate("document.querySelector('main').innerHTML.length"), 40_000)
        # The browser notes each answer that is too large, and that the page asks for in halves.
        self.assertEqual([said for said in self.complaints() if "503" not in str(said)], [])

    def test_the_accessibility_checker_finds_nothing(self):
        checker = test_page.axe()
        if not checker:
            self.skipTest("there is no axe.min.js: Scripts/dependencies.sh --tests")
        for link in ((), ("--link", "url")):
            self.serve(self.lamps, *self.look, *link, "--accent", "#fd0", "--home", "/", "--logo", self.images + "/dot.svg")
            for width, height, dark in [(360, 740, True), (1280, 800, False), (1280, 800, True)]:
                self.browser.size(width, height)
                scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
                motion = {"name": "prefers-reduced-motion", "value": "reduce"}
                self.browser.tab.call("Emulation.setEmulatedMedia", features=[scheme, motion])
                self.addCleanup(self.browser.tab.call, "Emulation.setEmulatedMedia", features=[motion])
                self.open()
                self.evaluate("recent.note(rowAt(0)), recent.note(rowAt(3)), showBegin()")
                self.browser.evaluate(checker + ";0")
                for state in ("beginning", "list", "cards", "record"):
                    if state == "list":
                        self.typed("desk", "Desk lamp 59")
                        self.key("ArrowDown")
                    if state == "cards":
                        self.evaluate("byId('layout').click()")
                    if state == "record":
                        self.evaluate("setChosen(rowAt(1)), makeRoom()")
                    with self.subTest(link=link, size=(width, height), dark=dark, state=state):
                        self.assertEqual(self.violations(), [])


@unittest.skipUnless(firefox.executable(), "there is no Firefox; Scripts/dependencies.sh --tests installs it on Debian")
class InFirefox(Looks, unittest.TestCase):
    kind = firefox.Firefox


if __name__ == "__main__":
    unittest.main()
