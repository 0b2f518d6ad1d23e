"""Compares the package for Node, installed from its file without a network, with the command."""

import json
import os
import re
import shutil
import subprocess
import unittest

import languages
from languages import ROOT, SMALL, WORK

ASK = """
import { open, ShardqError } from 'shardq'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
const { path, texts, sort } = JSON.parse(readFileSync(0))
const refused = {}
if (path) {
  const index = await open(path), answers = []
  for (const text of texts) {
    const { matches, keys, correction, nearest } = await index.search(text, { sort, total: 'exact' })
    answers.push({ matches, keys, correction, nearest })
  }
  const again = await open(pathToFileURL(path))
  const { matches } = await again.search(texts[0], { sort })
  console.log(JSON.stringify({ answers, first: matches }))
} else {
  for (const wrong of texts) {
    refused[wrong] = await open(wrong).then(() => '', error => error instanceof ShardqError && error.message ? error.code : String(error))
  }
  console.log(JSON.stringify(refused))
}
"""


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = languages.install_node()
        with open(os.path.join(cls.place, "ask.js"), "w") as file:
            file.write(ASK)

    def ask(self, path, texts, sort):
        asked = json.dumps({"path": path, "texts": texts, "sort": sort})
        done = subprocess.run(["node", "ask.js"], cwd=self.place, input=asked, stdout=subprocess.PIPE, check=True, text=True)
        return json.loads(done.stdout)

    def test_equal(self):
        for path in (SMALL, languages.build_large()):
            texts = languages.typed(path, 5000)
            for sort in ("key", "rank"):
                found = self.ask(path, texts, sort)
                for text, answer, right in zip(texts, found["answers"], languages.expected(path, texts, "--sort", sort)):
                    keys = right.get("keys", right["count"])
                    self.assertEqual((answer["matches"], answer["keys"]), (right["matches"], keys), text)
                    if sort == "rank":
                        self.assertEqual(answer.get("nearest"), right.get("nearest"), text)
                self.assertEqual(found["first"], found["answers"][0]["matches"])

    def test_examples(self):
        place, found = languages.examples("js")
        self.assertEqual(len(found), 2)
        for example in found:
            with open(os.path.join(self.place, "example.mjs"), "w") as file:
                file.write(example)
            done = subprocess.run(["node", os.path.join(self.place, "example.mjs")], cwd=place, stdout=subprocess.PIPE,
                                  check=True, text=True)
            self.assertTrue(done.stdout)

    def test_archive(self):
        archive = os.path.join(WORK, "node.shardq")
        languages.run("archive", "-i", SMALL, "-o", archive, "-q")
        texts = ["", "san", "lodnon"]
        self.assertEqual(self.ask(archive, texts, "rank"), self.ask(SMALL, texts, "rank"))

    def test_wrong_paths(self):
        wrong = {"/nowhere": "missing", "/": "missing", "/dev/null": "missing", os.path.join(ROOT, "README.md"): "missing",
                 "http://127.0.0.1:9/": "unreachable"}
        self.assertEqual(self.ask(None, list(wrong), None), wrong)

    def failing(self, path, text="s"):
        """What an error of opening and searching says: its name, its code and its message."""
        program = """
            import { open } from 'shardq'
            const [path, text] = process.argv.slice(2)
            const error = await open(path).then(index => index.search(text)).then(() => ({}), error => error)
            console.log(JSON.stringify([error.name, error.code, error.message]))
        """
        with open(os.path.join(self.place, "failing.mjs"), "w") as file:
            file.write(program)
        done = subprocess.run(["node", "failing.mjs", path, text], cwd=self.place, stdout=subprocess.PIPE, check=True, text=True,
                              timeout=30)
        return json.loads(done.stdout)

    def test_messages_name_the_path(self):
        for path in ("nosuch", "package.json", "/dev/null", "http://127.0.0.1:9/x/"):
            name, code, message = self.failing(path)
            self.assertEqual(name, "ShardqError")
            self.assertEqual(code, "unreachable" if path.startswith("http") else "missing")
            self.assertIn(path, message)
        copy = os.path.join(WORK, "cut")
        shutil.copytree(SMALL, copy)
        with open(os.path.join(copy, "manifest"), "r+b") as file:
            file.truncate(1000)
        name, code, message = self.failing(copy)
        self.assertEqual((name, code), ("ShardqError", "damaged"))
        self.assertIn(os.path.join(copy, "manifest"), message)

    def test_no_pipe_and_no_link(self):
        for wrong in ("manifest", "shard"):
            for make in (os.mkfifo, lambda path: os.symlink(path + ".other", path)):
                copy = os.path.join(WORK, "special")
                shutil.rmtree(copy, ignore_errors=True)
                shutil.copytree(SMALL, copy)
                files = ["manifest"] if wrong == "manifest" else [name for name in os.listdir(copy) if name.endswith(".zst")]
                for name in files:
                    path = os.path.join(copy, name)
                    os.rename(path, path + ".other")
                    make(path)
                name, code, message = self.failing(copy)
                self.assertEqual(name, "ShardqError")
                self.assertIn(code, ("damaged", "unreachable"))
                self.assertRegex(message, "is not a regular file|links are not followed")
                self.assertIn(copy, message)

    @unittest.skipUnless(shutil.which("tsc"), "there is no tsc: node-typescript")
    def test_types(self):
        """The compiler refuses the wrong uses of types.ts, and takes the others."""
        shutil.copy(os.path.join(ROOT, "Tests/Languages/types.ts"), os.path.join(self.place, "types.mts"))
        with open(os.path.join(self.place, "types.mts")) as file:
            marks = [number for number, line in enumerate(file, 1) if line.strip() == "// refused:"]
        self.assertEqual(len(marks), 13)
        options = ["--strict", "--noEmit", "--module", "node16", "--target", "es2022", "--lib", "es2022,dom"]
        done = subprocess.run(["tsc", *options, "types.mts"], cwd=self.place, capture_output=True, text=True)
        found = [int(line) for line in re.findall(r"^types\.mts\((\d+),\d+\): error", done.stdout, re.M)]
        self.assertEqual(found, [number + 1 for number in marks], done.stdout)
