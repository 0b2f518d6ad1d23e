"""Tests the page in a real browser: actions of people, faults of the server, and the tree for assistive software.

`Tests/Page/run.sh` runs the tests. bin/shardq-serve answers if it is built, else the stand-in of server.py. In both cases
the stand-in is in between, so that it can be slow and can fail.
"""

import contextlib
import functools
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse
import urllib.request

import browser
import server

LIST, CARD, INPUT = "#matches", "#card", "#query"
ALT, CTRL = 1, 2
RECORDS = 12_000


def dataset():
    """A list of awkward records: long, equal and hostile names, directions, numbers that are no doubles."""
    for i in range(RECORDS):
        yield {
            "name": f"Salt Lick {i:05}",
            "country": "QQ",
            "id": i,
            "coord": {"lon": (i * 37 % 3600) / 10 - 180, "lat": (i * 17 % 1400) / 10 - 60},
        }
    cities = [
        ("São Paulo", "BR", -46.6333, -23.5505),
        ("San Jose", "US", -121.89496, 37.33939),
        ("San José", "CR", -84.08333, 9.93333),
        ("Santa Rosa", "AR", -64.28333, -36.61667),
        ("القاهرة", "EG", 31.24967, 30.06263),
        ("東京", "JP", 139.69171, 35.6895),
        ("<img src=x onerror=alert(1)>", "XX", 0.5, 0.5),
        ("Taumata " * 20 + "End", "NZ", 176.4, -40.3),
        ("Berlin", "DE", 13.41, 52.52),
        ("Lomalagi", "FJ", -179.95, -16.95),
        ("Savusavu", "FJ", 179.34, -16.78),
    ]
    for i, (name, country, longitude, latitude) in enumerate(cities):
        yield {"name": name, "country": country, "id": RECORDS + i, "coord": {"lon": longitude, "lat": latitude}}
    for i in range(30):  # Near Berlin.
        yield {
            "name": f"Quarter {chr(65 + i % 26)}{i}",
            "country": "DE",
            "id": 50_000 + i,
            "coord": {"lon": 13.41 + (i % 6 - 3) / 9, "lat": 52.52 + (i // 6 - 3) / 9},
        }
    for i in range(55):
        yield {"name": "Krajan", "country": "ID", "id": 60_000 + i, "coord": {"lon": 110 + i / 100, "lat": -7}}


def exact():
    return '{"name":"Digits","country":"EX","id":12345678901234567890,"price":1.10,"coord":{"lon":1.500,"lat":2.50}}\n'


class Numbers:
    """A stand-in for an index: three million records, made up at each question."""

    generation, count = "00", 3_000_000

    def search(self, query, offset, limit):
        rows = range(offset, min(offset + limit, self.count))
        matches = [{"name": f"n{row}"} for row in rows]
        return (
            json.dumps({"query": query, "count": self.count, "matches": matches})[:-1],
            self.count,
            [{"label": f"n{row}", "match": [[0, len(query)]] if query else []} for row in rows],
        )

    def load_places(self):
        return []


def build(directory, lines, *options):
    source = pathlib.Path(directory, "source.jsonl")
    source.write_text("".join(lines))
    subprocess.run(
        [server.command("shardq-commands"), "build", source, "--index", pathlib.Path(directory, "index"), *options],
        check=True,
        capture_output=True,
    )
    return pathlib.Path(directory, "index")


class Upstream:
    """The real server on a free port, or None."""

    def __init__(self, index, *options, log=None):
        address = [] if "--listen" in options else ["--listen", "127.0.0.1:0"]
        with open(log, "wb") if log else contextlib.nullcontext(subprocess.STDOUT) as errors:
            self.process = subprocess.Popen(
                [server.command("shardq-commands"), "serve", *address, "--index", str(index), *options],
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        self.address, said = None, b""
        timer = threading.Timer(20, self.process.kill)
        timer.start()
        for line in self.process.stdout:
            said += line
            if found := re.search(rb"127\.0\.0\.1:(\d+)", line):
                self.address = ("127.0.0.1", int(found[1]))
                break
        timer.cancel()
        if not self.address:
            raise RuntimeError("the server has not started: " + said.decode())
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def upstream(index, *options):
    try:
        server.command("shardq-serve")
    except FileNotFoundError:
        return None
    return Upstream(index, *options) if os.environ.get("PAGE_STANDIN") != "1" else None


def axe():
    """The text of axe-core, an accessibility checker, if there is one; Scripts/dependencies.sh --tests gets it."""
    places = [os.environ.get("AXE", ""), *glob.glob(str(server.ROOT / ".build/axe/**/axe.min.js"), recursive=True)]
    return next((pathlib.Path(place).read_text() for place in places if place and os.path.exists(place)), None)


class PageTest(unittest.TestCase):
    # Of `shardq serve`.
    options, words = {}, ()

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="page-")
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in dataset()]
        cls.index = build(cls.directory, [*lines, exact()])
        cls.real = upstream(cls.index, *cls.words)
        if cls.real:
            cls.addClassCleanup(cls.real.stop)
        cls.serve(cls.index, upstream=cls.real and cls.real.address, options=cls.options)

    @classmethod
    def serve(cls, index, **options):
        """Starts a browser, which ends with the class, and keeps the index and the options for each test's server."""
        index = server.Index(index) if isinstance(index, (str, os.PathLike)) else index
        cls.served = functools.partial(server.Server, index, **options)
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        # A page's last requests may come when the next test runs, and then find no server.
        self.server = self.served().start()
        self.addCleanup(self.server.stop)
        self.tab, self.origin = None, self.server.origin
        self.failing = False

    def tearDown(self):
        if self.tab:
            self.leave()

    def leave(self):
        """Closes the page; exceptions, errors, warnings and forbidden requests in it are failures."""
        for event in self.tab.events:
            method, said = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                self.fail(f"an exception in the page: {said['exceptionDetails']}")
            if method == "Log.entryAdded" and not (self.failing and said["entry"]["source"] == "network"):
                self.assertNotIn(said["entry"]["level"], ("error", "warning"), said["entry"]["text"])
            if method == "Network.requestWillBeSent":
                self.assertTrue(
                    said["request"]["url"].startswith((self.origin, "data:", "about:")), said["request"]["url"]
                )
        self.tab.close()
        self.tab = None

    def open(self, address="", **options):
        if not self.tab:
            self.tab = browser.Tab(self.browser, **options)
        self.tab.open(self.origin + "/" + address)
        self.tab.wait("answer.query !== null && map.levels !== null || document.body.classList.contains('mapless')")
        self.tab.evaluate("document.querySelector('#query').focus()")
        return self.tab

    def settled(self, query):
        """Waits until the list is the answer to `query`."""
        self.tab.wait(f"answer.query === {json.dumps(query)} && shown === newest && input.value === answer.query")

    def titles(self):
        return self.tab.evaluate(
            "[...document.querySelectorAll('.row:not(.waiting)')].sort((a, b) => a.ariaPosInSet - b.ariaPosInSet)"
            ".map(row => row.querySelector('.title').innerText.replace(' ◉', ''))"
        )

    def searches(self):
        return [parameters for path, parameters in self.server.requests if path == "/v1/search"]

    def active(self):
        """The text of the option that the field points at."""
        return self.tab.evaluate(
            "document.getElementById(input.getAttribute('aria-activedescendant'))?.innerText ?? ''"
        )

    def shown_card(self):
        return self.tab.evaluate(
            "document.querySelector('#card').offsetHeight > 0 ? document.querySelector('#chosen').textContent : ''"
        )

    def hash(self):
        return dict(urllib.parse.parse_qsl(self.tab.evaluate("location.hash.slice(1)")))


class Typing(PageTest):
    def test_every_key_asks_and_deleting_goes_back(self):
        tab = self.open()
        self.server.requests.clear()
        for end in range(1, 6):
            tab.type("san j"[end - 1])
            self.settled("san j"[:end])
        self.assertEqual([p["q"] for p in self.searches()], ["s", "sa", "san", "san ", "san j"])
        self.assertEqual(self.titles(), ["San José, CR", "San Jose, US"])
        tab.press("Backspace")
        tab.press("Backspace")
        self.settled("san")
        self.assertEqual(self.titles(), ["San José, CR", "San Jose, US", "Santa Rosa, AR"])
        self.assertEqual(tab.evaluate("document.querySelector('#said').innerText"), "3 matches")

    def test_coordinates_stand_below_and_what_was_typed_is_marked(self):
        tab = self.open()
        tab.type("SAO")
        self.settled("SAO")
        self.assertEqual(tab.evaluate("document.querySelector('.row mark').textContent"), "São")
        self.assertEqual(tab.evaluate("document.querySelector('.row .detail').textContent"), "Brazil · 23.55° S, 46.63° W")

    def test_names_are_text_and_directions_are_kept_apart(self):
        tab = self.open()
        tab.type("<img")
        self.settled("<img")
        self.assertEqual(self.titles(), ["<img src=x onerror=alert(1)>, XX"])
        tab.press("Enter")
        tab.wait("chosen !== null")
        self.assertEqual(tab.evaluate("document.querySelectorAll('img:not(#picture)').length"), 0)
        tab.evaluate("document.querySelector('#query').select()")
        tab.type("ال")
        self.settled("ال")
        self.assertEqual(tab.evaluate("getComputedStyle(document.querySelector('.row bdi')).direction"), "rtl")
        self.assertEqual(tab.evaluate("getComputedStyle(document.querySelector('#query')).direction"), "rtl")

    def test_nothing_found_and_nothing_typed_are_said(self):
        tab = self.open()
        self.assertIn("Results update as you type.", tab.evaluate("document.querySelector('#said').innerText"))
        tab.type("xyzzy")
        self.settled("xyzzy")
        self.assertEqual(tab.evaluate("document.querySelector('#said').innerText"), "Nothing begins with “xyzzy”.")
        tab.wait("document.querySelector('#spoken').textContent === 'Nothing matches “xyzzy”.'")
        tab.press("Escape")
        self.settled("")
        self.assertEqual(tab.evaluate("input.value"), "")

    def test_a_space_typed_last_finishes_the_word(self):
        tab = self.open()
        for text, marked in [("berlin ", "Berlin"), ("berlin d", "Berlin, D"), ("Berlin, ", "Berlin,")]:
            tab.evaluate("input.select()")
            tab.type(text)
            self.settled(text)
            self.assertEqual(self.titles(), ["Berlin, DE"], text)
            self.assertEqual(tab.evaluate("document.querySelector('.row mark').textContent"), marked)
            tab.press("Enter")
            tab.wait("chosen !== null")
            self.assertEqual(self.shown_card(), "Berlin, DE")
            address = tab.evaluate("location.hash")
            tab.call("Page.navigate", url="about:blank")
            self.open(address)
            self.settled(text)
            tab.wait("chosen !== null")
            self.assertEqual((self.shown_card(), tab.evaluate("location.hash")), ("Berlin, DE", address))

    def test_what_was_cleared_can_be_taken_back(self):
        tab = self.open()
        for clear in ["tab.press('Escape'); tab.press('Escape')", "tab.click('#clear')"]:
            tab.type("lond")
            self.settled("lond")
            exec(clear)
            self.settled("")
            tab.call("Input.dispatchKeyEvent", type="keyDown", key="z", code="KeyZ", windowsVirtualKeyCode=90,
                     modifiers=CTRL, commands=["undo"])
            self.settled("lond")
            tab.evaluate("input.select()")
            tab.press("Backspace")
            self.settled("")

    def test_a_long_text_is_cut_before_it_is_sent(self):
        tab = self.open()
        for text in ["東" * 300, "ﷺ" * 300, "서" * 300, "Ⱥ" * 2000, "x" * 30_000, "👍🏽" * 400, "𝐀" * 3000]:
            tab.evaluate(f"input.focus(), input.select(), document.execCommand('insertText', false, {json.dumps(text)})")
            self.settled(text)
            said = tab.evaluate("document.querySelector('#said').innerText")
            self.assertEqual(said.partition("\nSearch “")[0], f"Nothing begins with “{text}”.")
            self.assertTrue(tab.evaluate("byId('notice').hidden"))
            sent = self.searches()[-1]["q"]
            self.assertEqual(sent, text[:512])

    def test_an_input_method_has_its_keys_for_itself(self):
        tab = self.open()
        tab.call("Input.imeSetComposition", text="東", selectionStart=1, selectionEnd=1)
        self.settled("東")

        def compose(key):
            details = json.dumps({"key": key, "keyCode": 229, "bubbles": True, "isComposing": True})
            tab.evaluate(f"input.dispatchEvent(new KeyboardEvent('keydown', {details}))")

        compose("Enter")
        compose("Escape")
        self.assertEqual((self.shown_card(), tab.evaluate("input.value")), ("", "東"))
        tab.call("Input.insertText", text="東京")
        self.settled("東京")
        tab.press("Enter")
        tab.wait("chosen !== null")
        self.assertEqual(self.shown_card(), "東京, JP")


class Keyboard(PageTest):
    def test_the_whole_way_without_a_mouse(self):
        tab = self.open()
        tab.type("san")
        self.settled("san")
        attributes = (
            "['aria-expanded', 'aria-controls', 'aria-autocomplete', 'role'].map(name => input.getAttribute(name))"
        )
        self.assertEqual(tab.evaluate(attributes), ["true", "matches", "list", "combobox"])
        self.assertEqual(self.active(), "")
        tab.press("ArrowDown", 2)
        self.assertTrue(self.active().startswith("San Jose, US"))
        self.assertEqual(tab.evaluate("document.querySelectorAll('[aria-selected=true]').length"), 1)
        tab.press("ArrowDown", 2)  # Off the end, to the field.
        self.assertEqual(self.active(), "")
        tab.press("ArrowUp")
        self.assertTrue(self.active().startswith("Santa Rosa"))
        tab.press("Home")  # Moves the caret, not the list.
        self.assertTrue(self.active().startswith("Santa Rosa"))
        self.assertEqual(tab.evaluate("input.selectionStart"), 0)
        tab.press("Enter")
        tab.wait("chosen !== null")
        self.assertEqual(self.shown_card(), "Santa Rosa, AR")
        self.assertEqual(tab.evaluate("document.activeElement.id"), "query")
        tab.press("Escape")
        self.assertEqual(tab.evaluate(attributes)[0], "false")
        self.assertEqual(tab.evaluate("input.value"), "san")
        tab.press("ArrowDown", modifiers=ALT)
        self.assertEqual((tab.evaluate(attributes)[0], self.active()), ("true", ""))
        tab.press("Escape")
        tab.press("Escape")
        self.settled("")
        self.assertEqual(self.shown_card(), "")

    def test_pages_and_ends_of_a_long_list(self):
        tab = self.open()
        tab.type("salt")
        self.settled("salt")
        tab.press("PageDown", 3)
        first = int(re.search(r"\d{5}", self.active())[0])
        self.assertGreater(first, 15)
        tab.press("PageUp")
        self.assertLess(int(re.search(r"\d{5}", self.active())[0]), first)
        tab.press("End", modifiers=CTRL)
        tab.wait("document.querySelector('[aria-selected=true]').innerText.startsWith('Salt Lick 11999')")
        self.assertTrue(tab.evaluate("""(() => {
                  const row = document.querySelector('[aria-selected=true]').getBoundingClientRect()
                  const list = document.querySelector('#matches').getBoundingClientRect()
                  return row.bottom <= list.bottom + 1 && row.top >= list.top
                })()"""))
        self.assertEqual(tab.evaluate("document.querySelector('[aria-selected=true]').ariaPosInSet"), str(RECORDS))
        tab.press("ArrowUp", 2)
        tab.wait("document.querySelector('[aria-selected=true]').innerText.startsWith('Salt Lick 11997')")

    def test_enter_is_for_what_was_typed_though_its_answer_is_late(self):
        tab = self.open()
        tab.type("sal")
        self.settled("sal")
        self.server.before = lambda path, parameters: time.sleep(0.5)
        tab.evaluate("document.querySelector('#query').select()")
        tab.type("berlin")
        tab.press("Enter")
        tab.wait("chosen !== null")
        self.assertEqual(self.shown_card(), "Berlin, DE")


class Faults(PageTest):
    def note_answers(self):
        """Keeps the queries whose answers are shown, in order, in `seen`."""
        self.tab.evaluate("""window.seen = []
            const shows = showAnswer
            showAnswer = (query, ...rest) => { seen.push(query); shows(query, ...rest) }""")

    def test_an_older_answer_never_shows_after_a_newer_one(self):
        tab = self.open()
        # Long enough for four keys on a busy machine.
        delays = {"s": 3.6, "sa": 2.4, "san": 1.2, "sant": 0.0}
        self.server.before = lambda path, parameters: time.sleep(delays.get(parameters.get("q"), 0))
        self.note_answers()
        tab.type("sant")
        self.settled("sant")
        time.sleep(4)
        self.assertEqual(tab.evaluate("seen"), ["sant"])
        self.assertEqual(self.titles(), ["Santa Rosa, AR"])

    def test_answers_come_while_one_types_faster_than_the_server_answers(self):
        tab = self.open()
        self.server.before = lambda path, parameters: time.sleep(0.4)
        self.note_answers()
        for end in range(1, 12):
            tab.type("salt lick 0"[end - 1])
            self.assertLessEqual(tab.evaluate("asking.size"), 3)
            time.sleep(0.1)
        self.settled("salt lick 0")
        seen = tab.evaluate("seen")
        self.assertGreater(len(seen), 2)
        self.assertEqual(seen, sorted(seen, key=len))

    def test_a_slow_server_dims_the_list_and_then_shows_it_is_busy(self):
        tab = self.open()
        tab.type("sa")
        self.settled("sa")
        before = self.titles()
        self.server.before = lambda path, parameters: time.sleep(1.5)
        tab.type("n")
        tab.wait("document.querySelector('#matches').classList.contains('stale')", 1)
        self.assertEqual(self.titles(), before)
        tab.wait("!document.querySelector('#busy').hidden", 1)
        self.settled("san")
        self.assertEqual(
            tab.evaluate("[list.scroller.classList.contains('stale'), document.querySelector('#busy').hidden]"),
            [False, True],
        )

    def test_a_failing_server_is_told_and_recovers(self):
        self.failing = True
        for fault, words in [
            (500, "The test wants it so"),
            ("drop", "cannot be reached"),
            ("bad", "cannot be read"),
            ("html", "cannot be read"),
        ]:
            with self.subTest(fault=fault):
                self.server.before = lambda path, parameters: None
                tab = self.open()
                tab.type("sa")
                self.settled("sa")
                self.server.before = lambda path, parameters: fault
                tab.type("n")
                tab.wait("!document.querySelector('#notice').hidden")
                self.assertIn(words, tab.evaluate("document.querySelector('#notice span').textContent"))
                self.assertEqual(tab.evaluate("document.querySelector('#notice').getAttribute('role')"), "alert")
                self.assertGreater(len(self.titles()), 3)  # Never a blank,
                self.assertIn(
                    "matches for “sa”", tab.evaluate("document.querySelector('#said').innerText")
                )  # nor a wrong word.
                self.server.before = lambda path, parameters: None
                tab.click("#notice button")
                self.settled("san")
                self.assertTrue(tab.evaluate("document.querySelector('#notice').hidden"))
                self.assertEqual(len(self.titles()), 3)

    def test_what_is_still_shown_can_be_chosen_while_the_server_fails(self):
        self.failing = True
        tab = self.open()
        tab.type("san")
        self.settled("san")
        self.server.before = lambda path, parameters: 500
        tab.type("t")
        tab.wait("!document.querySelector('#notice').hidden")
        tab.press("ArrowDown")
        tab.press("Enter")
        tab.wait("chosen !== null")
        self.assertEqual(self.shown_card(), "San José, CR")

    def test_it_tries_again_by_itself(self):
        self.failing = True
        tab = self.open()
        self.server.before = lambda path, parameters: 503
        tab.type("san")
        tab.wait("!document.querySelector('#notice').hidden")
        self.server.before = lambda path, parameters: None
        self.settled("san")
        tab.wait("document.querySelector('#notice').hidden")

    def test_what_is_the_askers_fault_is_not_asked_again(self):
        self.failing = True
        tab = self.open()
        self.server.before = lambda path, parameters: 400
        tab.type("s")
        tab.wait("!document.querySelector('#notice').hidden")
        self.assertTrue(tab.evaluate("document.querySelector('#notice button').hidden"))
        count = len(self.searches())
        time.sleep(2.5)
        self.assertEqual(len(self.searches()), count)

    def test_a_page_that_fails_is_loaded_when_it_is_tried_again(self):
        self.failing = True
        tab = self.open()
        tab.type("salt")
        self.settled("salt")
        self.server.before = lambda path, parameters: 500 if parameters.get("offset", "0") != "0" else None
        tab.press("End", modifiers=CTRL)
        tab.wait("!document.querySelector('#notice').hidden")
        self.server.before = lambda path, parameters: None
        tab.click("#notice button")
        tab.wait("document.querySelector('[aria-selected=true]').innerText.startsWith('Salt Lick 11999')")
        tab.wait("document.querySelector('#notice').hidden")


class Scrolling(PageTest):
    def test_to_the_end_with_few_requests_and_few_elements(self):
        tab = self.open()
        tab.type("salt")
        self.settled("salt")
        self.server.requests.clear()
        height = tab.evaluate("list.rowHeight")
        self.assertEqual(tab.evaluate("list.scroller.scrollHeight"), RECORDS * height)
        # Dragging the bar, in sixty steps from end to end.
        for step in range(1, 61):
            tab.evaluate(
                f"list.scroller.scrollTop = {step} / 60 * (list.scroller.scrollHeight - list.scroller.clientHeight)"
            )
            self.assertLess(tab.evaluate("document.querySelectorAll('.row').length"), 40)
        tab.wait("document.querySelector('#sheet').innerText.includes('Salt Lick 11999')")
        self.assertLess(len(self.searches()), 30)  # Of 240 pages.
        self.assertLess(tab.evaluate("document.querySelectorAll('*').length"), 300)

    def test_every_row_on_the_way(self):
        tab = self.open()
        tab.type("krajan")
        self.settled("krajan")
        seen = set()
        while True:
            tab.wait("document.querySelectorAll('.row.waiting').length === 0")
            seen |= set(
                tab.evaluate(
                    "[...document.querySelectorAll('.row')]"
                    ".map(row => row.ariaPosInSet + row.querySelector('.detail').textContent)"
                )
            )
            before = tab.evaluate("list.scroller.scrollTop")
            tab.evaluate("list.scroller.scrollTop += list.scroller.clientHeight")
            tab.evaluate("new Promise(requestAnimationFrame)", awaits=True)
            if tab.evaluate("list.scroller.scrollTop") == before:
                break
        self.assertEqual(len(seen), 55)

    def test_pages_kept_are_few(self):
        tab = self.open()
        tab.type("salt")
        self.settled("salt")
        for page in range(0, 45):
            tab.evaluate(f"list.reveal({page * 50 + 25})")
            tab.wait(f"answer.pages.has({page})")
        self.assertLessEqual(tab.evaluate("answer.pages.size"), 40)

    def test_a_rebuilt_index_begins_the_list_anew(self):
        tab = self.open()
        tab.type("salt")
        self.settled("salt")
        tab.evaluate("answer.generation = 'another'")
        self.server.requests.clear()
        tab.evaluate("list.reveal(6000)")
        tab.wait("answer.generation !== 'another' && rowAt(6000) !== undefined")
        # A page of the answer, which shows the other index, and then the answer anew.
        self.assertGreaterEqual(len(self.searches()), 2)


class Millions(PageTest):
    @classmethod
    def setUpClass(cls):
        cls.serve(Numbers())

    def test_more_rows_than_a_browser_has_pixels(self):
        self.failing = True  # The browser logs that there are no dots.
        tab = self.open()
        tab.type("n")
        self.settled("n")
        self.assertEqual(tab.evaluate("list.scroller.scrollHeight"), 8_000_000)
        # Small movements go row by row,
        tab.wheel(tab.middle(LIST), 600)
        tab.wait("list.top >= 599")
        self.assertEqual(tab.evaluate("list.top"), 600)
        time.sleep(0.3)
        self.assertEqual(tab.evaluate("Math.round(list.top)"), 600)
        # the bar leads anywhere,
        tab.evaluate("list.scroller.scrollTop = 4e6")
        tab.wait(
            "Math.abs(list.top / list.rowHeight - 1.5e6) < 1000"
            " && document.querySelectorAll('.row.waiting').length === 0"
        )
        # and both ends are there.
        tab.press("End", modifiers=CTRL)
        tab.wait("document.querySelector('[aria-selected=true]').innerText.startsWith('n2999999')")
        tab.wheel(tab.middle(LIST), -600)
        tab.wait("list.top < 3e6 * list.rowHeight - list.view - 500")
        tab.wheel(tab.middle(LIST), 5000)
        tab.wait("Math.abs(list.top + list.view - 3e6 * list.rowHeight) < 1")
        tab.evaluate("list.scroller.scrollTop = 0")
        tab.wait("list.top === 0")
        self.assertLess(len(self.searches()), 20)

    def test_an_index_without_coordinates_has_no_map(self):
        self.failing = True
        tab = self.open()
        self.assertEqual(tab.evaluate("document.querySelector('#map').offsetHeight"), 0)
        tab.type("n")
        self.settled("n")
        tab.press("ArrowDown", 3)
        tab.press("Enter")
        tab.wait("chosen !== null")
        self.assertEqual((self.shown_card(), tab.evaluate("byId('fields').hidden")), ("n2", True))


class Ranked(PageTest):
    """A list of the best matches ends with a ranked answer's limit, and names it."""

    class Index(Numbers):
        is_ranked, count = True, 12_345

    @classmethod
    def setUpClass(cls):
        cls.serve(cls.Index())

    def said(self):
        return self.tab.evaluate("document.querySelector('#said').innerText")

    def test_the_list_ends_where_the_ranked_answer_does(self):
        self.failing = True
        tab = self.open()
        tab.type("n")
        self.settled("n")
        self.assertRegex(self.said(), r"^12,345 matches\s+The list has the best 10,000 matches; type more letters to find others\.$")
        tab.press("End", modifiers=CTRL)
        tab.wait("document.querySelector('[aria-selected=true]').innerText.startsWith('n9999')")
        self.assertEqual(tab.evaluate("document.querySelector('[aria-selected=true]').ariaSetSize"), "10000")
        tab.press("ArrowDown")  # Over the end, to the field.
        self.assertEqual(self.active(), "")
        tab.press("PageDown")
        tab.evaluate("list.scroller.scrollTop = 1e9")
        tab.wait("document.querySelectorAll('.row.waiting').length === 0")
        self.assertLessEqual(max(int(parameters["offset"]) for parameters in self.searches()), 9950)
        self.assertNotIn("sort", self.searches()[-1])
        self.assertTrue(tab.evaluate("byId('notice').hidden"))

    def test_nothing_typed_begins_with_the_best(self):
        self.failing = True
        tab = self.open()
        tab.wait("document.querySelector('#said button') !== null")
        tab.click("#said button")
        tab.wait("document.body.classList.contains('open')")
        self.assertRegex(self.said(), "^12,345 matches")
        self.assertEqual(tab.evaluate("[answer.listed, answer.count]"), [10_000, 12_345])
        self.assertEqual(tab.evaluate("byId('total').innerText"), "12,345 records")
        tab.press("End", modifiers=CTRL)
        tab.wait("document.querySelector('[aria-selected=true]').innerText.startsWith('n9999')")
        self.assertEqual({parameters.get("sort") for parameters in self.searches()}, {None})

    def test_a_link_beyond_the_end_leads_to_its_record(self):
        self.failing = True  # The server refuses the row, and the browser logs the refusal.
        tab = self.open("#q=n&row=11000&key=n5&is=" + "0")
        self.settled("n")
        tab.wait("chosen !== null")
        self.assertEqual((self.shown_card(), tab.evaluate("answer.listed")), ("n5", 10_000))
        self.assertTrue(tab.evaluate("byId('notice').hidden"))


class Below(PageTest):
    """A page that a proxy has below a path of its host, with images beside it."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="page-")
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        lines = [json.dumps({"name": name, "lat": 1, "lon": 2, "picture": f"pictures/{name}.png"}) + "\n" for name in ("a", "b")]
        index = build(cls.directory, lines, "--key", "{name}")
        cls.serve(index, options={"image": "picture"}, below="/search")

    def test_all_that_it_asks_for_is_below_that_path(self):
        self.failing = True  # There are no pictures.
        tab = self.open()
        tab.type("a")
        self.settled("a")
        self.assertEqual(self.titles(), ["a"])
        self.assertTrue(tab.evaluate("byId('notice').hidden"))
        tab.click(".row")
        tab.wait("chosen !== null")
        tab.evaluate("new Promise(done => setTimeout(done, 300))", awaits=True)
        asked = {path for path, _ in self.server.requests}
        self.assertLessEqual({"/v1/search", "/v1/dots", "/pictures/a.png"}, asked)

    def test_a_list_without_spaces_breaks_behind_its_commas(self):
        self.failing = True  # There are no pictures.
        tab = self.open()
        broken = "valueNodes('Lontoo,Londres;Lundra, 1,234')[0].innerHTML"
        self.assertEqual(tab.evaluate(broken), "Lontoo,<wbr>Londres;<wbr>Lundra, 1,234")

    def test_a_page_from_a_disk_says_what_to_do(self):
        folder = pathlib.Path(self.directory, "site")
        folder.mkdir()
        text = server.page({}).replace('<html lang="en"', '<html lang="en" data-index="index/"', 1)
        (folder / "index.html").write_text(text)
        for name in ("static.js", "shardq.js"):
            shutil.copy(server.ROOT / "Sources/Hosts/Wasm" / name, folder)
        tab = browser.Tab(self.browser)
        try:
            tab.open(f"file://{folder}/index.html")
            tab.wait("!byId('notice').hidden")
            said = tab.evaluate("byId('notice').innerText")
            self.assertIn("python3 -m http.server", said)
            self.assertNotIn("Failed to fetch", said)
        finally:
            tab.close()


class Choosing(PageTest):
    def test_back_and_forward(self):
        tab = self.open()
        tab.type("san j")
        self.settled("san j")
        tab.click(".row")
        tab.wait("chosen !== null")
        self.assertEqual(self.shown_card(), "San José, CR")
        self.assertEqual(
            {k: v for k, v in self.hash().items() if k in ("q", "key", "row")},
            {"q": "san j", "key": "San José, CR", "row": "0"},
        )
        tab.evaluate("document.querySelector('#query').select()")
        tab.type("ber")
        self.settled("ber")
        self.assertEqual(self.shown_card(), "")
        tab.press("Enter")
        tab.wait("chosen !== null")
        tab.evaluate("history.back()")
        tab.wait("chosen === null")
        self.settled("ber")
        tab.evaluate("history.back()")
        self.settled("san j")
        tab.wait("chosen?.label === 'San José, CR'")
        tab.evaluate("history.back()")
        tab.wait("chosen === null")
        self.settled("san j")
        tab.evaluate("history.go(3)")
        self.settled("ber")
        tab.wait("chosen?.label === 'Berlin, DE'")
        self.assertEqual(tab.evaluate("document.title"), "Berlin, DE – shardq")

    def test_a_link_leads_to_the_same_record_among_equal_names(self):
        tab = self.open()
        tab.type("krajan")
        self.settled("krajan")
        tab.press("ArrowDown", 42)
        tab.press("Enter")
        tab.wait("chosen !== null")
        tab.wait("location.hash.includes('map=')")
        link, chosen, view = (
            tab.evaluate("location.hash"),
            tab.evaluate("chosen.record.id"),
            tab.evaluate("[map.longitude, map.latitude, map.scale]"),
        )
        # With the row, and as after a rebuild that moved it.
        for address in (link, link.replace("row=41", "row=7")):
            self.leave()
            tab = self.open(address)
            tab.wait("chosen !== null")
            self.assertEqual(tab.evaluate("chosen.record.id"), chosen)
            for got, wanted in zip(tab.evaluate("[map.longitude, map.latitude, map.scale]"), view):
                self.assertAlmostEqual(got, wanted, delta=abs(wanted) / 100)
        self.settled("krajan")

    def test_a_link_to_a_record_that_has_changed_leads_to_its_name(self):
        name = "Taumata " * 20 + "End, NZ"
        tab = self.open("#" + urllib.parse.urlencode({"q": "t", "row": 3, "key": name, "is": "1234"}))
        tab.wait("chosen !== null")
        self.assertEqual(self.shown_card(), name)

    def test_a_link_to_what_is_gone_says_so(self):
        tab = self.open("#q=san&row=1&key=San+Nowhere,+XX&is=1234")
        tab.wait("!document.querySelector('#notice').hidden")
        self.assertEqual(
            tab.evaluate("document.querySelector('#notice span').textContent"),
            "“San Nowhere, XX” is no longer in this list.",
        )
        self.settled("san")

    def test_all_fields_with_their_digits(self):
        tab = self.open()
        tab.type("digits")
        self.settled("digits")
        tab.press("Enter")
        tab.wait("chosen !== null")
        fields = tab.evaluate(
            "Object.fromEntries([...document.querySelectorAll('#fields dt')]"
            ".map(name => [name.textContent, name.nextSibling.textContent]))"
        )
        self.assertEqual(
            fields,
            {
                "Name": "Digits",
                "Country": "EX",
                "Id": "12345678901234567890",
                "Price": "1.10",
                "Coord lon": "1.500",
                "Coord lat": "2.50",
            },
        )
        self.assertTrue(tab.evaluate("document.querySelector('#place a').href").startswith("geo:2.5"))


class Map(PageTest):
    def view(self):
        return self.tab.evaluate("({ longitude: map.longitude, latitude: map.latitude, scale: map.scale })")

    def choose_berlin(self, **options):
        tab = self.open(**options)
        tab.type("berlin")
        self.settled("berlin")
        tab.press("Enter")
        tab.wait("map.near.places.length > 0")
        return tab

    def test_a_narrow_map_begins_with_all_places(self):
        tab = self.open(width=390, height=844)
        self.assertGreaterEqual(tab.evaluate("Math.round(map.width / map.scale)"), 360)
        self.assertNotEqual(tab.evaluate("byId('where').innerText"), "")
        tab.type("san j")
        self.settled("san j")
        tab.press("Enter")
        tab.wait("document.body.classList.contains('carded') && byId('where').innerText === ''")

    def test_the_chosen_city_stands_in_the_middle_with_its_neighbours(self):
        tab = self.choose_berlin()
        at = tab.evaluate("map.point(chosen.at)")
        middle = tab.evaluate("[map.width / 2, map.height / 2]")
        self.assertLess(abs(at[0] - middle[0]) + abs(at[1] - middle[1]), 2)
        tab.wait("map.labelled.size > 5")
        # The ring has the accent colour.
        self.assertTrue(tab.evaluate("""(() => {
          const [x, y] = map.point(chosen.at), ratio = map.canvas.width / map.width
          const pixels = map.canvas.getContext('2d').getImageData((x - 12) * ratio, (y - 12) * ratio, 24, 24).data
          let count = 0
          for (let i = 0; i < pixels.length; i += 4) if (pixels[i] > 150 && pixels[i + 1] < 100) count++
          return count > 60
        })()"""))
        # A neighbour is chosen by a click, and the link to it works.
        entry = tab.evaluate("""(() => {
              const isApart = ([x, y]) => Math.hypot(x - map.width / 2, y - map.height / 2) > 30
              const { match, at } = map.drawn.find(({ match, at }) => match.label.startsWith('Quarter') && isApart(at))
              const { left, top } = map.box.getBoundingClientRect()
              return { label: match.label, x: at[0] + left, y: at[1] + top }
            })()""")
        tab.click((entry["x"], entry["y"]))
        tab.wait("chosen.label !== 'Berlin, DE'")
        self.assertEqual(self.shown_card(), entry["label"])
        self.open(tab.evaluate("location.hash"))
        tab.wait(f"chosen?.label === {json.dumps(entry['label'])}")

    def test_it_flies_there_and_a_hand_stops_it(self):
        tab = self.choose_berlin(reduced=False)
        tab.wait("Math.abs(map.scale - 110) < 0.01 && Math.abs(map.longitude - 13.41) < 0.01")
        tab.wait("location.hash.includes('map=')")
        tab.click(".zoom button:last-child")
        tab.click("#place button")
        tab.wheel(tab.middle("#map"), 100)
        time.sleep(0.3)
        scale = self.view()["scale"]
        time.sleep(0.3)
        self.assertEqual(self.view()["scale"], scale)
        self.assertLess(scale, 110)

    def test_mouse_wheel_and_keys(self):
        tab = self.open()
        start, middle = self.view(), tab.middle("#map")
        tab.drag(middle, [middle[0] + 200, middle[1] + 60])
        moved = self.view()
        self.assertAlmostEqual(moved["longitude"], start["longitude"] - 200 / start["scale"], delta=0.5)
        self.assertAlmostEqual(moved["latitude"], start["latitude"] + 60 / start["scale"], delta=0.5)
        corner = [middle[0] + 150, middle[1] - 100]
        inside = (
            "(() => { const b = map.box.getBoundingClientRect(); return map.degrees(%f - b.left, %f - b.top) })()"
            % tuple(corner)
        )
        under = tab.evaluate(inside)
        tab.wheel(corner, -400)
        tab.wait(f"map.scale > {moved['scale'] * 2}")
        for got, wanted in zip(tab.evaluate(inside), under):  # The place under the pointer stays there.
            self.assertAlmostEqual(got, wanted, delta=1 / moved["scale"])
        tab.evaluate("map.box.focus()")
        before = self.view()
        tab.press("ArrowRight")
        tab.press("+")
        after = self.view()
        self.assertGreater(after["longitude"], before["longitude"])
        self.assertAlmostEqual(after["scale"], before["scale"] * 2)
        tab.wait("location.hash.startsWith('#map=')")
        tab.press("0")
        self.assertAlmostEqual(self.view()["scale"], start["scale"])
        tab.click(".zoom button")
        self.assertAlmostEqual(self.view()["scale"], start["scale"] * 2)
        scale = tab.evaluate("document.querySelector('.scale').innerText")
        self.assertRegex(scale, r"[NS], [\d.]+° [EW]\s*[\d,]+ k?m")

    def test_pinch_and_touch(self):
        tab = self.open(width=360, height=740, touch=True, ratio=2)
        before, (x, y) = self.view(), tab.middle("#map")
        tab.touch("touchStart", (x - 40, y), (x + 40, y))
        for step in range(1, 6):
            tab.touch("touchMove", (x - 40 - 12 * step, y), (x + 40 + 12 * step, y))
        tab.touch("touchEnd")
        self.assertAlmostEqual(self.view()["scale"] / before["scale"], 2.5, delta=0.1)
        before = self.view()
        tab.touch("touchStart", (x, y))
        for step in range(1, 6):
            tab.touch("touchMove", (x + 10 * step, y))
        tab.touch("touchEnd")
        self.assertLess(self.view()["longitude"], before["longitude"])

    def test_across_the_date_line(self):
        tab = self.open()
        tab.evaluate("map.move({ longitude: 179.9, latitude: -17, scale: 60 })")
        tab.wait("map.near.east > map.near.west")
        labels = tab.evaluate("map.near.places.map(({ label }) => label)")
        self.assertIn("Lomalagi, FJ", labels)
        self.assertIn("Savusavu, FJ", labels)
        at = tab.evaluate(
            "map.near.places.filter(({ label }) => /^(Lo|Sav)/.test(label)).map(({ at }) => map.point(at)[0])"
        )
        self.assertLess(abs(at[0] - at[1]), 100)  # Side by side, not a world apart.

    def test_the_canvas_has_the_pixels_of_the_screen(self):
        tab = self.open(width=500, height=700, ratio=3)
        self.assertEqual(tab.evaluate("map.canvas.width"), 1500)
        tab.size(900, 600, ratio=1)
        tab.wait("map.canvas.width === Math.round(map.box.clientWidth)")


class Layouts(PageTest):
    def test_a_phone_shows_the_list_and_then_the_map(self):
        tab = self.open(width=360, height=740, touch=True)
        tab.type("san")
        self.settled("san")
        self.assertEqual(tab.evaluate("document.querySelector('.stage').offsetHeight"), 0)
        x, y = tab.middle(".row")
        tab.touch("touchStart", (x, y))
        tab.touch("touchEnd")
        tab.wait("chosen !== null")
        self.assertEqual(
            tab.evaluate("[document.querySelector('#matches').offsetHeight, map.box.offsetHeight > 300]"), [0, True]
        )
        self.assertTrue(
            tab.evaluate(
                "map.point(chosen.at)[1] + map.box.getBoundingClientRect().top"
                " < document.querySelector('#card').getBoundingClientRect().top"
            )
        )
        tab.click("#said button")
        tab.wait("document.body.classList.contains('open')")

    def test_nothing_sticks_out(self):
        for width in (320, 360, 600, 736, 1024, 2560):
            self.open(width=width, height=640).size(width, 640)
            self.tab.evaluate("document.querySelector('#query').select()")
            self.tab.type("taumata")
            self.settled("taumata")
            self.tab.press("Enter")
            self.tab.wait("chosen !== null")
            self.assertLessEqual(
                self.tab.evaluate("""Math.max(...[...document.querySelectorAll('main, main *:not(.spoken, canvas)')]
                      .filter(element => element.offsetHeight && !element.closest('.row'))
                      .map(element => element.getBoundingClientRect().right))"""),
                width,
                width,
            )

    def test_without_javascript_it_says_so(self):
        self.tab = tab = browser.Tab(self.browser)
        tab.call("Emulation.setScriptExecutionDisabled", value=True)
        tab.open(self.origin + "/")
        self.assertIn(("link", "v1/search?q=san&limit=20"), {(role, name) for role, name, _ in tab.tree()})

    def test_the_tree_that_assistive_software_sees(self):
        tab = self.open()
        tab.type("san j")
        self.settled("san j")
        tab.press("ArrowDown")
        tab.press("Enter")
        tab.wait("chosen !== null")
        tree = tab.tree()
        named = {(role, name) for role, name, _ in tree}
        for wanted in [
            ("combobox", "Type to search"),
            ("listbox", "Matches"),
            ("option", "San José, CR Costa Rica · 9.93° N, 84.08° W"),
            ("button", "Clear the field"),
            ("button", "Zoom in"),
            ("button", "Close the record"),
            ("main", ""),
            ("heading", "shardq"),
            ("heading", "San José, CR"),
            ("region", "San José, CR"),
            ("search", ""),
        ]:
            self.assertIn(wanted, named)
        self.assertTrue(any(role == "application" and name.startswith("Map.") for role, name in named))
        field = next(properties for role, _, properties in tree if role == "combobox")
        self.assertEqual((field.get("expanded"), field.get("autocomplete"), field.get("focused")), (True, "list", True))
        tab.wait("document.querySelector('#spoken').textContent === 'San José, CR, chosen'")

    def test_the_accessibility_checker_finds_nothing(self):
        checker = axe()
        if not checker:
            self.skipTest("there is no axe.min.js: Scripts/dependencies.sh --tests")
        for width, height, touch in [(360, 740, True), (1280, 800, False)]:
            for dark in (False, True):
                tab = self.open(width=width, height=height, touch=touch, dark=dark)
                tab.evaluate(checker + ";0")
                self.check_access(width, dark, "empty")
                tab.type("san")
                self.settled("san")
                tab.press("ArrowDown")
                self.check_access(width, dark, "listed")
                tab.press("Enter")
                tab.wait("chosen !== null")
                self.check_access(width, dark, "chosen")
                self.leave()

    def check_access(self, *state):
        passed, violations = json.loads(
            self.tab.evaluate(
                "axe.run().then(({ violations, passes }) => JSON.stringify([passes.length, violations.map("
                "({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => html + failureSummary)])]))",
                awaits=True,
            )
        )
        with self.subTest(state=state):
            self.assertGreater(passed, 15)
            self.assertEqual(violations, [])


class TrueRanked(PageTest):
    """Ranked answers of `shardq serve`."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="page-")
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        lines = [f'{{"name":"Salt Lick {i:05}","weight":{i},"coord":{{"lon":1,"lat":2}}}}\n' for i in range(10_100)]
        names = [("Parma", 5), ("Par", 1), ("Paris", 9), ("Paris Texas", 700)]
        lines += [json.dumps({"name": name, "weight": weight}) + "\n" for name, weight in names]
        york = {"name": "New York City", "weight": 8000, "names": ["NYC", "Gotham"], "country": "US"}
        lines.append(json.dumps(york) + "\n")
        values = pathlib.Path(cls.directory, "values")
        values.write_text("US\tUnited States\n")
        index = build(cls.directory, lines, "--key", "{name}", "--weight", "weight", "--words", "--alias", "names",
                      "--filter", "country", "--names", f"country={values}")
        cls.real = upstream(index)
        if not cls.real:
            raise unittest.SkipTest("bin/shardq-serve is not built: Scripts/build.sh --server")
        cls.addClassCleanup(cls.real.stop)
        cls.serve(index, upstream=cls.real.address)

    def test_the_best_come_first(self):
        tab = self.open()
        for text, names in [("par", ["Paris Texas", "Par", "Paris", "Parma"]), ("paris", ["Paris Texas", "Paris"])]:
            tab.evaluate("input.select()")
            tab.type(text)
            self.settled(text)
            self.assertEqual(self.titles(), names)
            self.assertEqual(tab.evaluate("document.querySelector('.row mark').textContent").lower(), text)
        tab.press("Enter")
        tab.wait("chosen !== null")
        self.assertEqual(self.shown_card(), "Paris Texas")
        address = tab.evaluate("location.hash")
        tab.call("Page.navigate", url="about:blank")
        self.open(address)
        tab.wait("chosen?.label === 'Paris Texas'")

    def test_to_the_end_of_the_list(self):
        tab = self.open()
        tab.type("salt")
        self.settled("salt")
        self.assertEqual(self.titles()[0], "Salt Lick 10099")
        tab.press("End", modifiers=CTRL)
        tab.wait("document.querySelector('[aria-selected=true]').innerText.startsWith('Salt Lick 00100')")
        tab.evaluate("list.reveal(5025)")
        tab.wait("rowAt(5025)?.label === 'Salt Lick 05074'")

    def marks(self):
        return self.tab.evaluate("[...document.querySelectorAll('.row mark')].map(mark => mark.textContent)")

    def said(self):
        return self.tab.evaluate("document.querySelector('#said').innerText")

    def retype(self, text):
        self.tab.evaluate("input.select()")
        self.tab.type(text)
        self.settled(text)

    def test_words_and_other_names_are_marked(self):
        tab = self.open()
        self.retype("york n")
        self.assertEqual((self.titles(), self.marks()), (["New York City"], ["N", "York"]))
        self.retype("nyc")
        self.assertEqual((self.titles(), self.marks()), (["New York City NYC"], ["NYC"]))
        self.assertEqual(self.said(), "1 match")
        self.assertNotEqual(*[tab.evaluate(f"getComputedStyle(document.querySelector('{name}')).color")
                              for name in (".row .title", ".row .other")])
        self.assertEqual(tab.evaluate("document.querySelector('.row .other').innerText"), "NYC")

    def test_a_text_without_matches_offers_its_beginning(self):
        tab = self.open()
        self.retype("nyc x")
        self.assertEqual((self.titles(), self.said().splitlines()[0]),
                         (["New York City NYC"], "Nothing matches “nyc x”; showing results without “x”:"))
        self.retype("nyc united states")
        self.assertEqual((self.titles(), self.said().splitlines()[0]),
                         (["New York City NYC"], "Nothing matches “nyc united states”; showing results for “nyc” with US:"))
        self.retype("nycx")
        self.assertRegex(self.said(), "^Nothing matches “nycx”\\.\\s*Search “nyc”$")
        tab.evaluate("document.querySelector('#said button').click()")
        self.settled("nyc")
        self.assertEqual(self.titles(), ["New York City NYC"])
        self.retype("qqq")
        self.assertEqual(self.said(), "Nothing matches “qqq”.")

    def test_a_list_of_an_unknown_length_grows(self):
        tab = self.open()
        self.retype("lick")
        self.assertEqual((self.titles()[0], self.said()), ("Salt Lick 10099", "50+ matches"))
        self.assertEqual(tab.evaluate("answer.listed"), 100)
        # Each End chooses the last row listed, and 50 more rows follow: another 50 if they are in sight.
        for least in [99, 149]:
            tab.press("End", modifiers=CTRL)
            tab.wait(f"answer.active >= {least} && answer.listed > answer.active + 1")
        chosen = "document.querySelector('[aria-selected=true]').innerText.split('\\n')[0]"
        tab.wait(f"{chosen} === 'Salt Lick ' + `${{10099 - answer.active}}`.padStart(5, '0')")
        listed, said, row = tab.evaluate("[answer.listed, byId('said').innerText, answer.active]")
        self.assertIn(row, [149, 199])
        self.assertIn(listed, [row + 51, row + 101])
        self.assertEqual(said.strip(), f"{listed - 50}+ matches")


class Costs(PageTest):
    options = {"costs": True}

    def test_the_footer_says_what_was_loaded(self):
        tab = self.open()
        tab.type("sa")
        self.settled("sa")
        self.assertRegex(
            tab.evaluate("document.querySelector('#cost').innerText"), r"^\d+ of [\d,]+ shards · .+ · [\d,]+ µs$"
        )


class TrueServer(PageTest):
    """The page of `shardq serve`, without the stand-in between."""

    @classmethod
    def setUpClass(cls):
        look = tempfile.NamedTemporaryFile("w")
        cls.addClassCleanup(look.close)
        look.write("costs = true\n")
        look.flush()
        cls.words = ("--page-file", look.name)
        super().setUpClass()

    def setUp(self):
        super().setUp()
        if not self.real:
            self.skipTest("bin/shardq-serve is not built: Scripts/build.sh --server")
        self.origin = "http://%s:%d" % self.real.address

    def test_it_serves_this_page_under_its_policy(self):
        with urllib.request.urlopen(self.origin + "/", timeout=10) as answer:
            text = re.sub(r'<html lang="en" data-page="[^"]*">', '<html lang="en">', answer.read().decode(), count=1)
            self.assertEqual(text, server.PAGE.read_text(), "build it again: Scripts/build.sh --server")
            policy = answer.headers["Content-Security-Policy"]
        for part in server.policy(server.PAGE.read_text()).split("; ")[:3]:
            self.assertIn(part, policy)
        self.assertNotIn("unsafe", policy)

    def test_what_was_asked_before_costs_nothing(self):
        tab = self.open()
        for text in ("s", "sa"):
            tab.type(text[-1])
            self.settled(text)
        self.assertRegex(tab.evaluate("document.querySelector('#cost').innerText"), "^[1-9]")
        tab.press("Backspace")
        self.settled("s")
        self.assertRegex(
            tab.evaluate("document.querySelector('#cost').innerText"), "^0 of [0-9]+ shards · nothing to load"
        )
        self.assertGreater(len(self.titles()), 5)

    def test_from_the_first_key_to_the_map(self):
        tab = self.open()
        tab.type("san j")
        self.settled("san j")
        self.assertEqual(self.titles(), ["San José, CR", "San Jose, US"])
        tab.press("ArrowDown", 2)
        tab.press("Enter")
        tab.wait("chosen !== null && location.hash.includes('map=')")
        self.open(tab.evaluate("location.hash"))
        tab.wait("chosen?.label === 'San Jose, US'")
        self.assertGreater(tab.evaluate("map.levels[0].rows.reduce((sum, row) => sum + row.columns.length, 0)"), 100)


class Source(unittest.TestCase):
    def test_it_is_one_small_document_without_what_the_policy_forbids(self):
        page = server.PAGE.read_text()
        self.assertLess(len(page.encode()), 140_000)
        self.assertEqual((page.count("<script>"), page.count("<style>")), (1, 1))
        for forbidden in (
            r"\sstyle=",
            r"\son[a-z]+=\"",
            r"innerHTML",
            r"insertAdjacentHTML",
            r"https?://(?!www\.w3\.org/2000/svg)",
            r"\beval\(",
            r"<script\s",
        ):
            self.assertNotRegex(page, forbidden)


if __name__ == "__main__":
    unittest.main()
