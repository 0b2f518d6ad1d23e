"""Runs the shell blocks of a page in a fresh copy of the clone's tracked files, and compares their output with the page.

- A block ```sh is run by `sh -eu`. The blocks of a page run one after the other, in one directory.
- A block without a language right behind it is its output, standard error included. It may end with a line `…`.
- <!-- not run: REASON --> before a block leaves it out, with its output.
- <!-- run by: FILE... --> before a block leaves it out too: each of its lines is in one of these scripts, which run it.
- <!-- needs: FILE --> before a block leaves it out where the clone has no such file, since building it takes minutes.
- <!-- prepare: COMMANDS --> before a block makes the files that the page expects of its reader: a list, an index.
- A line that begins with `shardq serve` and does not end with `&` leaves the server running, until a later block starts
  one or the page ends. A free port takes the place of each port of 127.0.0.1, also for nginx.
- Hosts and directories on this machine take the place of the pages' ones: `PLACES` has them. s3:// is a store, empty at
  the beginning of a page.
- <!-- output of: COMMAND --> before a block without a language: the command's output is compared with that block.

Status 1 if a page fails: python3 documents.py PAGE... Each block is printed with its output.
"""

import collections
import contextlib
import functools
import glob
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.append(os.path.join(ROOT, "Tests", "Remote"))
import store as stores  # noqa: E402

BIN = os.path.abspath(os.environ.get("SHARDQ_BIN", os.path.join(ROOT, "bin")))
SECONDS = 300  # for a block, since a block may wait for ever

# Texts that differ from run to run or from machine to machine, on the page and in the output.
VARYING = [
    (r"\b127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
    (r'"pid":\d+', '"pid":PID'),
    (r"[\d.,]+ (?:ns|us|µs|ms|s)\b", "TIME"),
    (r"[\d.,]+ (?:[kM]?B|records|keys)/s\b", "RATE"),
    (r"[\d.,]+ (?:bytes|[kM]?B)\b", "SIZE"),
    (r"\b[0-9a-f]{16,128}\b", "DIGEST"),
]

# A server in the foreground: no line of the command ends with `&`.
SERVER = re.compile(r"^(?=shardq serve\b(?!(?:.*\\\n)*.*&$))", re.MULTILINE)
PORT = re.compile(r"(?<=\b127\.0\.0\.1:)[1-9]\d*")
COMMENT = re.compile(r"<!-- (not run|run by|needs|prepare|output of): ?(.*?) ?-->", re.DOTALL)

# A pattern for a place of the pages, and the function of the clone that gives its place here.
PLACES = [
    (r"\bhttps://example\.org/", lambda clone: clone.host),
    (r"\b0\.0\.0\.0(?=:)", lambda clone: "127.0.0.1"),
    (r"(?<![\w./])(?=/(?:srv|var/cache)/)", lambda clone: clone.state),
    (r"^python3 -m http\.server\b",
     lambda clone: f"in-background python3 -um http.server -b 127.0.0.1 {clone.ports['8000']}"),
]


class Block:
    def __init__(self, line, language, text, comments):
        self.line, self.language, self.text = line, language, text
        self.comments = dict(comments)
        self.output = None  # the page's, if it shows any


def blocks(page):
    """The fenced blocks of a page; the comments that stand right before a block belong to it."""
    found, before, fence = [], "", None
    for number, line in enumerate(page.split("\n"), 1):
        if not line.lstrip().startswith("```"):
            before += line + "\n"
        elif fence is None:
            fence = (number, line.strip("` "), len(line) - len(line.lstrip()), before)
            before = ""
        else:
            text = "".join(part[fence[2]:] for part in before.splitlines(True))
            found.append(Block(fence[0], fence[1], text, comments_at_end(fence[3])))
            shown = found[-2] if len(found) > 1 and not fence[3].strip() else None
            if shown is not None and shown.language == "sh" and not found[-1].language:
                shown.output = text
            before, fence = "", None
    if fence is not None:
        raise ValueError(f"line {fence[0]}: the block does not end")
    return found


def comments_at_end(text):
    """The comments of this script with nothing but space behind them."""
    found = []
    text = text.rstrip()
    while text.endswith("-->"):
        start = text.rfind("<!--")
        comment = COMMENT.fullmatch(text[start:])
        if comment is None:
            break
        found.append(comment.groups())
        text = text[:start].rstrip()
    return found


def unnamed_commands(page):
    """The lines of blocks without a language, or without a fence, that begin with a command and would never run."""
    command = r"\s*(?:\$ |shardq (?:.* )?-)"
    lines = re.sub(r"^```.*?^```", lambda fenced: "\n" * fenced.group().count("\n"), page, flags=re.DOTALL | re.MULTILINE)
    indented = re.finditer(rf"\n(?=\n    {command})", lines)
    return ([block.line for block in blocks(page) if not block.language and re.match(command, block.text)]
            + [lines.count("\n", 0, block.end()) + 2 for block in indented])


def evened(text):
    for pattern, name in VARYING:
        text = re.sub(pattern, name, text)
    return [re.sub(r" +", " ", line).rstrip() for line in text.rstrip("\n").split("\n")]


def same(shown, printed):
    shown, printed = evened(shown), evened(printed)
    if shown[-1] == "…":
        shown.pop()
        printed = printed[:len(shown)]
    return shown == printed


def free_port():
    """A port that no server has, below those that the system gives out."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as taken:
            with contextlib.suppress(OSError):
                taken.bind(("127.0.0.1", port))
                return str(port)


class Clone:
    """The tracked files in a directory of their own, a home beside it, and the servers that its blocks started."""

    def __init__(self):
        self.ports = collections.defaultdict(free_port)
        self.closing = contextlib.ExitStack()

    def __enter__(self):
        self.scratch = tempfile.mkdtemp(prefix="shardq-documents-")
        self.work = os.path.join(self.scratch, "shardq")
        self.home = os.path.join(self.scratch, "home")
        self.state = os.path.join(self.scratch, "state")
        for directory in (self.work, self.home, self.state + "/srv", self.state + "/var/cache"):
            os.makedirs(directory)
        with open(os.path.join(self.home, ".curlrc"), "w") as file:
            file.write("no-progress-meter\n")  # as on a terminal, where curl shows none for an answer that it prints
        # Blocks that build need the rest, and are not run.
        tracked = subprocess.run(["git", "ls-files", "-z", ":!Sources", ":!Tests", ":!Fuzz"], cwd=ROOT,
                                 stdout=subprocess.PIPE, check=True).stdout
        for name in filter(None, os.fsdecode(tracked).split("\0")):
            target = os.path.join(self.work, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(os.path.join(ROOT, name), target, follow_symlinks=False)
        for name in glob.glob(os.path.join(self.work, "Packaging/nginx/*.conf")):
            with open(name, encoding="utf-8") as file:
                text = file.read()
            with open(name, "w", encoding="utf-8") as file:
                file.write(self.here(text))
        return self

    def __exit__(self, *_):
        self.stop()
        self.closing.close()
        shutil.rmtree(self.scratch)

    @functools.cached_property
    def host(self):
        """The address of a host of this directory's files, by ranges."""
        script = os.path.join(ROOT, "Tests", "Nodes", "store.py")
        host = self.closing.enter_context(
            subprocess.Popen([sys.executable, script, self.work, "0"], stdout=subprocess.PIPE, text=True))
        self.closing.callback(host.terminate)
        return f"http://127.0.0.1:{host.stdout.readline().strip()}/"

    @functools.cached_property
    def store(self):
        """The environment in which s3:// is a store."""
        store = stores.Store()
        self.closing.callback(store.close)
        return store.environment

    def stop(self):
        """Ends the servers, by force after ten seconds."""
        for signal_, seconds in ((signal.SIGTERM, 10), (signal.SIGKILL, 10)):
            for server in self.servers():
                os.kill(server, signal_)
            deadline = time.monotonic() + seconds
            while self.servers() and time.monotonic() < deadline:
                time.sleep(0.02)
        with contextlib.suppress(FileNotFoundError):
            os.remove(os.path.join(self.state, "pids"))

    def here(self, text):
        """The text with the places of this machine."""
        text = PORT.sub(lambda port: self.ports[port.group()], text)
        for pattern, place in PLACES:
            text = re.sub(pattern, lambda _: place(self), text, flags=re.MULTILINE)
        return text

    def servers(self):
        """The process ids of the servers that still run: in-background and nginx write them."""
        written = glob.glob(os.path.join(self.state, "pids")) + glob.glob(self.work + "/**/nginx.pid", recursive=True)
        lines = " ".join(pathlib.Path(name).read_text() for name in written).split()
        return [int(line) for line in lines if os.path.exists(f"/proc/{line}")]

    def run(self, commands):
        """The status and the output of commands; the servers in the foreground that they start still run."""
        listen = f"shardq serve --listen 127.0.0.1:{self.ports['7878']}"
        if SERVER.search(commands):
            self.stop()
        commands = SERVER.sub("in-background ", self.here(commands))
        # A command that names an address itself keeps it.
        commands = re.sub(r"\bshardq serve\b(?!(?:[^\n\\]|\\\n)*--listen)", listen, commands)
        environment = {
            "PATH": os.pathsep.join([os.path.join(HERE, "commands"), BIN, "/usr/local/bin:/usr/bin:/bin:/usr/sbin"]),
            "HOME": self.home, "TMPDIR": self.state, "LC_ALL": "C.UTF-8", "TERM": "dumb",
            "XDG_DATA_HOME": self.home + "/.local/share", "XDG_CONFIG_HOME": self.home + "/.config",
            "XDG_CACHE_HOME": self.home + "/.cache",
            "DOCUMENTS_STATE": self.state, **(self.store if "s3://" in commands else {}),
        }
        with tempfile.TemporaryFile() as output:  # A pipe would stay open as long as a server runs.
            try:
                status = subprocess.run(
                    ["sh", "-euc", commands], cwd=self.work, env=environment, timeout=SECONDS,
                    stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT).returncode
            except subprocess.TimeoutExpired:
                status = f"none after {SECONDS} seconds"
            output.seek(0)
            return status, output.read().decode(errors="replace")


def unsaid(block):
    """The lines of a block that are in none of the scripts of its `run by`."""
    scripts = "\n".join(pathlib.Path(ROOT, name).read_text() for name in block.comments["run by"].split())
    lines = [re.sub(r"\s+#.*", "", line).strip() for line in block.text.splitlines()]
    return [line for line in lines if line and not re.search(rf"(?<![\w/]){re.escape(line)}(?![\w/])", scripts)]


def reason(block):
    """The reason why a block is not run, or None."""
    if "run by" in block.comments:
        return "run by " + ", ".join(block.comments["run by"].split())
    if "needs" in block.comments and not os.path.exists(os.path.join(ROOT, block.comments["needs"])):
        return f"{block.comments['needs']} is not there"
    return block.comments.get("not run")


def run(page, tell=lambda block, commands, printed: None):
    """Runs a page's blocks. Returns the failures, and the line and reason of each block that is not run."""
    found = blocks(page)
    left = [(block.line, reason(block)) for block in found if reason(block)]
    ours = [block for block in found if not reason(block) and (block.language == "sh" or "output of" in block.comments)]
    failures = [f"line {block.line}: no script runs {line}" for block in found if "run by" in block.comments
                for line in unsaid(block)]
    if not ours:
        return failures, left
    with Clone() as clone:
        for block in ours:
            commands, shown = block.text, block.output
            if "output of" in block.comments:
                commands, shown = block.comments["output of"] + "\n", block.text
            if "prepare" in block.comments:
                status, printed = clone.run(block.comments["prepare"])
                if status != 0:
                    failures.append(f"line {block.line}: the preparation ended with status {status}:\n{printed}")
            status, printed = clone.run(commands)
            tell(block, commands, printed)
            if status != 0:
                failures.append(f"line {block.line}: status {status}:\n{commands}printed\n{printed}")
            elif shown is not None and not same(shown, printed):
                failures.append(f"line {block.line}: the page shows\n{shown}but\n{commands}printed\n{printed}")
    return failures, left


def main(names):
    failed = False
    for name in names:
        with open(name, encoding="utf-8") as file:
            failures, left = run(file.read(), lambda block, commands, printed: print(
                f"{name}:{block.line}\n{commands}--- prints\n{printed}"))
        for line, reason in left:
            print(f"{name}:{line}: not run: {reason}")
        for failure in failures:
            print(f"{name}: {failure}")
        failed = failed or bool(failures)
    sys.exit(failed)


if __name__ == "__main__":
    main(sys.argv[1:])
