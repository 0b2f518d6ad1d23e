"""The shared part of the tests of nodes: the programs, lists, a store, serving nodes, and nginx with the files of
Packaging/nginx."""

import atexit
import http.client
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.append(os.path.join(ROOT, "Tests", "Remote"))
from nginx import free_ports  # noqa: E402
PACKAGING = os.path.join(ROOT, "Packaging", "nginx")
BIN = os.path.abspath(os.environ.get("SHARDQ_BIN", os.path.join(ROOT, "bin")))
ENVIRONMENT = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "SWIFT_BACKTRACE": "enable=no"}
# No test waits longer than this for anything.
PATIENCE = 60

_base = None if "TMPDIR" in os.environ or not os.access("/dev/shm", os.W_OK) else "/dev/shm"
SCRATCH = tempfile.mkdtemp(prefix="shardq-nodes-", dir=_base)
atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)
ENVIRONMENT |= {"HOME": SCRATCH, "XDG_CACHE_HOME": os.path.join(SCRATCH, "xdg")}


def shardq(*arguments, text=None):
    """Runs the command; gives status, standard output and standard error."""
    done = subprocess.run([os.path.join(BIN, "shardq"), *arguments], input=text, capture_output=True, timeout=PATIENCE,
                          env=ENVIRONMENT, encoding="utf-8")
    return done.returncode, done.stdout, done.stderr


def wait_for(condition, what, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.02)


def listens(port):
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


class Program:
    """A program that runs until it is closed, or until this process ends."""

    running = set()

    def start(self, *command, **options):
        # The processes of a group end together: nginx has workers and managers of its cache.
        self.process = subprocess.Popen(command, env=ENVIRONMENT, start_new_session=True, **options)
        self.running.add(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.running.discard(self)
        if self.process.stdout:
            self.process.stdout.close()

    @classmethod
    def close_all(cls):
        for each in list(cls.running):
            each.close()

    def first_line(self):
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        line = self.process.stdout.readline().decode().strip() if ready else ""
        assert line, f"{self.process.args} did not start"
        return line


atexit.register(Program.close_all)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def get(port, path, connection=None, headers=None):
    """The status, the fields by names in small letters, and the body."""
    own = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        own.request("GET", path, headers=headers or {})
        response = own.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    finally:
        if not connection:
            own.close()


def target(text, **parameters):
    return "/v1/search?" + urllib.parse.urlencode({"q": text, **parameters})


class Store(Program):
    """The folder `root` over HTTP: see store.py."""

    def __init__(self, root, milliseconds=10):
        self.start(sys.executable, os.path.join(HERE, "store.py"), root, str(milliseconds), stdout=subprocess.PIPE)
        self.port = int(self.first_line())
        self.url = f"http://127.0.0.1:{self.port}/"

    def be(self, mode):
        get(self.port, "/.store/" + mode)

    def counts(self):
        """The counts of the store since the last call."""
        return json.loads(get(self.port, "/.store/counts")[2])


class Node(Program):
    """A node that serves an index of a URL, or one on disk."""

    def __init__(self, index, *arguments, cache=None, cache_size="64MiB", port=0, interval="0.3"):
        place = []
        if index.startswith("http"):
            self.cache = cache or tempfile.mkdtemp(dir=SCRATCH, prefix="cache-")
            place = ["--cache-dir", self.cache, "--cache-size", cache_size, "--fetch", "shards"]
        self.log_path = tempfile.mktemp(dir=SCRATCH, prefix="log-")
        with open(self.log_path, "wb") as log:
            self.start(os.path.join(BIN, "shardq"), "serve", "-i", index, "--listen", f"127.0.0.1:{port}",
                       "--reload-interval", interval, *place, *arguments, stdout=subprocess.PIPE, stderr=log)
        try:
            self.port = urllib.parse.urlsplit(self.first_line()).port
        except AssertionError as error:
            self.close()
            raise AssertionError(f"{error}: {self.log}") from None

    @property
    def log(self):
        with open(self.log_path, encoding="utf-8") as file:
            return file.read()

    def search(self, text, **parameters):
        return get(self.port, target(text, **parameters))

    def generation(self):
        return json.loads(get(self.port, "/v1/status")[2])["generation"]

    def metric(self, name):
        return float(re.search(rf"^shardq_{name} (\S+)$", get(self.port, "/metrics")[2].decode(), re.MULTILINE)[1])

    def memory(self):
        """The most resident memory so far, in bytes."""
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
            return int(re.search(r"VmHWM:\s+(\d+) kB", file.read())[1]) * 1024


class Nginx(Program):
    """nginx with files of Packaging/nginx in its block `http`, their addresses and paths replaced."""

    def __init__(self, blocks, ports):
        self.path = tempfile.mkdtemp(dir=SCRATCH, prefix="nginx-")
        self.log = os.path.join(self.path, "access.log")
        places = " ".join(f"{name}_temp_path {self.path}/{name};" for name in
                          ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        configuration = os.path.join(self.path, "conf")
        with open(configuration, "w", encoding="utf-8") as file:
            # By default nginx's workers run as another user, which cannot read the folder.
            file.write("user root;\n" if os.geteuid() == 0 else "")
            file.write(f"""
daemon off; worker_processes 1; pid {self.path}/pid; error_log {self.path}/error.log;
events {{ worker_connections 1024; }}
http {{
  {places}
  log_format asked '$server_port $status $request_uri $upstream_addr $upstream_cache_status';
  access_log {self.log} asked;
  keepalive_requests 1000000;
  {blocks}
}}""")
        self.start(shutil.which("nginx", path=ENVIRONMENT["PATH"] + ":/usr/sbin"), "-c", configuration, "-p", self.path,
                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for port in ports:
            def is_ready():
                assert self.process.poll() is None, self.process.stdout.read().decode()
                return listens(port)
            wait_for(is_ready, "nginx listens")

    def requests(self):
        """The lines of the log since the last call, as lists of words."""
        with open(self.log, "r+", encoding="utf-8") as file:
            lines = file.read().splitlines()
            file.truncate(0)
        return [line.split(" ") for line in lines]


def packaged(name, port, addresses, replacements=()):
    """A file of Packaging/nginx that listens on another port, with other machines in its upstream."""
    with open(os.path.join(PACKAGING, name), encoding="utf-8") as file:
        text = file.read()
    text, count = re.subn(r"listen \d+;", f"listen 127.0.0.1:{port};", text)
    assert count == 1, name
    machines = re.findall(r"^  server 10\..*;\n", text, re.MULTILINE)
    assert machines, name
    lines = "".join(re.sub(r"10\.[\d.]+:\d+", f"127.0.0.1:{address}", machines[0]) for address in addresses)
    text = text.replace("".join(machines), lines)
    for old, new in replacements:
        assert old in text, (name, old)
        text = text.replace(old, new)
    return text


class Front(Nginx):
    """nginx in front of nodes."""

    def __init__(self, ports):
        self.port, = free_ports(1)
        super().__init__(packaged("nodes.conf", self.port, ports), [self.port])

    def search(self, text, connection=None, **parameters):
        return get(self.port, target(text, **parameters), connection)
