"""Tests the page without a server, with its index in a bucket of Ceph's gateway, another origin. Only long runs start Ceph."""

import json
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests" / "Wasm"), str(ROOT / "Tests" / "Remote")]
import gateway  # noqa: E402
import test_hosts  # noqa: E402
from test_hosts import IS_LONG, browser, nginx, shardq  # noqa: E402


@unittest.skipUnless(IS_LONG, "Ceph is started in long runs alone")
class FromCeph(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if gateway.missing():
            raise unittest.SkipTest(f"the page from Ceph, for there is no {gateway.missing()}: {gateway.PACKAGES}")
        directory = tempfile.TemporaryDirectory(prefix="shardq-ceph-")
        cls.addClassCleanup(directory.cleanup)
        cls.work = work = pathlib.Path(directory.name)
        os.chmod(work, 0o755)  # Workers of nginx may be another user's.
        cls.index = test_hosts.OnNginx.list(work)
        shardq("archive", "-i", cls.index, "-o", work / "list.shardq")
        (work / "site").mkdir()
        (work / "nginx").mkdir()
        cls.host = nginx.Nginx(work / "nginx", work / "site", [""])
        cls.addClassCleanup(cls.host.stop)
        cls.ceph = gateway.Ceph(work, nginx.free_ports(5))
        cls.addClassCleanup(cls.ceph.close)
        names = [path.name for path in cls.index.iterdir() if path.name == "manifest" or path.suffix == ".zst"]
        directory = [("list/" + name.replace("%", "%25"), cls.index / name) for name in names]
        # An archive's key needs no escapes.
        cls.ceph.bucket("public", ("list.shardq", work / "list.shardq"), *directory, is_public=True)
        cls.ceph.bucket("private", ("list.shardq", work / "list.shardq"))
        for bucket in ("public", "private"):
            cls.ceph.share(bucket)
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    def page(self, name, place):
        """A tab with the page that asks the index at an address of Ceph: docs/static-page.md has the two changes."""
        site = self.work / "site" / name
        shardq("page", "-i", self.index, "-o", site)
        path = site / "index.html"
        page = path.read_text()
        for old, new in [('data-index="index/"', f'data-index="{self.ceph.url}/{place}"'),
                         ("connect-src 'self'", f"connect-src 'self' {self.ceph.url}")]:
            self.assertEqual(page.count(old), 1)
            page = page.replace(old, new)
        path.write_text(page)
        tab = browser.Tab(self.browser)
        self.addCleanup(tab.close)
        tab.open(f"{self.host.origins[0]}/{name}/")
        tab.wait("document.querySelector('#matches')?.innerText.length > 0 || !document.querySelector('#notice').hidden")
        return tab

    def names(self, text):
        lines = shardq("query", "-i", self.index, "--format", "jsonl", "-n", 10, text).stdout.splitlines()
        return [json.loads(line)["name"] for line in lines]

    def test_typing(self):
        for name, place in (("directory", "public/list/"), ("archive", "public/list.shardq")):
            with self.subTest(place):
                tab = self.page(name, place)
                typed = ""
                for more in ("l", "o", "n", "d"):
                    typed += more
                    tab.evaluate("document.querySelector('#query').focus()")
                    tab.type(more)
                    names = self.names(typed)
                    self.assertGreater(len(names), 0, typed)
                    tab.wait(f"{json.dumps(names)}.every(name => document.querySelector('#matches').innerText.includes(name))")
                kinds = ("Log.entryAdded", "Runtime.exceptionThrown")
                self.assertEqual([event for event in tab.events if event["method"] in kinds], [])
                # All of the index came from Ceph.
                asked = {each.path for each in self.host.requests()}
                self.assertFalse([path for path in asked if "/index/" in path or path.endswith(".zst")], asked)

    def test_a_bucket_that_others_may_not_read(self):
        tab = self.page("private", "private/list.shardq")
        self.assertIn("status 403", tab.evaluate("document.querySelector('#notice').innerText"))


if __name__ == "__main__":
    unittest.main()
