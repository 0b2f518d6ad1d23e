"""Starts Ceph's object gateway for tests: one monitor, one store in memory, and two gateways behind nginx."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid

KEYS = {"AWS_ACCESS_KEY_ID": "AKTEST", "AWS_SECRET_ACCESS_KEY": "SKTEST", "AWS_REGION": "us-east-1"}
PROGRAMS = ("ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "ceph", "ceph-authtool", "monmaptool", "curl")
PACKAGES = "radosgw, ceph-osd, ceph-mon, ceph-common"
SEARCH_PATH = os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin"


def missing():
    """The first of Ceph's programs that is missing, or None."""
    return next((program for program in PROGRAMS if not shutil.which(program, path=SEARCH_PATH)), None)


class Ceph:
    """A cluster of Ceph on loopback, with two gateways, and nginx in front of them."""

    def __init__(self, scratch, ports):
        """Starts it in a folder of its own below `scratch`, on five free ports."""
        self.path = tempfile.mkdtemp(prefix="ceph-", dir=scratch)
        self.processes = {}
        for name in ("mon", "osd", "run", "log"):
            os.mkdir(os.path.join(self.path, name))
        self.ports = dict(zip(("a", "b", "mon", "mon1", "front"), ports))
        self.cluster = str(uuid.uuid4())
        self.environment = {"PATH": SEARCH_PATH, "CEPH_CONF": self.file("conf", self.configuration())}
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

    def share(self, bucket):
        """Lets pages of all origins read a bucket, with the field that names an answer's range."""
        rule = ("<AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod><AllowedHeader>*</AllowedHeader>"
                "<ExposeHeader>Content-Range</ExposeHeader>")
        rules = f"<CORSConfiguration><CORSRule>{rule}</CORSRule></CORSConfiguration>"
        assert self.curl(f"{self.url}/{bucket}?cors=", "-X", "PUT", "--data-binary", rules) == 0

    def close(self):
        for process in self.processes.values():
            process.send_signal(signal.SIGCONT)
            # nginx gets a signal to end its workers, because a killed nginx would leave them.
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(30)
