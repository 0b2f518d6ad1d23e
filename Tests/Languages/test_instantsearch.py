"""Tests the search client of Algolia's interface: requests and answers as its documentation has them, over a list of products.

Each answer is compared with a scan of the list. The client asks an opened index, and `shardq serve` if that is built.
"""

import collections
import json
import math
import os
import random
import subprocess
import unittest

import languages
from languages import PROGRAM, WORK

ASK = """
import { searchClient } from 'shardq/instantsearch'
import { open } from 'shardq'
import { readFileSync } from 'node:fs'
const { address, isServer, options, calls } = JSON.parse(readFileSync(0))
const client = searchClient({ products: isServer ? address : open(address) }, options)
const answers = []
for (const [name, requests] of calls) {
  answers.push(await client[name](requests).then(answer => ({ answer }), ({ name, code, message }) => ({ name, code, message })))
}
console.log(JSON.stringify(answers))
"""
BRANDS = ["Alma", "Borg & Sons", "Cé <b>", "-Minus", "D'Or"]
NOUNS = ["Lamp", "Chair", "Desk", "Kettle", "Cup"]


def products():
    numbers = random.Random(54)
    for i in range(300):
        noun, level = numbers.choice(NOUNS), numbers.choice(["A", "B"])
        yield {
            "sku": f"P{i:03}", "name": f"{noun} {numbers.choice(['red', 'blue', '<i>odd</i>'])} {i:03}", "brand": numbers.choice(BRANDS),
            "price": numbers.choice([5, 10, 10.5, 99.99, 250, -3]) + i % 7, "stock": i % 4, "rank": 1000 - i,
            "tags": numbers.sample(["new", "sale", "eco", "old"], numbers.randrange(4)),
            "categories": {"lvl0": level, "lvl1": f"{level} > {noun}"}, "latitude": 40 + i % 20, "longitude": -(i % 30),
        }


def distance(a, b):
    """The length of the great circle in kilometres."""
    (p, q), (r, s) = ([math.radians(x) for x in point] for point in (a, b))
    h = math.sin((r - p) / 2) ** 2 + math.cos(p) * math.cos(r) * math.sin((s - q) / 2) ** 2
    return 2 * 6371.0088 * math.asin(math.sqrt(h))


class Cases:
    """The tests; a class below has the source of the answers."""

    @classmethod
    def setUpClass(cls):
        cls.place = languages.install_node()
        with open(os.path.join(cls.place, "instantsearch.mjs"), "w") as file:
            file.write(ASK)
        cls.records, cls.index = list(products()), os.path.join(WORK, "products")
        if not os.path.exists(cls.index):
            lines = "".join(json.dumps(record) + "\n" for record in cls.records)
            filters = [word for name in ("brand", "tags", "categories.lvl0", "categories.lvl1", "stock") for word in ("--filter", name)]
            languages.run(
                "build", "-", "--input-format", "jsonl", "-i", cls.index, "-q", "--key", "{name}, {brand}", "--id", "sku", "--words", "--typos",
                "--near", "--weight", "rank", "--number", "price", *filters, input=lines.encode())

    def call(self, *calls, options={"objectID": "sku"}):
        asked = json.dumps({"address": self.address, "isServer": self.is_server, "options": options, "calls": calls})
        done = subprocess.run(["node", "instantsearch.mjs"], cwd=self.place, input=asked, stdout=subprocess.PIPE, check=True, text=True, timeout=120)
        return json.loads(done.stdout)

    def search(self, *params, name="products"):
        found, = self.call(("search", [{"indexName": name, "params": each} for each in params]))
        self.assertIn("answer", found, found)
        return found["answer"]["results"]

    def refused(self, params, *words, name="products"):
        found, = self.call(("search", [{"indexName": name, "params": params}]))
        self.assertEqual((found.get("name"), found.get("code")), ("ShardqError", "refused"), (params, found))
        for word in words:
            self.assertIn(word, found["message"])

    def matching(self, passes):
        return {record["sku"] for record in self.records if passes(record)}

    def check(self, params, passes):
        found, = self.search({"query": "", "hitsPerPage": 1000, **params})
        expected = self.matching(passes)
        self.assertEqual({hit["objectID"] for hit in found["hits"]}, expected, params)
        self.assertEqual((found["nbHits"], found["exhaustiveNbHits"]), (len(expected), True), params)

    def test_the_members_of_an_answer(self):
        params = {
            "query": "lamp", "hitsPerPage": 7, "page": 1, "facets": ["brand", "price"], "maxValuesPerFacet": 3, "analytics": False,
            "highlightPreTag": "__ais-highlight__", "highlightPostTag": "__/ais-highlight__", "clickAnalytics": True, "userToken": "u",
        }
        found, = self.search(params)
        lamps = [record for record in self.records if record["name"].startswith("Lamp")]
        brands = collections.Counter(record["brand"] for record in lamps)
        self.assertEqual(
            sorted(found), sorted([
                "hits", "nbHits", "page", "nbPages", "hitsPerPage", "facets", "facets_stats", "exhaustive", "exhaustiveFacetsCount",
                "exhaustiveNbHits", "exhaustiveTypo", "processingTimeMS", "query", "params", "index"]))
        self.assertEqual((found["nbHits"], found["page"], found["nbPages"], found["hitsPerPage"]), (len(lamps), 1, -(-len(lamps) // 7), 7))
        self.assertEqual((found["query"], found["index"]), ("lamp", "products"))
        self.assertEqual(found["facets"]["brand"], dict(brands.most_common(3)))
        self.assertEqual(found["facets_stats"], {"price": {"min": min(r["price"] for r in lamps), "max": max(r["price"] for r in lamps)}})
        self.assertEqual(found["exhaustive"], {"nbHits": True, "typo": True, "facetsCount": True, "facetValues": False})
        self.assertIn("query=lamp&hitsPerPage=7&page=1&facets=%5B%22brand%22%2C%22price%22%5D", found["params"])
        self.assertIsInstance(found["processingTimeMS"], int)
        # The heaviest records come first.
        best = [record["sku"] for record in lamps][7:14]
        self.assertEqual([hit["objectID"] for hit in found["hits"]], best)
        for hit in found["hits"]:
            record = next(record for record in self.records if record["sku"] == hit["objectID"])
            self.assertEqual((hit["name"], hit["brand"], hit["categories"]), (record["name"], record["brand"], record["categories"]))
            self.assertEqual(hit["_geoloc"], {"lat": record["latitude"], "lng": record["longitude"]})

    def test_marks(self):
        record = next(record for record in self.records if "<i>" in record["name"] and record["brand"] == "Cé <b>")
        query = record["name"].replace("<i>", "").replace("</i>", "").lower()
        (plain,), (markup,), (second,) = (self.search({"query": query, "hitsPerPage": 1, **tags}) for tags in (
            {"highlightPreTag": "__aa-highlight__", "highlightPostTag": "__/aa-highlight__"}, {}, {"attributesToHighlight": ["brand"]}))
        noun, number = record["name"].split()[0], record["name"].split()[-1]
        name = plain["hits"][0]["_highlightResult"]["name"]
        self.assertEqual(name["value"].replace("__aa-highlight__", "").replace("__/aa-highlight__", ""), record["name"])
        self.assertTrue(name["value"].startswith(f"__aa-highlight__{noun}__/aa-highlight__ <i>"), name)
        self.assertEqual((name["matchLevel"], name["matchedWords"]), ("full", query.split()))
        brand = plain["hits"][0]["_highlightResult"]["brand"]
        self.assertEqual(brand, {"value": "Cé <b>", "matchLevel": "none", "matchedWords": []})
        # Between tags of markup the text is escaped.
        name = markup["hits"][0]["_highlightResult"]["name"]["value"]
        self.assertTrue(name.startswith(f"<em>{noun}</em> &lt;i&gt;"), name)
        self.assertTrue(name.endswith(f"<em>{number}</em>"), name)
        self.assertEqual(markup["hits"][0]["_highlightResult"]["brand"]["value"], "Cé &lt;b&gt;")
        self.assertEqual(list(second["hits"][0]["_highlightResult"]), ["brand"])
        # A word of the other field of the key, and arrays and objects in the shape of the record.
        found, = self.search({"query": "borg", "hitsPerPage": 3, "attributesToRetrieve": ["name"]})
        for hit in found["hits"]:
            self.assertEqual(sorted(hit), ["_geoloc", "_highlightResult", "name", "objectID"])
            marked = hit["_highlightResult"]
            self.assertEqual(marked["brand"]["value"], "<em>Borg</em> &amp; Sons")
            self.assertEqual((marked["name"]["matchLevel"], marked["brand"]["matchLevel"]), ("none", "full"))
            self.assertIn("matchLevel", marked["categories"]["lvl1"])
            self.assertTrue(all(tag["matchLevel"] == "none" for tag in marked["tags"]))
        # A corrected word.
        found, = self.search({"query": "ketle", "hitsPerPage": 1})
        self.assertTrue(found["hits"][0]["_highlightResult"]["name"]["value"].startswith("<em>Kettle</em>"), found["hits"][0])
        self.assertEqual(self.search({"query": "ketle", "typoTolerance": False})[0]["nbHits"], 0)

    def test_facet_filters(self):
        self.check({"facetFilters": ["brand:Alma"]}, lambda r: r["brand"] == "Alma")
        self.check({"facetFilters": "brand:Alma"}, lambda r: r["brand"] == "Alma")
        self.check({"facetFilters": [["brand:Alma", "brand:Cé <b>"], "tags:eco"]}, lambda r: r["brand"] in ("Alma", "Cé <b>") and "eco" in r["tags"])
        self.check({"facetFilters": [["brand:\\-Minus"], ["stock:2", "stock:3"]]}, lambda r: r["brand"] == "-Minus" and r["stock"] in (2, 3))
        self.check({"facetFilters": [["categories.lvl1:A > Desk"]]}, lambda r: r["categories"]["lvl1"] == "A > Desk")
        self.check({"facetFilters": [["brand:Alma"], ["brand:Alma"]]}, lambda r: r["brand"] == "Alma")
        self.check({"facetFilters": ["brand:Nobody"]}, lambda r: False)

    def test_numeric_filters(self):
        prices = sorted({record["price"] for record in self.records})
        compared = {
            "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, "=": lambda a, b: a == b, "!=": lambda a, b: a != b, ">": lambda a, b: a > b,
            ">=": lambda a, b: a >= b,
        }
        for sign, passes in compared.items():
            for bound in (prices[0], 0, 10, 10.5, prices[-1], 99.99):
                self.check({"numericFilters": [f"price{sign}{bound}"]}, lambda r: passes(r["price"], bound))
        self.check({"numericFilters": ["price >= 10", "price<=20"]}, lambda r: 10 <= r["price"] <= 20)
        self.check({"numericFilters": ["price:10 TO 20"]}, lambda r: 10 <= r["price"] <= 20)
        self.check({"numericFilters": [["price<5", "price > 200"], "price!=2"]}, lambda r: (r["price"] < 5 or r["price"] > 200) and r["price"] != 2)
        self.check({"numericFilters": ["price>20", "price<10"]}, lambda r: False)
        self.check({"numericFilters": ["price>10"], "facetFilters": [["brand:Alma"]]}, lambda r: r["price"] > 10 and r["brand"] == "Alma")

    def test_filters(self):
        self.check({"filters": "brand:Alma"}, lambda r: r["brand"] == "Alma")
        self.check({"filters": 'brand:"Cé <b>" AND tags:eco'}, lambda r: r["brand"] == "Cé <b>" and "eco" in r["tags"])
        self.check({"filters": "(brand:Alma OR brand:'D\\'Or') AND price < 10"}, lambda r: r["brand"] in ("Alma", "D'Or") and r["price"] < 10)
        self.check({"filters": "brand:Alma OR brand:-Minus"}, lambda r: r["brand"] in ("Alma", "-Minus"))
        self.check({"filters": "price:10 TO 20 AND stock=2"}, lambda r: 10 <= r["price"] <= 20 and r["stock"] == 2)
        self.check({"filters": '"categories.lvl1":"A > Desk"'}, lambda r: r["categories"]["lvl1"] == "A > Desk")

    def test_facets_of_refined_lists(self):
        """The requests of a list with a choice: one with all conditions, and one without those of the list's field."""
        chosen = {"query": "", "facetFilters": [["brand:Alma", "brand:D'Or"], ["tags:eco"]], "maxValuesPerFacet": 10}
        main, brand, tags = self.search(
            {**chosen, "facets": ["brand", "categories.lvl0", "price", "tags"]},
            {**chosen, "facets": "brand", "facetFilters": [["tags:eco"]], "hitsPerPage": 0, "page": 0, "analytics": False},
            {**chosen, "facets": ["tags"], "facetFilters": [["brand:Alma", "brand:D'Or"]], "hitsPerPage": 0})
        eco = [record for record in self.records if "eco" in record["tags"]]
        both = [record for record in eco if record["brand"] in ("Alma", "D'Or")]
        self.assertEqual(main["nbHits"], len(both))
        # Of a field that the request filters by, an answer has the chosen values alone.
        self.assertEqual(main["facets"]["brand"], dict(collections.Counter(record["brand"] for record in both)))
        self.assertEqual(main["facets"]["tags"], {"eco": len(both)})
        self.assertEqual(main["facets"]["categories.lvl0"], dict(collections.Counter(record["categories"]["lvl0"] for record in both)))
        self.assertEqual(main["facets_stats"]["price"], {"min": min(r["price"] for r in both), "max": max(r["price"] for r in both)})
        self.assertEqual(brand["facets"], {"brand": dict(collections.Counter(record["brand"] for record in eco))})
        self.assertEqual((brand["hits"], brand["nbHits"], brand["nbPages"], brand["hitsPerPage"]), ([], len(eco), 0, 0))
        of_brands = [record for record in self.records if record["brand"] in ("Alma", "D'Or")]
        self.assertEqual(tags["facets"], {"tags": dict(collections.Counter(tag for record in of_brands for tag in record["tags"]))})
        # A field of numbers that the request filters by: its limits within the filter are unknown.
        priced, = self.search({"facets": ["price", "brand"], "numericFilters": ["price>=10"]})
        self.assertEqual((list(priced["facets"]), priced["facets_stats"]), (["brand"], {}))

    def test_pages(self):
        pages = self.search(*({"query": "", "hitsPerPage": 70, "page": page} for page in range(6)))
        self.assertEqual([len(page["hits"]) for page in pages], [70, 70, 70, 70, 20, 0])
        self.assertEqual({hit["objectID"] for page in pages for hit in page["hits"]}, self.matching(lambda r: True))
        self.assertEqual({page["nbPages"] for page in pages}, {5})

    def test_orders(self):
        for order, sign in (("asc", 1), ("desc", -1)):
            found, = self.search({"hitsPerPage": 1000}, name=f"products/sort/price:{order}")
            prices = [hit["price"] for hit in found["hits"]]
            self.assertEqual(len(prices), 300)
            self.assertEqual(prices, sorted(prices, key=lambda price: sign * float(price)))
            self.assertEqual(found["index"], f"products/sort/price:{order}")
        for order in ("price", "price:up", "price:asc,name:asc", ""):
            self.refused({}, "order", name=f"products/sort/{order}")

    def test_places(self):
        here = (45, -10)
        for radius in (1000, 300_000, 1_500_000):
            self.check({"aroundLatLng": "45, -10", "aroundRadius": radius}, lambda r: distance(here, (r["latitude"], r["longitude"])) <= radius / 1000)
        self.check({"aroundLatLng": "45,-10", "aroundRadius": "all"}, lambda r: True)
        near, plain = (found["hits"][0]["_geoloc"] for found in self.search({"aroundLatLng": "45,-10", "hitsPerPage": 1}, {"hitsPerPage": 1}))
        self.assertLess(distance(here, tuple(near.values())), distance(here, tuple(plain.values())) / 2)
        self.refused({"aroundLatLng": "45"}, "aroundLatLng")
        self.refused({"aroundLatLng": "45,-10", "aroundRadius": 10**9}, "radius")

    def test_values_of_facets(self):
        calls = [
            ("searchForFacetValues", [{"indexName": "products", "params": {"facetName": "brand", "facetQuery": "al", "maxFacetHits": 10}}]),
            ("searchForFacetValues", [{"indexName": "products", "params": {
                "facetName": "tags", "facetQuery": "", "facetFilters": [["brand:Alma"]], "query": "lamp", "maxFacetHits": 2}}]),
            ("search", [{"indexName": "products", "type": "facet", "facet": "brand", "params": {"facetQuery": "CE", "highlightPreTag": "__aa__"}}]),
            ("searchForFacetValues", [{"indexName": "products", "params": {"facetName": "price", "facetQuery": "1"}}]),
        ]
        whole, limited, third, wrong = self.call(*calls)
        count = collections.Counter(record["brand"] for record in self.records)
        self.assertEqual(whole["answer"][0]["facetHits"], [{"value": "Alma", "highlighted": "<em>Al</em>ma", "count": count["Alma"]}])
        self.assertTrue(whole["answer"][0]["exhaustiveFacetsCount"])
        lamps = [record for record in self.records if record["name"].startswith("Lamp") and record["brand"] == "Alma"]
        tags = collections.Counter(tag for record in lamps for tag in record["tags"])
        hits = limited["answer"][0]["facetHits"]
        self.assertEqual([hit["count"] for hit in hits], sorted(tags.values(), reverse=True)[:2])
        self.assertTrue(all(tags[hit["value"]] == hit["count"] for hit in hits))
        self.assertEqual(third["answer"]["results"][0]["facetHits"], [
            {"value": "Cé <b>", "highlighted": "__aa__Cé</em> <b>", "count": count["Cé <b>"]}])
        self.assertEqual(wrong.get("code"), "refused", wrong)

    def test_the_forms_of_requests(self):
        expected = [hit["objectID"] for hit in self.search({"query": "desk"})[0]["hits"]]
        for requests in (
            {"requests": [{"indexName": "products", "query": "desk"}]},
            [{"indexName": "products", "query": "desk", "params": {"hitsPerPage": 20}}],
            [{"indexName": "products", "params": {"query": "desk", "tagFilters": "", "optionalFilters": [], "ruleContexts": None}}],
        ):
            found, = self.call(("search", requests))
            self.assertEqual([hit["objectID"] for hit in found["answer"]["results"][0]["hits"]], expected, requests)

    def test_refused(self):
        for params, words in (
            ({"insideBoundingBox": [[1, 2, 3, 4]]}, ["insideBoundingBox"]), ({"optionalFilters": ["brand:Alma"]}, ["optionalFilters"]),
            ({"tagFilters": ["eco"]}, ["tagFilters"]), ({"distinct": True}, ["distinct"]), ({"attributesToSnippet": ["name:10"]}, ["attributesToSnippet"]),
            ({"facets": ["*"]}, ["facets"]), ({"facets": ["nosuch"]}, ["nosuch"]), ({"facetFilters": ["brand:-Alma"]}, ["brand:-Alma"]),
            ({"facetFilters": ["brand:Alma", "brand:D'Or"]}, ["brand"]), ({"facetFilters": [["brand:Alma", "tags:eco"]]}, ["brand OR tags"]),
            ({"facetFilters": "brand:Alma,tags:eco"}, ["facetFilters"]), ({"facetFilters": ["Alma"]}, ["Alma"]), ({"facetFilters": ["nosuch:x"]}, ["nosuch"]),
            ({"numericFilters": ["price"]}, ["price"]), ({"numericFilters": ["price=x"]}, ["price=x"]), ({"numericFilters": ["brand>1"]}, ["brand"]),
            ({"numericFilters": ["stock>=2"]}, ["stock"]), ({"filters": "tags < 3"}, ["tags"]),
            ({"numericFilters": [["price>1", "stock=1"]]}, ["price OR stock"]), ({"filters": "NOT brand:Alma"}, ["filters"]),
            ({"filters": "brand:Alma AND tags:eco OR tags:new"}, ["AND and OR"]), ({"filters": "(brand:Alma"}, ["filters"]), ({"filters": "Alma"}, ["Alma"]),
            ({"filters": "brand:Alma AND"}, ["filters"]), ({"hitsPerPage": 1001}, ["hitsPerPage"]), ({"hitsPerPage": -1}, ["hitsPerPage"]), ({"page": 1.5}, ["page"]),
            ({"page": 501}, ["10"]), ({"typoTolerance": "strict"}, ["typoTolerance"]), ({"aroundLatLngViaIP": True}, ["aroundLatLngViaIP"]),
        ):
            with self.subTest(params):
                self.refused(params, *words)
        self.refused("query=desk", "params")
        self.refused({}, "nosuch", "products", name="nosuch")
        found, = self.call(("search", [{"indexName": "products"}]), options={})
        self.assertEqual(found["code"], "refused")
        self.assertIn("objectID", found["message"])


class Module(Cases, unittest.TestCase):
    is_server = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.address = cls.index


@unittest.skipUnless(os.path.exists(PROGRAM + "-serve"), "there is no server: Scripts/build.sh --server")
class Server(Cases, unittest.TestCase):
    is_server = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        server = subprocess.Popen([PROGRAM, "serve", "-i", cls.index, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
        cls.addClassCleanup(server.stdout.close)
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(server.terminate)
        cls.address = server.stdout.readline().strip()

    def test_a_server_that_is_away(self):
        self.address = "http://127.0.0.1:9/shop"
        self.addCleanup(delattr, self, "address")
        found, = self.call(("search", [{"indexName": "products"}]))
        self.assertEqual(found["code"], "unreachable")
        self.assertIn("127.0.0.1:9/shop", found["message"])


if __name__ == "__main__":
    unittest.main()
