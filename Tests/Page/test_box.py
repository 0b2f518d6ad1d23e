"""Tests the box for other pages, shardq-box.js, in Chromium and in Debian's firefox-esr: over a server and over files.

The box stands in a page of another origin. The tests type, move by keys and choose, with hostile records, wrong addresses
and hosts that are silent or away. `Tests/Page/run.sh` runs the tests.
"""

import json
import time
import unittest

import firefox
import test_lists
import test_page
import test_visits
from boxes import MARKUP, RECORDS, Page, has_server


class Boxes(Page):
    """The tests of both browsers; `kind` is one of them."""

    def test_typing_and_choosing(self):
        for script in self.sources():
            with self.subTest(script):
                self.open(script)
                self.assertEqual(self.evaluate("[isSeen(input), rows.length, input.ariaExpanded, input.ariaLabel]"), [True, 0, "false", "Products"])
                self.type("tea")
                self.wait("rows.length === 8 && /^(40|8)[+]? matches$/.test(message.textContent)")
                self.assertEqual(self.labels(), [f"Tea {number:03}" for number in range(39, 31, -1)])
                self.assertEqual(self.evaluate("rows[0].querySelector('mark').textContent"), "Tea")
                self.assertEqual(self.evaluate("[input.ariaExpanded, isSeen(rows[7]), isSeen(message)]"), ["true", True, False])
                self.keys("ArrowDown", "ArrowDown")
                selected = "rows.filter(row => row.ariaSelected === 'true').map(row => row.textContent)"
                self.assertEqual(self.evaluate(f"[active.textContent, active.part.value, {selected}, said]"), ["Tea 038", "row active", ["Tea 038"], []])
                self.key("Enter")
                self.wait("said.length === 1")
                self.assertEqual(self.evaluate("said"), [["shardq-choose", RECORDS[38]]])
                self.assertEqual(self.evaluate("[input.value, rows.length, input.ariaExpanded, box.value]"), ["Tea 038", 0, "false", "Tea 038"])
                self.type("taa 01")
                self.wait("rows.length > 0 && rows[0].textContent.startsWith('Tea 01')")
                self.type("nothing")
                self.wait("message.textContent === 'No match for nothing' && isSeen(message) && rows.length === 0")
                self.assertEqual(self.complaints(), [])

    def test_keys(self):
        self.open(f"{self.served}/shardq-box.js")
        self.assertTrue(self.key("Enter"))  # Without a list Enter is the page's.
        self.key("ArrowDown")
        self.wait("rows.length === 8")
        for name, row in (("ArrowUp", 7), ("ArrowDown", -1), ("ArrowDown", 0), ("ArrowUp", -1), ("ArrowUp", 7)):
            self.key(name)
            self.assertEqual(self.evaluate("rows.indexOf(active)"), row)
        self.assertTrue(self.key("ArrowLeft"))
        self.assertFalse(self.key("Escape"))
        self.assertEqual(self.evaluate("[rows.length, input.ariaExpanded]"), [0, "false"])
        self.type("tea")
        self.wait("rows.length === 8")
        self.key("Escape")
        self.assertEqual(self.evaluate("[input.value, rows.length]"), ["tea", 0])
        self.key("ArrowDown", altKey=True)
        self.wait("rows.length === 8")
        self.key("ArrowUp", altKey=True)
        self.assertEqual(self.evaluate("rows.length"), 0)
        self.key("Escape")
        self.assertEqual(self.evaluate("input.value"), "")
        # An input method keeps its keys.
        self.type("tea")
        self.wait("rows.length === 8")
        self.assertTrue(self.key("Enter", isComposing=True))
        self.assertEqual(self.evaluate("said.length"), 0)
        # Enter before the answer chooses of the new answer.
        self.evaluate("(input.select(), document.execCommand('insertText', false, 'tea 00'), input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' })))")
        self.wait("said.length === 1")
        self.assertEqual(self.evaluate("said[0][1].name"), "Tea 009")
        # The pointer.
        self.type("tea 01")
        self.wait("rows.length === 8 && rows[0].textContent === 'Tea 019'")
        self.evaluate("rows[2].click()")
        self.assertEqual(self.evaluate("said[1][1].name"), "Tea 017")
        self.type("tea")
        self.wait("rows.length === 8")
        self.evaluate("input.blur()")
        self.assertEqual(self.evaluate("rows.length"), 0)

    def test_attributes(self):
        for script in self.sources():
            with self.subTest(script):
                self.open(script, "limit=3 filter='brand=Alma\nprice=10..20' sort=price")
                self.type("tea")
                self.wait("rows.length === 3")
                self.assertEqual(self.labels(), ["Tea 011", "Tea 013", "Tea 015"])
                self.evaluate("(box.setAttribute('sort', '-price'), box.setAttribute('limit', '50'), box.removeAttribute('filter'))")
                self.type("tea 0")
                self.wait("rows.length === 40 && rows[0].textContent === 'Tea 039'")
                self.evaluate("(box.setAttribute('typos', 'none'), box.setAttribute('placeholder', 'Tees'))")
                self.assertEqual(self.evaluate("[input.placeholder, input.ariaLabel]"), ["Tees", "Tees"])
                self.type("taa")
                self.wait("message.textContent === 'No match for taa'")
                for name, value, said in (("limit", "0", "limit must be"), ("limit", "x", "limit must be"), ("sort", "nosuch", "nosuch"), ("filter", "nosuch=1", "nosuch")):
                    self.evaluate(f"box.setAttribute('{name}', '{value}')")
                    self.type("te")
                    self.wait(f"message.textContent.startsWith('The search failed: ') && message.textContent.includes('{said}') && isSeen(message)")
                    self.assertEqual(self.evaluate("said.at(-1)[0]"), "shardq-error")
                    self.evaluate(f"box.removeAttribute('{name}')")

    def test_another_address(self):
        """The script of one host, and the index of another."""
        addresses = [f"{self.served}/v1/"] + [f"{self.files}/index/", f"{self.files}/index"] * self.has_site
        for script in self.sources():
            for address in addresses:
                if script.startswith(self.served) and not address.endswith("v1/"):
                    continue  # A server has no engine for browsers.
                with self.subTest(script=script, address=address):
                    self.open(script, f"index='{address}'")
                    self.type("tea")
                    self.wait("rows.length === 8 && rows[0].textContent === 'Tea 039'")

    def test_hostile_records(self):
        inside = "<template><b data-field=key></b> <i part=brand data-field=brand></i> <u data-field=maker.town></u> <s data-field=maker></s></template>"
        for script in self.sources():
            for template in ("", inside):
                with self.subTest(script=script, template=bool(template)):
                    self.open(script, "", template)
                    self.type("zebra")
                    self.wait("rows.length === 1")
                    self.assertEqual(self.evaluate("[root.querySelectorAll('img, script').length, document.title]"), [0, "A shop"])
                    label = f"Zebra {MARKUP}"
                    town = json.dumps({"town": MARKUP}, separators=(",", ":"))
                    self.assertEqual(self.labels(), [f"{label} {MARKUP} {MARKUP} {town}" if template else label])
                    self.type("long")
                    self.wait("rows.length === 1 && rows[0].textContent.startsWith('Long')")
                    self.assertEqual(self.evaluate("(root.querySelector('i')?.textContent ?? '').length"), 2000 if template else 0)
                    self.assertLess(self.evaluate("root.querySelector('ul').offsetHeight / innerHeight"), 0.61)
                    self.type("räuber")
                    self.wait("rows.length === 1 && rows[0].textContent.startsWith('Räuber')")
                    self.key("Enter")
                    self.wait("said.length === 1")
                    self.assertEqual(self.evaluate("said[0][1].name"), RECORDS[-1]["name"])
                    self.assertEqual(self.evaluate("document.title"), "A shop")

    def test_wrong_addresses(self):
        free = test_lists.free_port()
        cases = [
            (f"{self.served}/shardq-box.js", f"http://127.0.0.1:{free}/v1/", f"127.0.0.1:{free} cannot be reached"),
            (f"{self.served}/shardq-box.js", f"{self.served}/nosuch/v1/", "no such path"),
            (f"{self.served}/shardq-box.js", f"{self.files}/v1/", "is no server of shardq"),
            (f"{self.served}/shardq-box.js", "http://[", "http://[ is no address"),
            (f"{self.served}/shardq-box.js", f"{self.served}/index/", "static.js"),
        ]
        if self.has_site:
            cases += [
                (f"{self.files}/shardq-box.js", f"http://127.0.0.1:{free}/index/", f"http://127.0.0.1:{free}/index/"),
                (f"{self.files}/shardq-box.js", f"{self.files}/nosuch/", "no index at"),
                (f"{self.files}/shardq-box.js", f"{self.files}/index.html/", "index.html"),
            ]
        for script, address, said in cases:
            with self.subTest(script=script, address=address):
                self.open(script, f"index='{address}'")
                self.assertTrue(self.evaluate("isSeen(input)"))
                self.type("tea")
                self.wait("message.textContent.startsWith('The search failed: ') && isSeen(message) && rows.length === 0")
                self.assertIn(said, self.evaluate("message.textContent"))
                self.assertEqual(self.evaluate("said.length"), 1)
                # A right address takes the place of the wrong one.
                self.evaluate(f"box.setAttribute('index', '{self.served}/v1/')")
                self.type("tea")
                self.wait("rows.length === 8")

    def test_a_silent_host(self):
        self.open(f"{self.served}/shardq-box.js", f"index='{self.files}/slow/v1/'")
        self.host.held = "/slow/"
        begin = time.monotonic()
        self.type("tea")
        self.wait("isSeen(message) && message.textContent.includes('cannot be reached')", seconds=25)
        self.assertGreater(time.monotonic() - begin, 9)

    def test_a_script_that_does_not_come(self):
        """The page has the content of the element then."""
        self.host.pages["/page"] = (
            f"<!doctype html><title>A shop</title><script type=module src='{self.files}/nosuch.js'></script>"
            "<shardq-box><a href='/search'>Search</a></shardq-box>")
        self.browser.open(f"http://127.0.0.1:{self.host.server_port}/page")
        self.wait("document.querySelector('shardq-box a')?.getClientRects().length > 0")

    def test_the_newest_answer_stays(self):
        """An answer that comes late does not take the place of a newer one."""
        self.open(f"{self.served}/shardq-box.js")
        self.evaluate("""(() => {
            const ask = window.fetch
            window.fetch = async (url, options) => {
                const answer = await ask(url, options)
                if (!/q=tea&/.test(url)) return answer
                await new Promise(resolve => setTimeout(resolve, 700))
                options.signal.throwIfAborted()
                return answer
            }
        })()""")
        self.type("tea")
        self.type("tea 00")
        self.wait("rows[0]?.textContent === 'Tea 009'")
        time.sleep(1)
        self.assertEqual(self.evaluate("[rows[0].textContent, said.length]"), ["Tea 009", 0])

    def test_first_rows_do_not_wait_for_the_engine(self):
        if not self.has_site:
            self.skipTest("there is no module: Scripts/build-wasm.sh")
        self.host.held = "/shardq.wasm"
        self.open(f"{self.files}/shardq-box.js")
        self.type("tea")
        self.wait("rows.length === 8 && rows[0].textContent === 'Tea 039'")
        self.assertTrue(self.evaluate("message.textContent").endswith(" matches"))
        self.keys("ArrowDown", "ArrowDown", "Enter")
        time.sleep(0.3)
        self.assertEqual(self.evaluate("said.length"), 0)
        # The record comes with the whole answer.
        self.host.free.set()
        self.wait("said.length === 1")
        self.assertEqual(self.evaluate("said"), [["shardq-choose", RECORDS[38]]])
        # A filter has no first rows.
        self.assertEqual([name for name in self.host.log if name.startswith("/first-")], ["/first-74.json"])
        self.open(f"{self.files}/shardq-box.js", "filter=brand=Alma")
        self.type("tea")
        self.wait("rows.length === 8 && rows[1].textContent === 'Tea 037'")
        self.assertEqual(self.complaints(), [])

    def test_texts_and_parts(self):
        style = "<style>shardq-box::part(input) { width: 123px } shardq-box::part(active) { color: rgb(1, 2, 3) }</style>"
        self.open(f"{self.served}/shardq-box.js", head=style)
        self.evaluate("Object.assign(box.texts, { matches: (count, isLeast) => `${count} Treffer`, none: text => `Nichts: ${text}` })")
        self.type("tea")
        self.wait("rows.length === 8")
        self.key("ArrowDown")
        self.assertEqual(
            self.evaluate("[message.textContent, getComputedStyle(input).width, getComputedStyle(active).color]"),
            ["40 Treffer", "123px", "rgb(1, 2, 3)"])
        self.type("qqq")
        self.wait("message.textContent === 'Nichts: qqq'")

    def test_a_strict_policy(self):
        sources = f"{self.served} {self.files}"
        policy = f"default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' {sources}; connect-src {sources}"
        for script in self.sources():
            with self.subTest(script):
                self.open(script, head=f"<meta http-equiv=Content-Security-Policy content=\"{policy}\">")
                self.type("tea")
                self.wait("rows.length === 8 && getComputedStyle(rows[0]).listStyleType === 'none'")
                self.assertEqual(self.complaints(), [])


@unittest.skipUnless(has_server(), "there is no server: Scripts/build.sh --server")
class InChromium(Boxes, unittest.TestCase):
    kind = test_visits.Chromium

    def test_the_accessibility_checker_finds_nothing(self):
        checker = test_page.axe()
        if not checker:
            self.skipTest("there is no axe.min.js: Scripts/dependencies.sh --tests")
        for width, dark in ((360, True), (1280, False)):
            self.browser.tab.size(width, 700)
            scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
            self.browser.tab.call("Emulation.setEmulatedMedia", features=[scheme])
            self.open(f"{self.served}/shardq-box.js", head="<meta name=color-scheme content='light dark'>")
            self.browser.evaluate(checker + ";0")
            for state in ("empty", "listed", "highlighted", "none", "failed"):
                if state == "listed":
                    self.type("tea")
                    self.wait("rows.length === 8")
                if state == "highlighted":
                    self.key("ArrowDown")
                if state == "none":
                    self.type("qqq")
                    self.wait("isSeen(message)")
                if state == "failed":
                    self.evaluate("box.setAttribute('limit', 'x')")
                    self.type("te")
                    self.wait("message.textContent.includes('limit')")
                with self.subTest(width=width, dark=dark, state=state):
                    found = json.loads(self.browser.tab.evaluate(
                        "axe.run().then(({ violations, passes }) => JSON.stringify([passes.length, violations.map(({ id, nodes }) =>"
                        " [id, nodes.map(({ html, failureSummary }) => html + failureSummary)])]))", awaits=True))
                    self.assertEqual(found[1], [])
                    self.assertGreater(found[0], 10)

    def test_the_tree_of_assistive_software(self):
        self.open(f"{self.served}/shardq-box.js")
        self.type("tea")
        self.wait("rows.length === 8")
        self.key("ArrowDown")
        tree = self.browser.tab.tree()
        field, = (node for node in tree if node[0] == "combobox")
        self.assertEqual((field[1], field[2]["expanded"], field[2]["autocomplete"]), ("Products", True, "list"))
        options = [node for node in tree if node[0] == "option"]
        self.assertEqual([node[1] for node in options], [f"Tea {number:03}" for number in range(39, 31, -1)])
        self.assertEqual([node[2].get("selected", False) for node in options], [True] + [False] * 7)
        self.assertTrue(any(role == "status" for role, *_ in tree))


@unittest.skipUnless(firefox.executable(), "there is no Firefox; Scripts/dependencies.sh --tests installs it on Debian")
@unittest.skipUnless(has_server(), "there is no server: Scripts/build.sh --server")
class InFirefox(Boxes, unittest.TestCase):
    kind = firefox.Firefox


if __name__ == "__main__":
    unittest.main()
