"""Tests serving nodes of an index in a store, behind nginx."""

import collections
import concurrent.futures
import contextlib
import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from nodes import HERE, SCRATCH, Front, Nginx, Node, Store, free_ports, get, listens, packaged, shardq, target, wait_for

SYLLABLES = ["ba", "chi", "dor", "el", "fan", "gor", "hu", "il", "jo", "kan", "lu", "mar", "nor", "o", "pra", "san", "ti"]
COUNT = 12_000


def rows(generation):
    """A list of made-up names. Both generations have the same names, and each says in every record which it is."""
    made = random.Random(4)
    for number in range(COUNT):
        name = "".join(made.choice(SYLLABLES) for _ in range(made.randint(2, 4))).capitalize()
        yield {"name": f"{name} {number}", "country": made.choice(["AX", "BX"]), "weight": made.randint(1, 10 ** 6),
               "generation": generation}


def build(generation):
    path = os.path.join(SCRATCH, generation)
    with open(path + ".csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["name", "country", "weight", "generation"])
        writer.writeheader()
        writer.writerows(rows(generation))
    status, _, error = shardq("build", path + ".csv", "-i", path, "--key", "{name}, {country}", "--shard-size", "4KiB",
                              "--part-size", "1KiB", "--weight", "weight")
    assert status == 0, error
    return path


FIRST, SECOND = build("first"), build("second")
KEYS = [row["name"] for row in rows("first")]


def texts(count, seed=1):
    """Beginnings of keys."""
    made = random.Random(seed)
    return [key[:made.randint(1, 7)] for key in made.sample(KEYS, count)]


def publish(source, target_directory):
    """Shards first, then the manifest."""
    os.makedirs(target_directory, exist_ok=True)
    for name in sorted(os.listdir(source)):
        if name.endswith(".zst"):
            shutil.copy(os.path.join(source, name), target_directory)
    shutil.copy(os.path.join(source, "manifest"), target_directory + "/.manifest")
    os.rename(target_directory + "/.manifest", target_directory + "/manifest")


class Cluster(unittest.TestCase):
    """A store, and nodes that end with the test."""

    def setUp(self):
        self.www = tempfile.mkdtemp(dir=SCRATCH, prefix="www-")
        publish(FIRST, os.path.join(self.www, "list"))
        self.open = self.enterContext(contextlib.ExitStack())
        self.store = self.open.enter_context(Store(self.www))
        self.url = self.store.url + "list/"

    def node(self, *arguments, **options):
        return self.open.enter_context(Node(self.url, *arguments, **options))

    def front(self, nodes):
        return self.open.enter_context(Front([node.port for node in nodes]))


class Answers(Cluster):
    def test_all_nodes_answer_as_the_index_on_disk(self):
        nodes = [self.node(), self.node()]
        front = self.front(nodes)
        with Node(FIRST) as disk:
            for text in texts(60) + ["", "zzz"]:
                for more in ({}, {"sort": "key"}, {"limit": 200, "display": "true"}):
                    wanted = disk.search(text, **more)
                    found = front.search(text, **more)
                    self.assertEqual((found[0], found[2]), (200, wanted[2]), (text, more))
                    self.assertEqual(found[1]["etag"], wanted[1]["etag"])
            self.assertEqual(nodes[0].generation(), disk.generation())
        used = collections.Counter(words[3] for words in front.requests())
        self.assertEqual(len(used), 2, used)

    def test_a_long_search_fetches_side_by_side(self):
        """A short search fetches nothing ahead, since many nodes ask one store."""
        full = os.path.join(self.www, "full")
        _, lines, _ = shardq("generate", "--count", "40000", "--seed", "1", "--format", "jsonl")
        status, _, error = shardq("build", "-", "--input-format", "jsonl", "-i", full, "--shard-size", "4KiB", "--part-size", "1KiB",
                                  "--weight", "_id", "--words", "--typos", "--filter", "country", text=lines)
        self.assertEqual(status, 0, error)
        with Store(self.www, 50) as slow, Node(slow.url + "full/") as node, Node(full) as disk:
            for text, most in ("s", range(1, 8)), ("Snta Bibrontano", range(9, 33)):
                slow.counts()
                self.assertEqual(node.search(text)[2], disk.search(text)[2])
                self.assertIn(slow.counts()["most"], most, text)
            self.assertEqual(node.search("be", facets="country")[2], disk.search("be", facets="country")[2])
            self.assertGreater(slow.counts()["most"], 8)

    def test_questions_with_missing_files_wait_side_by_side(self):
        with Store(self.www, 200) as slow, Node(slow.url + "list/") as node:
            slow.counts()
            with concurrent.futures.ThreadPoolExecutor(24) as clients:
                found = list(clients.map(lambda text: node.search(text, sort="key")[0], texts(24)))
            self.assertEqual(set(found), {200})
            # More than the 8 of a query, and no more than the threads that wait for them.
            self.assertIn(slow.counts()["most"], range(9, 33))

    def test_a_cold_question_makes_few_requests(self):
        node = self.node()
        self.store.counts()
        self.assertEqual(node.search(KEYS[7], sort="key")[0], 200)
        self.assertLessEqual(self.store.counts()["requests"], 4)

    def test_options_that_do_not_go_together(self):
        for arguments, words in ((["-i", FIRST, "--cache-size", "1MiB"], "URL"),
                                 (["-i", self.url, "--subtitle", "{none}"], "none"),
                                 (["-i", self.store.url + "nothing/"], "no index")):
            status, output, error = shardq("serve", "--listen", "127.0.0.1:0", *arguments)
            self.assertNotEqual(status, 0)
            self.assertEqual(output, "")
            self.assertIn(words, error)

    def test_one_node_serves_an_index_of_a_store_and_one_on_disk(self):
        cache = tempfile.mkdtemp(dir=SCRATCH, prefix="cache-")
        with Node("disk=" + SECOND, "-i", "far=" + self.url, "--cache-dir", cache) as node:
            for text in texts(20):
                answers = [json.loads(get(node.port, f"/v1/{name}" + target(text)[3:])[2]) for name in ("disk", "far")]
                names = [[match["name"] for match in answer["matches"]] for answer in answers]
                self.assertEqual(names[0], names[1], text)
                found = {match["generation"] for answer in answers for match in answer["matches"]}
                self.assertEqual(found, {"first", "second"}, text)
            self.assertGreater(node.metric("store_requests_total"), 0)

    def test_no_secret_is_logged(self):
        url = self.url.replace("//", "//user:secret@") + "?key=secret"
        with Node(url) as node:
            node.search("san")
            self.assertNotIn("secret", node.log + get(node.port, "/v1/status")[2].decode())


class Trouble(Cluster):
    def test_a_store_that_stalls_or_fails(self):
        """Clients get status 503, answers in memory continue, and the node recovers with the store."""
        asked = texts(200, seed=3)
        known, others = asked[0], [text for text in KEYS[:400] if not text.startswith(asked[0][:2])]
        for mode in ("fail", "stall"):
            with self.subTest(mode), Node(self.url) as node:
                self.assertEqual(node.search(known)[0], 200)
                self.store.be(mode)
                with concurrent.futures.ThreadPoolExecutor(60) as clients:
                    pending = [clients.submit(node.search, text, sort="key") for text in others[:150]]
                    time.sleep(0.1)
                    # Event loops answer while questions wait for the store.
                    self.assertEqual(node.search(known)[0], 200)
                    self.assertEqual(get(node.port, "/healthz")[0], 200)
                    found = [each.result() for each in pending]
                self.assertEqual({status for status, _, _ in found}, {503})
                self.assertTrue(all(int(fields["retry-after"]) >= 1 for _, fields, _ in found))
                self.assertIn("does not answer", json.loads(found[-1][2])["detail"])
                self.assertGreater(node.metric("store_failures_total"), 0)
                self.store.be("ok")
                # A failure answers other reads of the same bytes for a second.
                wait_for(lambda: {node.search(text, sort="key")[0] for text in others[:20]} == {200},
                         "the node has recovered")
                self.assertIn("reason", node.log)

    def test_the_old_generation_stays_while_the_store_is_away(self):
        node = self.node()
        name = node.generation()
        self.assertEqual(node.search("san")[0], 200)
        self.store.be("fail")
        wait_for(lambda: node.metric("failed_reloads_total") >= 1, "a look for a newer generation has failed")
        self.assertEqual((node.search("san")[0], node.generation()), (200, name))
        publish(SECOND, os.path.join(self.www, "list"))
        self.store.be("ok")
        wait_for(lambda: node.generation() != name, "the newer generation was taken")


class Changes(Cluster):
    """Changes under load: clients ask through nginx all the time."""

    def load(self, front, change):
        """Runs `change` while four clients ask, 150 answers before it and after it; gives text, status and body of each."""
        ended, found = threading.Event(), []

        def client(number):
            made = random.Random(number)
            while not ended.is_set():
                text = made.choice(self.asked)
                status, _, body = front.search(text)
                found.append((text, status, body))

        def wait():
            enough = len(found) + 150
            wait_for(lambda: len(found) >= enough or any(each.done() for each in running), "answers have come")

        with concurrent.futures.ThreadPoolExecutor(4) as clients:
            running = [clients.submit(client, number) for number in range(4)]
            try:
                wait()
                change()
                wait()
            finally:
                ended.set()
            for each in running:
                each.result()
        return found

    def setUp(self):
        super().setUp()
        self.asked = texts(150, seed=2)

    def expected(self, *indexes):
        """The right bodies of each text, one for each index."""
        bodies = collections.defaultdict(set)
        for index in indexes:
            with Node(index) as disk:
                for text in self.asked:
                    bodies[text].add(disk.search(text)[2])
        return bodies

    def check(self, found, right):
        self.assertEqual(collections.Counter(status for _, status, _ in found), {200: len(found)})
        wrong = [text for text, _, body in found if body not in right[text]]
        self.assertEqual(wrong, [])

    def test_a_generation_that_is_published_meanwhile(self):
        right = self.expected(FIRST, SECOND)
        nodes = [self.node(), self.node()]
        old = nodes[0].generation()
        with Node(SECOND) as disk:
            new = disk.generation()

        def change():
            publish(SECOND, os.path.join(self.www, "list"))
            wait_for(lambda: all(node.generation() == new for node in nodes), "all nodes are on it")
            # Files of the older generation alone are removed from the store.
            kept = set(os.listdir(SECOND))
            for name in os.listdir(os.path.join(self.www, "list")):
                if name not in kept:
                    os.remove(os.path.join(self.www, "list", name))

        found = self.load(self.front(nodes), change)
        self.check(found, right)
        names = {json.loads(body)["generation"] for _, _, body in found}
        self.assertEqual(names, {old, new})

    def test_a_node_that_is_killed_and_one_that_joins(self):
        right = self.expected(FIRST)
        nodes = [self.node(), self.node()]
        front = self.front(nodes)
        self.check(self.load(front, lambda: nodes[1].close(signal.SIGKILL)), right)
        front.requests()

        def join():
            # Its cache is empty.
            nodes[1] = self.node(port=nodes[1].port)

        self.check(self.load(front, join), right)

        def is_asked():
            self.assertEqual({front.search(text)[0] for text in self.asked}, {200})
            return str(nodes[1].port) in {words[3].rsplit(":", 1)[1] for words in front.requests()}
        wait_for(is_asked, "the new node is asked")


class Caches(Cluster):
    def test_the_disk_cache_stays_within_its_limit(self):
        node = self.node("--cache", "256KiB", cache_size="64KiB")
        for text in texts(600, seed=5):
            self.assertEqual(node.search(text, sort="key")[0], 200)
        sizes = [os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(node.cache) for name in names]
        self.assertLessEqual(sum(sizes), 64 << 10)
        self.assertGreater(sum(sizes), 32 << 10)
        self.assertLessEqual(node.metric("cache_resident_bytes"), 256 << 10)

    def test_warm(self):
        asked = texts(300, seed=6)
        log = os.path.join(self.www, "typing.log")
        with open(log, "w", encoding="utf-8") as file:
            file.write("".join(f"{100 if number % 2 else 0}\t{text}\n" if number % 3 else f"{text}\n"
                               for number, text in enumerate(asked)) + "12\t\n")
        cache = tempfile.mkdtemp(dir=SCRATCH, prefix="cache-")
        place = ["--cache-dir", cache, "--fetch", "shards"]
        self.store.counts()
        status, output, error = shardq("warm", "-i", self.url, "--log", log, *place, "--json")
        self.assertEqual((status, error), (0, ""))
        said, counted = json.loads(output), self.store.counts()
        self.assertEqual((said["schema"], said["command"], said["texts"]), (1, "warm", 300))
        self.assertEqual(said["requests"], counted["requests"])
        self.assertGreaterEqual(said["bytes"], counted["bytes"])
        status, output, error = shardq("warm", "-i", self.url, "--log", "-", *place, text="san\n")
        self.assertEqual(status, 0, error)
        self.assertRegex(output, r"^1 texts: 1 requests, 0 bytes, \d+ reads of the disk cache, [\d.]+ s\n$")
        self.store.counts()
        node = self.node(cache=cache)
        self.assertEqual({node.search(text)[0] for text in asked}, {200})
        counts = self.store.counts()
        self.assertEqual(counts["requests"], counts["manifests"])

    def test_what_warm_refuses(self):
        log = os.path.join(self.www, "bad.log")
        with open(log, "w", encoding="utf-8") as file:
            file.write("san\nx\ty\n")
        for arguments, status, words in (
                (["-i", FIRST, "--log", log], 64, "on disk"), (["-i", self.url, "--log", log], 65, "line 2"),
                (["-i", self.url, "--log", log + "-"], 66, "No such file"), (["-i", self.url], 64, "--log"),
                (["-i", self.store.url + "none/", "--log", log], 66, "no index")):
            found = shardq("warm", *arguments)
            self.assertEqual(found[:2], (status, ""), found)
            self.assertIn(words, found[2])


class Shards(Cluster):
    def test_pages_fetch_shards_through_caching_nodes(self):
        caches = []
        for number in range(2):
            port, = free_ports(1)
            folder = tempfile.mkdtemp(dir=SCRATCH, prefix="files-")
            block = packaged("shards-cache.conf", port, [self.store.port], [("/var/cache/nginx/shardq", folder)])
            caches.append((self.open.enter_context(Nginx(block, [port])), port))
        port, = free_ports(1)
        self.open.enter_context(Nginx(packaged("shards.conf", port, [each for _, each in caches]), [port]))
        names = [name for name in sorted(os.listdir(FIRST)) if name.endswith(".zst")][:40]
        self.store.counts()
        for name in names:
            with open(os.path.join(FIRST, name), "rb") as file:
                content = file.read()
            for _ in range(2):
                status, fields, body = get(port, "/list/" + name, headers={"Range": "bytes=3-40"})
                self.assertEqual((status, body), (206, content[3:41]))
                self.assertIn("immutable", fields["cache-control"])
                self.assertEqual(get(port, "/list/" + name)[2], content)
        counts = self.store.counts()
        self.assertEqual(counts["requests"], len(names))
        used = [len(cache.requests()) for cache, _ in caches]
        self.assertTrue(min(used) > 0, used)
        # nginx asks the store for the manifest each time, by range and by tag.
        status, fields, body = get(port, "/list/manifest", headers={"Range": "bytes=0-9"})
        self.assertEqual((status, len(body), fields["cache-control"]), (206, 10, "no-cache"))
        status, _, _ = get(port, "/list/manifest", headers={"If-None-Match": fields["etag"]})
        self.assertEqual(status, 304)
        publish(SECOND, os.path.join(self.www, "list"))
        self.assertEqual(get(port, "/list/manifest", headers={"If-None-Match": fields["etag"]})[0], 200)
        # A store that does not answer, and a caching node that has ended.
        self.store.be("fail")
        self.assertEqual(get(port, "/list/" + names[0])[0], 200)
        self.store.be("ok")
        caches[0][0].close(signal.SIGKILL)
        wait_for(lambda: not listens(caches[0][1]), "the workers have ended too")
        self.assertEqual({get(port, "/list/" + name)[0] for name in names}, {200})

    def test_no_process_outlives_the_tests(self):
        """A test that is ended leaves no worker and no manager of nginx, and no store."""
        text = "import nodes, time; s = nodes.Store('.'); n = nodes.Nginx('proxy_cache_path c keys_zone=k:1m;', [])\n" \
               "print(s.process.pid, n.process.pid, flush=True); time.sleep(60)"
        with subprocess.Popen([sys.executable, "-c", text], cwd=HERE, stdout=subprocess.PIPE) as ended:
            groups = [int(number) for number in ended.stdout.readline().split()]
            ended.terminate()
        self.assertEqual((ended.returncode, len(groups)), (143, 2))
        for group in groups:
            self.assertRaises(ProcessLookupError, os.killpg, group, 0)


if __name__ == "__main__":
    unittest.main()
