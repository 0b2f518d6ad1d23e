"""Tests publishing to a store, fetching and pruning: by one process and by several, killed, and with faulty stores."""

import filecmp
import hashlib
import json
import os
import pty
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

from remote import BIN, ENVIRONMENT, LONG, PATIENCE, ROOT, SCRATCH, build, shardq
from store import Store, is_shard, page

SOURCE = os.path.join(ROOT, "Samples/cities.csv")
# Generations of one list: they share some shards.
INDEXES = [build(SOURCE, f"store{number}", "--shard-size", f"{size}KiB", "--words", "--alias", "country", "--starts")
           for number, size in enumerate((4, 8, 16, 24))]
URL = "s3://bucket/lists/cities/"
PREFIX = "lists/cities/"
DAY = 86_400


def same(one, other):
    names = [[name for name in os.listdir(path) if name != ".lock"] for path in (one, other)]
    if sorted(names[0]) != sorted(names[1]):
        return False
    return not any(filecmp.cmpfiles(one, other, names[0], shallow=False)[1:])


def late(handler, method, key):
    """A fault: the store answers late, so that a bar has the time to appear."""
    time.sleep(0.1)
    return False


def shown(arguments, environment):
    """The standard error of a command that ends well, on a terminal."""
    ours, terminal = pty.openpty()
    process = subprocess.Popen([os.path.join(BIN, "shardq"), *arguments], stdin=subprocess.DEVNULL, stderr=terminal,
                               stdout=subprocess.DEVNULL, env={**ENVIRONMENT, **environment, "TERM": "xterm"})
    os.close(terminal)
    seen = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            part = b""
        if not part:
            break
        seen += part
    os.close(ours)
    if process.wait(PATIENCE) != 0:
        raise AssertionError(seen)
    return seen.decode().replace("\r\n", "\n")


class StoreTestCase(unittest.TestCase):
    """A test with a store of its own."""

    def setUp(self):
        self.store = Store()
        self.addCleanup(self.store.close)
        self.work = tempfile.mkdtemp(dir=SCRATCH, prefix="store-")
        self.said = ""
        self.addCleanup(lambda: self.assertNotIn("secret", self.said))

    def run_command(self, *arguments):
        done = shardq(*arguments, environment=self.store.environment)
        self.said += done[1] + done[2]
        return done

    def refuse_from(self, number):
        """Makes the store refuse all requests from one on, which is 0 for the next."""
        left = [number]

        def fault(handler, method, key):
            left[0] -= 1
            if left[0] < 0:
                handler.refuse(403, "AccessDenied")
            return left[0] < 0

        self.store.fault = fault

    def publish(self, index=INDEXES[0], *options, status=0, words=""):
        found = self.run_command("publish", "-i", index, URL, *options)
        self.assertEqual(found[0], status, found)
        self.assertIn(words, found[2])
        return found

    def fetch(self, *options, status=0, words=""):
        found = self.run_command("fetch", "-i", os.path.join(self.work, "copy"), URL, *options)
        self.assertEqual(found[0], status, found)
        self.assertIn(words, found[2])
        return found

    def prune(self, *options, status=0, words=""):
        found = self.run_command("prune", URL, *options)
        self.assertEqual(found[0], status, found)
        self.assertIn(words, found[2])
        return found

    def start(self, index, *words):
        """Starts the program that asks the store."""
        return subprocess.Popen(
            [os.path.join(BIN, "shardq-remote"), "publish", URL, "-i", index, *words],
            env={**ENVIRONMENT, **self.store.environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self, process):
        output, error = process.communicate(timeout=PATIENCE)
        self.said += output + error
        return process.returncode, error

    def generations(self):
        return sorted(name for name in self.store.names(PREFIX) if name.startswith("generations/"))

    def assert_fetched(self, index):
        self.fetch()
        self.assertTrue(same(index, os.path.join(self.work, "copy")))


class Publishing(StoreTestCase):
    def test_publish_and_fetch(self):
        found = json.loads(self.publish(INDEXES[0], "--json")[1])
        files = [name for name in os.listdir(INDEXES[0]) if is_shard(name)]
        self.assertEqual((found["generation"], found["files"], found["files_uploaded"]), (1, len(files), len(files)))
        names = {*files, "manifest", "manifest-" + found["manifest_sha256"][:32], "generations/00000000000000000001"}
        self.assertEqual(self.store.names(PREFIX), names)
        self.assert_fetched(INDEXES[0])
        # Nothing is sent twice.
        self.store.requests.clear()
        found = json.loads(self.publish(INDEXES[0], "--json")[1])
        self.assertEqual((found["generation"], found["unchanged"], found["files_uploaded"]), (1, True, 0))
        self.assertEqual([name for method, name, _ in self.store.requests if method == "PUT" and "probe" not in name], [])
        self.assertEqual(json.loads(self.fetch("--json")[1])["files_fetched"], 0)
        # A generation sends and fetches the files that the one before lacks.
        found = json.loads(self.publish(INDEXES[1], "--json")[1])
        new = {name for name in os.listdir(INDEXES[1]) if is_shard(name)} - set(files)
        self.assertEqual((found["generation"], found["files_uploaded"]), (2, len(new)))
        self.assertEqual(json.loads(self.fetch("--json")[1])["files_fetched"], len(new))
        self.assertTrue(all(count == 1 for name, count in self.store.taken.items() if not name.endswith("/manifest")))

    def test_queries_read_what_was_published(self):
        self.publish(INDEXES[0])
        self.publish(INDEXES[2])
        expected = shardq("-i", INDEXES[2], "san", "--json")
        self.assertEqual(self.run_command("-i", URL, "san", "--json", "--cache-size", "0"), expected)

    def test_an_archive_is_published(self):
        path = os.path.join(self.work, "cities.shardq")
        self.assertEqual(shardq("archive", "-i", INDEXES[0], "-o", path)[0], 0)
        self.publish(path)
        self.assert_fetched(INDEXES[0])

    def test_what_is_refused(self):
        self.publish(os.path.join(self.work, "none"), status=66, words="no index at")
        damaged = shutil.copytree(INDEXES[0], os.path.join(self.work, "damaged"))
        name = next(name for name in os.listdir(damaged) if is_shard(name))
        with open(os.path.join(damaged, name), "r+b") as file:
            file.write(b"\0\0\0\0")
        self.publish(damaged, status=65, words="repair")
        self.assertEqual(self.generations(), [])
        for url in ("https://host/cities/", "s3://", "cities"):
            self.assertEqual(self.run_command("publish", "-i", INDEXES[0], url)[0], 64)
        self.assertEqual(self.run_command("publish", "-i", INDEXES[0], "s3://Not_a_bucket!/x/")[0], 64)

    def test_an_overlay_is_refused(self):
        source, index = os.path.join(self.work, "few.jsonl"), os.path.join(self.work, "few")
        with open(source, "w", encoding="utf-8") as file:
            file.writelines('{"id":%d,"name":"name %d"}\n' % (number, number) for number in range(100))
        self.assertEqual(shardq("build", source, "-i", index, "--key", "{name}", "--id", "id")[0], 0)
        self.assertEqual(shardq("update", "-i", index, "--overlay", "--upsert", "-", text='{"id":1,"name":"other"}\n')[0], 0)
        self.publish(index, status=65, words="shardq update")
        self.assertEqual(shardq("update", "-i", index, "--merge")[0], 0)
        self.publish(index)
        self.fetch()
        copy = os.path.join(self.work, "copy")
        self.assertEqual(shardq("update", "-i", copy, "--overlay", "--upsert", "-", text='{"id":2,"name":"own"}\n')[0], 0)
        self.fetch(status=65, words="shardq update")

    def test_one_of_several_wins(self):
        self.publish(INDEXES[0])
        racers = INDEXES[1:]
        together = threading.Barrier(len(racers))

        def fault(handler, method, key):
            if method == "PUT" and "generations/" in key:
                together.wait(PATIENCE)
            return False

        self.store.fault = fault
        ended = [self.end(process) for process in [self.start(index) for index in racers]]
        self.store.fault = None
        self.assertEqual(sorted(status for status, _ in ended), [0, 75, 75])
        for status, error in ended:
            self.assertIn("another publication came first" if status else "generation 2", error)
        winner = racers[[status for status, _ in ended].index(0)]
        self.assertEqual(len(self.generations()), 2)
        self.assert_fetched(winner)

    def test_two_of_the_same_index_both_end_well(self):
        together = threading.Barrier(2)

        def fault(handler, method, key):
            if method == "PUT" and "generations/" in key:
                together.wait(PATIENCE)
            return False

        self.store.fault = fault
        ended = [self.end(process) for process in [self.start(INDEXES[0]), self.start(INDEXES[0])]]
        self.assertEqual([status for status, _ in ended], [0, 0], ended)
        self.assertEqual(len(self.generations()), 1)

    def test_a_publication_is_killed_and_runs_again(self):
        """A kill at a request. The second run publishes the same generation, and puts no stored object again."""
        uploads = len([name for name in os.listdir(INDEXES[0]) if is_shard(name)])
        points = [4, 5, 9, uploads // 2, uploads, uploads + 6, uploads + 12, 2 * uploads, 2 * uploads + 8, 2 * uploads + 10]
        for point in points:
            self.store.objects.clear()
            self.store.taken.clear()
            count, killed, lock = [0], [], threading.Lock()

            def fault(handler, method, key):
                with lock:
                    count[0] += 1
                    if count[0] == point:
                        process.kill()
                    if count[0] >= point:
                        killed.append(key)
                return False

            self.store.fault = fault
            process = self.start(INDEXES[0])
            self.assertEqual(self.end(process)[0], -9, point)
            self.store.fault = None
            self.publish(INDEXES[0])
            self.assertEqual(len(self.generations()), 1)
            twice = {name for name, taken in self.store.taken.items() if taken > 1 and is_shard(name.removeprefix(PREFIX))}
            self.assertLessEqual(twice, set(killed))
            self.assert_fetched(INDEXES[0])

    def test_an_old_object_is_put_again(self):
        self.publish(INDEXES[0])
        # A build that was killed long ago has left the shards of the next one.
        for name in os.listdir(INDEXES[1]):
            if is_shard(name):
                with open(os.path.join(INDEXES[1], name), "rb") as file:
                    self.store.objects.setdefault(PREFIX + name, (file.read(), time.time() - 4 * DAY))
        new = self.store.names(PREFIX) - {name for name in os.listdir(INDEXES[0])}
        new = {name for name in new if is_shard(name)}
        self.assertTrue(new)
        self.publish(INDEXES[1])
        for name in new:
            self.assertGreater(self.store.objects[PREFIX + name][1], time.time() - DAY)
        self.prune("--keep", "1", "--grace", "3d")
        self.assert_fetched(INDEXES[1])

    def test_objects_that_go_before_the_commit(self):
        def fault(handler, method, key):
            # The first check of the uploaded objects.
            if method == "HEAD" and key.endswith(".zst") and self.store.taken.get(key):
                if gone:
                    self.store.objects.pop(key, None)
                else:
                    content, modified = self.store.objects[key]
                    self.store.objects[key] = (content, modified - 5 * DAY)
            return False

        for gone, words in ((True, "is gone"), (False, "older than half the grace")):
            self.store.objects.clear()
            self.store.taken.clear()
            self.store.fault = fault
            self.publish(INDEXES[0], status=75, words=words)
            self.assertEqual(self.generations(), [])

    def test_a_copy_that_lags(self):
        self.publish(INDEXES[0])
        old = self.store.objects[PREFIX + "manifest"]
        self.publish(INDEXES[1])
        new = self.store.objects[PREFIX + "manifest"][0]
        for command in (lambda: self.prune("--keep", "2"), lambda: self.publish(INDEXES[1])):
            self.store.objects[PREFIX + "manifest"] = old
            command()
            self.assertEqual(self.store.objects[PREFIX + "manifest"][0], new)

    def test_a_copy_that_is_overtaken(self):
        """Another generation comes between a commit and its copy."""
        self.publish(INDEXES[0])
        other = threading.Lock()

        def fault(handler, method, key):
            if method == "PUT" and key == PREFIX + "manifest" and other.acquire(blocking=False):
                self.publish(INDEXES[2])
            return False

        self.store.fault = fault
        self.publish(INDEXES[1])
        self.assertEqual(len(self.generations()), 3)
        with open(os.path.join(INDEXES[2], "manifest"), "rb") as file:
            self.assertEqual(self.store.objects[PREFIX + "manifest"][0], file.read())


class Fetching(StoreTestCase):
    def test_an_interrupted_fetch_goes_on(self):
        self.publish(INDEXES[0])
        files = len([name for name in os.listdir(INDEXES[0]) if is_shard(name)])
        count = [0]

        def fault(handler, method, key):
            count[0] += key.endswith(".zst")
            if count[0] > files // 2 and key.endswith(".zst"):
                handler.refuse(403, "AccessDenied")
                return True
            return False

        self.store.fault = fault
        self.fetch(status=74, words="does not permit")
        self.store.fault = None
        found = json.loads(self.fetch("--json")[1])
        self.assertLessEqual(found["files_fetched"], files - files // 2 + 8)
        self.assertTrue(same(INDEXES[0], os.path.join(self.work, "copy")))

    def test_damaged_files_are_fetched_anew(self):
        self.publish(INDEXES[0])
        self.fetch()
        copy = os.path.join(self.work, "copy")
        name = next(name for name in os.listdir(copy) if is_shard(name))
        with open(os.path.join(copy, name), "r+b") as file:
            file.write(b"\0\0\0\0")
        self.assertEqual(json.loads(self.fetch("--json")[1])["files_fetched"], 1)
        self.assertTrue(same(INDEXES[0], copy))

    def test_other_directories_are_left_alone(self):
        self.publish(INDEXES[0])
        os.mkdir(os.path.join(self.work, "copy"))
        with open(os.path.join(self.work, "copy", "letter.txt"), "w", encoding="utf-8") as file:
            file.write("dear")
        self.fetch(status=64, words="letter.txt")
        self.assertEqual(os.listdir(os.path.join(self.work, "copy")), ["letter.txt"])

    def test_nothing_there(self):
        self.fetch(status=66, words="no generation")
        self.prune(status=66, words="no generation")

    def test_a_generation_that_goes_meanwhile(self):
        self.publish(INDEXES[0])
        state = {"isFirst": True}

        def fault(handler, method, key):
            if method == "GET" and key.endswith(".zst") and state["isFirst"]:
                state["isFirst"] = False
                self.publish(INDEXES[1])
                for name in set(os.listdir(INDEXES[0])) - set(os.listdir(INDEXES[1])):
                    self.store.objects.pop(PREFIX + name, None)
            return False

        self.store.fault = fault
        self.assert_fetched(INDEXES[1])


class Pruning(StoreTestCase):
    def test_what_no_kept_generation_names(self):
        for index in INDEXES[:3]:
            self.publish(index)
        for name in ("notes.txt", "x-0123456789abcdef.zst.bak", "manifest-abc", "README", "sub/a-0123456789abcdef.zst"):
            self.store.objects[PREFIX + name] = (b"mine", 0)
        digits = hashlib.sha256(b"left").hexdigest()
        left = {f"killed-{digits[:16]}.zst", "manifest-" + digits[:32], "probe-" + "1" * 32}
        for name in left:
            self.store.objects[PREFIX + name] = (b"probe\n" if name.startswith("probe") else b"left", 0)
        self.store.objects["lists/other/a-0123456789abcdef.zst"] = (b"other", 0)
        before = set(self.store.objects)
        # Only the left files are old.
        self.assertEqual(set(self.prune("--dry-run", "--keep", "1")[1].split()), left)
        self.assertEqual(set(self.store.objects), before)
        self.assertEqual(set(self.prune("--keep", "1")[1].split()), left)
        self.store.age(PREFIX, 8 * DAY)
        kept = {name for index in INDEXES[1:3] for name in os.listdir(index)}
        found = json.loads(self.prune("--keep", "2", "--json")[1])
        gone = {name for name in os.listdir(INDEXES[0]) if is_shard(name)} - kept
        self.assertEqual({name for name in found["removed"] if is_shard(name)}, gone)
        self.assertEqual(len(found["removed"]), len(gone) + 2)
        self.assertEqual(before - {PREFIX + name for name in left} - {PREFIX + name for name in found["removed"]}, set(self.store.objects))
        self.assertEqual(self.generations(), ["generations/00000000000000000002", "generations/00000000000000000003"])
        self.assert_fetched(INDEXES[2])
        # The next generation has the next number.
        self.publish(INDEXES[0])
        self.assertIn("generations/00000000000000000004", self.generations())

    def test_an_object_that_is_put_again_stays(self):
        self.publish(INDEXES[0])
        name = f"x-{hashlib.sha256(b'x').hexdigest()[:16]}.zst"
        self.store.objects[PREFIX + name] = (b"x", 0)

        def fault(handler, method, key):
            if method == "HEAD" and key.endswith("/" + name):
                self.store.objects[key] = (b"x", time.time())
            return False

        self.store.fault = fault
        self.assertEqual(self.prune()[1], "")
        self.assertIn(name, self.store.names(PREFIX))


class Progress(StoreTestCase):
    def shown(self, *arguments):
        self.store.fault = late
        seen = shown(arguments, self.store.environment)
        self.store.fault = None
        self.said += seen
        return seen

    def test_bars(self):
        copy = os.path.join(self.work, "copy")
        shown = self.shown("publish", "-i", INDEXES[0], URL)
        self.assertRegex(shown, r"\ruploading .*%  \d+ files?")
        self.assertRegex(shown, r"\rchecking .*%  \d+ files?")
        # The line is removed before the summary.
        self.assertRegex(shown, r"\x1b\[K\d+ files of \d+ uploaded")
        self.assertRegex(self.shown("fetch", "-i", copy, URL), r"\rfetching .*%  \d+ files?")
        self.publish(INDEXES[1])
        self.publish(INDEXES[2])
        self.store.age(PREFIX, 8 * DAY)
        self.assertRegex(self.shown("prune", "--keep", "1", URL), r"\rremoving .*%  \d+ objects?")
        shutil.rmtree(copy)
        for option in ("--no-progress", "-q"):
            self.assertNotIn("\r\x1b[K", self.shown("publish", option, "-i", INDEXES[0], URL))


class BadStores(StoreTestCase):
    def first(self, wrong, wanted=lambda method, key: True):
        """A fault of the first request for each object."""
        failed, lock = set(), threading.Lock()

        def fault(handler, method, key):
            with lock:
                if not wanted(method, key) or (method, key) in failed:
                    return False
                failed.add((method, key))
            wrong(handler)
            return True

        return fault

    def test_stores_without_create_if_absent(self):
        def lies(handler, method, key):
            if method == "PUT":
                handler.put(checks=False)
                return True
            return False

        def refuses(handler, method, key):
            if "If-None-Match" in handler.headers:
                handler.refuse(501, "NotImplemented")
                return True
            return False

        for fault, words in ((lies, "ignores If-None-Match"), (refuses, "no create-if-absent")):
            self.store.fault = fault
            self.store.objects.clear()
            self.publish(status=64, words=words)
            self.publish(status=64, words="--single-writer")
            self.assertEqual(self.store.objects, {})
            self.publish(INDEXES[0], "--single-writer")
            self.publish(INDEXES[1], "--single-writer")
            self.publish(INDEXES[1], "--single-writer")
            self.assertEqual(len(self.generations()), 2)
            self.assert_fetched(INDEXES[1])

    def test_trouble_that_passes(self):
        for wrong in (lambda handler: handler.refuse(503, "SlowDown"), lambda handler: handler.cut(),
                      lambda handler: handler.refuse(409, "ConditionalRequestConflict") if handler.command == "PUT"
                      else handler.refuse(500, "InternalError")):
            self.store.objects.clear()
            self.store.fault = self.first(wrong, lambda method, key: len(key) % 4 == 0 or "/generations/" in key)
            self.publish(INDEXES[0])
            shutil.rmtree(os.path.join(self.work, "copy"), ignore_errors=True)
            self.assert_fetched(INDEXES[0])

    def test_an_answer_that_is_lost(self):
        """The store has taken the record, and the connection ends before the answer."""
        lost = []

        def fault(handler, method, key):
            if method == "PUT" and not lost and "generations/" in key:
                lost.append(key)
                self.store.objects[key] = (handler.body, time.time())
                handler.cut()
                return True
            return False

        self.store.fault = fault
        self.publish(INDEXES[0], words="generation 1 of")
        self.assert_fetched(INDEXES[0])

    def test_trouble_that_stays(self):
        for wrong, words in ((lambda handler: handler.refuse(403, "AccessDenied"), "does not permit"),
                             (lambda handler: handler.refuse(403, "SignatureDoesNotMatch"), "does not accept"),
                             (lambda handler: handler.refuse(403, "RequestTimeTooSkewed"), "the clock"),
                             (lambda handler: handler.refuse(404, "NoSuchBucket"), "no such bucket"),
                             (lambda handler: handler.refuse(307, "TemporaryRedirect"), "AWS_REGION")):
            self.store.fault = lambda handler, method, key: (wrong(handler), True)[1]
            self.publish(status=74, words=words)
        if LONG:  # Five attempts take as many seconds.
            self.store.fault = lambda handler, method, key: (handler.refuse(500, "InternalError"), True)[1]
            self.publish(status=74, words="in trouble")

    def test_a_store_that_hangs(self):
        def fault(handler, method, key):
            if key.endswith(".zst"):
                time.sleep(4)
            return False

        self.store.fault = fault
        began = time.monotonic()
        status, error = self.end(self.start(INDEXES[0], "--stall=1"))
        self.assertEqual(status, 74, error)
        self.assertIn("did not answer in time", error)
        self.assertLess(time.monotonic() - began, 30)

    def test_lists(self):
        self.publish(INDEXES[0])
        now = time.time()
        for body, words in (
            (b"<html>login</html>", "is not a list"),
            (b"", "ends early"),
            (page([], None)[:-10], "is not XML"),
            (page([(PREFIX + "b", 1, now), (PREFIX + "a", 1, now)], None), "out of order"),
            (page([("elsewhere", 1, now)], None), "outside of the prefix"),
            (page([], "again"), "begins again"),
            (b" " * (5 << 20), "over 4194304 bytes"),
        ):
            self.store.fault = lambda handler, method, key: "list-type" in handler.query and (handler.send(200, body), True)[1]
            self.prune(status=74, words=words)

    def test_a_list_of_many(self):
        self.publish(INDEXES[0])
        self.publish(INDEXES[1])
        self.store.age(PREFIX, 8 * DAY)
        many = 1_000_000 if LONG else 20_000
        pages = {}
        names = [f"{PREFIX}foreign-{number:09}" for number in range(many)]
        for start in range(0, many, 1000):
            pages[str(start)] = page(((name, 1, 0) for name in names[start:start + 1000]), str(start + 1000))

        def fault(handler, method, key):
            if handler.query.get("prefix") != PREFIX:
                return False
            token = handler.query.get("continuation-token", "")
            if token == "" or token in pages:
                handler.send(200, pages[token or "0"])
            else:
                # The objects that are there come last.
                keys = [key for key in sorted(self.store.objects) if key.startswith(PREFIX) and "generations" not in key]
                handler.send(200, page(((key, 1, 0) for key in keys if key > names[-1]), None))
            return True

        self.store.fault = fault
        found = self.prune("--keep", "1")
        gone = {name for name in os.listdir(INDEXES[0]) if is_shard(name)} - set(os.listdir(INDEXES[1]))
        late = {name for name in gone if PREFIX + name > names[-1]}
        self.assertTrue(late)
        self.assertLessEqual(late, set(found[1].split()))

    def test_objects_of_another_size_or_content(self):
        self.publish(INDEXES[0])
        name = sorted(name for name in os.listdir(INDEXES[0]) if is_shard(name))[3]
        content, modified = self.store.objects[PREFIX + name]
        for wrong, words in ((content[:-1], "is damaged"), (content + b"x", "over"),
                             (bytes([content[0] ^ 1]) + content[1:], "is damaged")):
            self.store.objects[PREFIX + name] = (wrong, modified)
            self.fetch(status=65, words=name)
            self.fetch(status=65, words=words)
        # The next publication puts an object of another size again.
        self.store.objects[PREFIX + name] = (content[:-1], modified)
        self.publish(INDEXES[0])
        self.assert_fetched(INDEXES[0])

    def test_a_store_that_keeps_other_sizes(self):
        def fault(handler, method, key):
            if method == "PUT" and key.endswith(".zst"):
                handler.body = handler.body[:-1]
                handler.put()
                return True
            return False

        self.store.fault = fault
        self.publish(status=74, words="were sent")
        self.assertEqual(self.generations(), [])

    def test_half_a_commit(self):
        self.publish(INDEXES[0])
        whole = dict(self.store.objects)
        manifest = next(name for name in whole if "/manifest-" in name)
        shard = next(name for name in whole if is_shard(name.removeprefix(PREFIX)))
        entries = next(name for name in whole if "/entries-" in name)
        for name in (manifest, shard, entries):
            self.store.objects = dict(whole)
            del self.store.objects[name]
            self.fetch(status=65, words="publish the index again")
            if name != shard:
                self.store.age(PREFIX, 8 * DAY)
                self.prune(status=65, words="Nothing was removed")
            self.publish(INDEXES[0])
            self.assertEqual(set(self.store.objects), set(whole))
        # The next generation does not rely on an incomplete one.
        del self.store.objects[manifest]
        self.publish(INDEXES[1])
        self.assert_fetched(INDEXES[1])

    def test_records_that_are_none(self):
        self.publish(INDEXES[0])
        record = PREFIX + "generations/00000000000000000002"
        for content in (b"", b"garbage", b"x" * 5000, self.store.objects[PREFIX + self.generations()[0]][0] + b"x"):
            self.store.objects[record] = (content, time.time())
            for command in (self.fetch, self.prune, lambda **found: self.publish(INDEXES[1], **found)):
                command(status=65, words="generations/00000000000000000002")
        del self.store.objects[record]
        # A record with too many lines leads to no other manifest.
        first = PREFIX + self.generations()[0]
        content, modified = self.store.objects[first]
        digest = content.split(b"\n")[1].split(b" ")[1]
        self.store.objects[first] = (content.replace(digest, digest[:32] + digest[:32]), modified)
        self.fetch(status=65, words="publish the index again")


if __name__ == "__main__":
    unittest.main()
