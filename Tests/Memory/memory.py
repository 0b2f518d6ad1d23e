"""Counts the memory and the descriptors of a reader in a memory group of 32 MB, with a limit of 32 descriptors, over a
million queries. Also counts the memory of a build and a verification with very large or equal records. The tests do not
measure times."""

import atexit
import functools
import os
import random
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
GROUP_LIMIT = 32 << 20
DESCRIPTORS = 32
QUERIES = 10_000
# The memory of shardq-commands beside that of --memory: see docs/measurements.md.
PROGRAM = 24 << 20
# The memory of zstd for a frame of megabytes, and that of pieces of equal records.
TABLES = 50 << 20
EQUAL = 16 << 20
GROWTH_LIMIT = 1_000_000

root = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
programs = os.environ.get("SHARDQ_BIN", os.path.join(root, "bin"))
shardq = programs if os.path.isfile(programs) else os.path.join(programs, "shardq")


class Fault(Exception):
    pass


def check(holds, what):
    if not holds:
        raise Fault(what)


# Limits


class OldGroup:
    """A memory group of version 1."""

    parent = "/sys/fs/cgroup/memory"
    limit, peak, events = "memory.limit_in_bytes", "memory.max_usage_in_bytes", "memory.failcnt"

    def __init__(self):
        self.path = os.path.join(self.parent, f"shardq-{os.getpid()}")
        os.mkdir(self.path)
        try:
            self.write(self.limit, GROUP_LIMIT)
        except OSError:
            os.rmdir(self.path)
            raise

    def write(self, name, value):
        with open(os.path.join(self.path, name), "w") as file:
            file.write(str(value))

    def read(self, name):
        with open(os.path.join(self.path, name)) as file:
            return file.read().strip()

    def enter(self):
        self.write("cgroup.procs", os.getpid())

    def kills(self):
        for line in self.read("memory.oom_control").splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
        return 0

    def remove(self):
        os.rmdir(self.path)


class NewGroup(OldGroup):
    """A memory group of version 2."""

    parent = "/sys/fs/cgroup"
    limit, peak = "memory.max", "memory.peak"

    def __init__(self):
        super().__init__()
        self.write("memory.swap.max", 0)

    def kills(self):
        return dict(line.split() for line in self.read("memory.events").splitlines()).get("oom_kill", 0)


def memory_group():
    """A group that holds a process to 32 MB, or None, and why not."""
    reasons = []
    for kind in OldGroup, NewGroup:
        try:
            return kind(), None
        except OSError as error:
            reasons.append(f"{kind.parent}: {error.strerror}")
    return None, "; ".join(reasons)


def forget(directory):
    """Takes an index out of the system's cache, so that it is read from the disk."""
    for name in os.listdir(directory):
        file = os.open(os.path.join(directory, name), os.O_RDONLY)
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)


# Indexes and questions


def build(directory, count):
    generate = subprocess.Popen(
        [shardq, "generate", "--count", str(count), "--seed", "1", "--format", "jsonl"], stdout=subprocess.PIPE
    )
    made = subprocess.run(
        [shardq, "build", "-i", directory, "--input-format", "jsonl", "--key", "{name}, {country}", "-"],
        stdin=generate.stdout,
        stderr=subprocess.PIPE,
        text=True,
    )
    generate.stdout.close()
    check(generate.wait() == 0 and made.returncode == 0, f"build of {count} records: {made.stderr}")


def questions(directory, count, total):
    """Beginnings of keys, each of any length, of records from all over the index."""
    chosen = random.Random(count)
    keys = []
    step = max(1, total // 4000)
    for offset in range(0, total, step):
        if len(keys) >= 4000:
            break
        keys.append(offset)
    # A line of standard input cannot name an offset, so each key comes from a process of its own; few are enough.
    keys = [key_at(directory, offset) for offset in chosen.sample(keys, min(len(keys), 300))]
    letters = "abcdefghijklmnopqrstuvwxyz"
    lines = []
    for _ in range(count):
        kind = chosen.random()
        if kind < 0.5:
            key = chosen.choice(keys)
            lines.append(key[: chosen.randint(1, len(key))])
        else:
            lines.append("".join(chosen.choice(letters) for _ in range(chosen.randint(2, 5))))
    return lines


def key_at(directory, offset):
    shown = subprocess.run(
        [shardq, "-i", directory, "", "--offset", str(offset), "-n", "1", "--format", "text"],
        capture_output=True,
        text=True,
    )
    check(shown.returncode == 0 and shown.stdout, f"no record at {offset}: {shown.stderr}")
    return shown.stdout.split("  ")[0].strip()


# Checks


def in_group(directory, lines, work):
    """Ten thousand queries, cold, in 32 MB: the same answers as without a limit."""
    group, reason = memory_group()
    if group is None:
        print(f"skipped: no memory group can be made here ({reason})")
        return False
    try:
        expected = answers(directory, lines, work, "free")
        forget(directory)
        found = answers(directory, lines, work, "limited", before=group.enter)
        with open(expected, "rb") as first, open(found, "rb") as second:
            while True:
                chunk = first.read(1 << 20)
                check(chunk == second.read(1 << 20), "other answers under the limit than without")
                if not chunk:
                    break
        check(group.kills() == 0, "the system had to kill")
        print(
            f"  {len(lines)} queries, cold, in a group of {GROUP_LIMIT >> 20} MB: the same answers;"
            f" at most {int(group.read(group.peak)) / 1e6:.1f} MB, cached files of the system included"
        )
    finally:
        group.remove()
    return True


def answers(directory, lines, work, name, before=None):
    """Asks all lines of one process; returns where the answers are."""
    source, target = os.path.join(work, "lines"), os.path.join(work, name)
    with open(source, "w") as file:
        file.write("".join(line + "\n" for line in lines))
    with open(source) as file, open(target, "w") as output:
        asked = subprocess.run(
            [shardq, "query", "--stdin", "-i", directory],
            stdin=file,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=before,
        )
    check(asked.returncode == 0, f"status {asked.returncode}: {asked.stderr}")
    with open(target, "rb") as output:
        count = sum(chunk.count(b"\n") for chunk in iter(lambda: output.read(1 << 20), b""))
    check(count == len(lines), f"{count} answers to {len(lines)} questions")
    return target


def resident(process):
    with open(f"/proc/{process}/status") as file:
        for line in file:
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) << 10
    raise Fault("the system does not tell the memory of a process")


def growth(directory, lines, rounds):
    """The growth of a process that answers many queries, once its cache is full."""
    asked = subprocess.Popen(
        [shardq, "query", "--stdin", "-i", directory], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    written = 0
    chosen = random.Random(7)

    def ask(count):
        nonlocal written
        while count > 0:
            # Few lines, so that neither process waits with its pipe full.
            batch = chosen.choices(lines, k=min(count, 16))
            asked.stdin.write("".join(line + "\n" for line in batch).encode())
            asked.stdin.flush()
            for _ in batch:
                check(asked.stdout.readline().endswith(b'"}\n'), "an answer that does not end")
            count -= len(batch)
            written += len(batch)

    ask(100_000)
    before = resident(asked.pid)
    ask(rounds)
    grown = resident(asked.pid) - before
    asked.stdin.close()
    check(asked.wait() == 0, "it did not end well")
    check(grown < GROWTH_LIMIT, f"grew by {grown} bytes over {rounds} queries")
    print(f"  {rounds} random queries after {written - rounds}: {before / 1e6:.1f} MB before, {grown / 1e6:+.2f} MB after")


def few_descriptors(directory, lines, work):
    """Every command under a limit of 32 descriptors."""
    limit = ["prlimit", f"--nofile={DESCRIPTORS}:{DESCRIPTORS}"]
    if shutil.which("prlimit") is None:
        print("skipped: no prlimit here, so no limit of descriptors")
        return False
    records = os.path.join(work, "records.jsonl")
    copy = os.path.join(work, "copy")
    with open(records, "w") as file:
        subprocess.run([shardq, "export", "-i", directory], stdout=file, check=True)
    text = "".join(line + "\n" for line in lines)
    commands = [
        (["query", "--stdin", "-i", directory], text),
        (["export", "-i", directory], ""),
        (["stats", "-i", directory], ""),
        (["verify", "-i", directory], ""),
        # Many small shards from more threads than there are processors: each waits for others to give descriptors back.
        (["build", "-i", copy, "--key", "{name}, {country}", "--memory", "16M", "--shard-size", "8KiB", "--jobs", "8",
          records], ""),
        (["verify", "-i", copy, "--source", records, "--key", "{name}, {country}"], ""),
    ]
    for arguments, given in commands:
        run = subprocess.run(limit + [shardq] + arguments, input=given, capture_output=True, text=True)
        check(run.returncode == 0, f"{arguments[0]} with {DESCRIPTORS} descriptors: {run.returncode}: {run.stderr}")
    print(f"  {DESCRIPTORS} descriptors are enough for {', '.join(sorted({c[0][0] for c in commands}))}")
    full_table(copy)
    os.remove(records)
    shutil.rmtree(copy)
    return True


def full_table(directory):
    """A reader closes its open shard files when no other file can be opened. Of 16 descriptors 9 are inherited, three
    are the reader's input and output, two the index's directory and manifest. It would keep two shard files open."""
    limit, taken = 16, 9
    others = [os.open(os.devnull, os.O_RDONLY) for _ in range(taken)]
    command = ["prlimit", f"--nofile={limit}:{limit}", shardq, "export", "-i", directory]
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, pass_fds=others)
    for other in others:
        os.close(other)
    check(run.returncode == 0, f"with two descriptors left of {limit}: {run.returncode}: {run.stderr}")
    print(f"  two descriptors of {limit} that are left are enough to export")


# Builds


@functools.cache
def in_memory():
    """Copies the programs to a file system in memory, if there is one, and returns the path of shardq. The history of a
    disk file in the system's cache decides how many pages the system maps: a start held 18 MB, and 11 MB of a copy."""
    if not os.path.isdir("/dev/shm") or os.path.isfile(programs):
        return shardq
    copies = tempfile.mkdtemp(prefix="shardq-memory-", dir="/dev/shm")
    atexit.register(shutil.rmtree, copies)
    for name in ["shardq", "shardq-commands"]:
        shutil.copy(os.path.join(programs, name), copies)
    return os.path.join(copies, "shardq")


def peak(arguments, records=(), limit=None, status=0):
    """Runs a command with lines for its standard input; returns the most memory that it held, in bytes."""
    run = subprocess.Popen(
        [in_memory()] + arguments, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    for record in records:
        run.stdin.write(record)
    run.stdin.close()
    error = run.stderr.read().decode()
    _, ended, usage = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(ended)
    held = usage.ru_maxrss << 10
    what = " ".join(argument for argument in arguments if not argument.startswith("/"))
    check(run.returncode == status, f"{what}: status {run.returncode}: {error}")
    print(f"  {held / 1e6:6.1f} MB: {what}", flush=True)
    if limit is not None:
        check(held <= limit, f"{what} held {held} bytes, more than {limit}")
    return held


def large_records(work):
    """A build takes the memory of --memory, or five times its largest record if that is more, zstd's tables and the
    program. The number of large records and the other records do not matter. `verify` takes 64 MiB."""
    index = os.path.join(work, "large")

    def records_of(sizes):
        # In pieces, because the peak of this process would count for the one that it starts.
        for number, size in enumerate(sizes):
            yield b'{"name":"n%d","id":%d,"t":"' % (number, number)
            piece = b"a" * min(size, 50_000)
            for _ in range(size // len(piece)):
                yield piece
            yield b'"}\n'

    mixed = [15_000_000 if n % 4000 == 17 else 5_000_000 if n % 4000 == 18 else 40 for n in range(20_000)]
    for memory, jobs, sizes in [
        (64, 1, [15_000_000] * 12),
        (64, 2, [15_000_000] * 24),
        (64, 2, [5_000_000] * 30),
        (16, 2, [5_000_000] * 30),
        (64, 2, mixed),
    ]:
        limit = max(memory << 20, 5 * max(sizes)) + TABLES + PROGRAM
        print(f"  {len(sizes)} records, the largest of {max(sizes)} bytes:")
        build = ["build", "--input-format", "jsonl", "--key", "{name}", "--id", "id", "--memory", f"{memory}MiB"]
        shutil.rmtree(index, ignore_errors=True)
        peak(build + ["--jobs", str(jobs), "-i", index, "-"], records_of(sizes), limit)
        peak(["verify", "-i", index], limit=64 << 20)
        peak(["export", "-i", index], limit=5 * max(sizes) + PROGRAM)
    print("  1000000 equal records:")
    for memory in 64, 16:
        shutil.rmtree(index, ignore_errors=True)
        records = (b'{"name":"aaaa"}\n' * 1000 for _ in range(1000))
        build = ["build", "--input-format", "jsonl", "--key", "{name}", "--memory", f"{memory}MiB"]
        peak(build + ["--jobs", "2", "-i", index, "-"], records, (memory << 20) + PROGRAM + EQUAL)
    peak(["verify", "-i", index], limit=64 << 20)
    print("  2000 keys of 64 KiB:")
    shutil.rmtree(index, ignore_errors=True)
    records = (b'{"name":"%s%d"}\n' % (b"k" * 65_000, number) for number in range(2000))
    peak(["build", "--input-format", "jsonl", "--key", "{name}", "-i", index, "-"], records)
    peak(["verify", "-i", index], limit=64 << 20)
    shutil.rmtree(index)


def changed_records(work):
    """The other commands with large records. An update takes twelve times a record, a comparison with a dataset five
    times, or ten times if records differ, however many; packs hold compressed shards."""
    size, count, memory = 2_000_000, 12, 16 << 20

    def write(name, letter, numbers):
        path = os.path.join(work, name)
        with open(path, "wb") as file:
            for number in numbers:
                file.write(b'{"name":"n%d","id":%d,"t":"%s"}\n' % (number, number, letter * size))
        return path

    print(f"  {count} records of {size} bytes:")
    old, new, pack = (os.path.join(work, name) for name in ("old", "new", "pack"))
    same, other = write("same.jsonl", b"a", range(count)), write("other.jsonl", b"b", range(count))
    build = ["build", "--key", "{name}", "--id", "id", "--memory", "16MiB", "-i", old, same]
    peak(build, limit=memory + TABLES + PROGRAM)
    peak(["verify", "-i", old, "--source", same], limit=5 * size + PROGRAM)
    # If `verify` held all reported lines, it would hold twelve records more.
    peak(["verify", "-i", old, "--source", other], limit=10 * size + PROGRAM, status=1)
    shutil.copytree(old, new)
    changes = write("changes.jsonl", b"c", range(3, 9))
    update = ["update", "--memory", "16MiB", "-i", new, "--upsert", changes]
    peak(update, limit=max(memory, 12 * size) + TABLES + PROGRAM)
    peak(["diff", old, new, "-o", pack], limit=PROGRAM)
    peak(["apply", "-i", old, pack], limit=PROGRAM)
    peak(["verify", "-i", old], limit=64 << 20)


def main():
    is_long = sys.argv[1:] == ["--long"]
    if sys.argv[1:] not in ([], ["--long"]):
        sys.exit("usage: run.sh [--long]")
    if not os.access(shardq, os.X_OK):
        sys.exit(f"{shardq} is not there: Scripts/build.sh makes it, or name it by SHARDQ_BIN")
    is_complete = True
    try:
        with tempfile.TemporaryDirectory() as work:
            print("large and equal records:", flush=True)
            large_records(work)
        with tempfile.TemporaryDirectory() as work:
            changed_records(work)
        for count in [200_000, 10_000_000] if is_long else [200_000]:
            with tempfile.TemporaryDirectory() as work:
                directory = os.path.join(work, "index")
                print(f"{count} records:", flush=True)
                build(directory, count)
                lines = questions(directory, QUERIES, count)
                is_complete = in_group(directory, lines, work) and is_complete
                growth(directory, lines, 1_000_000 if is_long else 100_000)
                if count == 200_000:
                    is_complete = few_descriptors(directory, lines, work) and is_complete
    except Fault as fault:
        print(f"FAILED: {fault}")
        sys.exit(1)
    sys.exit(0 if is_complete else SKIPPED)


main()
