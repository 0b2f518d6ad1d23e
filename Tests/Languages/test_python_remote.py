"""Opens indexes of URLs with the Python package: answers and requests, and hosts that lie, fail or hang."""

import functools
import gzip
import os
import random
import shutil
import socket
import sys
import threading
import time
import unittest
import unittest.mock

import languages
from languages import shardq

sys.path.append(os.path.join(languages.ROOT, "Tests/Remote"))
import host  # noqa: E402

if shardq is not None:
    from shardq import _remote

Package = languages.in_package("test_python_remote")


def good(handler, content):
    handler.send_range(content)


@functools.lru_cache(None)
def built():
    """A folder with an index in a directory and in an archive."""
    path = languages.build_large()
    if not os.path.exists(path + ".shardq"):
        languages.run("archive", "-i", path, "-o", path + ".shardq", "-q")
    languages.build_ids()
    return languages.WORK


def Host(answer=good):
    return host.Host(answer, built())


def asked(host):
    """The files and the numbers of bytes of new requests."""
    made, host.requests[:] = list(host.requests), []
    sizes = []
    for path, fields in made:
        first, last = map(int, fields["Range"][len("bytes="):].split("-"))
        sizes.append((path, last - first + 1))
    return sizes


@unittest.skipIf(shardq is None, "the package is not installed here")
class Answers(unittest.TestCase):
    def test_equal(self):
        """All answers are those of the index on disk, byte for byte."""
        with Host() as there:
            for name in ("large", "large/", "large.shardq"):
                with shardq.Index(there.url + name) as far, shardq.Index(os.path.join(built(), name.rstrip("/"))) as near:
                    texts = [*languages.typed(languages.build_large(), 120), *languages.readable()[:3], "paris zzzzz"]
                    for text in texts:
                        for options in (dict(), dict(sort="key", limit=20)):
                            self.assertEqual(far.search(text, **options).raw, near.search(text, **options).raw, text)
                        self.assertEqual(far.count(text), near.count(text), text)
                    for options in (dict(filters=["country=FR"]), dict(near=(48.5, 2.25)), dict(group="country"),
                                    dict(facets=["country"], total="exact"), dict(display=True, hits=True)):
                        self.assertEqual(far.search("sa", **options).raw, near.search("sa", **options).raw, options)
                    self.assertEqual((far.fields, far.facets("country")), (near.fields, near.facets("country")))
                    self.assertEqual([page.raw for page in far.pages("san", limit=37)], [page.raw for page in near.pages("san", limit=37)])

    def test_record(self):
        path, rows = languages.build_ids()
        with Host() as there, shardq.Index(there.url + os.path.basename(path)) as index:
            self.assertEqual([index.record(row["sku"]) for row in rows[:9]], rows[:9])
            asked(there)
            self.assertIsNone(index.record("none"))
            self.assertEqual(index.record(rows[3]["sku"]), rows[3])
            self.assertEqual(asked(there), [])

    def test_requests(self):
        """An opening is one request, and a typed text few. Bytes that are there are not fetched again."""
        with shardq.Index(languages.build_large()) as index:
            name = index.search("", limit=1)[0]["name"]
        with Host() as there:
            for path in ("large", "large.shardq"):
                with shardq.Index(there.url + path) as index:
                    opening = asked(there)
                    self.assertEqual(len(opening), 1, opening)
                    typing = {name[:count]: index.search(name[:count]) and asked(there) for count in range(1, len(name) + 1)}
                    self.assertLessEqual(max(map(len, typing.values())), 12, typing)
                    self.assertLessEqual(sum(map(len, typing.values())), 16, typing)
                    self.assertTrue(all(size <= 128 << 10 for made in typing.values() for _, size in made), typing)
                    index.search(name)
                    self.assertEqual(asked(there), [])
                    print(f"{path}: {len(opening)} request to open, {[*map(len, typing.values())]} to type {name}")

    def test_side_by_side(self):
        """A round's requests go side by side, six at most, over connections that stay."""
        under_way, most, threads = [0], [0], set()
        lock = threading.Lock()

        def answer(handler, content):
            with lock:
                under_way[0] += 1
                most[0] = max(most[0], under_way[0])
                threads.add(threading.get_ident())  # The host has a thread for each connection.
            time.sleep(0.02)
            with lock:
                under_way[0] -= 1
            handler.send_range(content)

        with Host(answer) as there, shardq.Index(there.url + "large") as index:
            for text in languages.readable()[:4]:
                index.search(text)
            self.assertTrue(1 < most[0] <= 6, most)
            self.assertLessEqual(len(threads), 12)
            self.assertGreater(len(there.requests), 20)

    def test_rebuilt(self):
        """An index that is rebuilt meanwhile: the answer is the new index's, and never of both."""
        path = os.path.join(built(), "remade")
        for archive in (False, True):
            def build(step):
                made = random.Random(step)
                rows = ({"name": f"name {number}", "step": step, "more": made.random()} for number in range(20_000))
                # A build in the same folder would keep the files of the index before.
                shutil.rmtree(path, ignore_errors=True)
                shardq.build(rows, path, key="{name}", shard_size="8KiB").close()
                languages.run("archive", "-i", path, "-o", path + ".new", "-q")
                os.replace(path + ".new", path + ".shardq")
            build(1)
            with Host() as there, shardq.Index(there.url + "remade" + (".shardq" if archive else "")) as index:
                self.assertEqual({record["step"] for record in index.search("name 1")}, {1})
                build(2)
                for text in ("name 77", "name 39", "name 2", "name 1"):
                    found = index.search(text, limit=30)
                    self.assertEqual(([record["step"] for record in found]), [2] * 30)


@unittest.skipIf(shardq is None, "the package is not installed here")
class Faults(unittest.TestCase):
    def refused(self, there, words, code="system", kind=OSError, name="large", text="lon"):
        """Opens and asks; expects an error that names the URL."""
        url = there if isinstance(there, str) else there.url + name
        with self.assertRaises(kind) as caught:
            with shardq.Index(url) as index:
                index.search(text)
        self.assertIsInstance(caught.exception, shardq.ShardqError)
        self.assertEqual(caught.exception.code, code, str(caught.exception))
        self.assertIn(words, str(caught.exception))
        self.assertIn("http://127.0.0.1:", str(caught.exception))
        self.assertNotIn("secret", str(caught.exception))

    def behind_manifest(self, wrong):
        """A host that answers for the manifest only."""
        return Host(lambda handler, content: (good if handler.path.endswith("manifest") else wrong)(handler, content))

    def test_urls(self):
        for url in ("s3://bucket/cities/", "ftp://host/cities", "http://", "http://[::1/", "http://host:x/", "https://ho st/",
                    "http://host/\n", "file:///etc", "http://host/" + "x" * 5000, "http://host/\ud800"):
            with self.assertRaises(ValueError, msg=url) as caught:
                shardq.Index(url)
            self.assertEqual(caught.exception.code, "refused")
        with self.assertRaises(ValueError):
            shardq.build([{"a": "b"}], "http://host/list", key="{a}")

    def test_no_index(self):
        with Host() as there:
            for name in ("none", "none.shardq", "large/manifest"):
                self.refused(there, "no index at " + there.url + name, "not found", FileNotFoundError, name)
        with Host(lambda handler, content: handler.send(416, b"")) as there:
            self.refused(there, "no index at", "not found", FileNotFoundError)

    def test_statuses(self):
        for status in (400, 401, 403, 418, 429, 500, 503):
            with Host(lambda handler, content: handler.send(status, b"secret" * 100_000)) as there:
                self.refused(there, f"status {status}")
                self.assertEqual(len(there.requests), 2 if status in (429, 500, 503) else 1)

    def test_other_content(self):
        for body, words, code in ((b"<!DOCTYPE html><title>Login</title>", "an HTML page", "system"), (b"hello", "manifest", "damaged"),
                                  (b"", "manifest", "damaged"), (bytes(2 << 20), "cannot send a part of a file", "system")):
            with Host(lambda handler, content: handler.send(200, body)) as there:
                self.refused(there, words, code, shardq.ShardqError)

    def test_lies(self):
        """Sizes and ranges that are not those of the file."""
        def ranged(first=0, last=0, total=0):
            def answer(handler, content):
                a, b = map(int, handler.headers["Range"][len("bytes="):].split("-"))
                b = min(b, len(content) - 1)
                handler.send(206, content[a:b + 1], Content_Range=f"bytes {a + first}-{b + last}/{len(content) + total}")
            return answer

        for wrong in (ranged(first=1), ranged(last=1), ranged(first=-1)):
            with Host(wrong) as there:
                self.refused(there, "the wrong bytes")
        with Host(lambda handler, content: handler.send(206, content[:100])) as there:
            self.refused(there, "the wrong bytes")
        with Host(lambda handler, content: handler.send(206, content, Content_Range="bytes 0-9/9999999999999999999999")) as there:
            self.refused(there, "the wrong bytes")
        for wrong in (ranged(total=1), ranged(total=1 << 45)):
            with self.behind_manifest(wrong) as there:
                self.refused(there, "bytes, and the manifest says")
            # An archive needs its size only to find its end.
            with Host(wrong) as there, shardq.Index(languages.build_large()) as near:
                try:
                    with shardq.Index(there.url + "large.shardq") as index:
                        self.assertEqual(index.search("lon").raw, near.search("lon").raw)
                except shardq.ShardqError as error:
                    self.assertIn(there.url, str(error))

    def test_too_many_bytes(self):
        def more(handler, content):
            a, b = map(int, handler.headers["Range"][len("bytes="):].split("-"))
            b = min(b, len(content) - 1)
            handler.send(206, content[a:b + 1] + b"x" * 100_000, Content_Range=f"bytes {a}-{b}/{len(content)}")

        def endless(handler, content):
            handler.send_response(200)
            handler.end_headers()
            while handler.wfile.write(bytes(1 << 16)):
                pass

        with self.behind_manifest(more) as there:
            self.refused(there, "more bytes than the request asked for")
        with self.behind_manifest(endless) as there:
            self.refused(there, "cannot send a part of a file")

    def test_compressed(self):
        with Host(lambda handler, content: handler.send(200, gzip.compress(content), Content_Encoding="gzip")) as there:
            self.refused(there, "compresses the file")

    def test_broken_off(self):
        def short(handler, content):
            handler.send(200, content[:-7], Content_Length=str(len(content)))
            handler.close_connection = True

        with self.behind_manifest(short) as there:
            self.refused(there, "")
        with self.behind_manifest(lambda handler, content: handler.wfile.write(b"nonsense\r\n\r\n")) as there:
            self.refused(there, "")

    def test_one_failure_is_no_error(self):
        for wrong in (lambda handler: handler.send(503, b""), lambda handler: handler.send(200, b"abc", Content_Length="99"),
                      lambda handler: None):
            failed = set()

            def answer(handler, content):
                if (handler.path, handler.headers["Range"]) in failed:
                    return handler.send_range(content)
                failed.add((handler.path, handler.headers["Range"]))
                wrong(handler)
                handler.close_connection = True

            with Host(answer) as there, shardq.Index(there.url + "large") as index, shardq.Index(languages.build_large()) as near:
                self.assertEqual(index.search("lon").raw, near.search("lon").raw)

    def test_no_ranges(self):
        """A host without ranges serves files of up to 1 MiB."""
        with Host(lambda handler, content: handler.send(200, content) if content else handler.send(404, b"")) as there:
            with shardq.Index(there.url + "large") as index, shardq.Index(languages.build_large()) as near:
                self.assertEqual(index.search("lodnon").raw, near.search("lodnon").raw)

    def test_damage(self):
        """Damaged bytes are fetched once more, past caches on the way; damage that stays is an error that names the file."""
        for stays in (False, True):
            def answer(handler, content):
                isWrong = not handler.path.endswith("manifest") and (stays or len(there.requests) == 2)
                handler.send_range(content, lambda body: body[:9] + bytes([body[9] ^ 4]) + body[10:] if isWrong else body)

            with Host(answer) as there:
                if stays:
                    self.refused(there, there.url + "large/", "damaged", shardq.ShardqError)
                    continue
                with shardq.Index(there.url + "large") as index, shardq.Index(languages.build_large()) as near:
                    self.assertEqual(index.search("lon").raw, near.search("lon").raw)
                    self.assertTrue(any(fields.get("Cache-Control") == "no-cache" for _, fields in there.requests))

    def test_redirects(self):
        with Host() as target:
            def there(handler, content):
                handler.send(302, b"", Location=target.url + handler.path.lstrip("/"))
            with Host(there) as start, shardq.Index(start.url.replace("//", "//user:secret@") + "large") as index:
                self.assertTrue(index.search("lon"))
                self.assertTrue(all("Authorization" in fields for _, fields in start.requests))
                self.assertFalse(any("Authorization" in fields for _, fields in target.requests))
        with Host(lambda handler, content: handler.send(302, b"", Location=handler.path)) as there:
            self.refused(there, "redirects over 5 times")
            self.assertEqual(len(there.requests), 6)
        for place in ("file:///etc/passwd", "ftp://127.0.0.1/", "http://", "http://[x", ""):
            with Host(lambda handler, content: handler.send(301, b"", Location=place)) as there:
                self.refused(there, "redirects")
        with self.assertRaisesRegex(Exception, "from https to http"):
            _remote._redirected("http://host/", ("https", "host"), "/")

    def test_credentials(self):
        def answer(handler, content):
            handler.send_range(content) if handler.headers.get("Authorization") else handler.send(401, b"who?")

        with Host(answer) as there:
            self.refused(there, "status 401")
            with shardq.Index(there.url.replace("//", "//user:secret@") + "large?key=secret") as index:
                self.assertTrue(index.search("lon"))
            self.assertTrue(all(path.endswith("?key=secret") for path, _ in there.requests[1:]))
            self.refused(there.url.replace("//", "//user:secret@") + "none?key=secret", "no index", "not found")

    def test_hosts_that_hang(self):
        """A host that accepts and is silent, and one that sends a byte now and then: an error, and no thread is left."""
        over = threading.Event()

        def trickles(handler, content):
            handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while not over.wait(0.05):
                handler.wfile.write(b"X-More: 1\r\n")

        with socket.socket() as silent, Host(trickles) as trickling, \
                unittest.mock.patch.multiple(_remote, SILENCE=0.3, PATIENCE=1.5):
            silent.bind(("127.0.0.1", 0))
            silent.listen(16)
            self.refused(f"http://127.0.0.1:{silent.getsockname()[1]}/large/", "did not answer within 0.3 seconds")
            self.refused(trickling, "did not answer within 1.5 seconds")
            # The package ends its threads while the host still sends.
            for _ in range(100):
                if not any(thread.name == "shardq" for thread in threading.enumerate()):
                    break
                time.sleep(0.05)
            self.assertEqual([thread for thread in threading.enumerate() if thread.name == "shardq"], [])
            over.set()

    def test_no_host(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            self.refused(f"http://127.0.0.1:{closed.getsockname()[1]}/large/", "accepts no connection")
        with Host() as there, shardq.Index(there.url + "large") as index:
            first = index.search("lon").raw
            there.server.shutdown()
            there.server.server_close()
            # The bytes are there. Others are an error, and not another answer.
            self.assertEqual(index.search("lon").raw, first)

    def test_interrupt(self):
        """Ctrl-C ends a question that waits for a host; the next question has its answer. A program need not wait to end."""
        done = languages.script(sys.executable, INTERRUPTED, built())
        self.assertEqual((done.returncode, done.stdout), (0, "interrupted\nanswered\n"), done.stderr[-2000:])


INTERRUPTED = """
import os, signal, sys, threading, time, languages, shardq
sys.path.append(os.path.join(languages.ROOT, "Tests/Remote"))
import host
# A shell that runs the tests in the background ignores Ctrl-C, and Python then raises no KeyboardInterrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
hangs, over, interrupt = [False], threading.Event(), threading.Lock()
def answer(handler, content):
    if hangs[0]:
        # A question sends several requests. Of two signals the second may end the next question.
        if interrupt.acquire(blocking=False):
            os.kill(os.getpid(), signal.SIGINT)
        over.wait(60)
    handler.send_range(content)
there = host.Host(answer, sys.argv[1])
index = shardq.Index(there.url + "large")
hangs[0] = True
try:
    index.search("lon")
except KeyboardInterrupt:
    print("interrupted")
hangs[0] = False
print("answered" if index.search("lon") else "")
"""
