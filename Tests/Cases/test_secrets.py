"""No command prints or keeps the user, the password or the query of a URL, wherever the URL comes from."""

import json
import os
import subprocess
import unittest

from case import SHARDQ, Case

SECRETS = ["PASSWORD", "SIGNATURE"]
# Right, in capitals, with a misspelt or without a scheme, with signs in the password, and of other kinds.
URLS = [
    "http://joe:PASSWORD@127.0.0.1:1/x/?sig=SIGNATURE",
    "HTTP://joe:PASSWORD@127.0.0.1:1/x/?sig=SIGNATURE",
    "htps://joe:PASSWORD@127.0.0.1:1/x/?sig=SIGNATURE#x",
    "https:/joe:PASSWORD@127.0.0.1:1/x?sig=SIGNATURE",
    "http//joe:PASSWORD@127.0.0.1:1/x/?sig=SIGNATURE",
    "http:joe:PASSWORD@127.0.0.1:1/x/?sig=SIGNATURE",
    "joe:PASSWORD@127.0.0.1:1/x/?sig=SIGNATURE",
    "http://joe:PASS/PASSWORD@127.0.0.1:1/x/?sig=SIGNATURE",
    "http://joe:PASS?@PASSWORD@127.0.0.1:1/x/?sig=SIGNATURE",
    "http://joe:a PASSWORD@127.0.0.1:1/x/?sig=SIGNATURE",
    "s3://joe:PASSWORD@bucket/x/?sig=SIGNATURE",
    "ftp://joe:PASSWORD@127.0.0.1:1/x.csv?sig=SIGNATURE",
]


class Secrets(Case):
    def commands(self):
        """The commands of this program, except those that wait for a person or have no index."""
        dump = json.loads(self.shardq("--experimental-dump-help"))
        names = [command["commandName"] for command in dump["command"]["subcommands"]]
        self.assertGreater(len(names), 20)
        return [name for name in names if name not in ("help", "completions")]

    def check(self, arguments, environment):
        """Runs a command; `{}` in an argument or a variable stands for the URL."""
        variables = {key: value for key, value in os.environ.items() if not key.startswith("SHARDQ_")}
        variables |= {"SHARDQ_CONFIG": "/dev/null", "HOME": str(self.directory), "SWIFT_BACKTRACE": "enable=no"}
        ended = subprocess.run(
            [SHARDQ, *arguments], cwd=self.directory, env=variables | environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=60)
        for secret in SECRETS:
            self.assertNotIn(secret, ended.stdout + ended.stderr, f"{arguments} {environment}")
            for folder, folders, files in os.walk(self.directory):
                for name in folders + files:
                    self.assertNotIn(secret, name, f"{arguments} {environment}")
        self.assertNotIn("\n\n", ended.stderr)
        return ended

    def places(self, url):
        """Lists of arguments and variables that name an index, a source or a target."""
        config = str(self.write("config", f"index = {url}\n"))
        wrong = str(self.write("wrong", f"{url}\n"))
        quoted = f"--index '{url}'"
        yield ["-i", url], {}
        yield [f"--index={url}", "san"], {}
        yield [url], {}
        yield [url, url], {}
        yield [f"--no-such-option={url}"], {}
        yield ["san"], {"SHARDQ_INDEX": url}
        yield [], {"SHARDQ_OPTS": quoted}
        yield [], {"SHARDQ_OPTS": url}
        yield [], {"SHARDQ_CONFIG": config}
        yield [], {"SHARDQ_CONFIG": wrong}

    def test_all_commands(self):
        for name in self.commands():
            for arguments, variables in self.places(URLS[0]):
                self.check([name, *arguments], variables)

    def test_all_urls(self):
        self.write("list.csv", "name\na\n")
        for url in URLS:
            for line in ["stats"], ["query", "san"], ["build", "list.csv"]:
                for arguments, variables in [(["-i", url], {}), ([], {"SHARDQ_INDEX": url}), ([url], {})]:
                    self.check([*line, *arguments], variables)

    def test_message_names_the_host(self):
        for url in URLS[:3]:
            ended = self.check(["stats", "-i", url], {})
            self.assertIn("://127.0.0.1:1/x/: ", ended.stderr)
        # A part that is no secret stays.
        for path in "a@b", "what?", "no#1":
            self.assertIn(path, self.check(["stats", "-i", path], {}).stderr)
        self.assertIn("127.0.0.1:1/@x/", self.check(["stats", "-i", "http://127.0.0.1:1/@x/"], {}).stderr)


if __name__ == "__main__":
    unittest.main()
