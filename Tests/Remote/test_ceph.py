"""Tests an index in Ceph's object gateway, by S3: signed and public, while a gateway dies, and while the store stalls.

Only long runs start Ceph, if it is installed.
"""

import os
import signal
import subprocess
import time
import unittest

import gateway
import nginx
from gateway import KEYS
from remote import ENVIRONMENT, LONG, MANY, SCRATCH, WWW, RemoteTestCase, shardq, texts


@unittest.skipUnless(LONG, "Ceph is started in long runs alone")
class InCeph(RemoteTestCase):
    @classmethod
    def setUpClass(cls):
        if gateway.missing():
            raise unittest.SkipTest(f"an index in Ceph, for there is no {gateway.missing()}: {gateway.PACKAGES}")
        cls.ceph = gateway.Ceph(SCRATCH, nginx.free_ports(5))
        cls.addClassCleanup(cls.ceph.close)
        # An archive's key needs no escapes.
        files = [("lists/many.shardq", os.path.join(WWW, "many.shardq"))]
        directory = [("many/" + name.replace("%", "%25"), os.path.join(MANY, name))
                     for name in os.listdir(MANY) if name == "manifest" or name.endswith(".zst")]
        cls.ceph.bucket("private", *files, *directory)
        cls.ceph.bucket("public", *files, is_public=True)

    def s3(self, url, *arguments, keys=KEYS, text=None, cache=True):
        environment = {**keys, "AWS_ENDPOINT_URL": self.ceph.url}
        return self.ask(url, *arguments, text=text, cache=cache, environment=environment)

    def expected(self, lines, *options):
        return shardq("query", "-i", MANY, "--stdin", "-n", "10", *options, text=lines)[1]

    def test_answers_are_those_on_disk(self):
        lines = "".join(text + "\n" for text in texts(300))
        for sort in ("key", "rank"):
            expected = self.expected(lines, "--sort", sort)
            for url, keys in (("s3://private/many/", KEYS), ("s3://private/lists/many.shardq", KEYS), ("s3://public/lists/many.shardq", {})):
                with self.subTest(url=url, sort=sort):
                    found = self.s3(url, "--stdin", "-n", "10", "--sort", sort, keys=keys, text=lines)
                    self.assertEqual(found, (0, expected, ""))

    def test_rights(self):
        for url, keys, status, said in [
            ("s3://private/many/", {}, 74, "403"),
            ("s3://private/many/", {**KEYS, "AWS_SECRET_ACCESS_KEY": "wrong"}, 74, "does not accept"),
            ("s3://private/many/", {**KEYS, "AWS_ACCESS_KEY_ID": "nobody"}, 74, "does not accept"),
            ("s3://none/many/", KEYS, 66, "no index"),
            ("s3://private/nothing/", KEYS, 66, "no index"),
        ]:
            with self.subTest(url=url, keys=keys):
                found = self.s3(url, "ba", keys=keys)
                self.assertEqual(found[0], status, found)
                self.assertIn(said, found[2])
                self.assertNotIn("SKTEST", found[2])

    def test_a_gateway_that_dies(self):
        lines = "".join(text + "\n" for text in texts(400, seed=7))
        expected = self.expected(lines, "--sort", "key")
        process = self.ceph.processes["a"]
        environment = {**ENVIRONMENT, **KEYS, "AWS_ENDPOINT_URL": self.ceph.url}
        from remote import BIN
        with subprocess.Popen(
            [os.path.join(BIN, "shardq"), "-i", "s3://private/many/", "--cache-size", "0", "--stdin", "-n", "10", "--sort", "key"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True,
        ) as asked:
            half = lines[: len(lines) // 2]
            half = half[: half.rindex("\n") + 1]
            asked.stdin.write(half)
            asked.stdin.flush()
            time.sleep(1)
            process.kill()
            process.wait(30)
            output, error = asked.communicate(lines[len(half):], timeout=60)
        self.ceph.daemon("a", "radosgw", "-n", "client.rgw.a", "-f")
        self.ceph.wait(lambda: self.ceph.curl(f"http://127.0.0.1:{self.ceph.ports['a']}/") == 0)
        self.assertEqual((error, output), ("", expected))

    def test_a_store_that_stands_still(self):
        lines = "ba\nchi\nsan\n"
        expected = self.expected(lines, "--sort", "key")
        self.assertEqual(self.s3("s3://private/lists/many.shardq", "--stdin", "-n", "10", "--sort", "key", text=lines)[1], expected)
        store = self.ceph.processes["osd"]
        store.send_signal(signal.SIGSTOP)
        try:
            began = time.monotonic()
            found = self.s3("s3://private/many/", "ba", cache=False)
            self.assertLess(time.monotonic() - began, 6)
            self.assertEqual(found[0], 74, found)
        finally:
            store.send_signal(signal.SIGCONT)
        self.assertEqual(self.s3("s3://private/many/", "ba", "--count")[0], 0)


if __name__ == "__main__":
    unittest.main()
