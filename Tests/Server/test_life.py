"""Tests the server from start to end: signals, new generations, damage, and failed starts."""

import base64
import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest
import urllib.request

from server import (BIN, ENVIRONMENT, LONG, PATIENCE, SAMPLE, SCRATCH, Server, build, places, read_answers, shardq, update)


class Start(unittest.TestCase):
    def failed(self, arguments, status, text, program="shardq"):
        code, output, error = shardq("serve", *arguments, program=program)
        self.assertEqual((code, output), (status, ""), error)
        self.assertIn(text, error)

    def test_what_cannot_start(self):
        self.failed(["-i", os.path.join(SCRATCH, "none")], 66, "no index")
        self.failed(["-i", SAMPLE, "--listen", "0.0.0.0:0"], 64, "--public")
        self.failed(["-i", SAMPLE, "--listen", "[::]:0"], 64, "--public")
        self.failed(["-i", SAMPLE, "--listen", "127.0.0.1:65536"], 64, "--listen")
        self.failed(["-i", SAMPLE, "--listen", "example.org:80"], 64, "--listen")
        self.failed(["-i", SAMPLE, "--idle-timeout", "0"], 64, "--idle-timeout")
        self.failed(["-i", SAMPLE, "--expect-digest", "0" * 64], 65, "SHA-256")
        self.failed(["-i", SAMPLE, "--listen", "192.0.2.1:0", "--public"], 74, "192.0.2.1")
        damaged = os.path.join(SCRATCH, "damaged-manifest")
        shutil.copytree(SAMPLE, damaged)
        with open(os.path.join(damaged, "manifest"), "r+b") as file:
            file.seek(20)
            file.write(b"\0\0\0\0")
        self.failed(["-i", damaged], 65, "manifest")

    def test_port_in_use(self):
        with Server(SAMPLE) as server:
            self.failed(["-i", SAMPLE, "--listen", f"127.0.0.1:{server.port}"], 74, "in use")

    def test_without_the_executable(self):
        directory = os.path.join(SCRATCH, "bin")
        os.makedirs(directory)
        for name in ["shardq", "shardq-commands"]:
            shutil.copy(os.path.join(BIN, name), directory)
        done = subprocess.run([os.path.join(directory, "shardq"), "serve", "-i", SAMPLE], capture_output=True, text=True,
                              timeout=PATIENCE, env=ENVIRONMENT)
        self.assertEqual(done.returncode, 66)
        self.assertIn("shardq-serve is missing", done.stderr)
        self.assertIn("--server", done.stderr)

    def test_standard_output_that_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            process = subprocess.Popen([os.path.join(BIN, "shardq"), "serve", "-i", SAMPLE, "--listen", "127.0.0.1:0"],
                                       stdout=full, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
            self.assertEqual(process.wait(PATIENCE), 74)

    def test_the_address_as_json(self):
        server = subprocess.Popen(
            [os.path.join(BIN, "shardq"), "serve", "-i", SAMPLE, "--listen", "127.0.0.1:0", "--json"], env=ENVIRONMENT,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            said = json.loads(server.stdout.readline())
            self.assertEqual((said["schema"], said["command"], said["pid"]), (1, "serve", server.pid))
            self.assertEqual(said["indexes"], [SAMPLE])
            with urllib.request.urlopen(said["url"] + "healthz", timeout=PATIENCE) as answer:
                self.assertEqual(answer.status, 200)
        finally:
            server.terminate()
            server.communicate(timeout=PATIENCE)

    def test_other_addresses(self):
        if not socket.has_ipv6 or not os.path.exists("/proc/net/if_inet6"):
            self.skipTest("no IPv6 here")
        with Server(SAMPLE, listen="[::1]:0") as server:
            self.assertTrue(server.url.startswith("http://[::1]:"))
            self.assertEqual(server.get("/healthz", headers={"Host": f"[::1]:{server.port}"}).status, 200)

    def test_pinned(self):
        digest = json.loads(shardq("stats", "-i", SAMPLE, "--format", "json")[1])["manifest_sha256"]
        with Server(SAMPLE, "--expect-digest", digest) as server:
            self.assertEqual(server.search("reyk").json["count"], 1)


class End(unittest.TestCase):
    def test_signals(self):
        for number, status in [(signal.SIGTERM, 0), (signal.SIGINT, -signal.SIGINT)]:
            server = Server(SAMPLE)
            idle = [server.socket() for _ in range(20)]
            idle[0].sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            read_answers(idle[0], 1)
            idle[1].sendall(b"GET /heal")
            start = time.monotonic()
            server.process.send_signal(number)
            self.assertEqual(server.process.wait(PATIENCE), status)
            self.assertLess(time.monotonic() - start, 3)
            self.assertIn("stopping", server.log)
            for connection in idle:
                connection.close()
            server.close()

    def stuck(self):
        """A server with a client that sends many requests and reads no answer."""
        server = Server(SAMPLE, "--response-timeout", "60")
        connection = server.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(0.3)
        # Until the server takes no more bytes and uses no more processor time. Before, it is busy and not stuck, and a
        # server that has not yet read the first request may end at once.
        with self.assertRaises(TimeoutError):
            for _ in range(1000):
                connection.sendall(1000 * b"GET /v1/search?limit=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        used = -1
        while used != (now := server.processor_time):
            used = now
            time.sleep(0.3)
        return server, connection

    def test_a_stuck_client_is_waited_for_so_long(self):
        server, connection = self.stuck()
        start = time.monotonic()
        server.process.terminate()
        self.assertEqual(server.process.wait(PATIENCE), 0)
        self.assertGreater(time.monotonic() - start, 4)
        self.assertLess(time.monotonic() - start, 8)
        self.assertIn("cut off", server.log)
        connection.close()
        server.close()

    def test_a_second_signal_ends_at_once(self):
        server, connection = self.stuck()
        server.process.terminate()
        server.wait_for(lambda: "stopping" in server.log, "the first signal is heard")
        start = time.monotonic()
        server.process.terminate()
        self.assertEqual(server.process.wait(PATIENCE), -signal.SIGTERM)
        self.assertLess(time.monotonic() - start, 2)
        connection.close()
        server.close()

    def test_what_was_asked_is_answered(self):
        """Under load, the end of the server cuts no answer off that it has begun."""
        for round in range(5 if LONG else 2):
            server = Server(SAMPLE)
            torn, answered = [], [0]
            stop = threading.Event()

            def ask():
                connection = http.client.HTTPConnection(server.address, server.port, timeout=PATIENCE)
                with contextlib.closing(connection):
                    ask_over(connection)

            def ask_over(connection):
                while not stop.is_set():
                    try:
                        connection.request("GET", "/v1/search?q=s&limit=100")
                        response = connection.getresponse()
                        body = response.read()
                        if response.status != 200 or not body.endswith(b"}\n"):
                            torn.append((response.status, body[-20:]))
                        answered[0] += 1
                    except http.client.IncompleteRead as error:
                        torn.append(error)
                        return
                    except (OSError, http.client.RemoteDisconnected, http.client.CannotSendRequest):
                        # Closed before it was answered: between requests, which HTTP allows.
                        return

            threads = [threading.Thread(target=ask) for _ in range(8)]
            for thread in threads:
                thread.start()
            time.sleep(0.5)
            server.process.terminate()
            self.assertEqual(server.process.wait(PATIENCE), 0)
            stop.set()
            for thread in threads:
                thread.join()
            self.assertEqual(torn, [])
            self.assertGreater(answered[0], 50)
            server.close()


class Reload(unittest.TestCase):
    def rebuild(self, path, rows):
        build(rows, os.path.basename(path))

    def test_under_load(self):
        """No request fails while the index is rebuilt, and no answer mixes two generations or goes back."""
        size = 1500
        path = build(places(size, "0"), "reload")
        rounds = 60 if LONG else 12
        failures, seen = [], set()
        count = [0]
        stop = threading.Event()
        with Server(path, "--reload-interval", "0.02", "--cache", "64KiB") as server:

            def ask(number):
                connection = http.client.HTTPConnection(server.address, server.port, timeout=PATIENCE)
                with contextlib.closing(connection):
                    ask_over(connection, number)

            def ask_over(connection, number):
                last = -1
                order = {}
                turn = 0
                while not stop.is_set():
                    turn += 1
                    kind = (turn + number) % 8
                    path = "/v1/within?west=-90&south=-45&east=90&north=45&limit=30" if kind == 0 else \
                        "/api?q=" + "abcdefgh"[kind] if kind == 1 else \
                        f"/v1/search?q={'abcdefghijklmnop'[turn % 16]}&limit={1 + turn % 300}&offset={turn % 40}"
                    try:
                        connection.request("GET", path)
                        response = connection.getresponse()
                        body = response.read()
                        count[0] += 1
                        if response.status != 200:
                            failures.append((path, response.status, body))
                            continue
                        if kind < 2:
                            continue
                        answer = json.loads(body)
                        builds = {record["build"] for record in answer["matches"]}
                        if len(builds) > 1:
                            failures.append((path, "two generations", builds))
                        for build in builds:
                            seen.add(build)
                            if order.setdefault(answer["generation"], build) != build:
                                failures.append((path, "two builds of one name", build))
                            if int(build) < last:
                                failures.append((path, "went back", last, build))
                            last = int(build)
                    except Exception as error:  # noqa: BLE001
                        failures.append((path, repr(error)))
                        return

            threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
            for thread in threads:
                thread.start()
            for number in range(1, rounds + 1):
                self.rebuild(path, places(size, str(number)))
            server.wait_for(lambda: str(rounds) in seen, "the last build is answered from")
            stop.set()
            for thread in threads:
                thread.join()
            self.assertEqual(failures[:5], [], server.log)
            self.assertGreater(len(seen), 3)
            reloads = server.metrics()["shardq_reloads_total"]
            self.assertGreater(reloads, 3)
            print(f"\n{count[0]} requests over {rounds} builds, {int(reloads)} reloads, {len(seen)} generations seen, none failed")

    def test_validity_follows(self):
        path = build(places(300, "0"), "follow")
        with Server(path, "--reload-interval", "0.05") as server:
            first = server.get("/v1/search?q=b")
            dots = server.get("/v1/dots").headers["etag"]
            self.rebuild(path, places(300, "1"))
            server.wait_for(lambda: "reloaded" in server.log, "the new generation is noticed")
            answer = server.get("/v1/search?q=b", headers={"If-None-Match": first.headers["etag"]})
            self.assertEqual(answer.status, 200)
            self.assertNotEqual(answer.headers["etag"], first.headers["etag"])
            self.assertEqual(answer.json["matches"][0]["build"], "1")
            self.assertEqual(server.get("/v1/dots", headers={"If-None-Match": dots}).status, 200)
            # Another file with the same bytes is the same generation.
            shutil.copy(os.path.join(path, "manifest"), os.path.join(path, "copy"))
            os.rename(os.path.join(path, "copy"), os.path.join(path, "manifest"))
            time.sleep(0.3)
            self.assertEqual(server.get("/v1/search?q=b").headers["etag"], answer.headers["etag"])

    def test_changes_beside_the_shards(self):
        """An overlay is a generation of its own: answers, tags, the map and the status follow."""
        rows = places(300, "0")
        path = build(rows, "overlaid", "--id", "name")
        overlay = os.path.join(path, "overlay")
        # A place that is alone in its cell, and a box without places.
        new = {"name": "Bhere", "country": "XX", "lat": "-60.2", "lon": "-120.2", "build": "1"}
        box = "/v1/within?west=-120.3&south=-60.3&east=-120.1&north=-60.1"
        cell = int((90 + 60.2) // 0.5) * 720 + int((180 - 120.2) // 0.5)
        paths = ["/v1/search?q=b", "/v1/dots", "/api?q=b", box]
        with Server(path, "--reload-interval", "3600") as server:
            def look():
                before = server.metrics()["shardq_reloads_total"]
                server.process.send_signal(signal.SIGHUP)
                server.wait_for(lambda: server.metrics()["shardq_reloads_total"] > before, "the change is noticed")

            def tags():
                answers = {target: server.get(target) for target in paths}
                for target, answer in answers.items():
                    again = server.get(target, headers={"If-None-Match": answer.headers["etag"]})
                    self.assertEqual((again.status, again.body), (304, b""), target)
                return {target: answer.headers["etag"] for target, answer in answers.items()}

            def is_dotted():
                cells = base64.b64decode(server.get("/v1/dots").json["cells"])
                return cells[cell // 8] & 0x80 >> cell % 8 != 0

            def found():
                return [record["name"] for record in server.search("bher").json["matches"]]

            server.wait_for(lambda: len(server.get(box).json["places"]) == 0, "the places are known")
            first, first_tags = server.get("/v1/status").json, tags()
            self.assertRegex(first["generation"], "^[0-9a-f]{16}$")
            self.assertFalse(is_dotted())

            update(path, [new], [rows[40]], "--overlay")
            self.assertEqual(found(), [])
            look()
            self.assertEqual(found(), ["Bhere"])
            self.assertEqual(server.search(rows[40]["name"]).json["count"], 0)
            second, second_tags = server.get("/v1/status").json, tags()
            self.assertRegex(second["generation"], "^[0-9a-f]{16}$")
            self.assertNotEqual(second["generation"], first["generation"])
            self.assertEqual(server.search("b").json["generation"], second["generation"])
            # One record more and one less; the shards are the same.
            for name in ["records", "shards", "manifest_sha256", "fields", "coordinates"]:
                self.assertEqual(second[name], first[name], name)
            for target in paths:
                self.assertNotEqual(second_tags[target], first_tags[target])
                self.assertEqual(server.get(target, headers={"If-None-Match": first_tags[target]}).status, 200)
            self.assertTrue(is_dotted())
            server.wait_for(lambda: len(server.get(box).json["places"]) == 1, "the place is there")

            # The same update again makes no new generation, nor does another file with the same bytes.
            update(path, [new], (), "--overlay")
            shutil.copy(overlay, overlay + "-copy")
            os.rename(overlay + "-copy", overlay)
            server.process.send_signal(signal.SIGHUP)
            time.sleep(0.3)
            self.assertEqual(tags(), second_tags)

            # The same changes in shards are another generation with the same answers.
            update(path, (), (), "--merge")
            look()
            third = server.get("/v1/status").json
            self.assertEqual(found(), ["Bhere"])
            self.assertRegex(third["generation"], "^[0-9a-f]{16}$")
            self.assertNotEqual(third["generation"], first["generation"])
            self.assertEqual(third["records"], first["records"])
            self.assertTrue(is_dotted())
            # Back to the first generation, with its tags.
            update(path, (), [new], "--overlay")
            look()
            self.assertEqual((found(), is_dotted()), ([], False))
            self.assertEqual(server.get("/v1/status").json["records"], first["records"] - 1)
            update(path, [rows[40]], (), "--merge")
            look()
            self.assertEqual(server.get("/v1/status").json["generation"], first["generation"])
            server.wait_for(lambda: len(server.get(box).json["places"]) == 0, "the place is gone")
            self.assertEqual(tags(), first_tags)

    def test_an_overlay_that_is_damaged(self):
        rows = places(300, "0")
        path = build(rows, "overlaid-hurt", "--id", "name")
        overlay = os.path.join(path, "overlay")
        with Server(path, "--reload-interval", "0.02") as server:
            with open(overlay, "wb") as file:
                file.write(b"SQO1" + bytes(60))
            server.wait_for(lambda: "reload failed" in server.log, "the damage is noticed")
            self.assertIn("overlay", server.log)
            self.assertEqual(server.search("b").status, 200)
            time.sleep(0.3)
            self.assertEqual(server.log.count("reload failed"), 1)
            os.remove(overlay)
            update(path, [{**rows[40], "name": "Bhere"}], (), "--overlay")
            server.wait_for(lambda: server.search("bher").json["count"] == 1, "the index is whole again")

    def test_told_to_look(self):
        path = build(places(300, "0"), "told")
        with Server(path, "--reload-interval", "3600") as server:
            self.rebuild(path, places(300, "1"))
            self.assertEqual(server.search("b", limit=1).json["matches"][0]["build"], "0")
            server.process.send_signal(signal.SIGHUP)
            server.wait_for(lambda: server.search("b", limit=1).json["matches"][0]["build"] == "1", "SIGHUP is heard")
            # Two builds later no file of the server's generation is left: the server moves on by itself.
            for build_number in ["2", "3", "4"]:
                self.rebuild(path, places(300, build_number))
            for letter in "abcdefghij":
                answer = server.search(letter)
                self.assertEqual(answer.status, 200)
                self.assertEqual({record["build"] for record in answer.json["matches"]} - {"1", "4"}, set())

    def test_a_manifest_that_is_damaged(self):
        path = build(places(300, "0"), "hurt")
        with Server(path, "--reload-interval", "0.02") as server:
            whole = open(os.path.join(path, "manifest"), "rb").read()
            with open(os.path.join(path, "other"), "wb") as file:
                file.write(whole[:30] + b"\0\0\0" + whole[33:])
            os.rename(os.path.join(path, "other"), os.path.join(path, "manifest"))
            server.wait_for(lambda: "reload failed" in server.log, "the damage is noticed")
            self.assertEqual(server.search("b").status, 200)
            time.sleep(0.3)
            self.assertEqual(server.log.count("reload failed"), 1)
            with open(os.path.join(path, "other"), "wb") as file:
                file.write(whole)
            os.rename(os.path.join(path, "other"), os.path.join(path, "manifest"))
            self.rebuild(path, places(300, "1"))
            server.wait_for(lambda: server.search("b").json["matches"][0]["build"] == "1", "the index is whole again")


class SlowDisk(unittest.TestCase):
    """Each read of the index takes a second: requests that need no index are answered meanwhile."""

    def setUp(self):
        probe = subprocess.run(["strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "true"], capture_output=True)
        if probe.returncode != 0:
            self.skipTest("strace cannot trace here")

    def test_others_are_answered(self):
        path = build(places(3000), "slow")
        under = ["strace", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e", "trace=pread64", "-e",
                 "inject=pread64:delay_enter=1000000"]
        with Server(path, "--cache", "0", "--reload-interval", "3600", under=under) as server:
            done, threads = [], []

            def ask(letter):
                answer = server.search(letter, limit=5)
                done.append((time.monotonic(), answer.status))

            for letter in "abcd":
                threads.append(threading.Thread(target=ask, args=(letter,)))
                threads[-1].start()
            time.sleep(0.3)
            for path in ["/healthz", "/v1/status", "/metrics", "/"] * 2:
                self.assertEqual(server.get(path).status, 200)
            # Each question reads a header, keys and fields, one after the other.
            self.assertEqual(done, [])
            for thread in threads:
                thread.join()
            self.assertEqual([status for _, status in done], [200] * 4)


    def test_what_is_in_memory_does_not_wait(self):
        """More questions wait for the disk than threads exist for them: questions that need no disk are answered."""
        path = build(places(3000), "slow-and-warm")
        under = ["strace", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e", "trace=pread64", "-e",
                 "inject=pread64:delay_enter=1000000"]
        with Server(path, "--reload-interval", "3600", under=under) as server:
            warm = server.search("a", limit=5).body
            done = []
            threads = [threading.Thread(target=lambda letter: done.append(server.search(letter, limit=5).status), args=(letter,))
                       for letter in "bcdefghijklm"]
            for thread in threads:
                thread.start()
            server.wait_for(lambda: server.metrics()["shardq_questions_handed_over_total"] >= 13, "they wait")
            for _ in range(20):
                self.assertEqual(server.search("a", limit=5).body, warm)
            self.assertEqual(done, [])
            for thread in threads:
                thread.join()
            self.assertEqual(done, [200] * 12)


class Damage(unittest.TestCase):
    def test_damaged_shards(self):
        path = build(places(1500), "broken")
        whole = path + "-whole"
        shutil.copytree(path, whole)
        with Server(path, "--cache", "0") as server:
            self.assertEqual(server.search("b").status, 200)
            for name in os.listdir(path):
                if name.endswith(".zst"):
                    with open(os.path.join(path, name), "r+b") as file:
                        data = bytearray(file.read())
                        for at in range(4, len(data), 7):
                            data[at] ^= 0x55
                        file.seek(0)
                        file.write(data)
            for target in ["/v1/search?q=b", "/api?q=b", "/v1/within?west=-180&south=-90&east=180&north=90"]:
                answer = server.get(target)
                self.assertEqual((answer.status, answer.headers["content-type"]), (500, "application/problem+json"), target)
                self.assertNotIn(b"broken", answer.body)
                self.assertNotIn(b".zst", answer.body)
            for target in ["/healthz", "/v1/dots", "/v1/status", "/"]:
                self.assertEqual(server.get(target).status, 200, target)
            self.assertIn(".zst", server.log)
            self.assertLess(server.log.count("cannot answer"), 6)
            # A missing index is as bad, and may come back too.
            for name in os.listdir(path):
                if name.endswith(".zst"):
                    os.remove(os.path.join(path, name))
            self.assertEqual(server.search("b").status, 500)
            for name in os.listdir(whole):
                if name.endswith(".zst"):
                    shutil.copy(os.path.join(whole, name), path)
            for target in ["/v1/search?q=b", "/v1/within?west=-180&south=-90&east=180&north=90"]:
                self.assertEqual(server.get(target).status, 200)


if __name__ == "__main__":
    unittest.main()
