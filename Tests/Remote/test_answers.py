"""Compares answers over HTTP with answers from disk, and the number of requests with docs/remote.md."""

import os
import random
import signal
import subprocess
import tempfile
import threading
import time

import nginx
import remote
from remote import BIN, CITIES, ENVIRONMENT, LONG, MANY, SCRATCH, WWW, RemoteTestCase, shardq, texts


class Answers(RemoteTestCase):
    @classmethod
    def setUpClass(cls):
        cls.nginx = nginx.Nginx(tempfile.mkdtemp(dir=SCRATCH), WWW)
        cls.addClassCleanup(cls.nginx.stop)

    def url(self, name):
        return f"{self.nginx.origins[0]}/{name}"

    def test_answers_are_those_on_disk(self):
        lines = "".join(text + "\n" for text in texts(5000 if LONG else 500))
        for sort in ("key", "rank"):
            _, expected, _ = shardq("query", "-i", MANY, "--stdin", "-n", "10", "--sort", sort, text=lines)
            for name in ("many/", "many.shardq"):
                for fetch in ("shards", "ranges"):
                    with self.subTest(sort=sort, name=name, fetch=fetch):
                        status, output, error = self.ask(
                            self.url(name), "--stdin", "-n", "10", "--sort", sort, "--fetch", fetch, text=lines)
                        self.assertEqual((status, error), (0, ""))
                        self.assertEqual(output, expected)

    def test_the_options_of_a_query(self):
        for options in (["san"], ["ba", "--count"], ["ba", "--format", "csv", "--fields", "name"], ["ba", "-n", "3", "--json"],
                        ["san", "--all", "--sort", "key"], ["zzz"], ["san", "-q"], ["snaba", "--typos", "auto"],
                        ["ba", "-v", "--offset", "5"]):
            with self.subTest(options=options):
                expected = shardq("-i", MANY, *options)
                found = self.ask(self.url("many/"), *options)
                self.assertEqual(found[:2], expected[:2])

    def test_requests_of_a_query(self):
        for name, most in (("cities/", 1), ("cities.shardq", 1), ("many/", 2), ("many.shardq", 3)):
            with self.subTest(name=name):
                self.nginx.requests()
                self.assertEqual(self.ask(self.url(name), "san", "--sort", "key", "--fetch", "shards")[0], 0)
                requests = self.nginx.requests()
                self.assertEqual(requests[0].range, "bytes=0-65535")
                self.assertLessEqual(len(requests) - 1, most, requests)
                # The second query finds all files in the cache, and the host has nothing newer.
                self.assertEqual(self.ask(self.url(name), "san", "--sort", "key", "--fetch", "shards")[0], 0)
                self.assertEqual([(each.status, each.size) for each in self.nginx.requests()], [("304", "0")])

    def test_requests_one_after_the_other(self):
        # Rounds of requests: a request that begins while another is under way does not wait for it. The host answers
        # when no request has come for a while.
        rounds, last, lock = [0], [0.0], threading.Lock()

        def slow(handler, content):
            with lock:
                if time.monotonic() - last[0] > 0.1:
                    rounds[0] += 1
                last[0] = time.monotonic()
            time.sleep(0.25)
            handler.send_range(content)

        with remote.Host(slow) as host:
            for name in ("many/", "many.shardq"):
                for text in ("san", "k"):
                    rounds[0] = 0
                    self.assertEqual(self.ask(host.url + name, text, "-n", "10", "--sort", "key", cache=False)[0], 0)
                    self.assertLessEqual(rounds[0], 3, (name, text))  # The opening is one round.

    def test_a_damaged_cache_is_no_error(self):
        expected = shardq("-i", MANY, "san", "--sort", "key")[1]
        self.ask(self.url("many/"), "san", "--sort", "key", "--fetch", "shards")
        kept = [os.path.join(path, name) for path, _, names in os.walk(self.cache) for name in names if name != "CACHEDIR.TAG"]
        self.assertGreater(len(kept), 0)
        for path in kept:
            with open(path, "r+b") as file:
                file.seek(os.path.getsize(path) // 2)
                byte = file.read(1)
                file.seek(-1, os.SEEK_CUR)
                file.write(bytes([byte[0] ^ 1]))
        self.nginx.requests()
        status, output, _ = self.ask(self.url("many/"), "san", "--sort", "key", "--fetch", "shards")
        self.assertEqual((status, output), (0, expected))
        # The root is one of them.
        self.assertEqual(len(self.nginx.requests()), len(kept))
        self.ask(self.url("many/"), "san", "--sort", "key", "--fetch", "shards")
        self.assertEqual(len(self.nginx.requests()), 1)

    def test_without_a_usable_cache(self):
        expected = shardq("-i", MANY, "san")
        file = os.path.join(self.cache, "file")
        open(file, "w", encoding="utf-8").close()
        closed = os.path.join(self.cache, "closed")
        os.mkdir(closed, 0o500)
        open_to_all = os.path.join(self.cache, "open")
        os.mkdir(open_to_all)
        os.chmod(open_to_all, 0o777)
        for place in (file, file + "/below", closed, open_to_all, "/dev/full"):
            status, output, error = shardq("-i", self.url("many/"), "san", "--cache-dir", place)
            self.assertEqual((status, output, error), expected, place)
        self.assertEqual(os.listdir(open_to_all), [])

    def test_the_cache_keeps_its_limit(self):
        for seed in range(3):
            lines = "".join(text + "\n" for text in texts(60, seed))
            self.ask(self.url("many/"), "--stdin", "--cache-size", "256KiB", "--fetch", "shards", text=lines)
        self.assertEqual(os.stat(self.cache).st_mode & 0o777, 0o700)
        sizes = [os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(self.cache) for name in names]
        self.assertGreater(len(sizes), 4)
        self.assertLessEqual(sum(sizes), 256 << 10)

    def test_processes_share_the_cache(self):
        lines = "".join(text + "\n" for text in texts(200))
        _, expected, _ = shardq("query", "-i", MANY, "--stdin", "-n", "10", text=lines)
        made = random.Random(2)
        arguments = [os.path.join(BIN, "shardq"), "-i", self.url("many/"), "--cache-dir", self.cache, "--stdin", "-n", "10",
                     "--cache-size", "1MiB"]
        for _ in range(20 if LONG else 4):
            running = []
            for _ in range(4):
                process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
                running.append(process)
                try:
                    process.stdin.write(lines.encode())
                    process.stdin.close()
                except BrokenPipeError:
                    pass
            time.sleep(made.uniform(0.02, 0.3))
            for process in running:
                process.send_signal(signal.SIGKILL)
                process.wait()
        status, output, error = self.ask(self.url("many/"), "--stdin", "-n", "10", text=lines)
        self.assertEqual((status, error), (0, ""))
        self.assertEqual(output, expected)

    def test_the_settings_may_name_a_url(self):
        expected = shardq("-i", CITIES, "san")[1]
        environment = {"SHARDQ_INDEX": self.url("cities/")}
        self.assertEqual(shardq("san", environment=environment)[:2], (0, expected))

    def test_other_commands_refuse_a_url(self):
        for command in (["stats"], ["verify"], ["export"], ["ui"], ["map", "san"]):
            status, output, error = shardq(command[0], "-i", self.url("cities/"), *command[1:])
            self.assertEqual((status, output), (64, ""), command)
            self.assertIn("needs an index on disk", error)
        status, _, error = shardq("-i", CITIES, "san", "--fetch", "shards")
        self.assertEqual(status, 64)
        self.assertIn("--fetch", error)
