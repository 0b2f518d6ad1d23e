"""Tests filters with counts, ranges, orders and the place of the page, in Chromium and in Debian's firefox-esr.

`Tests/Page/run.sh` runs the tests with the page of `shardq serve`, and `Tests/Wasm/run.sh` with the folder of
`shardq page`. $SHARDQ_LONG=1 also shows a field with a million values.
"""

import json
import os
import shutil
import time
import unittest

import browser
import firefox
import filters
import test_lists
import test_page
import test_visits
from filters import GROUP, Filters


class ChromiumFilters(Filters):
    """The tests that need Chromium's protocol."""

    kind = test_visits.Chromium

    def setUp(self):
        self.browser.tab.size(1280, 800)

    def locate(self, latitude, longitude=None):
        """Lets the browser tell this place; None lets it refuse."""
        setting = "granted" if latitude is not None else "denied"
        self.browser.call("Browser.setPermission", permission={"name": "geolocation"}, setting=setting)
        if latitude is not None:
            self.browser.tab.call("Emulation.setGeolocationOverride", latitude=latitude, longitude=longitude, accuracy=10)

    def test_the_map_moves_to_the_matches_of_a_text(self):
        self.serve(self.shops)
        self.open()
        self.wait("map.levels !== null")
        view = "[map.zoom, map.latitude]"
        home = self.evaluate(view)
        self.type("shop 0", "10 matches")
        self.wait("map.isFollowing && Math.abs(map.latitude - 48.05) < 0.2 && map.zoom > 6 && !document.hidden")
        self.type("shop 9", "10 matches")
        self.wait("Math.abs(map.latitude - 54.05) < 0.2")
        # The map's place is in the address only if a person moved it.
        self.assertNotIn("map=", self.evaluate("location.hash"))
        self.type("zzzz", "Nothing")
        self.wait(f"map.isHome && Math.abs(map.latitude - {home[1]}) < 0.01")
        # A map that a person moved stays while it shows a match.
        self.type("shop 9", "10 matches")
        self.wait("Math.abs(map.latitude - 54.05) < 0.2")
        self.evaluate("map.zoomBy(0.25), 0")
        self.wait("location.hash.includes('map=')")
        held = self.evaluate("location.hash.split('map=')[1]")
        self.type("shop 8", "10 matches")
        time.sleep(0.6)
        self.assertEqual(self.evaluate("location.hash.split('map=')[1]"), held)
        self.assertTrue(self.evaluate("map.isHeld"))

    def test_windows_of_every_size(self):
        for index in (self.products, self.shops):
            self.serve(index, *(filters.ORDERS if index == self.products else ()))
            self.open("#q=" + ("lamp" if index == self.products else "shop"))
            self.wait("document.body.classList.contains('open')")
            for width, height in [(1, 1), (320, 480), (360, 740), (740, 360), (1280, 800), (5000, 3000)]:
                self.browser.tab.size(width, height)
                self.show_filters()
                if min(width, height) < 300:
                    continue
                with self.subTest(index=index.parent.name, size=(width, height)):
                    right, rows, values = self.shown(
                        "document.documentElement.scrollWidth", "byId('matches').offsetHeight", "byId('filters').offsetHeight")
                    self.assertLessEqual(right, width)
                    self.assertGreaterEqual(values, 48)
                    self.assertGreaterEqual(rows, 60)
            self.browser.tab.size(1280, 800)
            self.assertEqual(self.complaints(), [])

    def test_the_whole_way_by_keys(self):
        self.serve(self.products, *filters.ORDERS)
        self.open()
        self.type("lamp", "400 matches")
        self.show_filters()
        self.wait(f"{GROUP}('Colour')")
        tab = self.browser.tab
        for _ in range(30):
            tab.press("Tab")
            if self.evaluate("document.activeElement.closest('.group')?.innerText.startsWith('Colour')"):
                break
        tab.press(" ")
        self.wait("document.querySelectorAll('#chips li').length === 2")
        # The focus stays at the value.
        self.wait("document.activeElement.checked && document.activeElement.closest('.group')")
        self.said("100 matches")

    def test_the_accessibility_checker_finds_nothing(self):
        checker = test_page.axe()
        if not checker:
            self.skipTest("there is no axe.min.js: Scripts/dependencies.sh --tests")
        for index, text in ((self.products, "lamp"), (self.shops, "shop")):
            self.serve(index, *(filters.ORDERS if index == self.products else ()))
            for width, height, dark in [(360, 740, True), (1280, 800, False), (320, 480, False)]:
                self.browser.tab.size(width, height)
                scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
                motion = {"name": "prefers-reduced-motion", "value": "reduce"}
                self.browser.tab.call("Emulation.setEmulatedMedia", features=[scheme, motion])
                field = "colour%3Dred" if index == self.products else "kind%3Da"
                self.open(f"#q={text}&filter={field}&filter=nope%3Dx")
                self.wait("document.querySelectorAll('#chips li').length === 3")
                self.browser.evaluate(checker + ";0")
                self.show_filters()
                self.wait("document.querySelector('.group li')")
                for state in ("filtered", "wrong", "nothing"):
                    if state == "wrong" and index == self.products:
                        self.evaluate(f"{GROUP}('Brand name').querySelector('button').click()")
                        self.fill("Price", "x", "y")
                        self.wait("document.querySelector('[role=alert]:not(:empty)')")
                    if state == "nothing":
                        self.evaluate("input.focus()")
                        self.browser.type("qqq")
                        self.wait("document.querySelector('#said .offers')")
                    with self.subTest(list=index.parent.name, size=(width, height), dark=dark, state=state):
                        self.assertEqual(test_lists.InChromium.violations(self), [])


@unittest.skipUnless(browser.executable(), "there is no Chromium; Scripts/dependencies.sh --tests installs it on Debian")
class InChromium(ChromiumFilters, unittest.TestCase):
    def test_a_field_with_very_many_values(self):
        count = 1_000_000 if os.environ.get("SHARDQ_LONG") == "1" else 20_000
        records = ({"name": f"Part {i:07}", "code": f"C{i:07}", "sales": 1} for i in range(count))
        index = self.build("many", records, "--key", "{name}", "--filter", "code", "--weight", "sales")
        self.serve(index)
        self.open()
        self.type("part", f"{count:,} matches")
        self.show_filters()
        self.wait(f"{GROUP}('Code').querySelectorAll('li').length === 10")
        self.evaluate(f"{GROUP}('Code').querySelector('button').click()")
        self.wait(f"{GROUP}('Code').querySelectorAll('li').length === 100")
        # A text that begins more records than are read has least numbers.
        self.type("part 00", f"{min(count, 100_000):,} matches")
        self.assertEqual(self.complaints(), [])
        shutil.rmtree(index.parent)

    def test_least_counts_are_marked(self):
        records = ({"name": f"Big part {i:05}", "code": "AB"[i % 2], "sales": 1} for i in range(12_000))
        index = self.build("large", records, "--key", "{name}", "--words", "--filter", "code", "--weight", "sales")
        self.serve(index)
        self.open()
        self.evaluate("input.focus()")
        self.browser.type("part")
        self.show_filters()
        self.wait(f"{GROUP}('Code')?.querySelector('li span').textContent === '5,000+'")
        self.assertEqual(self.evaluate(f"{GROUP}('Code').querySelector('p').textContent"), "There may be more than these numbers.")
        shutil.rmtree(index.parent)


@unittest.skipUnless(firefox.executable(), "there is no Firefox; Scripts/dependencies.sh --tests installs it on Debian")
class InFirefox(filters.FirefoxFilters, unittest.TestCase):
    pass


if __name__ == "__main__":
    unittest.main()
