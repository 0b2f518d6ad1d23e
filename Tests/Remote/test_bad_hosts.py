"""Tests faulty hosts: the answer is right, or an error names the fault within five seconds."""

import base64
import concurrent.futures
import functools
import gzip
import os
import shutil
import socket
import threading
import time

from remote import CITIES, LONG, MANY, ROOT, WWW, Host, RemoteTestCase, build, shardq


@functools.cache
def on_disk(name):
    """The answer of an index on disk."""
    return shardq("-i", os.path.join(WWW, name.rstrip("/")), "san")


class BadHosts(RemoteTestCase):
    def refused(self, host, words, name="cities/", status=74, environment=None):
        """Asks, and expects an error with these words in time."""
        start = time.monotonic()
        url = host if isinstance(host, str) else host.url + name
        found = self.ask(url, "san", "--fetch", "shards", environment=environment)
        self.assertLess(time.monotonic() - start, 15)  # 5 seconds, on a machine that does nothing else.
        self.assertEqual((found[0], found[1]), (status, ""), found)
        self.assertIn(words, found[2])
        self.assertNotIn("secret", found[2])
        return found[2]

    def answered(self, host, name="cities/", fetch="shards"):
        self.assertEqual(self.ask(host.url + name, "san", "--fetch", fetch), on_disk(name))

    def test_no_index(self):
        with Host(lambda handler, content: handler.send(404, b"no")) as host:
            self.refused(host, "no index at " + host.url, status=66)
            self.refused(host, "no index at " + host.url, "cities.shardq", status=66)

    def test_other_content(self):
        for body, words in ((b"<!DOCTYPE html><title>Login</title>", "an HTML page"), (b"hello", "not a manifest"),
                            (b"", "")):
            with Host(lambda handler, content: handler.send(200, body)) as host:
                status, output, error = self.ask(host.url + "cities/", "san")
                self.assertEqual((status, output), (74, ""))
                self.assertIn(words, error)
        with Host(lambda handler, content: handler.send(200, b"hello")) as host:
            self.refused(host, "ends with /", "cities")

    def test_statuses(self):
        for status, words in ((403, "does not permit"), (401, "a user and a password"), (500, "in trouble"),
                              (418, "status 418"), (416, "no index")):
            with Host(lambda handler, content: handler.send(status, b"secret")) as host:
                self.refused(host, words, status=66 if status == 416 else 74)
                self.assertEqual(len(host.requests), 2 if status == 500 else 1)

    def test_one_failure_is_no_error(self):
        for wrong in (lambda handler: handler.send(503, b""), lambda handler: handler.send(200, b"abc", Content_Length="99"),
                      lambda handler: setattr(handler, "close_connection", True)):
            failed = set()

            def answer(handler, content):
                if handler.path not in failed:
                    failed.add(handler.path)
                    wrong(handler)
                    handler.close_connection = True
                else:
                    handler.send_range(content)

            with Host(answer) as host:
                self.answered(host)
            self.cache += "-"

    def test_redirects(self):
        with Host(lambda handler, content: handler.send_range(content)) as target:
            def there(handler, content):
                handler.send(302, b"", Location=target.url + handler.path.lstrip("/"))
            with Host(there) as host:
                self.answered(host)
                status, _, error = self.ask(host.url.replace("//", "//user:secret@") + "cities/", "san")
                self.assertEqual(status, 0, error)
                self.assertIn("Authorization", host.requests[-1][1])
                for _, headers in target.requests:
                    self.assertNotIn("Authorization", headers)
        with Host(lambda handler, content: handler.send(302, b"", Location=handler.path)) as host:
            self.refused(host, "over 5 times")
            self.assertEqual(len(host.requests), 6)
        for place in ("file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/"):
            with Host(lambda handler, content: handler.send(301, b"", Location=place)) as host:
                self.refused(host, "neither http nor https")

    def test_credentials(self):
        wanted = "Basic " + base64.b64encode(b"user:secret:1").decode()

        def answer(handler, content):
            if handler.headers.get("Authorization") == wanted:
                handler.send_range(content)
            else:
                handler.send(401, b"who?")

        with Host(answer) as host:
            self.refused(host, "a user and a password")
            url = host.url.replace("//", "//user:secret%3a1@") + "cities/"
            self.assertEqual(self.ask(url, "san")[0], 0)
            self.refused(url.replace("secret", "secreT"), "a user and a password")
            self.refused(url.replace("cities", "citie"), "no index", status=66)
        for path, _, names in os.walk(self.cache):
            for name in names:
                with open(os.path.join(path, name), "rb") as file:
                    self.assertNotIn(b"secret", file.read())

    def test_ranges_ignored(self):
        with Host(lambda handler, content: handler.send(200, content) if content else handler.send(404, b"")) as host:
            for name in ("cities/", "cities.shardq", "many/"):
                for fetch in ("shards", "ranges"):
                    self.answered(host, name, fetch)

            def large(handler, content):
                handler.send(200, bytes([0x28, 0xb5, 0x2f, 0xfd]) + bytes(2 << 20))
        with Host(large) as host:
            self.refused(host, "cannot send a part")

    def test_wrong_ranges(self):
        def shifted(handler, content):
            first, last = (int(number) for number in handler.headers["Range"].removeprefix("bytes=").split("-"))
            handler.send(206, content[1:last + 2], Content_Range=f"bytes {first + 1}-{last + 1}/{len(content)}")

        with Host(shifted) as host:
            self.refused(host, "the wrong bytes", "many/")
        with Host(lambda handler, content: handler.send(206, content[:100])) as host:
            self.refused(host, "the wrong bytes")

    def test_too_long(self):
        def answer(handler, content):
            if handler.path.endswith("/manifest"):
                handler.send_range(content)
            else:
                handler.send(200, content + b"x")

        with Host(answer) as host:
            self.refused(host, "more bytes")

    def test_compressed(self):
        def answer(handler, content):
            handler.send(200, gzip.compress(content), Content_Encoding="gzip")
            assert handler.headers["Accept-Encoding"] == "identity"

        with Host(answer) as host:
            self.refused(host, "compresses the file (gzip)")

    def test_truncated(self):
        def answer(handler, content):
            handler.send(200, content[:-7], Content_Length=str(len(content)))
            handler.close_connection = True

        with Host(answer) as host:
            self.refused(host, "a part of the answer")

    def test_damage_on_the_way_is_fetched_anew(self):
        for fetch in ("shards", "ranges"):
            for name in ("many/", "many.shardq"):
                for wrong in range(2, 5 if LONG else 4):
                    def answer(handler, content):
                        isWrong = len(host.requests) == wrong
                        handler.send_range(
                            content, lambda body: body[:9] + bytes([body[9] ^ 4]) + body[10:] if isWrong else body)

                    with Host(answer) as host:
                        self.answered(host, name, fetch)
                        # Damaged bytes are not in the cache.
                        self.answered(host, name, fetch)
                    self.cache += "-"

    def test_damage_that_stays_is_an_error(self):
        def answer(handler, content):
            handler.send_range(
                content,
                lambda body: body if handler.path.endswith("manifest") else body[:50] + bytes(len(body) - 50))

        with Host(answer) as host:
            status, output, error = self.ask(host.url + "cities/", "san")
            self.assertEqual((status, output), (65, ""))
            self.assertIn(host.url + "cities/", error)

    def test_an_index_that_is_exchanged(self):
        new = build(os.path.join(ROOT, "Samples/cities.csv"), "new", "--shard-size", "8KiB", "--level", "3")
        old = build(os.path.join(ROOT, "Samples/cities.csv"), "old", "--shard-size", "16KiB")
        expected = shardq("-i", new, "san")
        for path in (old, new):
            if os.path.exists(path + ".shardq"):
                os.remove(path + ".shardq")
            shardq("archive", "-i", path, "-o", path + ".shardq")
        for name in ("old/", "old.shardq"):
            state = {"requests": 0}

            def answer(handler, content):
                state["requests"] += 1
                path = handler.path
                if state["requests"] > 1:
                    path = path.replace("/old", "/new")
                try:
                    with open(WWW + path.replace("%25", "%"), "rb") as file:
                        content = file.read()
                except OSError:
                    content = None
                handler.send_range(content)

            with Host(answer) as host:
                self.assertEqual(self.ask(host.url + name, "san"), expected, name)

    def test_a_shard_that_is_gone(self):
        def answer(handler, content):
            handler.send_range(content if handler.path.endswith("manifest") else None)

        with Host(answer) as host:
            status, output, error = self.ask(host.url + "cities/", "san")
            self.assertEqual((status, output), (65, ""))
            self.assertIn("is missing", error)

    def test_hosts_that_hang(self):
        def stops(handler, content):
            if not handler.path.endswith("manifest"):
                time.sleep(20)
            handler.send_range(content)

        def trickles(handler, content):
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(content)))
            handler.end_headers()
            for byte in content[:300]:
                handler.wfile.write(bytes([byte]))
                time.sleep(0.1)

        with (socket.socket() as silent, Host(stops) as stopping, Host(trickles) as trickling,
              concurrent.futures.ThreadPoolExecutor() as pool):
            silent.bind(("127.0.0.1", 0))
            silent.listen(16)
            # Side by side, because each of them waits.
            for refusal in [
                    pool.submit(self.refused, stopping, "did not answer"), pool.submit(self.refused, trickling, "did not answer"),
                    pool.submit(self.refused, f"http://127.0.0.1:{silent.getsockname()[1]}/cities/",
                                "did not answer within 2 seconds")]:
                refusal.result()

    def test_no_host(self):
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            self.refused(f"http://127.0.0.1:{server.getsockname()[1]}/cities/", "accepts no connection")
        self.refused("http://nowhere.invalid/cities/", "cannot be resolved")
        self.refused("http://:secret@/", "write it as")
        self.refused("s3:///cities/", "names no bucket")

    def test_a_store(self):
        def answer(handler, content):
            handler.send_range(content)

        keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "token",
                "AWS_REGION": "eu-west-1"}
        expected = shardq("-i", CITIES, "san")
        os.makedirs(os.path.join(WWW, "bucket"), exist_ok=True)
        shutil.copytree(CITIES, os.path.join(WWW, "bucket/lists/cities"), dirs_exist_ok=True)
        with Host(answer) as host:
            environment = {**keys, "AWS_ENDPOINT_URL": host.url}
            found = self.ask("s3://bucket/lists/cities/", "san", environment=environment)
            self.assertEqual(found, expected)
            for _, headers in host.requests:
                self.assertIn("AWS4-HMAC-SHA256 Credential=key/", headers["Authorization"])
                self.assertIn("/eu-west-1/s3/aws4_request", headers["Authorization"])
                self.assertEqual(headers["x-amz-security-token"], "token")
                self.assertEqual(len(headers["x-amz-content-sha256"]), 64)
            count = len(host.requests)
            found = self.ask("s3://bucket/lists/cities/", "san", environment={"AWS_ENDPOINT_URL": host.url}, cache=False)
            self.assertEqual(found, expected)
            for _, headers in host.requests[count:]:
                self.assertNotIn("Authorization", headers)
        for code, words in (("RequestTimeTooSkewed", "set the clock"),
                            ("SignatureDoesNotMatch", "does not accept AWS_ACCESS_KEY_ID"),
                            ("AccessDenied", "does not permit")):
            body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>secret</Message></Error>".encode()
            with Host(lambda handler, content: handler.send(403, body)) as host:
                self.refused("s3://bucket/cities/", words, environment={**keys, "AWS_ENDPOINT_URL": host.url})

    def test_many_threads_of_a_host_at_once(self):
        most, now, lock = [0], [0], threading.Lock()

        def answer(handler, content):
            with lock:
                now[0] += 1
                most[0] = max(most[0], now[0])
            time.sleep(0.01)
            with lock:
                now[0] -= 1
            handler.send_range(content)

        with Host(answer) as host:
            expected = shardq("-i", MANY, "s", "-n", "50")[1]
            self.assertEqual(self.ask(host.url + "many/", "s", "-n", "50", cache=False)[:2], (0, expected))
        self.assertLessEqual(most[0], 8)
