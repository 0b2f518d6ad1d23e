"""Measures nodes behind nginx, with ten million records in a store and 5 % of them in each cache: measure.py [INDEX].

Without INDEX the script builds one; $SHARDQ_OPTIONS has more options of that build, such as "--typos --words".
$SHARDQ_ONLY names the measurements: three, requests, kill, generation, limits. $SHARDQ_KEYS is the number of keys of the last
measurement, a million by default. $SHARDQ_TYPOS is the parameter `typos` of all questions: the page asks with "min" first. The
script fails if an answer is wrong, if a status is not 200 (in "three" neither 200 nor 503), or if a limit is passed. It only
prints times and numbers of requests.
"""

import collections
import multiprocessing
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

from nodes import BIN, ENVIRONMENT, SCRATCH, Front, Node, Store, get, target, wait_for

DELAY = 10  # Milliseconds of the store.
CLIENTS = 4
MEMORY = 2 << 20
THREE_KEYS = 3000  # A text with typing errors may take a thousand requests.
PARAMETERS = {"typos": os.environ["SHARDQ_TYPOS"]} if "SHARDQ_TYPOS" in os.environ else {}


def run(*command, **options):
    return subprocess.run([os.path.join(BIN, "shardq"), *map(str, command)], check=True, env=ENVIRONMENT, **options)


def index_of_ten_million():
    path = os.path.join(SCRATCH, "ten")
    made = subprocess.Popen([os.path.join(BIN, "shardq"), "generate", "--count", "10000000", "--format", "jsonl"],
                            stdout=subprocess.PIPE, env=ENVIRONMENT)
    more = os.environ.get("SHARDQ_OPTIONS", "").split()
    run("build", "--input-format", "jsonl", "-i", path, "--no-progress", *more, "-", stdin=made.stdout)
    assert made.wait() == 0
    return path


def typing(index, keys, seed):
    """Sessions of typed texts."""
    log = run("generate", "--typing", keys, "-i", index, "--seed", seed, capture_output=True, encoding="utf-8").stdout
    sessions, session = [], []
    for line in log.splitlines():
        text = line.split("\t", 1)[1]
        if text:
            session.append(text)
        elif session:
            sessions.append(session)
            session = []
    return sessions + [session]


class Asker:
    """One connection, with as little work for an answer as Python allows."""

    def __init__(self, port):
        self.port, self.socket = port, None

    def ask(self, text):
        """The status and the body."""
        if not self.socket:
            self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=60)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(f"GET {target(text, **PARAMETERS)} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        data = self.socket.recv(1 << 16)
        while b"\r\n\r\n" not in data:
            more = self.socket.recv(1 << 16)
            assert more, "the connection ended"
            data += more
        head, body = data.split(b"\r\n\r\n", 1)
        size = int(head.lower().split(b"content-length: ", 1)[1].split(b"\r\n", 1)[0])
        while len(body) < size:
            body += self.socket.recv(1 << 16)
        if b"connection: close" in head.lower():
            self.socket.close()
            self.socket = None
        return int(head.split(b" ", 2)[1]), body


def client(port, sessions, pause, right, results):
    """Types sessions; gives each key's time of the answer, milliseconds, status, and whether the body is right."""
    asker, found = Asker(port), []
    for session in sessions:
        for text in session:
            if pause:
                time.sleep(pause)
            start = time.monotonic()
            status, body = asker.ask(text)
            end = time.monotonic()
            found.append((end, 1000 * (end - start), status, right is None or body in right[text]))
    results.put(found)


class Load:
    """Clients that type side by side."""

    def __init__(self, port, sessions, pause=0, right=None):
        self.results = multiprocessing.Queue()
        self.clients = [multiprocessing.Process(target=client, daemon=True,
                                                args=(port, sessions[number::CLIENTS], pause, right, self.results))
                        for number in range(CLIENTS)]
        for each in self.clients:
            each.start()

    def answers(self, statuses=(200,)):
        found = sorted(answer for _ in self.clients for answer in self.results.get())
        for each in self.clients:
            each.join()
        counts = collections.Counter(status for _, _, status, _ in found)
        assert set(counts) <= set(statuses), counts
        assert all(isRight for *_, isRight in found), "an answer is of no generation"
        return found


def percentile(times, part=99):
    times = sorted(times)
    return times[min(len(times) - 1, len(times) * part // 100)] if times else 0


def node(store, bytes_on_disk, **options):
    return Node(store.url + "list/", "--cache", str(MEMORY), cache_size=str(bytes_on_disk), interval="1", **options)


def close(*programs):
    for each in programs:
        each.close()


def requests_by_nodes(store, size, sessions):
    print(f"GETs to the store per 1,000 keys, of the second half of {sum(map(len, sessions)):,} keys:")
    for count, part in ((1, 5), (1, 10), (1, 20), (2, 5), (4, 5)):
        nodes = [node(store, size * part // 100) for _ in range(count)]
        front = Front([each.port for each in nodes])
        half = len(sessions) // 2
        Load(front.port, sessions[:half]).answers()
        front.requests()
        store.counts()
        answers = Load(front.port, sessions[half:]).answers()
        gets = store.counts()["requests"]
        shares = collections.Counter(words[3] for words in front.requests())
        print(f"  {count} nodes with {part} % each: {1000 * gets / len(answers):.0f}; "
              f"the busiest node had {max(shares.values()) / len(answers):.0%} of the keys", flush=True)
        close(front, *nodes)


def three_nodes(store, size, sessions):
    """Three nodes: one half of the sessions fills the caches, and the other is measured. A node that has no time answers
    with status 503."""
    nodes = [node(store, size * 5 // 100) for _ in range(3)]
    front = Front([each.port for each in nodes])
    half = len(sessions) // 2
    Load(front.port, sessions[:half]).answers((200, 503))
    store.counts()
    start = time.monotonic()
    answers = Load(front.port, sessions[half:]).answers((200, 503))
    seconds = time.monotonic() - start
    gets = store.counts()["requests"]
    times = [each for _, each, status, _ in answers if status == 200]
    print(f"three nodes, {len(answers):,} keys of {CLIENTS} clients after as many others: {1000 * gets / len(answers):,.0f} GETs "
          f"per 1,000 keys; {len(times) / seconds:.1f} answers a second; median and p99 {percentile(times, 50):.1f}, "
          f"{percentile(times):,.0f} ms; {1 - len(times) / len(answers):.1%} with status 503; memory at most "
          f"{max(each.memory() for each in nodes) / 2 ** 20:.0f} MiB", flush=True)
    close(front, *nodes)


def hits(nodes, before):
    """The part of each node's questions without a request to the store, since an earlier call, and the counters."""
    now = []
    for each in nodes:
        text = get(each.port, "/metrics")[2].decode()
        values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        now.append((sum(float(value) for name, value in values.items() if name.startswith("shardq_requests_total{route=\"search")),
                    float(values["shardq_store_requests_total"])))
    return [1 - (b[1] - a[1]) / max(1, b[0] - a[0]) for a, b in zip(before, now)] if before else None, now


def kill_and_join(store, size, sessions):
    nodes = [node(store, size * 5 // 100) for _ in range(4)]
    front = Front([each.port for each in nodes])
    Load(front.port, sessions[:len(sessions) // 3]).answers()
    load = Load(front.port, sessions[len(sessions) // 3:], pause=0.008)
    _, before = hits(nodes, None)
    time.sleep(20)
    killed = time.monotonic()
    usual, _ = hits(nodes, before)
    nodes[3].close(signal.SIGKILL)
    time.sleep(15)
    joined = time.monotonic()
    nodes[3] = node(store, size * 5 // 100, port=nodes[3].port)
    _, before = hits(nodes, None)
    seconds = None
    for passed in range(1, 61):
        time.sleep(1)
        if any(each.is_alive() for each in load.clients) and seconds is None:
            now, after = hits(nodes, before)
            if after[3][0] - before[3][0] > 50:
                before = after
                print(f"  {passed} s behind the start of the new node: hit ratio {now[3]:.1%}, before {usual[3]:.1%}", flush=True)
                if now[3] > usual[3] - 0.05:
                    seconds = passed
    answers = load.answers()
    print(f"  {len(answers):,} keys, none with another status than 200; milliseconds through nginx, median and p99:")
    for name, start, end in (("quiet", 0, killed), ("15 s from the kill on", killed, joined),
                             ("20 s from the start of a new node on", joined, joined + 20)):
        times = [each for at, each, *_ in answers if start <= at < end]
        print(f"  {name}: {percentile(times, 50):.1f}, {percentile(times):.1f} ({len(times):,} keys)")
    print(f"  the new node's hit ratio is within 5 points after {seconds} s", flush=True)
    close(front, *nodes)


def new_generation(store, size, index, www, sessions):
    """The list with some records changed, published under load."""
    newer = os.path.join(SCRATCH, "newer")
    shutil.copytree(index, newer)
    changes = os.path.join(SCRATCH, "changes.jsonl")
    with open(changes, "wb") as file:
        run("generate", "--count", 2000, "--seed", 9, "--format", "jsonl", stdout=file)
    run("update", "-i", newer, "--upsert", changes, "-q")
    asked = sorted({text for session in sessions for text in session})[:4000]
    right = {text: set() for text in asked}
    for path in (index, newer):
        with Node(path) as disk:
            asker = Asker(disk.port)
            for text in asked:
                right[text].add(asker.ask(text)[1])
            new = disk.generation()
    differing = sum(len(bodies) == 2 for bodies in right.values())
    nodes = [node(store, size * 5 // 100) for _ in range(4)]
    front = Front([each.port for each in nodes])
    load = Load(front.port, [asked[start:start + 10] for start in range(0, len(asked), 10)] * 3, pause=0.005, right=right)
    time.sleep(5)
    names = [name for name in os.listdir(newer) if name.endswith(".zst") and not os.path.exists(os.path.join(www, "list", name))]
    for name in names:
        os.link(os.path.join(newer, name), os.path.join(www, "list", name))
    shutil.copy(os.path.join(newer, "manifest"), www + "/list/.manifest")
    os.rename(www + "/list/.manifest", www + "/list/manifest")
    start = time.monotonic()
    wait_for(lambda: all(each.generation() == new for each in nodes), "all nodes are on the new generation")
    seconds = time.monotonic() - start
    answers = load.answers()
    print(f"a generation with {len(names):,} new shards: all 4 nodes on it after {seconds:.1f} s at an interval of 1 s; "
          f"{len(answers):,} answers, each that of one generation, {differing:,} of {len(asked):,} texts differ", flush=True)
    close(front, *nodes)


def limits(store, size, sessions, keys):
    nodes = [node(store, size * 5 // 100) for _ in range(2)]
    front = Front([each.port for each in nodes])
    played = 0
    while played < keys:
        played += len(Load(front.port, sessions).answers())
    for each in nodes:
        disk = sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(each.cache) for name in names)
        shards = each.metric("cache_resident_bytes")
        print(f"after {played:,} keys: resident memory at most {each.memory() / 2 ** 20:.0f} MiB, shards in memory "
              f"{shards / 2 ** 20:.2f} of {MEMORY / 2 ** 20:.0f} MiB, disk cache {disk / 2 ** 20:.2f} of "
              f"{size * 5 / 100 / 2 ** 20:.2f} MiB", flush=True)
        assert disk <= size * 5 // 100 and shards <= MEMORY
        assert each.memory() < 128 << 20
    close(front, *nodes)


def main():
    index = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else index_of_ten_million()
    www = os.path.join(SCRATCH, "www")
    shutil.copytree(index, os.path.join(www, "list"), copy_function=os.link if os.stat(index).st_dev == os.stat(SCRATCH).st_dev
                    else shutil.copy)
    size = sum(each.stat().st_size for each in os.scandir(index) if each.name.endswith(".zst"))
    print(f"{size / 1e6:.0f} MB in the store, which answers after {DELAY} ms; {CLIENTS} clients", flush=True)
    sessions = typing(index, 100_000, seed=5)
    only = os.environ.get("SHARDQ_ONLY", "three requests kill generation limits").split()
    with Store(www, DELAY) as store:
        if "three" in only:
            three_nodes(store, size, typing(index, THREE_KEYS, seed=5))
        if "requests" in only:
            requests_by_nodes(store, size, sessions)
        if "kill" in only:
            kill_and_join(store, size, sessions)
        if "generation" in only:
            new_generation(store, size, index, www, sessions)
        if "limits" in only:
            limits(store, size, sessions, int(os.environ.get("SHARDQ_KEYS", 1_000_000)))


if __name__ == "__main__":
    main()
