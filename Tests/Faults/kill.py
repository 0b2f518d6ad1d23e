#!/usr/bin/env python3
"""Kills a build before every one of its file-system calls: the index is the old one or the new one, and the next build
succeeds and leaves no stray file. docs/faults.md says what is promised."""

import shutil
import sys

import faults


def kill(tools, scenario, number, call, extra=()):
    label = f"{scenario.name}, killed before {call}"
    index = tools.new_path("index")
    scenario.prepare(index)
    wrapper = faults.injecting(f"{call.name}:signal=KILL:when={call.number}", *extra)
    result = tools.run(scenario.arguments(index), wrapper=wrapper)
    if result.returncode != -9:
        tools.finding(f"{label}: it was not killed, but ended with {result.returncode}")
        return None
    found = faults.state(tools, index, scenario.references())
    if found not in ("old", "new") and not (found == "none" and scenario.old is None):
        tools.finding(f"{label}: {found}")
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


def every_call(tools, scenario):
    calls = faults.trace(tools, scenario)
    counts = report(tools, scenario, tools.each(
        lambda item: kill(tools, scenario, *item), list(enumerate(calls))))
    # If one of the two never comes, the harness has not looked where it matters. (Where nothing changes, old is new.)
    if scenario.old is not scenario.new and not (counts.get("new") and (counts.get("old") or counts.get("none"))):
        tools.finding(f"{scenario.name}: no point on one side of the switch: {counts}")


def named_runs(tools, count):
    """A file system that makes no file without a name: a kill leaves a run of the sort, the next build removes it."""
    source = faults.write_records(tools.path("large.jsonl"), faults.records(count))
    plain = faults.build_command(source, "--shard-size", "64KiB")
    new = faults.Reference(tools, tools.path("built-large"), plain)
    scenario = faults.Scenario("a sort whose runs have names", None, [*plain, "--memory", "1MiB"], new, [(plain, new)])
    runs = [call for call in faults.trace(tools, scenario) if call.name == "openat" and "O_TMPFILE" in call.text]
    if not runs:
        tools.finding(f"{scenario.name}: the build makes no run, so that nothing was tried")
    if not tools.long:
        runs = runs[:2]

    def one(item):
        number, run = item
        remove = faults.Call("unlink", 1, "")
        outcome = kill(tools, scenario, number, remove, [f"openat:error=EOPNOTSUPP:when={run.number}"])
        if outcome and not any(name.startswith(".shardq-sort-") for name in outcome[1]):
            tools.finding(f"{scenario.name}: no run was left, so that nothing was tried")
        return outcome

    report(tools, scenario, tools.each(one, list(enumerate(runs))))


def main():
    tools = faults.Tools(__doc__)
    tools.need_strace()
    for scenario in faults.scenarios(tools, 4600 if tools.long else 150):
        every_call(tools, scenario)
    if tools.options.only in "sort":
        named_runs(tools, 30000)
    least = 5000 if tools.long else 150
    if not tools.options.only and tools.cases < least:
        tools.finding(f"only {tools.cases} points, there should be {least}")
    return tools.end("kill")


if __name__ == "__main__":
    sys.exit(main())
