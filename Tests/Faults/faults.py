"""The shared part of the fault harnesses: the tested commands, small datasets, answers of an index, system-call traces."""

import argparse
import atexit
import concurrent.futures
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = 77
HANGS = 124
# A crash of the command must end it at once, without a backtrace.
ENVIRONMENT = {"SWIFT_BACKTRACE": "enable=no", "LC_ALL": "C", "PATH": os.environ.get("PATH", "")}
# Every call that names a file or has a descriptor, and all other calls into a file system.
FILE_CALLS = "%file,%desc"


class Tools:
    """The programs, directories and options of a harness, and its cases, which run side by side."""

    def __init__(self, description, arguments=None, extra=None):
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--bin", default=os.environ.get("SHARDQ_BIN", os.path.join(ROOT, "bin")),
                            help="where shardq and shardq-commands are (default: $SHARDQ_BIN, else bin)")
        parser.add_argument("--long", action="store_true", help="larger indexes, more scenarios: minutes instead of seconds")
        parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="cases side by side")
        parser.add_argument("--only", default="", help="only scenarios whose name contains this")
        parser.add_argument("--stop", action="store_true", help="end at the first finding")
        parser.add_argument("--every", type=int, default=1, metavar="N", help="try every Nth point, chosen by the seed")
        parser.add_argument("--seed", type=int, help="which points --every tries (default: by chance, and printed)")
        if extra:
            extra(parser)
        self.options = parser.parse_args(arguments)
        self.long = self.options.long
        self.every = max(1, self.options.every)
        self.seed = random.randrange(1 << 32) if self.options.seed is None else self.options.seed
        if self.every > 1:
            print(f"every {self.every}th point, --seed {self.seed}", flush=True)
        self.program = os.path.join(os.path.abspath(self.options.bin), "shardq-commands")
        if not os.access(self.program, os.X_OK):
            sys.exit(f"{self.program} is not there: Scripts/build.sh makes it")
        self.front = os.path.join(os.path.dirname(self.program), "shardq")
        # In memory where that is possible, so that no case waits for a disk.
        base = None if "TMPDIR" in os.environ or not os.access("/dev/shm", os.W_OK) else "/dev/shm"
        self.directory = tempfile.mkdtemp(prefix="shardq-faults-", dir=base)
        self.findings = []
        self.cases = 0
        self.untried = 0
        self.numbers = iter(range(1 << 62))
        self.undo = []  # Functions to call before the directory is removed.
        atexit.register(self.close)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

    def close(self):
        for step in self.undo:
            step()
        shutil.rmtree(self.directory, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.directory, name)

    def new_path(self, name):
        """A path that no other case has; names of one length, so that traces do not depend on the case."""
        return self.path(f"{name}-{next(self.numbers):06d}")

    def need_strace(self):
        if shutil.which("strace") is None:
            skip("strace is not installed (Scripts/dependencies.sh --tests installs it)")
        probe = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=read", "/bin/true"],
                               capture_output=True, text=True)
        if probe.returncode != 0:
            skip("strace cannot trace here: " + probe.stderr.strip())

    def run(self, arguments, timeout=60, wrapper=(), **more):
        """Runs the command; a status below 0 is the signal that ended it, `HANGS` that it did not end in time."""
        command = [*wrapper, self.executable(arguments), *arguments]
        try:
            return subprocess.run(command, capture_output=True, timeout=timeout, env=ENVIRONMENT, **more)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, HANGS, b"", b"it did not end in time")

    def executable(self, arguments):
        """The program for a command: `shardq` for the commands that it may run by itself, else shardq-commands."""
        return self.front if arguments[:2] == ["update", "--overlay"] else self.program

    def must(self, arguments):
        result = self.run(arguments)
        if result.returncode != 0:
            sys.exit(f"setup failed: shardq {' '.join(arguments)}: {result.stderr.decode(errors='replace')}")
        return result

    def finding(self, text):
        self.findings.append(text)
        print("  FOUND " + text, flush=True)
        if self.options.stop:
            print("stopped at the first finding")
            self.close()
            os._exit(1)

    def sample(self, name, points):
        """Every Nth of the points, from a first one that the seed and the name choose; never none of some."""
        points = list(points)
        first = random.Random(f"{self.seed} {name}").randrange(min(self.every, len(points))) if points else 0
        return points[first::self.every]

    def each(self, function, items):
        """Calls `function` for every item, some side by side, and returns the results in order."""
        with concurrent.futures.ThreadPoolExecutor(max(1, self.options.jobs)) as pool:
            return list(pool.map(function, items))

    def end(self, name):
        """Prints the summary and returns the exit status."""
        print(f"{name}: {self.cases} cases, {len(self.findings)} findings", flush=True)
        self.close()
        return 1 if self.findings or not self.cases else 0


def skip(reason):
    print("skipped: " + reason, file=sys.stderr)
    sys.exit(SKIPPED)


# Datasets


def records(count, version=1, changed=()):
    """Records that all differ between versions; the records with the numbers in `changed` have version 9."""
    for number in range(count):
        mark = 9 if number in changed else version
        # Spread over first letters, so that the cut finds its boundaries.
        name = f"{chr(97 + number % 26)}{chr(97 + number // 26 % 26)} city {number * 7919 % count:05d}"
        yield {"_id": number, "name": name, "country": "AA", "note": f"version {mark} of record {number}"}


def write_records(path, rows):
    with open(path, "w") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")
    return path


# The files on disk


def names(index):
    return set(os.listdir(index)) if os.path.isdir(index) else set()


def shards(index):
    return {name for name in names(index) if name.endswith(".zst")}


def read(path):
    with open(path, "rb") as file:
        return file.read()


def overlay_of(index):
    """The bytes of the overlay; None if there is none."""
    path = os.path.join(index, "overlay")
    return read(path) if os.path.exists(path) else None


class Reference:
    """An index built without any fault, and its answers.

    With `before`, another build came first, and left its shards, which the next build removes. With `base`, the command
    runs over a copy of that index, and makes the manifest and the shards of `whole`. With `is_stale`, the overlay of
    `base` is put back, as a kill between the rename of the manifest and the removal of the overlay leaves it.
    """

    def __init__(self, tools, index, build, before=None, base=None, whole=None, is_stale=False):
        self.index = index
        leftover = set()
        if base is not None:
            shutil.copytree(base.index, index)
        if before is not None:
            tools.must([*before, "--index", index])
            leftover = shards(index)
        tools.must([*build, "--index", index])
        os.remove(os.path.join(index, ".lock"))
        self.shards = whole.shards if whole else shards(index) - leftover
        if not leftover <= shards(index):
            tools.finding(f"{os.path.basename(index)}: a build has removed the generation before")
        self.leftover = shards(index) - self.shards
        self.manifest = read(os.path.join(index, "manifest"))
        if whole is not None and self.manifest != whole.manifest:
            sys.exit(f"setup failed: {index} differs from the index of a build")
        self.overlay = overlay_of(index)
        if is_stale:
            shutil.copy(os.path.join(base.index, "overlay"), index)
        self.is_overlaid = overlay_of(index) is not None
        self.answers = answers(tools, index)
        if self.answers is None or not self.shards:
            sys.exit(f"setup failed: {index} does not answer")


def answers(tools, index):
    """A digest of every record that a query finds, or None if it fails."""
    result = tools.run(["query", "", "--all", "--format", "jsonl", "--index", index])
    return hashlib.sha256(result.stdout).hexdigest() if result.returncode == 0 else None


def state(tools, index, references):
    """The name of the reference that equals the index; `none` if there is no index; else the fault of the index."""
    if not os.path.lexists(os.path.join(index, "manifest")):
        # Without a manifest a reader must say that there is no index.
        result = tools.run(["query", "", "--index", index])
        return "none" if result.returncode == 66 else f"NO MANIFEST, yet a query ends with {result.returncode}"
    verified = tools.run(["verify", "--index", index])
    if verified.returncode != 0:
        told = (verified.stdout + verified.stderr).decode(errors="replace").strip().replace("\n", "; ")
        return f"DAMAGED, verify ends with {verified.returncode}: {told[:200]}"
    found = answers(tools, index)
    manifest = read(os.path.join(index, "manifest"))
    for name, reference in references.items():
        # An overlay and the same changes in shards give one answer, but are two states.
        if reference is not None and found == reference.answers and manifest == reference.manifest:
            return name
    return "MIXED: its answers are those of no generation"


# Scenarios


class Scenario:
    """A command over an index, with the reference before it (None: no index) and the one that it must leave.

    `follow` are commands that must mend everything after the command was cut short, each with its result; `back` is the
    one that makes the shards of the old index again, where that has an overlay.
    """

    def __init__(self, name, old, command, new, follow, options=(), back=None):
        self.name, self.old, self.command, self.new, self.follow = name, old, command, new, follow
        self.options, self.back = options, back
        self.is_of_overlay = any(reference is not None and reference.is_overlaid for reference in (old, new))

    def prepare(self, index):
        """Copies the index from before the command to its place."""
        if self.old is not None:
            shutil.copytree(self.old.index, index)

    def arguments(self, index):
        return [*self.command, "--index", index]

    def references(self):
        return {"old": self.old, "new": self.new}


def build_command(source, *options, shard_size="1KiB"):
    # One thread makes the same calls in the same order every time; small shards are many from few records.
    return ["build", source, "--key", "{name}, {country}", "--jobs", "1", "--shard-size", shard_size, "--level", "3",
            *options]


def overlaid_index(tools, base):
    """A copy of an index of `records`, with an overlay that replaces a record, removes one and adds one."""
    path = tools.path("overlaid")
    upsert = [record for record in records(60, 1, {11}) if record["_id"] in (11, 12)]
    upsert[1]["_id"] = 100
    update = ["update", "--overlay", "--upsert", write_records(path + ".jsonl", upsert),
              "--delete", write_records(path + "-gone.jsonl", [{"_id": 20}])]
    return Reference(tools, path, update, base=base, whole=base).index


def scenarios(tools, count):
    """The scenarios that every harness goes through, over `count` records."""
    def source_path(name):
        return tools.path(f"{name}-{count}.jsonl")

    source = {
        "old": write_records(source_path("old"), records(count)),
        "new": write_records(source_path("new"), records(count, 2)),
        "one": write_records(source_path("one"), records(count, 1, {count // 2})),
        "other": write_records(source_path("other"), records(count, 3)),
        "older": write_records(source_path("older"), records(count, 4)),
    }
    command = {name: build_command(path) for name, path in source.items()}
    built = {name: Reference(tools, tools.path(f"built-{name}-{count}"), command[name],
                             command["older"] if name == "old" else None)
             for name in source}

    def follow(name):
        # Once the same build again, and once another one, which needs no file of the interrupted build.
        return [(command[name], built[name]), (command["other"], built["other"])]

    pack = tools.path(f"new-{count}.pack")
    tools.must(["diff", built["old"].index, built["new"].index, "-o", pack])
    apply = ["apply", pack]
    upsert = [record for record in records(count, 1, {count // 2}) if record["_id"] == count // 2]
    update = ["update", "--jobs", "1", "--upsert", write_records(source_path("upsert"), upsert)]
    made = [
        Scenario("first build", None, command["new"], built["new"], follow("new")),
        Scenario("full rebuild", built["old"], command["new"], built["new"], follow("new")),
        Scenario("one record changed", built["old"], command["one"], built["one"], follow("one")),
        Scenario("an update", built["old"], update, built["one"], [(update, built["one"]), follow("one")[1]]),
        Scenario("nothing changed", built["old"], command["old"], built["old"], follow("old")),
        Scenario("a pack applied", built["old"], apply, built["new"], [(apply, built["new"]), follow("new")[1]]),
    ]
    made += overlay_scenarios(tools, count, command, built, follow)
    for scenario in made:
        changed = scenario.new.shards - (scenario.old.shards if scenario.old else set())
        if scenario.name == "full rebuild" and scenario.new.shards & scenario.old.shards:
            sys.exit("setup failed: a full rebuild keeps a shard")
        if scenario.name == "one record changed" and not 1 <= len(changed) <= 2:
            sys.exit(f"setup failed: one record changed, and so did {len(changed)} shards")
    return [scenario for scenario in made if tools.options.only in scenario.name]


def overlay_scenarios(tools, count, command, built, follow):
    """The scenarios of overlays. The overlay belongs to `base`; `one` has its changes in shards, `two` has more."""
    def file(name, rows):
        return write_records(tools.path(f"{name}-{count}.jsonl"), rows)

    def made(name, arguments, base, whole, is_stale=False):
        return Reference(tools, tools.path(f"built-{name}-{count}"), arguments, None, base, whole, is_stale)

    base = built["old"]
    rows = {record["_id"]: record for record in records(count, 1, {count // 2})}
    changed = file("changed", [rows[count // 2]])
    original = file("original", [record for record in records(count) if record["_id"] == count // 2])
    rows[count] = {"_id": count, "name": "zz city", "country": "AA", "note": "a new one " * 60}
    more = ["--upsert", file("added", [rows[count]]), "--delete", file("deleted", [rows.pop(3)])]
    build_two = build_command(file("two", rows.values()))

    update = ["update", "--jobs", "1"]
    beside, merge = [*update, "--overlay"], [*update, "--merge"]
    whole = Reference(tools, tools.path(f"built-two-{count}"), build_two)
    overlaid = made("overlaid", [*beside, "--upsert", changed], base, base)
    overlaid_more = made("overlaid-more", [*beside, *more], overlaid, base)
    merged = made("merged", merge, overlaid, built["one"])
    two = made("updated", [*update, *more], overlaid, whole)
    # Its answers differ from those that the overlay gives beside its own manifest.
    stale = made("stale", [*update, *more], overlaid, whole, is_stale=True)
    over_stale = made("over-stale", [*beside, "--upsert", original], stale, whole)
    if None in (overlaid.overlay, overlaid_more.overlay, over_stale.overlay) or merged.overlay or two.overlay:
        sys.exit("setup failed: an overlay is missing, or there is one too many")
    if len({base.answers, overlaid.answers, overlaid_more.answers}) != 3 or merged.answers != overlaid.answers:
        sys.exit("setup failed: equal indexes have different answers, or different ones equal answers")
    back, other = (command["old"], base), follow("old")[1]
    return [
        Scenario("an overlay", base, [*beside, "--upsert", changed], overlaid,
                 [([*beside, "--upsert", changed], overlaid), ([*update, "--upsert", changed], merged), other]),
        Scenario("an overlay over another", overlaid, [*beside, *more], overlaid_more,
                 [([*beside, *more], overlaid_more), ([*update, *more], two), other]),
        Scenario("an overlay taken back", overlaid, [*beside, "--upsert", original], base,
                 [([*beside, "--upsert", original], base), back, other]),
        Scenario("an overlay merged", overlaid, merge, merged, [(merge, merged), (build_two, whole), other], back=back),
        Scenario("an update over an overlay", overlaid, [*update, *more], two,
                 [([*update, *more], two), (command["one"], built["one"]), other], back=back),
        Scenario("a build over an overlay", overlaid, command["new"], built["new"], follow("new"), back=back),
        Scenario("a build of the same over an overlay", overlaid, *back, [back, other]),
        # The overlay belongs to the manifest that the build publishes.
        Scenario("built back over a stale overlay", stale, *back, [back, other]),
        Scenario("an overlay over a stale one", stale, [*beside, "--upsert", original], over_stale,
                 [([*beside, "--upsert", original], over_stale), back, other]),
    ]


def check_held(tools, scenario, index, label):
    """However a command has ended, a reader that opened the index before still finds every shard."""
    lost = (scenario.old.shards if scenario.old else set()) - names(index)
    if lost:
        tools.finding(f"{label}: {len(lost)} shards are gone that readers may still hold, such as {sorted(lost)[0]}")


def check_aftermath(tools, scenario, index, found, which, label):
    """After a command was interrupted and left `found`, the next one succeeds and leaves no stray file."""
    command, reference = scenario.follow[which % len(scenario.follow)]
    if command[0] == "apply" and found == "new":
        # The generation is in place: `apply` writes and removes nothing, and the build after it removes the rest.
        tools.must([*command, "--index", index])
        command, reference = scenario.follow[-1]
    if scenario.back and found == "new" and overlay_of(index) is not None:
        # The overlay is stale. Its manifest comes back, and the overlay must not come back with it.
        command, reference = scenario.back
    before = scenario.references().get(found)
    result = tools.run([*command, "--index", index])
    if result.returncode != 0:
        tools.finding(f"{label}: the next build ends with {result.returncode}: "
                      + result.stderr.decode(errors="replace").strip())
        return
    now = state(tools, index, {"next": reference})
    if now != "next" or read(os.path.join(index, "manifest")) != reference.manifest:
        tools.finding(f"{label}: the next build leaves {now}")
    here = names(index)
    overlay = overlay_of(index)
    # The answers show the overlay's content.
    if (overlay is None) != (reference.overlay is None):
        tools.finding(f"{label}: the next build leaves {'an' if overlay else 'no'} overlay")
    kept = before.shards if before else set()
    # The shards of the generation before may go only if the found generation was the new one.
    allowed = reference.shards | kept | (scenario.old.shards if scenario.old and found == "new" else set())
    if "--overlay" in command and scenario.old:
        allowed |= scenario.old.leftover  # Such an update removes no shards.
    strays = here - allowed - {"manifest", "overlay", ".lock"}
    lost = (reference.shards | (kept if found == "old" else set())) - here
    if strays:
        tools.finding(f"{label}: the next build leaves {len(strays)} stray files, such as {sorted(strays)[0]}")
    if lost:
        tools.finding(f"{label}: the next build has removed {len(lost)} shards that are needed, such as {sorted(lost)[0]}")


# Traces


CALL = re.compile(r"^\d+ +(\w+)\((.*)")


class Call:
    """One line of a trace: the name of the call, its number among those of this name, from 1, and the text."""

    def __init__(self, name, number, text):
        self.name, self.number, self.text = name, number, text

    def __str__(self):
        return f"{self.name} #{self.number}"


def trace(tools, scenario, calls=FILE_CALLS, index=None, options=(), keep=False):
    """The calls that the scenario's command makes on files, from the first one that is its own and not the loader's."""
    index = index or tools.new_path("index")
    scenario.prepare(index)
    log = tools.new_path("trace")
    result = tools.run(scenario.arguments(index), wrapper=["strace", "-f", "-qq", "-y", *options, "-o", log, "-e", "trace=" + calls])
    if result.returncode != 0:
        sys.exit(f"setup failed: {scenario.name} ends with {result.returncode}: {result.stderr.decode(errors='replace')}")
    counts, found, is_own, processes = {}, [], False, set()
    for line in open(log, errors="replace"):
        match = CALL.match(line)
        if not match:
            continue
        processes.add(line.split()[0])
        name = match[1]
        counts[name] = counts.get(name, 0) + 1
        is_own = is_own or name not in ("execve", "readlink", "readlinkat") and tools.directory in line
        if is_own:
            found.append(Call(name, counts[name], line.rstrip("\n")))
    if len(processes) != 1:
        sys.exit(f"setup failed: {scenario.name} runs in {len(processes)} threads, so that its calls cannot be counted")
    if not keep:
        shutil.rmtree(index)
    os.remove(log)
    return found


WRITTEN = ("write", "fsync", "utimensat", "renameat", "rename", "renameat2", "unlinkat", "unlink", "mkdir", "close")


def is_write_side(call):
    """Whether a call may change the directory or the medium."""
    if call.name in ("openat", "open"):
        return "O_CREAT" in call.text
    if call.name == "close":
        return ".tmp>" in call.text
    return call.name in WRITTEN and "<pipe:" not in call.text


def injecting(*injections):
    """The beginning of a command line, whose rest then runs with these injections: `call:what:when=n`."""
    calls = ",".join(sorted({name for injection in injections for name in injection.split(":")[0].split(",")}))
    wrapper = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + calls]
    for injection in injections:
        wrapper += ["-e", "inject=" + injection]
    return wrapper
