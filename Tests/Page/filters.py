"""The tests of filters with counts, ranges, orders and the place of the page: for both browsers, served and not."""

import json
import pathlib
import shutil
import tempfile
import urllib.parse

import firefox
import test_lists
import test_page

PRODUCTS = 400
COLOURS = ["red", "blue", "green", "Blauw <b>"]
FIELD = "<b>bold</b>"
LONG = "long " * 2000
MARKUP = "<img src=x onerror=\"document.title='taken'\">"
BUILD = ("--key", "{name}", "--words", "--weight", "sales")
ORDERS = ("--order", "price=Cheapest first", "--order", "-price=Dearest <i>first</i>")
# The group of a field by its name, in the page.
GROUP = (
    "(name => [...document.querySelectorAll('.group')].find(group =>"
    " group.querySelector('legend').textContent === name && !group.hidden))"
)


def products():
    for i in range(PRODUCTS):
        yield {
            "name": f"Lamp {i:03}", "brand_name": f"Brand {i % 40:02}" if i % 2 else "Alma", "colour": COLOURS[i % 4],
            "price": i + 0.5, "made": f"2025-{i % 12 + 1:02}-01", "sales": PRODUCTS - i,
        }


def shops():
    for i in range(100):
        # Two towns, the second one with the better shops.
        yield {"name": f"Shop {i:02}", "kind": "a" if i % 2 else "b", "sales": i,
               "lat": (48 if i < 50 else 54) + i % 10 / 100, "lon": 11 + i % 7 / 100}


def hostile():
    values = [MARKUP, "", " ", "x" * 10_000, "one\u202etwo", "a=b, c", "on"]
    for i in range(60):
        record = {"name": f"Thing {i:02} {MARKUP}", FIELD: values[i % 7], "only": "one", "empty": "", "size": i, "sales": i,
                  LONG: "a"}
        yield record | {"none": f"value {i:02} {MARKUP}"}


class Filters:
    """The tests of both browsers; `kind` is one of them."""

    before = 0
    complaints, open, evaluate, wait, shown, picture, key = (
        getattr(test_lists.Lists, name)
        for name in ("complaints", "open", "evaluate", "wait", "shown", "picture", "key"))

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="filters-")
        cls.addClassCleanup(shutil.rmtree, cls.directory, ignore_errors=True)
        cls.products = cls.build("products", products(), *BUILD, "--filter", "brand_name", "--filter", "colour",
                                 "--number", "price", "--number", "made")
        cls.shops = cls.build("shops", shops(), *BUILD, "--filter", "kind", "--near")
        cls.hostile = cls.build("hostile", hostile(), *BUILD, "--filter", LONG, "--filter", FIELD, "--filter", "only", "--filter", "empty",
                                "--filter", "none", "--number", "size")
        cls.browser = cls.kind(tempfile.mkdtemp(prefix="profile-", dir=cls.directory))
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def build(cls, name, records, *options):
        directory = pathlib.Path(cls.directory, name)
        directory.mkdir()
        return test_page.build(directory, test_lists.lines(records), *options)

    def serve(self, index, *options):
        server = test_page.Upstream(index, *options)
        self.addCleanup(server.stop)
        self.url = "http://%s:%d/" % server.address

    def reload(self):
        self.evaluate("document.documentElement.setAttribute('data-old', '')")
        self.browser.reload()
        self.wait("document.documentElement?.hasAttribute('data-old') === false && document.readyState === 'complete'")

    def type(self, text, said):
        self.evaluate("input.select()")
        self.browser.type(text)
        self.said(said, f"input.value === {json.dumps(text)}")

    def said(self, said, more="true"):
        self.wait(f"{more} && byId('said').innerText.startsWith({json.dumps(said)})")

    def show_filters(self):
        self.wait("!byId('filter').hidden")
        if self.evaluate("byId('filters').hidden"):
            self.evaluate("byId('filter').click()")
        self.wait("document.querySelector('.group:not([hidden])')")

    def values(self, name):
        """The values of a field with their counts and whether they are chosen."""
        return self.evaluate(f"[...({GROUP}({json.dumps(name)})?.querySelectorAll('li') ?? [])].map(row => ["
                             "row.querySelector('bdi').textContent, row.querySelector('span').textContent,"
                             " row.querySelector('input').checked])")

    def toggle(self, name, value):
        self.wait(f"{GROUP}({json.dumps(name)})")
        self.evaluate(f"[...{GROUP}({json.dumps(name)}).querySelectorAll('li')].find(row =>"
                      f" row.querySelector('bdi').textContent === {json.dumps(value)}).querySelector('input').click()")

    def fill(self, name, least, greatest):
        for i, text in enumerate((least, greatest)):
            self.evaluate(f"(box => (box.value = {json.dumps(text)}, box.dispatchEvent(new Event('change'))))"
                          f"({GROUP}({json.dumps(name)}).querySelectorAll('input')[{i}])")

    def chips(self):
        return self.evaluate("[...document.querySelectorAll('#chips li')].map(chip => chip.textContent)")

    def conditions(self):
        """The conditions in the address."""
        found = urllib.parse.parse_qsl(self.evaluate("location.hash.slice(1)"), keep_blank_values=True)
        return [pair for pair in found if pair[0] in ("filter", "order")]

    def titles(self):
        return self.evaluate("[...document.querySelectorAll('.row')].sort((a, b) => a.ariaPosInSet - b.ariaPosInSet)"
                             ".map(row => row.querySelector('.title').textContent)")

    def wait_for_titles(self, *titles):
        self.wait("(rows => rows.length >= %d && %s.every((title, i) => rows.some(row => +row.ariaPosInSet === i + 1"
                  " && row.querySelector('.title').textContent === title)))([...document.querySelectorAll('.row')])"
                  % (len(titles), json.dumps(titles)))

    def test_values_with_counts_are_chosen_and_given_up(self):
        self.serve(self.products)
        self.open()
        self.show_filters()
        # Without a text: the values of the whole list, those of most records first.
        self.wait(f"{GROUP}('Brand name').querySelectorAll('li').length === 10")
        self.assertEqual(self.values("Brand name")[0], ["Alma", "200", False])
        self.type("lamp", "400 matches")
        self.assertEqual(self.evaluate("byId('said').innerText.trim()"), "400 matches")
        self.toggle("Colour", "red")
        self.said("100 matches")
        self.toggle("Colour", "Blauw <b>")
        self.said("200 matches")
        self.assertEqual(self.chips(), ["Colour: red", "Colour: Blauw <b>", "Clear all"])
        self.assertEqual(self.conditions(), [("filter", "colour=red"), ("filter", "colour=Blauw <b>")])
        # A field counts as if it did not filter; the others count the records that it leaves.
        self.wait(f"{GROUP}('Brand name').querySelector('span').textContent === '100'")
        self.assertEqual(sorted(self.values("Colour")), sorted([
            ["red", "100", True], ["blue", "100", False], ["green", "100", False], ["Blauw <b>", "100", True]]))
        self.toggle("Brand name", "Alma")
        self.said("100 matches")
        self.picture("filters")
        self.reload()
        self.said("100 matches", "input.value === 'lamp'")
        self.assertEqual(self.chips(), ["Colour: red", "Colour: Blauw <b>", "Brand name: Alma", "Clear all"])
        self.evaluate("history.back()")
        self.said("200 matches")
        self.wait("document.querySelectorAll('#chips li').length === 3")
        self.evaluate("history.forward()")
        self.said("100 matches")
        # A click takes one away, and the focus goes to the next one; another click takes all away.
        self.evaluate("document.querySelector('#chips button').click()")
        self.wait("document.querySelectorAll('#chips li').length === 3")
        self.assertEqual(self.evaluate("document.activeElement.textContent"), "Colour: Blauw <b>")
        self.evaluate("[...document.querySelectorAll('#chips .link')].at(-1).click()")
        self.said("400 matches")
        self.assertEqual((self.chips(), self.conditions()), ([], []))
        self.assertEqual(self.complaints(), [])

    def test_filters_without_a_text(self):
        self.serve(self.products)
        self.open("#filter=colour%3Dred&filter=brand_name%3Dalma")
        self.said("100 matches", "document.body.classList.contains('open')")
        self.wait("byId('total').textContent === '400 records'")
        self.show_filters()
        # A value is chosen in the spelling of the address too.
        self.wait(f"{GROUP}('Brand name').querySelector('input:checked')")
        self.toggle("Brand name", "Alma")
        self.said("100 matches")
        self.assertEqual(self.conditions(), [("filter", "colour=red")])

    def test_more_values_by_their_beginning(self):
        self.serve(self.products)
        self.open()
        self.type("lamp", "400 matches")
        self.show_filters()
        self.wait(f"{GROUP}('Brand name').querySelector('button:not([hidden])')")
        self.assertTrue(self.evaluate(f"{GROUP}('Colour').querySelector('button').hidden"))
        self.evaluate(f"{GROUP}('Brand name').querySelector('button').click()")
        self.wait(f"{GROUP}('Brand name').querySelectorAll('li').length === 21")
        entry = f"{GROUP}('Brand name').querySelector('input[type=text]')"
        self.evaluate(f"{entry}.value = 'BRAND 3', {entry}.dispatchEvent(new Event('input'))")
        self.wait(f"{GROUP}('Brand name').querySelectorAll('li').length === 5")
        self.assertEqual([value for value, _, _ in self.values("Brand name")], [f"Brand 3{i}" for i in (1, 3, 5, 7, 9)])
        self.assertEqual(self.evaluate(f"{GROUP}('Brand name').querySelector('p').textContent"), "In the whole list:")
        self.toggle("Brand name", "Brand 37")
        self.said("10 matches")
        self.evaluate(f"{entry}.value = 'zz', {entry}.dispatchEvent(new Event('input'))")
        self.wait(f"{GROUP}('Brand name').querySelector('p').textContent === 'No value begins like this.'")
        self.evaluate(f"{GROUP}('Brand name').querySelector('button').click()")
        # The chosen value stays in sight, though ten others have more matches.
        self.wait(f"{GROUP}('Brand name').querySelector('input:checked')")
        self.assertIn("Brand 37", [value for value, _, isOn in self.values("Brand name") if isOn])
        self.assertEqual(self.complaints(), [])

    def test_ranges_of_numbers_and_of_dates(self):
        self.serve(self.products, "--lang", "de", "--label", "price=Preis")
        self.open()
        self.evaluate("input.focus()")
        self.browser.type("lamp")
        self.wait("byId('said').innerText.startsWith('400')")
        self.show_filters()
        hints = "[...%s('Preis').querySelectorAll('input')].map(box => box.placeholder)" % GROUP
        self.wait(f"({hints})[0] !== ''")
        self.assertEqual(self.evaluate(hints), ["0,5", "399,5"])
        self.fill("Preis", "100", "")
        self.wait("byId('said').innerText.startsWith('300')")
        self.fill("Preis", "100,5", "109,5")
        self.wait("byId('said').innerText.startsWith('10 ')")
        self.assertEqual((self.chips()[0], self.conditions()), ("Preis: 100,5 – 109,5", [("filter", "price=100.5..109.5")]))
        wrong = f"{GROUP}('Preis').querySelector('[role=alert]').textContent"
        for least, greatest in [("zehn", "20"), ("20", "10"), ("<b>", "")]:
            self.fill("Preis", least, greatest)
            self.wait(f"{wrong}.startsWith('Bitte eine Zahl wie 19,5')")
        self.fill("Preis", "", "")
        self.wait(f"byId('said').innerText.startsWith('400') && {wrong} === ''")
        self.fill("Made", "2025-03", "2025-04-30")
        self.wait("byId('said').innerText.startsWith('68 ')")
        self.assertEqual(self.chips()[0], "Made: 2025-03 – 2025-04-30")
        self.assertEqual(self.complaints(), [])

    def test_orders(self):
        self.serve(self.products, *ORDERS)
        self.open()
        self.type("lamp", "400 matches")
        self.wait_for_titles("Lamp 000", "Lamp 001")
        self.assertEqual(self.evaluate("[...byId('order').options].map(one => one.textContent)"),
                         ["Relevance", "Cheapest first", "Dearest <i>first</i>"])
        self.evaluate("byId('order').value = '-price', byId('order').dispatchEvent(new Event('change'))")
        self.wait_for_titles("Lamp 399", "Lamp 398")
        self.assertEqual(self.conditions(), [("order", "-price")])
        self.reload()
        self.wait("byId('order')?.value === '-price'")
        self.wait_for_titles("Lamp 399")
        self.evaluate("history.back()")
        self.wait("byId('order').value === ''")
        self.wait_for_titles("Lamp 000")

    def test_near_me_is_asked_for(self):
        self.locate(48.05, 11.03)
        self.serve(self.shops)
        self.open()
        self.show_filters()  # They count all matches.
        self.type("shop", "100 matches")
        self.wait_for_titles("Shop 99")
        self.assertEqual(self.evaluate("byId('near').ariaPressed"), "false")
        self.evaluate("byId('near').click()")
        self.wait("byId('near').ariaPressed === 'true' && +document.querySelector('.row .title').textContent.slice(5) < 50")
        self.evaluate("byId('radius').value = '25', byId('radius').dispatchEvent(new Event('change'))")
        self.said("50 matches")
        # The place is in the history, and in no address.
        self.assertNotIn("48", self.evaluate("location.href.split('#')[1]"))
        self.reload()
        self.show_filters()
        self.said("50 matches", "byId('near').ariaPressed === 'true' && byId('radius').value === '25'")
        self.evaluate("byId('near').click()")
        self.said("100 matches", "byId('near').ariaPressed === 'false' && !byId('radius').offsetHeight")
        self.assertEqual(self.complaints(), [])

    def test_filters_opened_while_an_answer_is_under_way(self):
        self.serve(self.shops)
        self.open()
        self.evaluate("input.value = 'shop', input.dispatchEvent(new Event('input')), byId('filter').click()")
        self.said("100 matches")
        self.wait(f"{GROUP}('Kind')")
        self.assertEqual(sorted(self.values("Kind")), [["a", "50", False], ["b", "50", False]])

    def test_a_refused_place_is_said(self):
        self.locate(None)
        self.serve(self.shops, "--lang", "fr")
        self.open()
        self.evaluate("byId('near').click()")
        self.wait("byId('notice').innerText.startsWith('Le navigateur n’indique pas votre position')")
        self.assertEqual(self.shown("byId('near').ariaPressed", "byId('near').ariaBusy"), ["false", None])

    def test_no_match_offers_what_can_be_taken_away(self):
        self.serve(self.products)
        self.open("#q=lamp&filter=colour%3Dred&filter=price%3D..100&filter=brand_name%3DBrand+01")
        self.wait("document.querySelectorAll('#said .offers button').length === 3")
        self.assertEqual(self.evaluate("[...document.querySelectorAll('#said .offers button')].map(one => one.textContent)"),
                         ["Show without Colour: red", "Show without Brand name: Brand 01", "Clear all"])
        self.assertTrue(self.evaluate("byId('said').innerText").startswith("Nothing matches “lamp”."))
        self.evaluate("document.querySelector('#said .offers button').click()")
        self.said("3 matches")
        self.assertEqual(self.conditions(), [("filter", "price=..100"), ("filter", "brand_name=Brand 01")])
        self.open("#filter=colour%3Dred&filter=colour%3Dblue&filter=price%3D1000..")
        self.wait("document.querySelectorAll('#said .offers button').length === 2")
        self.assertEqual(self.evaluate("byId('said').innerText.split(/\\s*\\n\\s*/)"),
                         ["Nothing matches all of this.", "Show without Price: from 1000", "Clear all"])
        self.evaluate("[...document.querySelectorAll('#said .offers button')].at(-1).click()")
        self.wait("document.querySelectorAll('#chips li').length === 0")
        self.assertEqual(self.complaints(), [])

    def test_hostile_values_are_text(self):
        self.serve(self.hostile, "--order", "size=" + "o" * 4000, "--label", "size=" + "l" * 4000)
        self.open()
        self.type("thing", "60 matches")
        self.show_filters()
        self.wait(f"{GROUP}('Only')")
        legends = self.evaluate("[...document.querySelectorAll('.group:not([hidden]) legend')].map(one => one.textContent)")
        self.assertIn(FIELD, legends)
        # A request has no room for a name of 10,000 letters.
        self.assertEqual([legend for legend in legends if legend.startswith("Long")], [])
        self.assertIn("l" * 100 + "…", legends)
        self.assertEqual([self.values(name) for name in ("Only", "Empty")], [[["one", "60", False]], [["“”", "60", False]]])
        values = self.evaluate("[...document.querySelectorAll('.group li bdi')].map(one => one.textContent)")
        self.assertIn(MARKUP, values)
        self.assertIn("on", values)  # The value of an empty checkbox.
        self.assertIn("x" * 100 + "…", values)
        self.assertLess(max(map(len, values)), 120)
        self.toggle("Only", "one")
        self.said("60 matches")
        self.toggle("None", f"value 00 {MARKUP}")
        self.said("1 match")
        self.assertEqual(self.chips()[:2], ["Only: one", f"None: value 00 {MARKUP}"])
        self.assertEqual(self.shown("document.querySelectorAll('.panel img, #filters b, #chips b').length", "document.title"),
                         [0, "thing – shardq"])
        self.assertLess(max(len(text) for text in self.evaluate(
            "[...document.querySelectorAll('#tools option, #chips li')].map(one => one.textContent)")), 220)
        self.assertEqual(self.complaints(), [])

    def test_an_address_with_what_the_index_has_not(self):
        self.serve(self.products, *ORDERS)
        wrong = [f"nope={MARKUP}", "price=abc", "made=2025-02..2025-01", "colour=" + "y" * 10_000, "=", "colour"]
        pairs = [("q", "lamp"), *(("filter", one) for one in wrong), ("filter", "colour=red"), ("order", MARKUP)]
        self.open("#" + urllib.parse.urlencode(pairs))
        self.said("100 matches")
        chips = self.chips()
        self.assertEqual(chips[0], f"Nope: {MARKUP} (not in this list)")
        self.assertEqual([chip.endswith("(not in this list)") for chip in chips], [True] * 4 + [False, True, False])
        self.assertLess(max(map(len, chips)), 250)
        self.assertEqual(self.shown("document.querySelectorAll('#chips img').length", "byId('notice').hidden",
                                    "byId('order').value"), [0, True, ""])
        for _ in chips[:-1]:
            self.evaluate("document.querySelector('#chips button').click()")
        self.said("400 matches")
        self.assertEqual(self.conditions(), [])
        self.assertEqual(self.complaints(), [])

    def test_a_list_without_conditions_has_no_menus(self):
        index = self.build("plain", ({"name": f"Word {i}"} for i in range(9)), "--key", "{name}")
        self.serve(index)
        self.open("#filter=a%3Db")
        self.assertEqual(self.shown("byId('tools').offsetHeight", "byId('filters').offsetHeight"), [0, 0])
        self.assertEqual(self.chips()[0], "A: b (not in this list)")
        self.type("word", "9 matches")
        shutil.rmtree(index.parent)


class FirefoxFilters(Filters):
    """The tests with Firefox's own way to tell a place."""

    kind = firefox.Firefox

    def locate(self, latitude, longitude=None):
        place = json.dumps({"location": {"lat": latitude, "lng": longitude}, "accuracy": 10})
        preferences = {"permissions.default.geo": 1 if latitude is not None else 2}
        texts = {"geo.provider.network.url": "data:application/json," + place}
        script = "".join(f"Services.prefs.setIntPref({json.dumps(n)}, {v});" for n, v in preferences.items())
        script += "".join(f"Services.prefs.setStringPref({json.dumps(n)}, {json.dumps(v)});" for n, v in texts.items())
        self.browser.call("Marionette:SetContext", value="chrome")
        try:
            self.browser.call("WebDriver:ExecuteScript", script=script, args=[])
        finally:
            self.browser.call("Marionette:SetContext", value="content")
