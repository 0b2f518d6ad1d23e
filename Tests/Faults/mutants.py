#!/usr/bin/env python3
"""Breaks the builder and the reader on purpose, one way after the other, and has the harnesses find it: what they do not
find they do not check. Takes a copy of the sources, replaces a few lines of it, and builds that; a replacement whose
lines are not there any more is an error. Some minutes; prints the table of docs/faults.md."""

import os
import re
import shutil
import signal
import subprocess
import sys

import faults

PUBLISHER = "Sources/ShardBuilder/Publish/Publisher.swift"
SYSTEM = "Sources/ShardBuilder/Publish/SystemFile.swift"
PREVIOUS = "Sources/ShardBuilder/Update/PreviousIndex.swift"
FRAME = "Sources/ShardedIndex/Format/Frame/ZstdFrame.swift"
SHARD = "Sources/ShardedIndex/Load/LoadedShard.swift"
FILE = "Sources/ShardedIndex/Store/ReadOnlyFile.swift"
VERIFIER = "Sources/ShardBuilder/Verify/Verifier.swift"
OVERLAY = "Sources/ShardedIndex/Format/Overlay/Overlay.swift"
SLOTS = "Sources/ShardedIndex/Format/Overlay/OverlaySlots.swift"

SYNC_BEFORE = "      try SystemFile.sync(descriptor, path: directory)\n      blank = "
SYNC_AFTER = "    try syncDirectory(blank)\n    // Behind the"
SETTLE = "      try settle(monitor.withLock { takeWaiting() })\n"

# What is broken; the harness that must find it and what it is told; file, text, text in its place.
MUTANTS = [
    ("the manifest takes its place before its shards", "kill.py --only full", [
        (PUBLISHER, SETTLE + SYNC_BEFORE, "      blank = "),
        (PUBLISHER, SYNC_AFTER, "    try settle(monitor.withLock { takeWaiting() })\n" + SYNC_AFTER)]),
    ("the manifest is written in place", "kill.py --only full", [
        (PUBLISHER, "      try rename(temporary, Self.manifestName)\n    } catch {",
         "      let inPlace = try open(Self.manifestName, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)\n"
         "      _ = manifest.withUnsafeBytes { try? SystemFile.write($0, to: inPlace, path: directory) }\n"
         "      try closeSynced(inPlace, directory)\n"
         "      _ = remove(temporary)\n    } catch {")]),
    ("shards are written in place, and one that is there is believed", "kill.py --only first", [
        (PUBLISHER, "    defer { _ = close(file) }\n    var status = stat()\n    guard fstat(file, &status) == 0 else "
         "{ throw .io(operation: \"read\", path: path(name), errno: errno) }\n",
         "    defer { _ = close(file) }\n    if !bytes.isEmpty { return .kept }\n    var status = stat()\n"
         "    guard fstat(file, &status) == 0 else { throw .io(operation: \"read\", path: path(name), errno: errno) }\n"),
        (PUBLISHER, "    let (file, temporary) = try writeTemporary(bytes)\n    let group",
         "    let (file, temporary) = (try open(name, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644), name)\n"
         "    _ = bytes.withUnsafeBytes { try? SystemFile.write($0, to: file, path: path(name)) }\n    let group")]),
    ("temporary files of a killed build stay", "kill.py --only full", [
        (PUBLISHER, "        _ = remove(name)  // Only a directory", "        _ = name  // Only a directory")]),
    ("named runs of a killed sort stay", "kill.py --only sort", [
        (PUBLISHER, "    if name.hasPrefix(SystemFile.temporaryPrefix) {\n",
         "    if name.hasPrefix(SystemFile.temporaryPrefix), name.isEmpty {\n")]),
    ("shards of the generation before are removed at once", "kill.py --only full", [
        (PUBLISHER, "    for name in previous { _ = needed.insert(name) }\n", "")]),
    ("no lock", "kill.py --only full", [
        (PUBLISHER, "      if code == EWOULDBLOCK { throw .locked(path: path) }\n", ""),
        (PUBLISHER, "    while flock(lock, LOCK_EX | LOCK_NB) != 0 {", "    while flock(lock, LOCK_UN) != 0 {")]),
    ("files are not synced", "power.py --real no --only full", [
        (PUBLISHER, "      try SystemFile.sync(file, path: path)\n", "      if path.isEmpty { try SystemFile.sync(file, path: path) }\n")]),
    ("the directory is not synced before the manifest's rename", "power.py --real no --only full", [
        (PUBLISHER, SYNC_BEFORE, "      blank = ")]),
    ("the directory is not synced after the manifest's rename", "power.py --real no --only full", [
        (PUBLISHER, SYNC_AFTER, "    // Behind the")]),
    ("the same, on a real file system", "power.py --real only --only one", [
        (PUBLISHER, SYNC_AFTER, "    // Behind the")]),
    ("the parent of a new directory is not synced", "power.py --real no --only first", [
        (PUBLISHER, "if !isForOverlay, !names.contains(Self.manifestName) { try syncParent() }",
         "if !isForOverlay, names.isEmpty { try syncParent() }")]),
    ("failed syncs are ignored", "errors.py --only full", [
        (SYSTEM, 'guard errno == EINTR else { throw .io(operation: "sync", path: path, errno: errno) }',
         "guard errno == EINTR else { return }")]),
    ("failed writes are ignored", "errors.py --only full", [
        (SYSTEM, 'throw .io(operation: "write", path: path, errno: errno)', "return")]),
    ("failed closes are ignored", "errors.py --only full", [
        (PUBLISHER, 'guard close(file) == 0 || errno == EINTR else { throw .io(operation: "close", path: path, errno: errno) }',
         "_ = close(file)")]),
    ("a short write is taken for a whole one", "errors.py --only full", [
        (SYSTEM, "        offset += written\n", "        offset = bytes.count\n")]),
    ("a short read is taken for a whole one", "errors.py --only quer", [
        (FILE, "        done += count\n", "        done = size\n")]),
    ("an interrupted call is an error", "errors.py --only full", [
        (SYSTEM, "if result != -1 || errno != EINTR { return result }", "if result != -1 || errno != 0 { return result }")]),
    ("a manifest that cannot be read is taken for none", "errors.py --only full", [
        (PREVIOUS, "case .index(.io(let operation, let path, let code)): throw .io(operation: operation, path: path, errno: code)\n",
         "case .index(.io): return nil\n")]),
    ("a failing rename of the manifest takes its shards away", "errors.py --only full", [
        (PUBLISHER, "Self.manifestName)\n    } catch {\n      _ = remove(temporary)\n",
         "Self.manifestName)\n    } catch {\n      monitor.withLock { state.isOver = false }\n      abandon()\n      throw error\n")]),
    ("an overlay of another manifest counts", "kill.py --only stale", [
        (OVERLAY, "guard size == UInt64(manifest.fileSize), root == manifest.rootChecksum else", "guard size + root > 0 else")]),
    ("an overlay goes before the manifest that has its changes", "kill.py --only merged", [
        (PUBLISHER, "      if hasOverlay, overlay == .stale {", "      if hasOverlay, overlay != .kept {")]),
    ("an overlay goes behind the manifest, unsynced", "power.py --real no --only merged", [
        (PUBLISHER, "    if !hasOverlay { try clearOverlay(&blank) }\n", "    if overlay != .kept { try clearOverlay(&blank) }\n")]),
    ("a stale overlay is left where its manifest comes back", "kill.py --only stale", [
        (PUBLISHER, "      if hasOverlay, overlay == .stale {", "      if hasOverlay, overlay == .stale, manifest.isEmpty {")]),
    ("a stale overlay goes where its manifest comes back, unsynced", "power.py --real no --only stale", [
        (PUBLISHER, "        try clearOverlay(&blank)\n        try SystemFile.sync(descriptor, path: directory)\n      }\n    } catch",
         "        try clearOverlay(&blank)\n      }\n    } catch")]),
    ("a stale overlay goes, and the manifest with its changes is on no medium", "power.py --real no --only merged", [
        (PUBLISHER, "        if hasOverlay { try syncDirectory(blank) }\n", "")]),
    ("an overlay takes a stale one's place, and that manifest is on no medium", "power.py --real no --only overlay", [
        (PUBLISHER, "    if isStale {", "    if isStale, overlay?.isEmpty == true {")]),
    ("the directory is not synced after an overlay's rename", "power.py --real no --only overlay", [
        (PUBLISHER, "      try SystemFile.sync(descriptor, path: directory)\n      return (number, ", "      return (number, ")]),
    ("an overlay that is written over is not synced", "power.py --real no --only another", [
        (PUBLISHER, "      try SystemFile.sync(present.descriptor, path: path, isInPlace: true)\n", "")]),
    ("the slot that counts is written over", "power.py --real no --only another", [
        (PUBLISHER, "(1 - slot) * slotSize)", "slot * slotSize)")]),
    ("a slot that is not whole counts", "power.py --real no --only another", [
        (SLOTS, "== number else { return nil }\n      let end", "!= nil else { return nil }\n      let end")]),
    ("a first overlay that was cut off is damage", "power.py --real no --only sectors", [
        (SLOTS, "    } else if isFresh {", "    } else if isFresh, one == other {")]),
    ("an overlay that cannot be read is taken for none", "errors.py --only quer", [
        (FILE, "      if errno == ENOENT { return nil }\n", "      if errno != EACCES { return nil }\n")]),
    ("who has opened an overlay does not look again", "kill.py --only stale", [
        (FILE, "0 else { return errno != ENOENT }\n    // Written over", "0 else { return true }\n    // Written over")]),
    ("checksums are neither compared nor checked", "damage.py", [
        (SHARD, "    guard found == checksum else {\n", "    guard found == checksum || checksum != 0 else {\n"),
        (FRAME, "        && checksum(of: source) == UInt32(", "        && checksum(of: source) ?? 0 != UInt32("),
        (FRAME, "    isMade = true\n", "    isMade = true\n    ZSTD_DCtx_setParameter(made, ZSTD_d_experimentalParam3, 1)\n")]),
    ("links in the place of files are followed", "outside.py", [
        (FILE, "O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC", "O_RDONLY | O_NONBLOCK | O_CLOEXEC")]),
    ("verify compares no digests", "damage.py --long", [
        (VERIFIER, "guard digest.prefix(16).elementsEqual(shard.digest) else {",
         "guard digest.prefix(16).elementsEqual(shard.digest) || digest.count == 32 else {")]),
]


class Copy:
    """The sources elsewhere, built anew after each change."""

    def __init__(self, tools, directory):
        self.tools, self.directory = tools, directory
        files = subprocess.run(["git", "ls-files", "-z", "Package.swift", "Sources", "Tests/ShardedIndexTests",
                                "Tests/CommandLineTests"], cwd=faults.ROOT, capture_output=True, check=True)
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
        # What the front does by itself it does with the same sources.
        if not os.path.lexists(os.path.join(self.bin, "shardq")):
            os.symlink("shardq-commands", os.path.join(self.bin, "shardq"))

    def replace(self, changes):
        """Makes the changes, and returns what undoes them."""
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
        """The harness's status, and the first thing that it found; 2 if it could not even begin."""
        script, *options = harness.split()
        command = [sys.executable, os.path.join(faults.ROOT, "Tests/Faults", script), "--bin", self.bin,
                   "--jobs", str(self.tools.options.jobs), *options]
        # What a harness leaves when it stops at once goes with this one's directory, and so do the processes it has held.
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
    # What finds something in the sound sources has found nothing in a mutant.
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
