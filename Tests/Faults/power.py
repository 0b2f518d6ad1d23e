#!/usr/bin/env python3
"""Cuts the power at every writing call of a build, in two ways. A model of a file system loses all that a file system may
lose. If this user may mount, real ext4 and XFS on a loop device are copied at the cut. docs/faults.md has the promises."""

import copy
import hashlib
import os
import random
import re
import shutil
import subprocess
import sys

import faults

# The model

SECTOR = 512  # A disk writes so many bytes whole or not at all.


class Record:
    """The requests of a build to the file system, in order, and the files before it.

    An event is ("create", directory, name, file), ("write", file, offset, bytes), ("truncate", file, size),
    ("rename", directory, from, to), ("unlink", directory, name), ("mkdir", parent, name), ("sync", file or directory).
    Files have numbers, also those from before the build.
    """

    def __init__(self):
        self.events = []
        self.files = {}  # Number to content, of the files from before.
        self.entries = {}  # Name to number, of the same files.
        self.first_end = None  # The number of events when a first command ended with 0.


STRING = r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?'
LINE = re.compile(r"^\d+ +(\w+)\((.*)\) += (-?\d+)")
DESCRIPTOR = re.compile(r"^(AT_FDCWD|\d+)")


def unescaped(text):
    return bytes.fromhex(text.replace("\\x", ""))


def recorded(tools, scenario, killed=None, first=None):
    """Runs the scenario's command; returns its record and its directory. Before, `first` or, with `killed`, the same
    command runs, up to the call `killed` or to its end."""
    index = tools.new_path("index")
    scenario.prepare(index)
    record = Record()
    for number, name in enumerate(sorted(faults.names(index))):
        record.entries[name] = number
        record.files[number] = faults.read(os.path.join(index, name))
    current = dict(record.entries)
    calls = "openat,open,write,pwrite64,ftruncate,fsync,fdatasync,close,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,linkat"
    lines = []
    runs = [(scenario, None)]
    if killed or first:
        runs.insert(0, (first or scenario, killed))
    for run, injection in runs:
        log = tools.new_path("trace")
        wrapper = ["strace", "-f", "-qq", "-xx", "-s", str(1 << 22), "-o", log, "-e", "trace=" + calls]
        if injection:
            wrapper += ["-e", f"inject={injection.name}:signal=KILL:when={injection.number}"]
        result = tools.run(run.arguments(index), wrapper=wrapper)
        if result.returncode != (-9 if injection else 0):
            sys.exit(f"setup failed: {run.name} ends with {result.returncode}")
        # Between two runs every descriptor is closed.
        lines += [*open(log), "killed" if injection else "ended"]
        os.remove(log)
    parent = os.path.dirname(index)
    opened, positions, next_file = {}, {}, len(record.files)

    def place(directory, name):
        """The directory, and the name in it; None outside of the index."""
        base = "/" if directory == "AT_FDCWD" else opened.get(int(directory))
        if not isinstance(base, str):
            return None
        path = os.path.normpath(os.path.join(base, name.decode()))
        if path in (index, parent):
            return path, None
        return (index, os.path.basename(path)) if os.path.dirname(path) == index else None

    for line in lines:
        if line in ("killed", "ended"):
            opened.clear()
            if line == "ended" and record.first_end is None:
                record.first_end = len(record.events)
            continue
        match = LINE.match(line)
        if not match or int(match[3]) < 0:
            continue
        call, text, value = match[1], match[2], int(match[3])
        strings = re.findall(STRING, text)
        if any(cut for _, cut in strings):
            sys.exit("setup failed: the trace leaves data out")
        strings = [unescaped(string) for string, _ in strings]
        first = DESCRIPTOR.match(text)
        descriptor = int(first[1]) if first and first[1] != "AT_FDCWD" else None
        if call in ("openat", "open"):
            found = place(first[1] if call == "openat" else "AT_FDCWD", strings[0])
            opened.pop(value, None)
            if found is None:
                continue
            if found[1] is None:
                opened[value] = found[0]
                continue
            number = current.get(found[1])
            if number is None and "O_CREAT" in text:
                number, next_file = next_file, next_file + 1
                current[found[1]] = number
                record.events.append(("create", index, found[1], number))
            elif number is not None and "O_TRUNC" in text:
                record.events.append(("truncate", number, 0))
            if number is not None:
                opened[value], positions[value] = number, 0
        elif call in ("write", "pwrite64") and isinstance(opened.get(descriptor), int):
            data = strings[0][:value]
            if call == "write":
                offset = positions[descriptor]
                positions[descriptor] += len(data)
            else:
                offset = int(text.rsplit(", ", 1)[1])
            record.events.append(("write", opened[descriptor], offset, data))
        elif call == "ftruncate" and isinstance(opened.get(descriptor), int):
            record.events.append(("truncate", opened[descriptor], int(text.rsplit(", ", 1)[1])))
        elif call in ("fsync", "fdatasync") and descriptor in opened:
            record.events.append(("sync", opened[descriptor]))
        elif call == "close":
            opened.pop(descriptor, None)
        elif call.startswith("rename"):
            directories = re.findall(r"(?:^|, )(AT_FDCWD|\d+), \"", text) if call != "rename" else ["AT_FDCWD"] * 2
            source, target = place(directories[0], strings[0]), place(directories[1], strings[1])
            if source and target:
                current[target[1]] = current.pop(source[1])
                record.events.append(("rename", index, source[1], target[1]))
        elif call.startswith("unlink"):
            found = place(first[1] if call == "unlinkat" else "AT_FDCWD", strings[0])
            if found:
                current.pop(found[1], None)
                record.events.append(("unlink", index, found[1]))
        elif call.startswith("mkdir"):
            if os.path.normpath(strings[0].decode()) == index:
                record.events.append(("mkdir", parent, os.path.basename(index)))
        elif call == "linkat":
            sys.exit("setup failed: the model knows no hard links")
    return record, index


class Disk:
    """The state of a file system in which data that was not synced may be missing."""

    def __init__(self, record, is_there):
        self.durable = {number: data for number, data in record.files.items()}
        self.latest = dict(self.durable)
        self.entries = dict(record.entries)  # The directory as it was last synced.
        self.pending = []  # Operations on the directory since.
        self.is_there = is_there  # Whether the directory's own name is durable.
        self.was_made = is_there

    def apply(self, event, index):
        kind = event[0]
        if kind == "write":
            _, number, offset, data = event
            old = self.latest.get(number, b"").ljust(offset, b"\0")
            self.latest[number] = old[:offset] + data + old[offset + len(data):]
        elif kind == "truncate":
            self.latest[event[1]] = self.latest.get(event[1], b"")[:event[2]].ljust(event[2], b"\0")
        elif kind == "sync":
            if isinstance(event[1], int):
                self.durable[event[1]] = self.latest.get(event[1], b"")
            elif event[1] == index:
                self.entries = self.with_pending(self.pending)
                self.pending = []
            else:
                self.is_there = self.was_made
        elif kind == "mkdir":
            self.was_made = True
        else:
            if kind == "create":
                self.latest.setdefault(event[3], b"")
            self.pending.append(event)

    def with_pending(self, operations):
        entries = dict(self.entries)
        for operation in operations:
            if operation[0] == "create":
                entries[operation[2]] = operation[3]
            elif operation[0] == "unlink":
                entries.pop(operation[2], None)
            else:
                number = entries.pop(operation[2], None)
                if number is None:  # The creation was lost and the rename was not: the file exists.
                    number = self.created.get(operation[2])
                if number is not None:
                    entries[operation[3]] = number
        return entries

    # Name of creation to number, for renames whose creation is lost.
    created = {}

    def content(self, number, damage):
        """A possible content of a file after a crash: the synced data, the latest data, or a mixture. Synced data that
        was overwritten is old or new, sector by sector."""
        durable, latest = self.durable.get(number), self.latest.get(number, b"")
        if durable == latest:
            return latest
        durable = durable or b""
        if damage == "lost":
            return durable
        if damage == "zeros":
            return durable.ljust(len(latest), b"\0")
        if damage == "half":
            half = len(latest) // 2
            half -= half % SECTOR if half < len(durable) else 0
            return latest[:half] + durable[half:]
        changed = [at for at in range(0, len(latest), SECTOR) if latest[at:at + SECTOR] != durable[at:at + SECTOR]]
        lost = {"first": changed[:1], "last": changed[-1:]}.get(damage, [])
        data = bytearray(latest)
        for at in lost:
            data[at:at + SECTOR] = durable[at:at + SECTOR].ljust(len(latest[at:at + SECTOR]), b"\0")
        return bytes(data)

    DAMAGES = ("whole", "lost", "zeros", "half", "first", "last")

    def states(self, generator, count):
        """The possible directories after a cut now, each as names and contents; None means no directory."""
        if self.was_made and not self.is_there:
            yield None
        pending = self.pending
        subsets = [pending[:size] for size in range(len(pending) + 1)]
        subsets += [[operation] for operation in pending]
        subsets += [pending[:at] + pending[at + 1:] for at in range(len(pending))]
        for subset in subsets:
            entries = self.with_pending(subset)
            for damage in self.DAMAGES:
                yield {name: self.content(number, damage) for name, number in entries.items()}
        for _ in range(count):
            entries = self.with_pending([operation for operation in pending if generator.random() < 0.5])
            yield {name: self.content(number, generator.choice(self.DAMAGES)) for name, number in entries.items()}


def place_state(directory, files):
    if files is None:
        return
    os.mkdir(directory)
    for name, data in files.items():
        with open(os.path.join(directory, name), "wb") as file:
            file.write(data)


def fingerprint(files):
    if files is None:
        return b""
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + hashlib.sha256(files[name]).digest())
    return digest.digest()


def possible_states(tools, scenario, record, index, lies=False):
    """Every distinct state of every cut: label, files, and the number of commands that had ended with 0."""
    disk = Disk(record, scenario.old is not None)
    disk.created = {event[2]: event[3] for event in record.events if event[0] == "create"}
    generator = random.Random(1)
    seen = set()
    for at in range(len(record.events) + 1):
        is_over = at == len(record.events)
        ended = 2 if is_over else 1 if at >= record.first_end else 0
        for files in disk.states(generator, 200 if tools.long else 20):
            key = (fingerprint(files), ended)
            if key not in seen:
                seen.add(key)
                yield f"{scenario.name}, power cut after {at} of {len(record.events)} events", files, ended
        if not is_over:
            event = record.events[at]
            if not (lies and event[0] == "sync"):
                disk.apply(event, index)


def judge(tools, scenario, item):
    """The state of a directory; a wrong one is a finding."""
    number, (label, files, ended) = item
    index = tools.new_path("index")
    place_state(index, files)
    found = faults.state(tools, index, scenario.references())
    wrong = None
    if found not in scenario.references() and not (found == "none" and scenario.old is None):
        wrong = f"{label}: {found}"
    elif found == "old" and ended and scenario.old is not scenario.new or ended == 2 and found not in ("old", "new"):
        wrong = f"{label}: the status was 0, and the index is {found}"
    return number, label, index, found, wrong


def model(tools, scenario, killed=None, first=None):
    record, index = recorded(tools, scenario, killed, first)
    is_second = killed or first
    # The record is right if all of it together makes the directory that the build left.
    disk = Disk(record, scenario.old is not None)
    for event in record.events:
        disk.apply(event, index)
    last = {name: disk.latest[number] for name, number in disk.with_pending(disk.pending).items()}
    real = {name: faults.read(os.path.join(index, name)) for name in faults.names(index)}
    if last != real:
        sys.exit(f"setup failed: the record of {scenario.name} does not make the files of the build")
    shutil.rmtree(index)

    def one(item):
        number, label, place, found, wrong = judge(tools, scenario, item)
        if wrong:
            tools.finding(wrong)
        else:
            if not is_second:  # Two builds are two generations, so the first may have gone.
                faults.check_held(tools, scenario, place, label)
            faults.check_aftermath(tools, scenario, place, found, number, label)
        shutil.rmtree(place, ignore_errors=True)
        return found

    states = enumerate(possible_states(tools, scenario, record, index))
    found = tools.each(one, tools.sample(scenario.name, states))
    tools.cases += len(found)
    counts = {name: found.count(name) for name in sorted(set(found))}
    print(f"{scenario.name}: {len(record.events)} events, {len(found)} states, "
          + ", ".join(f"{count} {name}" for name, count in counts.items()), flush=True)
    if scenario.old is scenario.new or is_second:
        return

    # The model must notice a disk whose syncs do nothing, or it notices nothing.
    def lied(item):
        *_, place, _, wrong = judge(tools, scenario, item)
        shutil.rmtree(place, ignore_errors=True)
        return wrong is not None

    lies = list(enumerate(possible_states(tools, scenario, record, index, lies=True)))[-100:]
    sample = tools.sample(scenario.name, lies)
    caught = sum(tools.each(lied, sample))
    if not caught:  # Few of them may be wrong.
        sample = lies
        caught = sum(tools.each(lied, sample))
    print(f"{scenario.name}, on a disk that syncs nothing: {caught} of {len(sample)} states caught", flush=True)
    if not caught:
        tools.finding(f"{scenario.name}: a disk that syncs nothing is not noticed")


# Real file systems


def system(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True)


class RealDisk:
    """A file system in a file, mounted by a loop device."""

    def __init__(self, tools, kind):
        self.tools, self.kind = tools, kind
        self.base, self.image, self.cut = (tools.path(f"{kind}-{name}") for name in ("base", "image", "cut"))
        self.mounts = [tools.path(f"{kind}-mount-{name}") for name in ("image", "cut")]
        for mount in self.mounts:
            os.mkdir(mount)
        tools.undo.append(self.close)
        self.reason = self.make()

    def make(self):
        """The reason why it cannot be used, or None."""
        with open(self.base, "wb") as file:
            file.truncate((16 if self.kind == "ext4" else 320) << 20)
        made = system("mkfs." + self.kind, "-q", self.base) if shutil.which("mkfs." + self.kind) else None
        if made is None or made.returncode != 0:
            return f"no mkfs.{self.kind}" if made is None else made.stderr.strip()
        mounted = self.mount(self.base, 0)
        if mounted is None:
            system("umount", self.mounts[0])
        return mounted

    def mount(self, image, which):
        result = system("mount", "-o", "loop", image, self.mounts[which])
        return None if result.returncode == 0 else result.stderr.strip()

    def must_mount(self, image, which):
        reason = self.mount(image, which)
        if reason is not None:
            raise OSError(f"cannot mount {image}: {reason}")

    def unmount(self, which):
        for _ in range(50):
            if system("umount", self.mounts[which]).returncode == 0:
                return
        raise OSError(f"cannot unmount {self.mounts[which]}")

    @staticmethod
    def copy(source, target):
        subprocess.run(["cp", "--sparse=always", source, target], check=True)

    def close(self):
        for mount in self.mounts:
            while os.path.ismount(mount) and system("umount", mount).returncode == 0:
                pass

    def prepare(self, scenario):
        """The base: the index as it was before, on the medium."""
        self.must_mount(self.base, 0)
        index = os.path.join(self.mounts[0], "index")
        shutil.rmtree(index, ignore_errors=True)
        scenario.prepare(index)
        os.sync()
        self.unmount(0)

    def run(self, scenario, wrapper, check):
        """Runs the command, copies the disk as it is when the command ends, and has `check` look at the copy."""
        self.copy(self.base, self.image)
        self.must_mount(self.image, 0)
        result = self.tools.run(scenario.arguments(os.path.join(self.mounts[0], "index")), wrapper=wrapper)
        self.copy(self.image, self.cut)
        self.unmount(0)
        self.must_mount(self.cut, 1)
        try:
            return check(result, os.path.join(self.mounts[1], "index"))
        finally:
            self.unmount(1)


def real(tools, disk, scenario):
    disk.prepare(scenario)
    calls = [call for call in faults.trace(tools, scenario) if faults.is_write_side(call)]
    counts = {}

    def check(label, must_be_new, number):
        def look(result, index):
            found = faults.state(tools, index, scenario.references())
            counts[found] = counts.get(found, 0) + 1
            tools.cases += 1
            if must_be_new and (result.returncode != 0 or found != "new"):
                tools.finding(f"{label}: status {result.returncode}, and the index is {found}")
            elif not must_be_new and result.returncode != -9:
                tools.finding(f"{label}: it was not killed, but ended with {result.returncode}")
            elif found not in ("old", "new") and not (found == "none" and scenario.old is None):
                tools.finding(f"{label}: {found}")
            faults.check_held(tools, scenario, index, label)
            faults.check_aftermath(tools, scenario, index, found, number, label)
        return look

    for number, call in tools.sample(disk.kind + scenario.name, enumerate(calls)):
        label = f"{disk.kind}, {scenario.name}, power cut before {call}"
        disk.run(scenario, faults.injecting(f"{call.name}:signal=KILL:when={call.number}"), check(label, False, number))
    if scenario.old is scenario.new:
        return
    for number in range(5 if tools.every == 1 else 1):
        disk.run(scenario, [], check(f"{disk.kind}, {scenario.name}, power cut after status 0", True, number))
    print(f"{disk.kind}, {scenario.name}: {sum(counts.values())} cuts, "
          + ", ".join(f"{count} {name}" for name, count in sorted(counts.items())), flush=True)

    # With syncs that do nothing, the harness must notice the loss of reported data.
    def lost(result, index):
        return result.returncode == 0 and faults.state(tools, index, scenario.references()) != "new"

    if not disk.run(scenario, faults.injecting("fsync,fdatasync:retval=0"), lost):
        tools.finding(f"{disk.kind}, {scenario.name}: a disk that syncs nothing is not noticed")


class Following(faults.Scenario):
    """A command after another one, whose files may not all be on the medium yet."""

    def __init__(self, first, then, how):
        # Builds only, because the result of an update depends on the state before it.
        follow = [then.follow[-1], *([first.back] if first.back else [])]
        super().__init__(f"{then.name}, after {first.name}{how}", first.old, then.command, then.new, follow)
        self.between = first.new

    def references(self):
        return {**super().references(), "between": self.between}


def last_sync(tools, scenario):
    return [call for call in faults.trace(tools, scenario) if call.name in ("fsync", "fdatasync")][-1]


def follow_overlays(tools, made):
    """A command after a change of the overlay: the change is in its place, and perhaps not yet on the medium."""
    made = {scenario.name: scenario for scenario in made}
    pairs = [
        # The build brings the overlay's manifest back, and the overlay's removal was not synced.
        ("an overlay merged", "a build of the same over an overlay", False),
        ("an overlay merged", "a build of the same over an overlay", True),
        ("an update over an overlay", "an overlay over a stale one", True),
        ("an overlay", "an overlay merged", True),
        ("an overlay", "an overlay over another", True),
        ("an overlay taken back", "an overlay", True),
    ]
    for one, other, is_killed in pairs:
        if one in made and other in made:
            first, last = made[one], None
            if is_killed:
                last = last_sync(tools, first)
            how = ", killed before its last sync" if is_killed else ""
            model(tools, Following(first, made[other], how), killed=last, first=first)


def main():
    tools = faults.Tools(__doc__, extra=lambda parser: parser.add_argument(
        "--real", choices=["auto", "no", "only"], default="auto", help="whether real file systems are tried (auto: where it is possible)"))
    tools.need_strace()
    made = faults.scenarios(tools, 300 if tools.long else 60)
    if tools.options.real != "only":
        for scenario in made:
            model(tools, scenario)
            if scenario.name in ("first build", "one record changed", "a pack applied", "an overlay", "an overlay merged",
                                 "an overlay over another"):
                # The next build finds a manifest in place that is not on the medium, and must sync it too.
                last = last_sync(tools, scenario)
                again = copy.copy(scenario)
                again.name += ", again after a kill before the last sync"
                model(tools, again, killed=last)
        follow_overlays(tools, made)
    if tools.options.real != "no":
        # More shards are more of the same calls, and every cut takes two mounts.
        made = faults.scenarios(tools, 60) if tools.long else made
        for kind in ("ext4", "xfs") if tools.long else ("ext4",):
            disk = RealDisk(tools, kind)
            if disk.reason is not None:
                print(f"not tried on {kind}: {disk.reason}", flush=True)
                continue
            before = tools.cases
            for scenario in made:
                if tools.long or scenario.name == "one record changed":
                    real(tools, disk, scenario)
            print(f"{kind}: {tools.cases - before} cuts", flush=True)
    return tools.end("power")


if __name__ == "__main__":
    sys.exit(main())
