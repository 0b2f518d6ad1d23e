"""Plays typed sessions of a list on a far host: through the module, the remote reader, and SQLite by ranges.

Each session begins with nothing, and its figures leave out the opening.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import sessions

HERE = os.path.dirname(os.path.abspath(__file__))
SESSIONS = os.path.join(HERE, "../far/sessions.mjs")
LIMIT = 10


def percentile(numbers, share):
    return sorted(numbers)[int(share * (len(numbers) - 1))]


@dataclass
class Played:
    """The requests of sessions. The module alone counts rounds, and the keys that it gives no answer to."""

    opening: float
    opening_kilobytes: float
    mean: float
    p99: int
    kilobytes: float
    rounds: int | None = None
    unanswered: int | None = None

    @classmethod
    def of(cls, opening, rest):
        """Of the (requests, bytes) of the openings and of the sessions behind them."""
        requests, size = zip(*rest)
        return cls(
            statistics.mean(n for n, _ in opening), statistics.mean(n for _, n in opening) / 1024,
            statistics.mean(requests), percentile(requests, 0.99), statistics.mean(size) / 1024,
        )  # fmt: skip


class Module:
    """The WebAssembly module in Node, with the files of an index as its host."""

    def __init__(self, module, work):
        self.module, self.work = module, work
        # Node takes a file as a script of modules by its name.
        self.script = os.path.join(work, "shardq.mjs")
        with open(os.path.join(os.path.dirname(module), "shardq.js"), "rb") as file, open(self.script, "wb") as copy:
            copy.write(file.read())

    def play(self, index, played, exact=False):
        """Counts a key until its first answer is whole; with `exact`, until the exact answer is there too."""
        options = {"limit": LIMIT, "typos": "min", "exact": exact}
        log = os.path.join(self.work, "typing.log")
        with open(log, "w", encoding="utf-8") as file:
            file.write(sessions.log_of(played))
        command = ["node", SESSIONS, self.script, self.module, index, log, json.dumps(options)]
        found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        if found["sessions"] != len(played):
            raise RuntimeError(f"{found['sessions']} of {len(played)} sessions were played")
        return Played(
            found["opening"], found["openingKilobytes"], found["mean"], found["p99"], found["kilobytes"], found["rounds"],
            len(found["unanswered"]),
        )  # fmt: skip


class Remote:
    """The remote reader, a process for each session, with nginx on loopback as its host and without a disk cache."""

    def __init__(self, shardq, root):
        sys.path.insert(0, os.path.join(HERE, "../../Tests/Remote"))
        import nginx

        # nginx, as another user, cannot read below a directory of the user's own.
        self.shardq, self.directory = shardq, tempfile.TemporaryDirectory()
        os.chmod(self.directory.name, 0o755)
        self.nginx = nginx.Nginx(self.directory.name, os.path.abspath(root))

    def asked(self, name, fetch, texts):
        command = [
            self.shardq, "query", "-i", f"{self.nginx.origins[0]}/{name}", "--cache-size", "0", "--fetch", fetch,
            "-n", str(LIMIT), "--stdin",
        ]  # fmt: skip
        self.nginx.requests()
        done = subprocess.run(command, input="".join(text + "\n" for text in texts), capture_output=True, text=True)
        # Without a match of the last text the status is 1.
        if done.returncode not in (0, 1) or done.stderr or len(done.stdout.splitlines()) != len(texts):
            raise RuntimeError(f"{' '.join(command)}: status {done.returncode}: {done.stderr}")
        made = self.nginx.requests()
        if wrong := [each for each in made if each.status not in ("200", "206", "304")]:
            raise RuntimeError(f"the host answered {wrong[0]}")
        return len(made), sum(int(each.size) for each in made)

    def keys(self, name, fetch, texts, *options):
        """The requests of each text of a session; a text is typed when the answer to the one before is there."""
        command = [
            self.shardq, "query", "-i", f"{self.nginx.origins[0]}/{name}", "--cache-size", "0", "--fetch", fetch,
            "-n", str(LIMIT), "--stdin", *options,
        ]  # fmt: skip
        opening = self.asked(name, fetch, [])[0]
        made = []
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            for text in texts:
                process.stdin.write(text + "\n")
                process.stdin.flush()
                if not process.stdout.readline():
                    raise RuntimeError(f"{' '.join(command)}: no answer to {text}")
                made.append(len(self.nginx.requests()) - (0 if made else opening))
        return made

    def play(self, name, fetch, played):
        """`name` is the path of an index below the root; that of a directory ends with a slash."""
        opening = self.asked(name, fetch, [])
        rest = [self.asked(name, fetch, texts) for texts in played]
        return Played.of([opening], [(requests - opening[0], size - opening[1]) for requests, size in rest])

    def close(self):
        self.nginx.stop()
        self.directory.cleanup()


class SQLite:
    """SQLite's FTS5 by ranges, with rowids in the order of weights: words of names and of other names, no corrections.

    Prefixes of one to three letters are indexed. Another table has the texts of the records.
    """

    def __init__(self, texts, path):
        """`texts` has the words and the record of each row, the heaviest first."""
        import apsw

        sys.path.insert(0, os.path.join(HERE, "../far"))
        import ranges

        if os.path.exists(path):
            os.remove(path)
        database = apsw.Connection(path)
        database.execute("PRAGMA page_size = 4096")
        database.execute("PRAGMA journal_mode = OFF")
        options = "content='', detail=none, columnsize=0, prefix='1 2 3', tokenize=\"unicode61 remove_diacritics 0\""
        with database:
            database.execute(f"CREATE VIRTUAL TABLE names USING fts5(words, {options})")
            database.execute("CREATE TABLE records (id INTEGER PRIMARY KEY, record TEXT)")
            for place, (words, record) in enumerate(texts):
                database.execute("INSERT INTO names (rowid, words) VALUES (?, ?)", (place, words))
                database.execute("INSERT INTO records VALUES (?, ?)", (place, record))
            database.execute("INSERT INTO names(names) VALUES ('optimize')")
        database.close()
        self.far = ranges.FarDatabase(path)

    def play(self, played, words_of):
        """`words_of` gives the folded words of a text."""
        opening, rest = [], []
        sql = "SELECT record FROM names JOIN records ON id = names.rowid WHERE names MATCH ? ORDER BY names.rowid LIMIT ?"
        for texts in played:
            with self.far.opened() as (connection, read):
                opening.append((read.requests, read.bytes))
                for text in texts:
                    words = words_of(text)
                    if words:
                        query = " AND ".join(f'"{word}"' for word in words) + " *"
                        connection.execute(sql, (query, LIMIT)).fetchall()
                rest.append((read.requests - opening[-1][0], read.bytes - opening[-1][1]))
        return Played.of(opening, rest)
