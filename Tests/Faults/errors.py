#!/usr/bin/env python3
"""Makes every file-system call of builds, queries and verifications fail, once and from then on. docs/faults.md has the
promises: status 0 only with the new generation in place, never after a failed sync; an interrupted or short call is no
error; a query gives the right answer or an error."""

import errno
import os
import shutil
import sys

import faults

ERRORS = ["ENOSPC", "EIO", "EMFILE", "EACCES", "EINTR"]
# The likely errors: a full or broken disk, missing rights or descriptors. The short form tries no others.
LIKELY = {
    "openat": ["ENOSPC", "EIO", "EMFILE", "EACCES", "EINTR"],
    "read": ["EIO", "EINTR"],
    "pread64": ["EIO", "EINTR"],
    "write": ["ENOSPC", "EIO", "EINTR"],
    "pwrite64": ["ENOSPC", "EIO", "EINTR"],
    "fsync": ["EIO", "EINTR"],
    "fdatasync": ["EIO", "EINTR"],
    "close": ["EIO", "EINTR"],
    "mkdir": ["ENOSPC", "EACCES", "EINTR"],
    "renameat": ["ENOSPC", "EIO", "EINTR"],
    "unlinkat": ["EIO", "EINTR"],
    "flock": ["EINTR"],
    "getdents64": ["EIO", "EINTR"],
    "mmap": ["ENOMEM"],
}
# These scenarios make the calls of others in another order: only the long form runs them.
SIMILAR = ["an overlay over a stale one", "an update over an overlay", "a build over an overlay"]
# Calls that wait for nothing are not interrupted, so the programs do not repeat them.
UNINTERRUPTED = ["newfstatat", "fstat", "fcntl", "fadvise64", "lseek", "ioctl", "mmap", "statx"]
SHORT = ["read", "pread64", "write", "pwrite64"]
# A network or a breaking disk may complete these calls and still report a failure.
LATE = ["renameat", "rename", "renameat2", "unlinkat", "unlink", "mkdir", "mkdirat"]
# The true statuses: absent or not readable for this user, or failed. 64 would blame the command line.
HONEST = {"EACCES": (66, 74)}
FAILED = (74,)


class Case:
    def __init__(self, call, error, is_lasting=False, is_late=False):
        self.call, self.error, self.is_lasting, self.is_late = call, error, is_lasting, is_late

    def __str__(self):
        late = ", which was done" if self.is_late else ""
        return f"{self.error} at {self.call}{late}" + (" and from then on" if self.is_lasting else "")

    def wrapper(self):
        if self.error == "SHORT" or self.is_late:
            how = f"late={getattr(errno, self.error)}" if self.is_late else "halves" if self.is_lasting else "short"
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tracer.py")
            return [sys.executable, "-I", "-S", script, how, self.call.name, str(self.call.number)]
        lasting = "+" if self.is_lasting else ""
        return faults.injecting(f"{self.call.name}:error={self.error}:when={self.call.number}{lasting}")

    @property
    def is_harmless(self):
        """Whether it is no error at all."""
        return self.error in ("SHORT", "EINTR")


class FileCase(Case):
    """A failing call on one file, in any thread: for commands whose threads make their calls in any order."""

    def __init__(self, index, file, name, error, is_lasting=False):
        super().__init__(faults.Call(name, 1, f'"{file}"'), error, is_lasting)
        self.paths = [file, os.path.join(index, file)]

    def __str__(self):
        return f"{self.error} at {self.call.name} of {self.paths[0]}" + (" and from then on" if self.is_lasting else "")

    def wrapper(self):
        return [*super().wrapper(), *(word for path in self.paths for word in ("-P", path))]


def file_cases(index, others=frozenset()):
    made = []
    for file in sorted(faults.names(index) - others):
        for name, errors in [("openat", ERRORS), ("newfstatat", ["EIO"]), ("pread64", ["EIO", "EINTR"])]:
            for error in errors:
                made.append(FileCase(index, file, name, error))
                if error != "EINTR":
                    made.append(FileCase(index, file, name, error, is_lasting=True))
    return made


def cases(tools, calls):
    made = []
    for call in calls:
        if call.name == "exit_group":
            continue
        likely = LIKELY.get(call.name, ["EIO"])
        for error in ERRORS if tools.long and call.name != "mmap" else likely:
            if error == "EINTR" and call.name in UNINTERRUPTED:
                continue
            made.append(Case(call, error))
            # A call that is interrupted for ever is repeated for ever.
            if error != "EINTR":
                made.append(Case(call, error, is_lasting=True))
        if call.name in SHORT:
            made += [Case(call, "SHORT"), Case(call, "SHORT", is_lasting=True)]
        if call.name in LATE:
            made += [Case(call, "EIO", is_late=True), Case(call, "EINTR", is_late=True)]
    return made


def run(tools, case, arguments, label, **more):
    """The command's result. None, with a finding, if the command hangs, crashes, or fails at a harmless fault."""
    result = tools.run(arguments, wrapper=case.wrapper(), **more)
    if result.returncode == faults.HANGS:
        tools.finding(f"{label}: it hangs")
        return None
    status, told = result.returncode, result.stderr.decode(errors="replace")
    # Without memory a Swift process cannot go on: it may end at any instant, as if it had been killed.
    if (status < 0 or status >= 128) and case.error != "ENOMEM":
        tools.finding(f"{label}: ends by a signal, status {status}: {told.strip()[-200:]}")
        return None
    if status == faults.SKIPPED:
        tools.untried += 1
        return None
    if case.is_harmless and status != 0:
        tools.finding(f"{label}: ends with {status}: {told.strip()}")
        return None
    return result


def says_why(case, result):
    """Whether the command reports the failure. It cannot if the failing call is the one that writes the report."""
    return result.stderr.startswith(b"shardq: ") or case.call.name == "write" and (case.is_lasting or "<pipe" in case.call.text)


# Builds


def may_succeed(case):
    """Whether a build may end with 0 after this failure: the new generation must not depend on the call."""
    call, text = case.call.name, case.call.text
    if case.is_harmless:
        return True
    if call in ("fsync", "fdatasync", "renameat", "mkdir"):
        return False
    if call in ("write", "close"):
        return ".tmp>" not in text and (call == "close" or "<pipe" in text or "/dev/null" in text)
    return True


def build_case(tools, scenario, number, case):
    label = f"{scenario.name}, {case}"
    index = tools.new_path("index")
    scenario.prepare(index)
    result = run(tools, case, scenario.arguments(index), label)
    if result is not None:
        status = result.returncode
        found = faults.state(tools, index, scenario.references())
        faults.check_held(tools, scenario, index, label)
        if found not in ("old", "new") and not (found == "none" and scenario.old is None):
            tools.finding(f"{label}, status {status}: {found}")
        elif status == 0:
            if found != "new" and scenario.old is not scenario.new:
                tools.finding(f"{label}: status 0, and the index is {found}")
            if not may_succeed(case):
                tools.finding(f"{label}: status 0")
        elif case.error == "ENOMEM":
            pass
        elif status not in HONEST.get(case.error, FAILED):
            tools.finding(f"{label}: status {status}: {result.stderr.decode(errors='replace').strip()}")
        elif not says_why(case, result):
            tools.finding(f"{label}: status {status}, and it does not say why: {result.stderr[:200]}")
        if status > 0 and not case.call.name.startswith("unlink"):
            strays = [name for name in faults.names(index) if name.startswith(".shardq-")]
            if strays:
                tools.finding(f"{label}: status {status}, and it leaves {strays[0]}")
        faults.check_aftermath(tools, scenario, index, found, number, label)
    shutil.rmtree(index, ignore_errors=True)
    return None if result is None else result.returncode


# Queries and verifications


def reading_case(tools, reading, case):
    label = f"{reading.name}, {case}"
    with open(reading.input) as lines:
        result = run(tools, case, reading.arguments(None), label, stdin=lines)
    if result is None:
        return None
    status = result.returncode
    if status == 0:
        if result.stdout != reading.output:
            tools.finding(f"{label}: status 0 with another answer")
        if reading.must_notice(case):
            tools.finding(f"{label}: status 0")
    elif case.error == "ENOMEM":
        pass
    elif reading.finds_damage(status) and os.strerror(getattr(errno, case.error)).encode() in result.stdout + result.stderr:
        pass  # The command has named the file that it cannot read.
    elif status not in HONEST.get(case.error, FAILED):
        tools.finding(f"{label}: status {status}: {result.stderr.decode(errors='replace').strip()}")
    elif not says_why(case, result):
        tools.finding(f"{label}: status {status}, and it does not say why")
    elif not reading.output.startswith(result.stdout):
        tools.finding(f"{label}: status {status}, and the output is no beginning of the answer")
    if tools.run(reading.arguments(None), stdin=open(reading.input)).stdout != reading.output:
        tools.finding(f"{label}: the next one answers differently")
    return status


class Reading:
    """A command that only reads; for `faults.trace` it is a scenario too."""

    old = None

    def __init__(self, tools, name, command, index, input="/dev/null"):
        self.name, self.command, self.index, self.input = name, command, index, input
        result = tools.must(self.arguments(None)) if input == "/dev/null" else tools.run(
            self.arguments(None), stdin=open(input))
        self.output = result.stdout
        if result.returncode != 0:
            sys.exit(f"setup failed: {name} ends with {result.returncode}: {result.stderr}")

    def prepare(self, index):
        pass

    def arguments(self, index):
        return [*self.command, "--index", self.index]

    def finds_damage(self, status):
        return self.command[0] == "verify" and status == 1

    def must_notice(self, case):
        """Whether `verify` must report that it could not read the file."""
        is_reading = case.call.name == "pread64" or case.call.name == "openat" and "O_DIRECTORY" not in case.call.text
        return self.command[0] == "verify" and is_reading and not case.is_harmless


def report(tools, name, outcomes):
    statuses = {}
    for status in outcomes:
        if status is not None:
            tools.cases += 1
            statuses[status] = statuses.get(status, 0) + 1
    print(f"{name}: {sum(statuses.values())} cases, "
          + ", ".join(f"status {status}: {count}" for status, count in sorted(statuses.items())), flush=True)


def main():
    tools = faults.Tools(__doc__)
    tools.need_strace()
    count = 200 if tools.long else 40
    for scenario in faults.scenarios(tools, count):
        if scenario.name in SIMILAR and not tools.long and not tools.options.only:
            continue
        made = cases(tools, faults.trace(tools, scenario))
        report(tools, scenario.name, tools.each(
            lambda item: build_case(tools, scenario, *item), tools.sample(scenario.name, enumerate(made))))
    index = tools.path(f"built-old-{count}")
    lines = tools.path("lines")
    with open(lines, "w") as file:
        file.write("a\nzz\n\nba city\n")
    verified, overlaid = (tools.path(f"built-{name}-{count}") for name in ("one", "overlaid-more"))
    for reading in [
        Reading(tools, "query", ["query", "", "--all", "--format", "jsonl"], index),
        Reading(tools, "queries", ["query", "--stdin"], index, lines),
        Reading(tools, "verify", ["verify"], verified),
        Reading(tools, "stats", ["stats"], index),
        Reading(tools, "query over an overlay", ["query", "", "--all", "--format", "jsonl"], overlaid),
        Reading(tools, "queries over an overlay", ["query", "--stdin"], overlaid, lines),
        Reading(tools, "verify of an overlay", ["verify"], overlaid),
    ]:
        if tools.options.only in reading.name:
            made = file_cases(reading.index, faults.shards(tools.path(f"built-older-{count}"))) if reading.command[0] == "verify" else cases(
                tools, faults.trace(tools, reading, keep=True))
            report(tools, reading.name, tools.each(
                lambda case: reading_case(tools, reading, case), tools.sample(reading.name, made)))
    least = (5000 if tools.long else 400) // tools.every
    if not tools.options.only and tools.cases < least:
        tools.finding(f"only {tools.cases} cases, there should be {least}")
    if tools.untried:
        print(f"{tools.untried} cases were not tried: the tracer of this directory does not know this machine")
    return tools.end("errors")


if __name__ == "__main__":
    sys.exit(main())
