"""Tests the files of `make install` in their places: manual pages, completions, the commands."""

import contextlib
import filecmp
import http.server
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(*arguments, **options):
    return subprocess.run(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=900, **options)


def make(*arguments):
    result = run("make", "-C", ROOT, *arguments)
    assert result.returncode == 0, result.stdout + result.stderr
    return result


@contextlib.contextmanager
def static_host(directory):
    """The address of a host of a directory's files, which supports no ranges."""
    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=directory)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()


def files(directory):
    return sorted(
        os.path.relpath(os.path.join(parent, name), directory)
        for parent, _, names in os.walk(directory) for name in names)


class Installed(unittest.TestCase):
    """One installation for all tests; no directory of the clone is on the search path."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.mkdtemp(prefix="shardq install ")
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        cls.prefix = os.path.join(cls.scratch, "a prefix")
        make("install", "PREFIX=" + cls.prefix)
        cls.work = os.path.join(cls.scratch, "work")
        os.mkdir(cls.work)
        cls.environment = {
            "PATH": cls.prefix + "/bin:/usr/bin:/bin", "HOME": cls.work, "TERM": "xterm", "LC_ALL": "C.UTF-8",
            "SHARDQ_INDEX": os.path.join(ROOT, "shards"),
        }
        said = run("shardq", "help", env=cls.environment, cwd=cls.work).stdout
        cls.commands = re.findall(r"^  ([a-z-]+) ", said.split("SUBCOMMANDS:", 1)[1], re.MULTILINE)

    def shardq(self, *arguments, **options):
        return run("shardq", *arguments, **{"env": self.environment, "cwd": self.work, **options})


class Layout(Installed):
    def test_queries_and_commands_by_path_alone(self):
        self.assertIn("Reykjavík", self.shardq("reykj").stdout)
        stats = self.shardq("stats")
        self.assertEqual(stats.returncode, 0, stats.stderr)
        self.assertRegex(stats.stdout, "2,?344")

    def test_footprint_is_of_the_clone(self):
        arguments = ["footprint", "--typing", "20", "--designs", "none"]
        result = self.shardq(*arguments)
        self.assertEqual(result.returncode, 66)
        self.assertIn("bin/shardq footprint", result.stderr)
        result = run(os.path.join(ROOT, "bin", "shardq"), *arguments, env=self.environment, cwd=self.work)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_serve_finds_its_program(self):
        if not os.path.exists(os.path.join(self.prefix, "libexec", "shardq", "shardq-serve")):
            self.skipTest("bin/shardq-serve was not built")
        server = subprocess.Popen(
            ["shardq", "serve", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=self.environment, cwd=self.work)
        try:
            self.assertTrue(select.select([server.stdout], [], [], 30)[0], "no address in 30 s")
            address = re.search(r"http://[0-9.:]+", server.stdout.readline()).group(0)
            with urllib.request.urlopen(address + "/v1/search?q=reykj", timeout=30) as answer:
                self.assertIn("Reykjavík", answer.read().decode())
        finally:
            server.terminate()
            server.communicate(timeout=30)
        self.assertEqual(server.returncode, 0)

    def test_a_url_finds_its_program(self):
        result = self.shardq("-i", "http://127.0.0.1:1/shards/", "reykj")
        if not os.path.exists(os.path.join(self.prefix, "libexec", "shardq", "shardq-remote")):
            self.assertEqual(result.returncode, 66, result.stderr)
            self.assertIn("install the package shardq-remote", result.stderr)
            self.skipTest("bin/shardq-remote was not built")
        self.assertEqual(result.returncode, 74, result.stderr)
        with static_host(ROOT) as address:
            result = self.shardq("-i", address + "shards/", "reykj")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Reykjavík", result.stdout)

    def test_serve_of_a_url_finds_its_program(self):
        result = self.shardq("serve", "-i", "http://127.0.0.1:1/shards/", "--listen", "127.0.0.1:0")
        if not os.path.exists(os.path.join(self.prefix, "libexec", "shardq", "shardq-remote")):
            self.assertEqual(result.returncode, 66, result.stderr)
            self.assertIn("install the package shardq-remote", result.stderr)
            self.skipTest("bin/shardq-remote was not built")
        self.assertEqual(result.returncode, 74, result.stderr)
        self.assertIn("accepts no connection", result.stderr)

    def test_publish_finds_its_program(self):
        result = self.shardq("publish", "-i", "none", "s3://bucket/cities/")
        if not os.path.exists(os.path.join(self.prefix, "libexec", "shardq", "shardq-remote")):
            self.assertEqual(result.returncode, 66, result.stderr)
            self.assertIn("install the package shardq-remote", result.stderr)
            self.skipTest("bin/shardq-remote was not built")
        self.assertEqual(result.returncode, 66, result.stderr)
        self.assertIn("no index at none", result.stderr)

    def test_page_finds_its_files(self):
        site = os.path.join(self.work, "site")
        result = self.shardq("page", "-o", site)
        if not os.path.exists(os.path.join(self.prefix, "share", "shardq")):
            self.assertEqual(result.returncode, 66, result.stderr)
            self.skipTest("the WebAssembly module cannot be built here")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("shardq.wasm", os.listdir(site))

    def test_links_lead_to_it(self):
        link = os.path.join(self.work, "elsewhere")
        os.symlink(os.path.join(self.prefix, "bin", "shardq"), link)
        result = run(link, "stats", env={**self.environment, "PATH": "/usr/bin:/bin"}, cwd="/")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_the_search_path_sees_one_program(self):
        self.assertEqual(os.listdir(os.path.join(self.prefix, "bin")), ["shardq"])

    def test_a_staged_installation_is_the_same_and_goes_away(self):
        stage = os.path.join(self.scratch, "stage")
        make("install", "PREFIX=/opt/shardq", "DESTDIR=" + stage)
        self.assertEqual(files(stage), ["opt/shardq/" + name for name in files(self.prefix)])
        make("uninstall", "PREFIX=/opt/shardq", "DESTDIR=" + stage)
        self.assertEqual(files(stage), [])
        for name in ("libexec", "share"):
            self.assertFalse(os.path.exists(f"{stage}/opt/shardq/{name}/shardq"))


    def test_the_commands_of_the_pages(self):
        with tempfile.TemporaryDirectory(prefix="shardq-home-") as home:
            environment = {**os.environ, "HOME": home}
            result = run("sh", "-c", "make install PREFIX=$HOME/.local", cwd=ROOT, env=environment)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(files(home + "/.local"), files(self.prefix))
            result = run("sh", "-c", "make uninstall PREFIX=$HOME/.local", cwd=ROOT, env=environment)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(files(home), [])


class Container(Installed):
    def test_an_empty_root_holds_all_that_it_needs(self):
        """A root as in the image of Packaging/Dockerfile: executables, an index and /proc, which Swift reads first."""
        root = os.path.join(self.scratch, "root")
        os.makedirs(root + "/usr")
        os.mkdir(root + "/proc")
        environment = {**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin", "SHARDQ_INDEX": "/index"}
        within = ["unshare", "--mount", "--pid", "--fork", "--mount-proc=" + root + "/proc"]
        if os.geteuid() != 0 or run(*within, "true", env=environment).returncode != 0:
            self.skipTest("only root, and not everywhere, may change the root directory and mount /proc")
        shutil.copytree(self.prefix + "/bin", root + "/usr/bin")
        shutil.copytree(self.prefix + "/libexec", root + "/usr/libexec")
        shutil.copytree(os.path.join(ROOT, "shards"), root + "/index")
        os.chmod(self.scratch, 0o755)
        for arguments, wanted in ((["reykj"], "Reykjavík"), (["stats"], "records"), (["verify"], "")):
            result = run(
                *within, "chroot", "--userspec=65532:65532", root, "/usr/bin/shardq", *arguments, env=environment)
            self.assertEqual(result.returncode, 0, f"{arguments}: {result.stderr}")
            self.assertIn(wanted, result.stdout)


@unittest.skipUnless(shutil.which("dpkg-deb"), "dpkg is not installed")
class DebianPackage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.mkdtemp(prefix="shardq-package-")
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        cls.built = [cls.build(name) for name in ("first", "second")]

    @classmethod
    def build(cls, name):
        # Least compression: it takes most of the time, and the tests do not depend on it. The date is given, because
        # not every copy of the sources is a clone.
        said = {"DPKG_DEB_COMPRESSOR_LEVEL": "0", "SOURCE_DATE_EPOCH": "1700000000"}
        result = run("sh", "-c", "make deb", cwd=ROOT, env={**os.environ, **said, "MAKEFLAGS": "-s"})
        assert result.returncode == 0, result.stdout + result.stderr
        os.mkdir(os.path.join(cls.scratch, name))
        return [shutil.copy(os.path.join(ROOT, path), os.path.join(cls.scratch, name))
                for path in result.stdout.split() if path.endswith(".deb")]

    def test_the_same_executables_give_the_same_packages(self):
        for first, second in zip(*self.built, strict=True):
            self.assertTrue(filecmp.cmp(first, second, shallow=False), first)
        names = [os.path.basename(path).split("_")[0] for path in self.built[0]]
        others = [name for name in ("shardq-serve", "shardq-remote") if os.path.exists(os.path.join(ROOT, "bin", name))]
        self.assertEqual(names, ["shardq", *others])
        if "shardq-remote" in others:
            needed = run("dpkg-deb", "--field", self.built[0][-1], "Depends").stdout
            self.assertRegex(needed, r"^shardq \(= .*libcurl4")

    @unittest.skipUnless(shutil.which("lintian"), "lintian is not installed")
    def test_lintian_finds_nothing(self):
        result = run("lintian", "--fail-on", "error,warning", "--allow-root", *self.built[0])
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    def test_it_installs_runs_and_goes_away(self):
        """Installs into another root, which has its own list of packages: the machine's packages stay the same."""
        if os.geteuid() != 0:
            self.skipTest("only root installs packages")
        root = os.path.join(self.scratch, "root")
        os.makedirs(root + "/var/lib/dpkg/updates")
        os.makedirs(root + "/var/lib/dpkg/info")
        open(root + "/var/lib/dpkg/status", "w").close()
        # The search path of a service's shell, which has the tools that dpkg needs.
        environment = {**os.environ, "PATH": os.environ["PATH"] + ":/usr/local/sbin:/usr/sbin:/sbin"}
        installed = run("dpkg", "--root=" + root, "--install", self.built[0][0], env=environment)
        self.assertEqual(installed.returncode, 0, installed.stderr)
        # The root has no shell, so the scripts of the packages run outside of it, with $DPKG_ROOT.
        dpkg = ["dpkg", "--root=" + root, "--force-script-chrootless"]
        if self.built[0][1:]:
            # The root has no libcurl.
            installed = run(*dpkg, "--force-depends", "--install", *self.built[0][1:], env=environment)
            self.assertEqual(installed.returncode, 0, installed.stderr)
        if any("shardq-serve_" in path for path in self.built[0]):
            self.assertIn("systemctl enable --now shardq-serve", installed.stdout)
            self.check_service(root)
        environment["SHARDQ_INDEX"] = os.path.join(ROOT, "shards")
        environment["XDG_CACHE_HOME"] = os.path.join(self.scratch, "cache")
        if any("shardq-remote_" in path for path in self.built[0]):
            with static_host(ROOT) as address:
                found = run(root + "/usr/bin/shardq", "-i", address + "shards/", "reykj", env=environment)
            self.assertEqual((found.returncode, found.stderr), (0, ""))
            self.assertIn("Reykjavík", found.stdout)
        self.assertIn("Reykjavík", run(root + "/usr/bin/shardq", "reykj", env=environment).stdout)
        self.assertEqual(run(root + "/usr/bin/shardq", "stats", env=environment).returncode, 0)
        names = [os.path.basename(path).split("_")[0] for path in self.built[0]]
        if "shardq-serve" in names:
            # The operator's options stay until the package is purged, and a new version does not replace them.
            options = os.path.join(root, "etc/shardq/serve.conf")
            with open(options, "a") as file:
                file.write("# changed\n")
            again = run(*dpkg, "--install", *[path for path in self.built[1] if "shardq-serve_" in path], env=environment)
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertNotIn("systemctl", again.stdout)
            with open(options) as file:
                self.assertTrue(file.read().endswith("# changed\n"))
        removed = run(*dpkg, "--purge", *names, env=environment)
        self.assertEqual(removed.returncode, 0, removed.stderr)
        left = [name for name in files(root) if not name.startswith("var/")]
        self.assertEqual(left, [])

    def check_service(self, root):
        """The service starts the installed program, with the options of its file, which the program takes."""
        unit = os.path.join(root, "usr/lib/systemd/system/shardq-serve.service")
        with open(unit) as file:
            text = file.read()
        with open(os.path.join(root, "etc/shardq/serve.conf")) as file:
            options = re.search(r'(?m)^OPTIONS="(.*)"$', file.read())[1]
        self.assertIn("EnvironmentFile=/etc/shardq/serve.conf\n", text)
        # No link of a target leads to the service: it is not enabled.
        self.assertFalse(os.path.exists(os.path.join(root, "etc/systemd")))
        (command,) = re.findall(r"(?m)^ExecStart=(.*)$", text)
        program, *words = [root + word if word.startswith("/") else word for word in command.split()]
        self.assertEqual(words, ["serve", "$OPTIONS"])
        said = run(program, "serve", *options.replace("/var/lib", root + "/var/lib").split())
        # There is no index yet, and the service does not try again.
        self.assertEqual(said.returncode, 66, said.stderr)
        self.assertIn(root + "/var/lib/shardq/cities", said.stderr)
        self.assertIn("66", re.search(r"(?m)^RestartPreventExitStatus=(.*)$", text)[1].split())
        self.assertTrue(os.path.isdir(root + "/var/lib/shardq"))
        if shutil.which("systemd-analyze"):
            copy = os.path.join(self.scratch, "shardq-serve.service")
            with open(copy, "w") as file:
                file.write(text.replace("/usr/bin/shardq", program).replace("Documentation=man:shardq-serve(1)\n", ""))
            verified = run("systemd-analyze", "verify", "--recursive-errors=no", copy)
            self.assertEqual((verified.returncode, verified.stdout, verified.stderr), (0, "", ""))


@unittest.skipUnless(shutil.which("sha256sum") and shutil.which("xz"), "sha256sum or xz is not installed")
class Release(unittest.TestCase):
    def test_a_tarball_unpacked_anywhere_answers(self):
        with tempfile.TemporaryDirectory(prefix="shardq release ") as scratch:
            # Least compression.
            said = {"DPKG_DEB_COMPRESSOR_LEVEL": "0", "XZ_OPT": "-0", "SOURCE_DATE_EPOCH": "1700000000"}
            result = run("sh", "-c", "make dist", cwd=ROOT, env={**os.environ, **said, "MAKEFLAGS": "-s"})
            self.assertEqual(result.returncode, 0, result.stderr)
            dist = os.path.join(ROOT, ".build", "dist")
            self.assertEqual(run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=dist).returncode, 0)
            listed = {line.split()[-1] for line in open(os.path.join(dist, "SHA256SUMS"))}
            self.assertEqual(listed, set(os.listdir(dist)) - {"SHA256SUMS"})
            version = run(os.path.join(ROOT, "bin", "shardq"), "--version").stdout.strip()
            for name in sorted(listed):
                self.assertIn(version, name.replace("shardq.rb", version))
                if name.endswith(".tar.xz"):
                    self.assertEqual(run("tar", "-C", scratch, "-xf", os.path.join(dist, name)).returncode, 0)
            (found,) = [name for name in os.listdir(scratch) if name.startswith(f"shardq-{version}")]
            self.assertFalse([path for path in files(scratch) if path.endswith("/shardq-footprint")])
            program = os.path.join(scratch, found, "bin", "shardq")
            for arguments, wanted in ((["reykj"], "Reykjav\u00edk"), (["stats"], "records")):
                self.assertIn(wanted, run(program, *arguments, "-i", os.path.join(ROOT, "shards")).stdout)


class Manual(Installed):
    def pages(self):
        return os.path.join(self.prefix, "share", "man", "man1")

    def test_every_command_has_a_page(self):
        wanted = ["shardq.1"] + [f"shardq-{name}.1" for name in self.commands if name != "help"]
        self.assertEqual(sorted(os.listdir(self.pages())), sorted(wanted))

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_mandoc_finds_nothing_to_say(self):
        for name in os.listdir(self.pages()):
            with self.subTest(name):
                # There mandoc finds the pages to which a page refers.
                result = run("mandoc", "-Tlint", "-W", "style", name, cwd=self.pages())
                self.assertEqual(result.stdout + result.stderr, "")

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_every_option_of_the_help_is_on_the_page(self):
        for command in self.commands:
            if command == "help":
                continue
            text = run("mandoc", "-Tutf8", os.path.join(self.pages(), f"shardq-{command}.1")).stdout
            text = re.sub(r".\x08", "", text)
            for option in re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", self.shardq("help", command).stdout, re.MULTILINE):
                with self.subTest(command, option=option):
                    self.assertRegex(text, rf"(?m)^ +(?:-\w, )?{option}\b")
            self.assertIn("EXIT STATUS", text)


class Terminal:
    """A shell in a terminal of its own, typed into."""

    def __init__(self, arguments, environment, directory):
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            try:
                os.chdir(directory)
                os.execvpe(arguments[0], arguments, environment)
            finally:
                os._exit(127)

    def type(self, text):
        os.write(self.descriptor, text.encode())

    def wait(self, pattern, seconds=20):
        """The output up to the pattern."""
        seen, end = "", time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([self.descriptor], [], [], 0.1)[0]:
                try:
                    seen += os.read(self.descriptor, 65536).decode(errors="replace")
                except OSError:
                    break
            plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|.\x08", "", seen).replace("\r", "")
            if re.search(pattern, plain):
                return plain
        raise AssertionError(f"{pattern!r} did not come in {seconds} s, but {seen!r}")

    def close(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.descriptor)


# The typed text, and the line after the completion.
COMPLETED = [
    ("shardq bui", "shardq build "),
    ("shardq --form", "shardq --format "),
    ("shardq --format geo", "shardq --format geojson "),
    ("shardq san --form", "shardq san --format "),
    ("shardq query --lim", "shardq query --limit "),
    ("shardq build fi", "shardq build file.csv "),
    ("shardq build --input-format geon", "shardq build --input-format geonames "),
    ("shardq stats --index di", "shardq stats --index directory/"),
    ("shardq -i directory/ veri", "shardq -i directory/ verify "),
    ("shardq completions fi", "shardq completions fish "),
    ("shardq -i na", "shardq -i named "),
    ("shardq stats --index na", "shardq stats --index named "),
]


class Completions(Installed):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        os.mkdir(os.path.join(cls.work, "directory"))
        open(os.path.join(cls.work, "file.csv"), "w").close()
        shutil.copytree(os.path.join(ROOT, "shards"), os.path.join(cls.work, ".local/share/shardq/named"))
        cls.share = os.path.join(cls.prefix, "share")

    def complete_in(self, arguments, setup):
        """Types each line and a tab, then a key that prints the completed line."""
        for typed, wanted in COMPLETED:
            with self.subTest(typed):
                shell = Terminal(arguments, self.environment, self.work)
                try:
                    shell.type(setup + "\n")
                    shell.wait(r"(?m)^ready$")
                    shell.type(typed + "\t\x07")
                    line = re.search(r"<<(.*?)>>", shell.wait(r"<<.*>>")).group(1)
                    self.assertEqual(line.rstrip(), wanted.rstrip())
                finally:
                    shell.close()

    @unittest.skipUnless(shutil.which("bash"), "bash is not installed")
    def test_bash(self):
        script = os.path.join(self.share, "bash-completion", "completions", "shardq")
        self.complete_in(
            ["bash", "--norc", "--noprofile", "-i"],
            f"source '{script}'; bind -x '\"\\C-g\": printf \"<<%s>>\" \"$READLINE_LINE\"'; PS1=; echo ready")

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        directory = os.path.join(self.share, "zsh", "site-functions")
        self.complete_in(
            ["zsh", "-f", "-i"],
            f"fpath=('{directory}' $fpath); autoload -U compinit; compinit -u -D; PS1=; "
            "shown() { print -rn -- \"<<$BUFFER>>\" }; zle -N shown; bindkey '^G' shown; echo ready")

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        script = os.path.join(self.share, "fish", "vendor_completions.d", "shardq.fish")
        for typed, wanted in COMPLETED:
            with self.subTest(typed):
                said = run(
                    "fish", "--no-config", "-c", f"source '{script}'; complete -C '{typed}'", env=self.environment,
                    cwd=self.work)
                offered = [line.split("\t")[0] for line in said.stdout.splitlines()]
                self.assertEqual((offered, said.stderr), ([wanted.split(" ")[-1] or wanted.split(" ")[-2]], ""))

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_every_command_is_offered(self):
        script = os.path.join(self.share, "fish", "vendor_completions.d", "shardq.fish")
        said = run("fish", "--no-config", "-c", f"source '{script}'; complete -C 'shardq '", env=self.environment)
        offered = {line.split("\t")[0] for line in said.stdout.splitlines()}
        self.assertEqual(set(self.commands) - offered, set())


if __name__ == "__main__":
    unittest.main()
