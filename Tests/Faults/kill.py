#!/usr/bin/env python3
"""Kills a build before each of its file-system calls: the index must be the old or the new index, and the next build must
succeed and leave no stray file. docs/faults.md has the promises."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time

import faults


def kill(tools, scenario, number, call, extra=(), before=None):
    """The state and the temporary files after a kill before `call`; an earlier run is killed before `before`."""
    label = f"{scenario.name}, killed before {call}"
    index = tools.new_path("index")
    scenario.prepare(index)
    if before:
        label = f"{scenario.name}, killed before {before}, then before {call}"
        tools.run(scenario.arguments(index), wrapper=faults.injecting(f"{before.name}:signal=KILL:when={before.number}"))
    wrapper = faults.injecting(f"{call.name}:signal=KILL:when={call.number}", *extra)
    result = tools.run(scenario.arguments(index), wrapper=wrapper)
    # After an earlier kill the command may make fewer calls.
    if result.returncode != -9 and not (before and result.returncode == 0):
        tools.finding(f"{label}: it was not killed, but ended with {result.returncode}")
        return None
    found = faults.state(tools, index, scenario.references())
    if found not in ("old", "new") and not (found == "none" and scenario.old is None):
        tools.finding(f"{label}: {found}")
    if not before:  # Two builds may be two generations; then the first one's shards may go.
        faults.check_held(tools, scenario, index, label)
    strays = {name for name in faults.names(index) if name.startswith(".shardq-")}
    faults.check_aftermath(tools, scenario, index, found, number, label)
    shutil.rmtree(index, ignore_errors=True)
    return found, strays


def report(tools, scenario, outcomes):
    outcomes = [outcome for outcome in outcomes if outcome]
    tools.cases += len(outcomes)
    counts = {}
    for found, _ in outcomes:
        counts[found] = counts.get(found, 0) + 1
    print(f"{scenario.name}: {len(outcomes)} points, "
          + ", ".join(f"{count} {name}" for name, count in sorted(counts.items())), flush=True)
    return counts


def telling_calls(tools, scenario):
    """The calls before which a kill is tried.

    With `--every`, the points of an overlay are the calls after the last shard's rename that change the directory or
    the medium. Of the calls that remove a shard it is only the first. A kill before a call that only reads leaves the
    same files as a kill before the next write. Shards are written and removed as without an overlay.
    """
    calls = faults.trace(tools, scenario)
    if tools.every == 1 or not scenario.is_of_overlay:
        return calls
    calls = [call for call in calls if faults.is_write_side(call) and call.name not in ("close", "utimensat")]
    is_shard = lambda call, name: call.name == name and ".zst" in call.text
    calls = calls[max((at + 1 for at, call in enumerate(calls) if is_shard(call, "renameat")), default=0) :]
    removed = [call for call in calls if is_shard(call, "unlinkat")]
    return [call for call in calls if call not in removed[1:]]


def every_call(tools, scenario):
    calls = telling_calls(tools, scenario)
    counts = report(tools, scenario, tools.each(
        lambda item: kill(tools, scenario, *item), tools.sample(scenario.name, enumerate(calls))))
    # If no kill leaves the old state, or none the new one, the points miss the switch. (Without a change, old is new.)
    if tools.every == 1 and scenario.old is not scenario.new and not (counts.get("new") and (counts.get("old") or counts.get("none"))):
        tools.finding(f"{scenario.name}: no point on one side of the switch: {counts}")


def while_locked(calls):
    """The calls made under the lock: no others change the directory."""
    first = next(at for at, call in enumerate(calls) if call.name == "flock")
    last = next(at for at, call in enumerate(calls) if call.name == "close" and "/.lock>" in call.text)
    return calls[first + 1:last + 1]


def twice(tools):
    """A command killed, and the command after it too: every pair of calls under the lock, over a small index."""
    tools.options.only = ""
    for scenario in faults.scenarios(tools, 24):
        if scenario.name not in ("first build", "one record changed"):
            continue
        calls = while_locked(faults.trace(tools, scenario))
        pairs = enumerate((first, second) for first in calls for second in calls)
        scenario.name += ", killed twice"
        outcomes = tools.each(
            lambda item: kill(tools, scenario, item[0], item[1][1], before=item[1][0]), tools.sample(scenario.name, pairs))
        report(tools, scenario, outcomes)


def named_runs(tools, count):
    """A file system that makes no file without a name: a kill leaves a run of the sort, the next build removes it."""
    source = faults.write_records(tools.path("large.jsonl"), faults.records(count))
    plain = faults.build_command(source, shard_size="64KiB")
    new = faults.Reference(tools, tools.path("built-large"), plain)
    scenario = faults.Scenario("a sort whose runs have names", None, [*plain, "--memory", "1MiB"], new, [(plain, new)])
    runs = [call for call in faults.trace(tools, scenario) if call.name == "openat" and "O_TMPFILE" in call.text]
    if not runs:
        tools.finding(f"{scenario.name}: the build makes no run, so that nothing was tried")
    if not tools.long:
        runs = runs[:2] if tools.every == 1 else runs[:1]

    def one(item):
        number, run = item
        remove = faults.Call("unlinkat", 1, "")
        outcome = kill(tools, scenario, number, remove, [f"openat:error=EOPNOTSUPP:when={run.number}"])
        if outcome and not any(name.startswith(".shardq-sort-") for name in outcome[1]):
            tools.finding(f"{scenario.name}: no run was left, so that nothing was tried")
        return outcome

    report(tools, scenario, tools.each(one, list(enumerate(runs))))


def held(tools, call, arguments, output):
    """Starts a command that stops at `call`: the process, and the process id to continue, None if it did not stop."""
    log = tools.new_path("trace")
    process = subprocess.Popen(
        ["strace", "-f", "-qq", "-o", log, "-e", "trace=" + call.name, "-e",
         f"inject={call.name}:signal=STOP:when={call.number}", tools.executable(arguments), *arguments],
        stdout=output, stderr=subprocess.DEVNULL, env=faults.ENVIRONMENT)
    for _ in range(1000):
        lines = open(log).read().splitlines() if os.path.exists(log) else []
        stopped = next((int(line.split()[0]) for line in lines if "stopped by SIGSTOP" in line), None)
        if stopped or process.poll() is not None:
            break
        time.sleep(0.01)
    if not stopped:
        process.kill()
        process.wait()
    return process, stopped


def held_readers(tools, scenario):
    """While a query is stopped at one of its calls the whole command runs: the answer is the old one or the new one."""
    query = ["query", "", "--all", "--format", "jsonl"]
    reader = faults.Scenario(f"{scenario.name}, a reader", scenario.old, query, scenario.old, [])
    calls = [call for call in faults.trace(tools, reader) if call.name in ("openat", "pread64", "newfstatat", "fstat")]
    if tools.every > 1:
        # Open files stay the same. Only the calls by a name around the overlay's differ from those of other queries.
        calls = [call for call in calls if call.name in ("openat", "newfstatat") and '""' not in call.text]
        own = [number for number, call in enumerate(calls) if "overlay" in call.text]
        calls = calls[own[0] : own[-1] + 2]
    calls = tools.sample(reader.name, calls)
    answers = {scenario.old.answers, scenario.new.answers}

    def one(call):
        label = f"{reader.name} held at {call}"
        index, output = tools.new_path("index"), tools.new_path("output")
        scenario.prepare(index)
        with open(output, "wb") as file:
            process, stopped = held(tools, call, [*query, "--index", index], file)
        if not stopped:
            tools.finding(f"{label}: it did not hold")
            return
        tools.must(scenario.arguments(index))
        os.kill(stopped, signal.SIGCONT)
        status = process.wait(60)
        if status != 0 or hashlib.sha256(faults.read(output)).hexdigest() not in answers:
            tools.finding(f"{label}: it ends with {status}, and answers as no generation does that it may have seen")
        shutil.rmtree(index)

    tools.each(one, calls)
    tools.cases += len(calls)
    print(f"{reader.name} meanwhile: {len(calls)} points", flush=True)


def second_builder(tools, scenario):
    """While a build is stopped between taking the lock and its end, another is refused and changes nothing."""
    calls = while_locked(faults.trace(tools, scenario))
    ended = next(at for at, call in enumerate(calls) if '"manifest"' in call.text and call.name.startswith("rename"))
    calls = calls[:ended + 2]
    if not tools.long:
        calls = calls[::8] + calls[-2:]
    calls = tools.sample("a second one", calls)
    command, reference = scenario.follow[1]

    def one(call):
        label = f"{scenario.name}, held before {call}, and a second one"
        index = tools.new_path("index")
        scenario.prepare(index)
        first, stopped = held(tools, call, scenario.arguments(index), subprocess.DEVNULL)
        if not stopped:
            tools.finding(f"{label}: the first did not hold")
            return
        before = {name: os.stat(os.path.join(index, name)).st_ino for name in faults.names(index)}
        second = tools.run([*command, "--index", index])
        after = {name: os.stat(os.path.join(index, name)).st_ino for name in faults.names(index)}
        if second.returncode != 75:
            tools.finding(f"{label}: it ends with {second.returncode}")
        if before != after:
            tools.finding(f"{label}: it has changed the directory")
        os.kill(stopped, signal.SIGCONT)
        status = first.wait(60)
        found = faults.state(tools, index, scenario.references())
        if status != 0 or found != "new":
            tools.finding(f"{label}: the first ends with {status} and leaves {found}")
        shutil.rmtree(index)

    tools.each(one, calls)
    tools.cases += len(calls)
    print(f"{scenario.name}, a second one meanwhile: {len(calls)} points", flush=True)


def repaired(tools, count):
    """`repair` is killed before each call that writes: each file is the damaged one or the whole one, and the next
    `repair` mends all. Only the first thread writes, so the calls come in one order."""
    source = faults.write_records(tools.path("repaired.jsonl"), faults.records(count))
    whole = faults.Reference(tools, tools.path("whole"), faults.build_command(source)).index
    changed = faults.write_records(tools.path("beside.jsonl"), list(faults.records(count, 2))[:1])
    tools.must(["update", "--overlay", "--index", whole, "--upsert", changed])
    contents = {name: faults.read(os.path.join(whole, name)) for name in faults.names(whole) - {".lock"}}
    damaged = dict(contents)
    shards = sorted(faults.shards(whole))
    del damaged[shards[0]]
    for name in (shards[1], shards[-1], "manifest"):
        damaged[name] = damaged[name][:-1] + bytes([damaged[name][-1] ^ 1])
    damaged["overlay"] = bytes([damaged["overlay"][0] ^ 1]) + damaged["overlay"][1:]

    def place():
        index = tools.new_path("index")
        os.mkdir(index)
        for name, data in damaged.items():
            with open(os.path.join(index, name), "wb") as file:
                file.write(data)
        return index

    def found(index):
        return {name: faults.read(os.path.join(index, name)) for name in faults.names(index) if name != ".lock"}

    index, log = place(), tools.new_path("trace")
    command = ["repair", "--from", whole, "--index"]
    result = tools.run([*command, index], wrapper=["strace", "-f", "-qq", "-o", log, "-e", "trace=write,fsync,renameat"])
    if result.returncode != 0 or found(index) != contents:
        tools.finding(f"repair ends with {result.returncode}, or has left damage")
        return
    lines = open(log).read().splitlines()
    names = [faults.CALL.match(line)[1] for line in lines if faults.CALL.match(line)]
    if len({line.split()[0] for line in lines}) != 1 or "renameat" not in names:
        tools.finding("repair writes from several threads, or renames nothing, so that its calls cannot be counted")
        return

    def one(item):
        name, number = item
        label = f"repair, killed before {name} #{number}"
        index = place()
        result = tools.run([*command, index], wrapper=faults.injecting(f"{name}:signal=KILL:when={number}"))
        if result.returncode != -9:
            tools.finding(f"{label}: it was not killed, but ended with {result.returncode}")
        for file, data in found(index).items():
            if data not in (damaged.get(file), contents.get(file)) and not file.startswith(".shardq-"):
                tools.finding(f"{label}: {file} is neither the damaged file nor the whole one")
        again = tools.run([*command, index])
        if again.returncode != 0 or found(index) != contents:
            tools.finding(f"{label}: the next one ends with {again.returncode} and leaves {len(found(index))} files")
        shutil.rmtree(index)

    points = [(name, number + 1) for name in ("write", "fsync", "renameat") for number in range(names.count(name))]
    points = tools.sample("repair", points)
    tools.each(one, points)
    tools.cases += len(points)
    print(f"repair: {len(points)} points", flush=True)


def main():
    tools = faults.Tools(__doc__)
    tools.need_strace()
    for scenario in faults.scenarios(tools, 1500 if tools.long else 150):
        every_call(tools, scenario)
        if scenario.name == "full rebuild":
            second_builder(tools, scenario)
        if scenario.old and scenario.old.is_overlaid:
            held_readers(tools, scenario)
    if tools.options.only in "repair":
        repaired(tools, 150)
    if tools.options.only in "sort":
        named_runs(tools, 30000)
    is_whole = not tools.options.only
    if tools.long and tools.options.only in "twice":
        twice(tools)
    least = (5000 if tools.long else 150) // tools.every
    if is_whole and tools.cases < least:
        tools.finding(f"only {tools.cases} points, there should be {least}")
    return tools.end("kill")


if __name__ == "__main__":
    sys.exit(main())
