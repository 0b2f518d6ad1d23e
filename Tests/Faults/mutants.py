#!/usr/bin/env python3
"""Breaks the builder and the reader on purpose, in one way after the other. The harnesses must find each fault, else they
do not check for it. The script replaces a few lines in a copy of the sources and builds the copy; missing lines are an
error. It takes some minutes, and prints the table of docs/faults.md."""

import os
import re
import shutil
import signal
import subprocess
import sys

import faults

PUBLISHER = "Sources/ShardBuilder/Publish/Publisher.swift"
SHARDS = "Sources/ShardBuilder/Publish/Publisher+Shards.swift"
OVERLAID = "Sources/ShardBuilder/Publish/Publisher+Overlay.swift"
TEMPORARY = "Sources/ShardBuilder/Publish/Publisher+TemporaryFiles.swift"
LOCK = "Sources/ShardBuilder/Publish/HeldDirectory.swift"
PREVIOUS = "Sources/ShardBuilder/Publish/PreviousIndex.swift"
SYSTEM = "Sources/ShardBuilder/Sort/SystemFile.swift"
RETRYING = "Sources/System/CLibrary/CLibrary.swift"
FRAME = "Sources/ShardedIndex/Format/Frame/ZstdFrame.swift"
DECOMPRESSOR = "Sources/ShardedIndex/Format/Frame/Decompressor.swift"
SHARD = "Sources/ShardedIndex/Format/Shard/PackedPart.swift"
FILE = "Sources/ShardedIndex/Store/IndexFile.swift"
DIRECTORY = "Sources/ShardedIndex/Store/IndexDirectory.swift"
CHECK = "Sources/ShardBuilder/Publish/ShardFile.swift"
OVERLAY = "Sources/ShardedIndex/Format/Overlay/Overlay.swift"

SETTLE = "      try settleAdded()\n"
SYNC_BEFORE = ("      // This sync also puts a stale overlay's changes on the medium, in the current manifest.\n"
               "      try syncNames()\n")
BEHIND = "    if overlay == .replaced, hasOverlay {\n"
SYNC_AFTER = "    try syncNames()\n" + BEHIND
STALE = "      if overlay == .stale, hasOverlay {\n"

# The break; the harness that must find it, with options; file, text, text in its place.
MUTANTS = [
    ("the manifest takes its place before its shards", "kill.py --only full", [
        (PUBLISHER, SETTLE + SYNC_BEFORE, ""),
        (PUBLISHER, SYNC_AFTER, "    try settleAdded()\n" + SYNC_AFTER)]),
    ("the manifest is written in place", "kill.py --only full", [
        (PUBLISHER, "      try rename(temporary, Self.manifestName)\n    } catch {",
         "      let inPlace = try open(Self.manifestName, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)\n"
         "      _ = manifest.withUnsafeBytes { try? SystemFile.write($0, to: inPlace, path: directory) }\n"
         "      try closeSynced(inPlace, directory)\n"
         "      _ = remove(temporary)\n    } catch {")]),
    ("shards are written in place, and an existing one is believed", "kill.py --only first", [
        (SHARDS, "    defer { _ = close(file) }\n    var status = stat()\n    guard unsafe fstat(file, &status) == 0 else "
         "{ throw .io(operation: \"read\", path: path(name), errno: errno) }\n",
         "    defer { _ = close(file) }\n    if !bytes.isEmpty { return .kept }\n    var status = stat()\n"
         "    guard fstat(file, &status) == 0 else { throw .io(operation: \"read\", path: path(name), errno: errno) }\n"),
        (SHARDS, "    let (file, temporary) = try writeTemporary(bytes)\n    let group",
         "    let (file, temporary) = (try open(name, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644), name)\n"
         "    _ = bytes.withUnsafeBytes { try? SystemFile.write($0, to: file, path: path(name)) }\n    let group")]),
    ("temporary files of a killed build stay", "kill.py --only full", [
        (PUBLISHER, "in: descriptor) { _ = remove(name) }", "in: descriptor) { _ = name }")]),
    ("named runs of a killed sort stay", "kill.py --only sort", [
        (TEMPORARY, "    if name.hasPrefix(SystemFile.temporaryPrefix) {\n",
         "    if name.hasPrefix(SystemFile.temporaryPrefix), name.isEmpty {\n")]),
    ("shards of the generation before are removed at once", "kill.py --only full", [
        (SHARDS, "    for name in previous { _ = needed.insert(name) }\n", "")]),
    ("no lock", "kill.py --only full", [
        (LOCK, "retrying { flock(descriptor, LOCK_EX | LOCK_NB) }", "retrying { flock(descriptor, LOCK_UN) }"),
        (LOCK, "retrying({ flock(lock, LOCK_EX | LOCK_NB) })", "retrying({ flock(lock, LOCK_UN) })")]),
    ("files are not synced", "power.py --real no --only full", [
        (TEMPORARY, "      try SystemFile.sync(file, path: path)\n", "      if path.isEmpty { try SystemFile.sync(file, path: path) }\n")]),
    ("the directory is not synced before the manifest's rename", "power.py --real no --only full", [
        (PUBLISHER, SYNC_BEFORE, "")]),
    ("the directory is not synced after the manifest's rename", "power.py --real no --only full", [
        (PUBLISHER, SYNC_AFTER, BEHIND)]),
    ("the same, on a real file system", "power.py --real only --only one", [
        (PUBLISHER, SYNC_AFTER, BEHIND)]),
    ("the parent of a new directory is not synced", "power.py --real no --only first", [
        (PUBLISHER, "if !names.contains(Self.manifestName) { try syncParent() }", "if names.isEmpty { try syncParent() }")]),
    ("failed syncs are ignored", "errors.py --only full", [
        (SYSTEM, 'guard retrying({ fsync(descriptor) }) == 0 else { throw .io(operation: "sync", path: path, errno: errno) }',
         "_ = retrying { fsync(descriptor) }")]),
    ("failed writes are ignored", "errors.py --only full", [
        (SYSTEM, 'throw .io(operation: "write", path: path, errno: errno)', "return")]),
    ("failed closes are ignored", "errors.py --only full", [
        (TEMPORARY, 'guard close(file) == 0 || errno == EINTR else { throw .io(operation: "close", path: path, errno: errno) }',
         "_ = close(file)")]),
    ("a short write is taken for a whole one", "errors.py --only full", [
        (SYSTEM, "        offset += written\n", "        offset = bytes.count\n")]),
    ("a short read is taken for a whole one", "errors.py --only quer", [
        (FILE, "if count > 0 { done += count }", "if count > 0 { done = size }")]),
    ("an interrupted call is an error", "errors.py --only full", [
        (RETRYING, "if result != -1 || errno != EINTR { return result }", "if result != -1 || errno != 0 { return result }")]),
    ("a manifest that cannot be read is taken for none", "errors.py --only full", [
        (PREVIOUS, "case .index(.io(let operation, let path, let code)): throw .io(operation: operation, path: path, errno: code)\n",
         "case .index(.io): return nil\n")]),
    ("a failing rename of the manifest takes its shards away", "errors.py --only full", [
        (PUBLISHER, "Self.manifestName)\n    } catch {\n      _ = remove(temporary)\n",
         "Self.manifestName)\n    } catch {\n      monitor.withLock { state.isOver = false }\n      abandon()\n      throw error\n")]),
    ("an overlay of another manifest counts", "kill.py --only stale", [
        (OVERLAY, "guard header.manifestSize == UInt64(manifestSize), header.rootChecksum == rootChecksum else",
         "guard header.manifestSize | header.rootChecksum > 0 else")]),
    ("an overlay is removed before the manifest with its changes is in place", "kill.py --only merged", [
        (PUBLISHER, STALE, STALE.replace("==", "!=").replace("stale", "kept"))]),
    ("an overlay is removed behind the manifest without a sync", "power.py --real no --only merged", [
        (PUBLISHER, SYNC_AFTER, "    if overlay == .replaced, hasOverlay { try removeOverlay() }\n" + SYNC_AFTER)]),
    ("a stale overlay stays when its manifest comes back", "kill.py --only stale", [
        (PUBLISHER, STALE, STALE.replace(" {", ", manifest.isEmpty {"))]),
    ("a stale overlay is removed without a sync when its manifest comes back", "power.py --real no --only stale", [
        (PUBLISHER, "        try removeOverlay()\n        try syncNames()\n        try held.check()\n",
         "        try removeOverlay()\n        try held.check()\n")]),
    ("a stale overlay is removed before the manifest with its changes is on the medium", "power.py --real no --only merged", [
        (PUBLISHER, "      try syncNames()\n      try removeOverlay()\n    }\n    try syncNames()\n",
         "      try removeOverlay()\n    }\n    try syncNames()\n")]),
    ("an overlay replaces a stale one before that manifest is on the medium", "power.py --real no --only overlay", [
        (OVERLAID, "      if hasOverlay, isOverStale { try syncNames() }\n", "")]),
    ("the directory is not synced after an overlay's rename", "power.py --real no --only overlay", [
        (OVERLAID, "    try syncNames()\n    return isChanged\n", "    return isChanged\n")]),
    ("an overlay is written in place", "kill.py --only another", [
        (OVERLAID, "    try rename(temporary, Self.overlayName)\n",
         "    let inPlace = try open(Self.overlayName, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)\n"
         "    try SystemFile.write(overlay, to: inPlace, path: directory)\n"
         "    try closeSynced(inPlace, directory)\n"
         "    _ = remove(temporary)\n")]),
    ("an overlay that cannot be read is taken for none", "errors.py --only quer", [
        (DIRECTORY, "      if errno == ENOENT { return nil }\n", "      if errno != EACCES { return nil }\n")]),
    ("a reader that opened an overlay does not look again", "kill.py --only stale", [
        (DIRECTORY, "0 else { return errno != ENOENT }\n    return FileStamp(status) == stamp", "0 else { return true }\n    return true")]),
    ("checksums are neither compared nor checked", "damage.py", [
        (SHARD, "guard found == checksum else { throw", "guard found == checksum || checksum != 0 else { throw"),
        (FRAME, "        && checksum(of: source) == UInt32(", "        && checksum(of: source) ?? 0 != UInt32("),
        (DECOMPRESSOR, "    isMade = true\n", "    isMade = true\n    ZSTD_DCtx_setParameter(made, ZSTD_d_experimentalParam3, 1)\n")]),
    ("links in the place of files are followed", "outside.py", [
        (DIRECTORY, "{ O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC }", "{ O_RDONLY | O_NONBLOCK | O_CLOEXEC }")]),
    ("verify compares no digests", "damage.py --long", [
        (CHECK, "if Digest.sha256(bytes.span).starts(with: digest) {", "if !bytes.isEmpty {")]),
]


class Copy:
    """A copy of the sources, built anew after each change."""

    def __init__(self, tools, directory):
        self.tools, self.directory = tools, directory
        # Package.swift names folders of Fuzz and Tests.
        files = subprocess.run(["git", "ls-files", "-z", "Package.swift", "Sources", "Fuzz", "Tests"], cwd=faults.ROOT,
                               capture_output=True, check=True)
        for name in files.stdout.decode().split("\0")[:-1]:
            target = os.path.join(directory, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(os.path.join(faults.ROOT, name), target)
        self.bin = os.path.join(directory, ".build", "debug")

    def build(self):
        result = subprocess.run(
            ["swift", "build", "--traits", "CommandLineTool", "--product", "shardq-commands", "--static-swift-stdlib"],
            cwd=self.directory, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit("the mutant does not build:\n" + result.stdout[-4000:] + result.stderr[-2000:])
        # The front hands these commands on.
        if not os.path.lexists(os.path.join(self.bin, "shardq")):
            os.symlink("shardq-commands", os.path.join(self.bin, "shardq"))

    def replace(self, changes):
        """Makes the changes, and returns the texts that undo them."""
        kept = {}
        for name, old, new in changes:
            path = os.path.join(self.directory, name)
            text = open(path).read()
            kept.setdefault(path, text)
            if text.count(old) != 1:
                sys.exit(f"{name} has these lines {text.count(old)} times, so that they cannot be replaced:\n{old}")
            with open(path, "w") as file:
                file.write(text.replace(old, new))
        return kept

    def restore(self, kept):
        for path, text in kept.items():
            with open(path, "w") as file:
                file.write(text)

    def run(self, harness):
        """The harness's status, and its first finding; status 2 if it could not begin."""
        script, *options = harness.split()
        command = [sys.executable, os.path.join(faults.ROOT, "Tests/Faults", script), "--bin", self.bin,
                   "--jobs", str(self.tools.options.jobs), *options]
        # A harness that stops at once leaves files, which go with this one's directory, and processes.
        process = subprocess.Popen([*command, "--stop"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   start_new_session=True, env={**os.environ, "TMPDIR": self.tools.directory})
        output = ""
        for line in process.stdout:
            output += line
            if line.startswith(("  FOUND ", "stopped ")):
                break
        process.wait()
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        lines = [line for line in output.splitlines() if line.startswith("  FOUND ")]
        told = lines[0][len("  FOUND "):] if lines else output[-300:]
        # On the unchanged sources it is set up.
        is_told = lines or "setup failed: " in output
        status = process.returncode if is_told or process.returncode != 1 else 2
        return status, re.sub(r"/\S*/", "", told).strip()[:120]


def check_patterns(copy, mutants):
    for _, _, changes in mutants:
        copy.restore(copy.replace(changes))


def main():
    tools = faults.Tools(__doc__, extra=lambda parser: parser.add_argument(
        "--patterns", action="store_true", help="only look whether every replacement still has its lines"))
    tools.need_strace()
    mutants = [mutant for mutant in MUTANTS if tools.options.only in mutant[0]]
    copy = Copy(tools, tools.path("copy"))
    check_patterns(copy, mutants)
    if tools.options.patterns:
        tools.cases = len(mutants)
        return tools.end("mutants, patterns")
    copy.build()
    # A harness with a finding in the unchanged sources proves nothing about a mutant.
    for harness in sorted({harness for _, harness, _ in mutants}):
        status, told = copy.run(harness)
        print(f"unchanged, {harness}: status {status}", flush=True)
        if status != 0:
            sys.exit(f"{harness} does not pass on the unchanged sources: {told}")
    print("\n| broken on purpose | found by | first finding |\n|---|---|---|")
    for name, harness, changes in mutants:
        kept = copy.replace(changes)
        copy.build()
        status, told = copy.run(harness)
        copy.restore(kept)
        tools.cases += 1
        print(f"| {name} | `{harness}` | {told if status == 1 else 'NOT FOUND, status ' + str(status)} |".replace("\n", " "),
              flush=True)
        if status != 1:
            tools.findings.append(name)
    return tools.end("mutants")


if __name__ == "__main__":
    sys.exit(main())
