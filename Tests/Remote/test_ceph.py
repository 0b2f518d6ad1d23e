"""An index in Ceph's object gateway, by S3: signed and public, while a gateway dies, and while the store stands still.

Long runs alone start it, where it is installed: one monitor, one store in memory, and two gateways behind nginx.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import uuid

from remote import ENVIRONMENT, LONG, MANY, SCRATCH, WWW, RemoteTestCase, free_port, shardq, texts

KEYS = {"AWS_ACCESS_KEY_ID": "AKTEST", "AWS_SECRET_ACCESS_KEY": "SKTEST", "AWS_REGION": "us-east-1"}
PROGRAMS = ("ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "ceph", "ceph-authtool", "monmaptool", "curl")


class Ceph:
    """A cluster of Ceph on loopback, with two gateways, and nginx in front of them."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="ceph-", dir=SCRATCH)
        self.processes = {}
        for name in ("mon", "osd", "run", "log"):
            os.mkdir(os.path.join(self.path, name))
        self.ports = {name: free_port() for name in ("a", "b", "mon", "mon1", "front")}
        self.cluster = str(uuid.uuid4())
        self.environment = {"PATH": os.environ["PATH"] + ":/usr/sbin:/usr/bin", "CEPH_CONF": self.file("conf", self.configuration())}
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    def file(self, name, text):
        path = os.path.join(self.path, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def configuration(self):
        gateways = "".join(
            f"[client.rgw.{name}]\nrgw frontends = beast endpoint=127.0.0.1:{self.ports[name]} tcp_nodelay=1\n" for name in "ab")
        return f"""[global]
fsid = {self.cluster}
mon host = [v2:127.0.0.1:{self.ports["mon"]},v1:127.0.0.1:{self.ports["mon1"]}]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
keyring = {self.path}/keyring
run dir = {self.path}/run
admin socket = {self.path}/run/$name.asok
log file = {self.path}/log/$name.log
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
auth allow insecure global id reclaim = false
[mon]
mon data = {self.path}/mon
mon initial members = a
[osd]
osd data = {self.path}/osd
osd objectstore = memstore
memstore device bytes = 536870912
{gateways}"""

    def run(self, *arguments):
        done = subprocess.run(arguments, env=self.environment, capture_output=True, text=True, timeout=90)
        assert done.returncode == 0, (arguments, done.stderr)
        return done.stdout

    def daemon(self, name, *arguments):
        with open(os.path.join(self.path, "log", name + ".out"), "wb") as log:
            self.processes[name] = subprocess.Popen(arguments, env=self.environment, stdout=log, stderr=log)

    def start(self):
        keyring = os.path.join(self.path, "keyring")
        for name, *rights in [
            ("mon.", "mon", "allow *"),
            ("client.admin", "mon", "allow *", "osd", "allow *", "mgr", "allow *"),
            ("osd.0", "mon", "allow profile osd", "osd", "allow *"),
            ("client.rgw.a", "mon", "allow rw", "osd", "allow rwx"),
            ("client.rgw.b", "mon", "allow rw", "osd", "allow rwx"),
        ]:
            caps = [part for kind, right in zip(rights[::2], rights[1::2]) for part in ("--cap", kind, right)]
            create = [] if os.path.exists(keyring) else ["-C"]
            self.run("ceph-authtool", keyring, "--gen-key", *create, "-n", name, *caps)
        monitors = os.path.join(self.path, "monmap")
        address = f"[v2:127.0.0.1:{self.ports['mon']},v1:127.0.0.1:{self.ports['mon1']}]"
        self.run("monmaptool", "--create", "--addv", "a", address, "--fsid", self.cluster, monitors)
        self.run("ceph-mon", "-i", "a", "--mkfs", "--monmap", monitors, "--keyring", keyring)
        self.daemon("mon", "ceph-mon", "-i", "a", "-f")
        store = str(uuid.uuid4())
        self.run("ceph", "osd", "new", store, "0")
        self.run("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", store)
        self.daemon("osd", "ceph-osd", "-i", "0", "-f")
        self.wait(lambda: "1 up" in self.run("ceph", "osd", "stat"))
        for name in "ab":
            self.daemon(name, "radosgw", "-n", f"client.rgw.{name}", "-f")
            self.wait(lambda: self.curl(f"http://127.0.0.1:{self.ports[name]}/") == 0)
        self.run("radosgw-admin", "user", "create", "--uid=shardq", "--display-name=shardq", "--access-key=AKTEST",
                 "--secret-key=SKTEST")
        upstream = "".join(f"server 127.0.0.1:{self.ports[name]} max_fails=1 fail_timeout=2s; " for name in "ab")
        temporary = " ".join(f"{name}_temp_path {self.path}/{name};" for name in
                             ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        front = self.file("nginx", f"""
{"user root;" if os.geteuid() == 0 else ""}
daemon off; worker_processes 1; pid {self.path}/nginx.pid; error_log {self.path}/log/nginx.error;
events {{ worker_connections 256; }}
http {{
  {temporary}
  access_log off; client_max_body_size 0;
  upstream gateways {{ {upstream} }}
  server {{
    listen 127.0.0.1:{self.ports["front"]};
    location / {{ proxy_pass http://gateways; proxy_set_header Host $http_host; proxy_connect_timeout 1s; }}
  }}
}}""")
        self.daemon("nginx", shutil.which("nginx", path=self.environment["PATH"]), "-c", front, "-p", self.path)
        self.url = f"http://127.0.0.1:{self.ports['front']}"
        self.wait(lambda: self.curl(self.url) == 0)

    def wait(self, condition, patience=90):
        end = time.monotonic() + patience
        while not condition():
            assert time.monotonic() < end, "Ceph has not started"
            time.sleep(0.2)

    def curl(self, url, *options):
        signature = ["--aws-sigv4", "aws:amz:us-east-1:s3", "--user", "AKTEST:SKTEST", "-H", "x-amz-content-sha256: UNSIGNED-PAYLOAD"]
        if not options:
            signature = []
        return subprocess.run(["curl", "--fail-with-body" if options else "-s", "-s", "-o", "/dev/null", *signature, *options, url],
                              env=self.environment, timeout=30, check=False).returncode

    def bucket(self, name, *files, is_public=False):
        assert self.curl(f"{self.url}/{name}", "-X", "PUT") == 0
        rights = ["-H", "x-amz-acl: public-read"] if is_public else []
        for key, path in files:
            assert self.curl(f"{self.url}/{name}/{key}", *rights, "-T", path) == 0, key

    def close(self):
        for process in self.processes.values():
            process.send_signal(signal.SIGCONT)
            # nginx ends its workers, which a killed one would leave.
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(30)


@unittest.skipUnless(LONG, "Ceph is started in long runs alone")
class InCeph(RemoteTestCase):
    @classmethod
    def setUpClass(cls):
        path = ENVIRONMENT["PATH"] + ":/usr/sbin:/usr/bin"
        missing = [program for program in PROGRAMS if not shutil.which(program, path=path)]
        if missing:
            raise unittest.SkipTest(f"an index in Ceph, for there is no {missing[0]}: radosgw, ceph-osd, ceph-mon, ceph-common")
        cls.ceph = Ceph()
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
