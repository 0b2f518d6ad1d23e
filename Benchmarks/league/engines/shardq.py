"""shardq, over HTTP: a server for each index."""

import glob
import hashlib
import http.client
import json
import os
import subprocess
import urllib.parse

from records import Missing

from .base import Engine

PROGRAMS = ("shardq", "shardq-commands", "shardq-serve")


class Shardq(Engine):
    name = "shardq"
    about = "`shardq serve`, asked over HTTP; the options of each index are in `league/records.py`"

    @classmethod
    def version(cls, tools):
        for program in PROGRAMS:
            if not os.path.exists(os.path.join(tools.shardq, program)):
                raise Missing(f"no program {program}")
        return "this clone"

    @classmethod
    def build(cls, tools):
        digest = hashlib.sha256()
        for program in PROGRAMS:
            with open(os.path.join(tools.shardq, program), "rb") as file:
                digest.update(file.read())
        return digest.hexdigest()

    def __init__(self, records, folder, tools):
        self.records = records
        program, index = os.path.join(tools.shardq, "shardq"), os.path.join(folder, "index")
        command = [program, "build", "-q", "-i", index, *records.options, *self.tables(program, records, tools)]
        subprocess.run([*command, records.write(folder)], check=True, stdout=subprocess.DEVNULL)
        serve = [program, "serve", "-i", index, "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True)
        address = urllib.parse.urlsplit(self.process.stdout.readline().split()[-1])
        self.connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)

    def tables(self, program, records, tools):
        """Options of tables, where the program has them: names of values, and synonyms of places."""
        if not records.dump:
            return []
        help = subprocess.run([program, "build", "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout
        found = []
        for field, name in (("country code", "names-country.tsv"), ("admin1 code", "names-admin1-us.tsv")):
            path = os.path.join(tools.suites, name)
            if "--names" in help and os.path.exists(path):
                found += ["--names", f"{field}={path}"]
        if "--synonyms" in help:
            paths = sorted(glob.glob(os.path.join(tools.samples, "**", "*synonym*"), recursive=True))
            found += [part for path in paths if "place" in path for part in ("--synonyms", path)]
        return found

    def ask(self, text, limit):
        query = {"q": text, "limit": limit, **self.records.parameters}
        self.connection.request("GET", "/v1/search?" + urllib.parse.urlencode(query))
        response = self.connection.getresponse()
        body = response.read()
        if response.status == 400:  # A text without letters, or one that is too long.
            return []
        if response.status != 200:
            raise RuntimeError(f"shardq serve answers {response.status} to {text!r}")
        return [self.records.row(match) for match in json.loads(body)["matches"]]

    def close(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait()
