"""PostgreSQL's pg_trgm, in a cluster of its own that listens on a Unix socket alone."""

import glob
import os
import pwd
import shutil
import subprocess
import tempfile
import time

import texts
from records import Missing

from .base import REPEATED, Engine, distinct

SQL = """SELECT row FROM names WHERE %(text)s <%% name
ORDER BY word_similarity(%(text)s, name) * 4 + ln(weight + 1) / 8 DESC, row LIMIT %(limit)s"""
SETTINGS = ("listen_addresses=", "fsync=off", "synchronous_commit=off", "full_page_writes=off", "jit=off",
            "max_parallel_workers_per_gather=0", "max_parallel_maintenance_workers=0", "shared_buffers=256MB",
            "pg_trgm.word_similarity_threshold=0.45")  # fmt: skip


def programs():
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not folders or not glob.glob(f"/usr/share/postgresql/{folders[-1].split('/')[-2]}/extension/pg_trgm.control"):
        raise Missing("no PostgreSQL with pg_trgm: apt-get install postgresql")
    return folders[-1]


class Trigrams(Engine):
    name = "pg_trgm"
    package = "psycopg2-binary"
    about = "PostgreSQL: word similarity of a name × 4 plus the logarithm of the weight / 8, from 0.45 on"

    @classmethod
    def version(cls, tools):
        super().version(tools)  # of the client
        return programs().split("/")[-2]

    def __init__(self, records, folder, tools):
        import psycopg2

        # The path of a socket has at most 107 bytes, and PostgreSQL's user has to reach it.
        self.folder = tempfile.mkdtemp(prefix="league-")
        # PostgreSQL refuses to run as root.
        self.user = "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
        if os.getuid() == 0:
            shutil.chown(self.folder, self.user)
        data = os.path.join(self.folder, "data")
        self.run("initdb", "-D", data, "-A", "trust", "-U", "league", "-E", "UTF8", "--locale=C.UTF-8", "-N").wait()
        options = [part for setting in SETTINGS for part in ("-c", setting)]
        self.process = self.run("postgres", "-D", data, "-k", self.folder, *options)
        while subprocess.run([f"{programs()}/pg_isready", "-q", "-h", self.folder]).returncode:
            if self.process.poll() is not None:
                raise RuntimeError("PostgreSQL does not start")
            time.sleep(0.1)
        self.connection = psycopg2.connect(host=self.folder, user="league", dbname="postgres")
        self.cursor = self.connection.cursor()
        self.cursor.execute("CREATE EXTENSION pg_trgm")
        self.fill(records.records)

    def run(self, program, *arguments):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": self.folder}
        user = {"user": self.user, "group": self.user, "extra_groups": []} if os.getuid() == 0 else {}
        return subprocess.Popen([os.path.join(programs(), program), *arguments], **quiet, **user)

    def fill(self, records):
        self.cursor.execute("CREATE TABLE names (row integer, weight bigint, name text)")
        path = os.path.join(self.folder, "names.tsv")
        with open(path, "w+", encoding="utf-8") as file:
            for row, record in enumerate(records):
                for name in (record.key, *record.others):
                    file.write(f"{row}\t{record.weight}\t{' '.join(texts.words(name))}\n")
            file.seek(0)
            self.cursor.copy_from(file, "names")
        self.cursor.execute("CREATE INDEX ON names USING gin (name gin_trgm_ops)")
        self.cursor.execute("ANALYZE names")
        self.connection.commit()

    def ask(self, text, limit):
        self.cursor.execute(SQL, {"text": " ".join(texts.words(text)), "limit": REPEATED})
        return distinct((row for row, in self.cursor.fetchall()), limit)

    def close(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder)
