"""The shared part of the tests of the server: the programs, small indexes, a running server, requests with a time limit."""

import atexit
import contextlib
import csv
import http.client
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.abspath(os.environ.get("SHARDQ_BIN", os.path.join(ROOT, "bin")))
LONG = os.environ.get("SHARDQ_LONG") == "1"
# Packages out of PyPI that the tests use, where they are installed: Scripts/dependencies.sh --tests.
PYTHON = os.path.join(ROOT, ".build/python")
PYTHON = PYTHON if os.path.isdir(os.path.join(PYTHON, "geopy")) else ""
ENVIRONMENT = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "SWIFT_BACKTRACE": "enable=no"}
# No test waits longer than this for anything.
PATIENCE = 30

_base = None if "TMPDIR" in os.environ or not os.access("/dev/shm", os.W_OK) else "/dev/shm"
SCRATCH = tempfile.mkdtemp(prefix="shardq-server-", dir=_base)
atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)
# The cities of the clone, in alphabetical order alone.
SAMPLE = os.path.join(SCRATCH, "sample")
subprocess.run([os.path.join(BIN, "shardq"), "build", os.path.join(ROOT, "Samples/cities.csv"), "--shard-size", "16KiB",
                "--index", SAMPLE], check=True, capture_output=True)


def shardq(*arguments, text=None, program="shardq"):
    """Runs the command; gives status, standard output and standard error."""
    done = subprocess.run([os.path.join(BIN, program), *arguments], input=text, capture_output=True, timeout=PATIENCE * 4,
                          env=ENVIRONMENT, encoding="utf-8")
    return done.returncode, done.stdout, done.stderr


def write_rows(rows, source):
    with open(source, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return source


def build(rows, name, *options, key="{name}, {country}"):
    """An index of rows, each a dictionary of texts."""
    path = os.path.join(SCRATCH, name)
    status, _, error = shardq("build", write_rows(rows, path + ".csv"), "--key", key, "--index", path, "--shard-size", "16KiB",
                              *options)
    assert status == 0, error
    return path


def update(path, upsert=(), delete=(), *options):
    """Changes rows of an index that was built with `--id`."""
    arguments = []
    for option, rows in (("--upsert", upsert), ("--delete", delete)):
        if rows:
            arguments += [option, write_rows(rows, path + option + ".csv")]
    status, _, error = shardq("update", "--index", path, *arguments, *options)
    assert status == 0, error


def places(count, tag="a"):
    """Rows that lie all over the world, some of them on its edges."""
    rows = [
        {"name": "Östlich", "country": "FJ", "lat": "-17.5", "lon": "180", "build": tag},
        {"name": "Westlich", "country": "FJ", "lat": "-17.25", "lon": "-180", "build": tag},
        {"name": "Pol", "country": "AQ", "lat": "-90", "lon": "0", "build": tag},
        {"name": "North", "country": "AQ", "lat": "90", "lon": "0", "build": tag},
        {"name": "Nowhere", "country": "XX", "lat": "", "lon": "", "build": tag},
        {"name": "Quote \" and \\ and <b>", "country": "XX", "lat": "1e1", "lon": "+2.50", "build": tag},
        {"name": "서울", "country": "KR", "lat": "37.5665", "lon": "126.978", "build": tag},
        {"name": "👍🏽 Thumb", "country": "XX", "lat": "91", "lon": "0", "build": tag},
    ]
    state = 1
    for number in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        latitude = (state >> 33) % 180_000_001 / 1e6 - 90
        longitude = (state >> 7) % 360_000_001 / 1e6 - 180
        name = "".join("abcdefghijklmnoprstuvz"[(state >> shift) % 22] for shift in (3, 13, 23, 31, 41)).capitalize()
        rows.append({"name": f"{name} {number}", "country": "ABCDE"[state % 5] + "X", "lat": f"{latitude:.6f}",
                     "lon": f"{longitude:.6f}", "build": tag})
    return rows


class Answer:
    def __init__(self, response, body):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)


class Server:
    """A server on a port that the system chose."""

    def __init__(self, index, *arguments, listen="127.0.0.1:0", descriptors=None, under=()):
        self.under = under
        self.log_path = tempfile.mktemp(dir=SCRATCH, prefix="log-")
        self.log_file = open(self.log_path, "wb")

        def limit():
            if descriptors:
                import resource
                resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

        self.process = subprocess.Popen(
            [*under, os.path.join(BIN, "shardq"), "serve", "-i", index, "--listen", listen, *arguments],
            stdout=subprocess.PIPE, stderr=self.log_file, env=ENVIRONMENT, preexec_fn=limit)
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        self.url = self.process.stdout.readline().decode().strip() if ready else ""
        if not self.url:
            self.process.kill()
            self.process.wait()
            raise RuntimeError("the server did not start: " + self.log)
        parts = urllib.parse.urlsplit(self.url)
        self.address, self.port = parts.hostname, parts.port

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def server_process(self):
        """The process id of the server, also under another program, which passes no signals on."""
        if not self.under:
            return self.process.pid
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            return int(file.read().split()[0])

    @property
    def processor_time(self):
        """The processor time of the server, in ticks of the system's clock."""
        with open(f"/proc/{self.server_process}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def close(self):
        if self.process.poll() is None:
            os.kill(self.server_process, signal.SIGTERM)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        self.log_file.close()

    @property
    def log(self):
        with open(self.log_path, encoding="utf-8") as file:
            return file.read()

    def get(self, path, method="GET", headers=None, connection=None, body=None):
        own = connection or http.client.HTTPConnection(self.address, self.port, timeout=PATIENCE)
        try:
            own.request(method, path, headers=headers or {}, body=body)
            response = own.getresponse()
            return Answer(response, response.read())
        finally:
            if not connection:
                own.close()

    def search(self, query, **parameters):
        return self.get("/v1/search?" + urllib.parse.urlencode({"q": query, **parameters}))

    def socket(self):
        return socket.create_connection((self.address, self.port), timeout=PATIENCE)

    def raw(self, data, half_close=False):
        """The answer to bytes, up to the end of the connection."""
        with self.socket() as connection:
            # The server may close the connection before the bytes are sent.
            with contextlib.suppress(ConnectionError):
                connection.sendall(data)
                if half_close:
                    connection.shutdown(socket.SHUT_WR)
            return read_all(connection)

    def metrics(self):
        values = {}
        for line in self.get("/metrics").body.decode().splitlines():
            if line.startswith("#"):
                continue
            match = re.fullmatch(r"([a-zA-Z_]+(?:\{[^}]*\})?) (-?[0-9.]+)", line)
            assert match, line
            values[match[1]] = float(match[2])
        return values

    def wait_for(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, f"{what}: not within {PATIENCE} s; {self.log}"
            time.sleep(0.02)


def read_all(connection):
    data = b""
    try:
        while chunk := connection.recv(1 << 16):
            data += chunk
    except ConnectionResetError:
        pass
    return data


def read_answers(connection, count):
    """The next answers of a connection: pairs of status and body."""
    file = connection.makefile("rb")
    answers = []
    for _ in range(count):
        line = file.readline()
        if not line:
            break
        status = int(line.split()[1])
        size = 0
        while (line := file.readline()) not in (b"\r\n", b""):
            name, value = line.split(b":", 1)
            if name.lower() == b"content-length":
                size = int(value)
        answers.append((status, file.read(size)))
    return answers
