"""The page of the league: tables of all engines and suites, and the places where shardq loses and wins."""

from judges import measured

INTRODUCTION = """\
# The league: the quality of answers beside other engines

`Benchmarks/league.sh` wrote this page; do not edit it. It asks shardq and other engines the same texts, over public
suites and over made cases, and counts how often the meant record stands first, among five and among ten. It measures
no times; [figures](figures.md) has these. All engines answer from the same records, other names and weights.

```
Benchmarks/league.sh                     all engines and suites; writes this page
Benchmarks/league.sh --missed two-errors the texts of one suite that shardq misses
```

The command installs the engines of PyPI and Debian under `Benchmarks/.build` and leaves out each engine and suite
that cannot be had. The public suites and lists are no part of the project: the command reads them from `suites`
beside the directory of `SHARDQ_DATA`. It makes the other cases from fixed seeds, so each run on the same data writes
the same page. The command keeps the answers of each engine to each suite. After a run that ended early, the next run
asks only the engines and suites without kept answers.
"""
RULES = """\
An engine takes no part, "-", in a suite that needs an ability that it lacks: corrections, words in any order, later
words, or records with names of many words. The shares are percentages of the cases. One case more or less is a
difference of 0.5 in 200 cases and of 3.3 in 30. The best share of a row is bold.
"""
TABLES = (
    ("first", "The meant record stands first"),
    ("five", "The meant record is among the first five"),
    ("ten", "The meant record is among the first ten"),
    ("best ten", "The share of the ten heaviest records with all words in any order that the answer has"),
    ("fewer", "The same where fewer than ten records have all words, so that ranks do not matter"),
)
TYPED = "Share of the text that is typed until the meant record is there (less is better)"
COMPARED = ("first", "ten", "best ten", "fewer", "typed first", "typed five")
LABELS = {"ten": "among ten", "fewer": "best of fewer than ten"}
NAMES = {"typed first": "first", "typed five": "among five"}


def shown(measure, value):
    return f"{value:.3f}" if measure in NAMES else f"{100 * value:.1f}"


def rows_of(measures, there, engines, league):
    """Suite, measure, and the value of each engine that takes part."""
    for suite in there:
        for measure in measures:
            if measure in measured(suite):
                results = ((engine, league.results.get((suite, engine))) for engine in engines)
                yield suite, measure, {engine: found[0][measure] for engine, found in results if found}


def best_of(measure, values):
    return min(values) if measure in NAMES else max(values)


def table(measures, there, engines, league):
    lines = []
    for suite, measure, values in rows_of(measures, there, engines, league):
        best = best_of(measure, values.values())
        cells = [suite.title + (f": {NAMES[measure]}" if measure in NAMES else "")]
        for engine in engines:
            text = shown(measure, values[engine]) if engine in values else "-"
            cells.append(f"**{text}**" if engine in values and text == shown(measure, best) else text)
        lines.append("| " + " | ".join(cells) + " |")
    if not lines:
        return []
    heading = "| suite | " + " | ".join(engine.name for engine in engines) + " |"
    return [heading, "|---|" + "--:|" * len(engines), *lines]


def engines_table(engines, versions):
    yield "| engine | version | set up as |"
    yield "|---|---|---|"
    for engine in engines:
        yield f"| {engine.name} | {versions[engine]} | {engine.about} |"


def suites_table(there, league):
    yield "| suite | cases | source |"
    yield "|---|--:|---|"
    for suite in there:
        yield f"| {suite.title} | {len(league.cases[suite]):,} | {suite.source} |"


def comparisons(there, engines, league):
    """For each suite and measure: how far the best rival is ahead of shardq, and the cells of the row."""
    shardq = next((engine for engine in engines if engine.name == "shardq"), None)
    for suite, measure, values in rows_of(COMPARED, there, engines, league):
        rivals = {engine: value for engine, value in values.items() if engine != shardq}
        if shardq not in values or not rivals:
            continue
        best = best_of(measure, rivals.values())
        names = ", ".join(engine.name for engine, value in rivals.items() if value == best)
        own, other = shown(measure, values[shardq]), shown(measure, best)
        ahead = (values[shardq] - best) if measure in NAMES else (best - values[shardq])
        label = f"typed until {NAMES[measure]}" if measure in NAMES else LABELS.get(measure, measure)
        yield ahead if own != other else 0, f"| {suite.title} | {label} | {own} | {other} | {names} |"


def against_each(there, engines, league):
    """For each rival the number of measures in which shardq is ahead, level and behind."""
    shardq = next((engine for engine in engines if engine.name == "shardq"), None)
    yield "| engine | measures with shardq ahead | level | behind |"
    yield "|---|--:|--:|--:|"
    for rival in engines:
        counts = {1: 0, 0: 0, -1: 0}
        for _, measure, values in rows_of(COMPARED, there, engines, league):
            if rival != shardq and rival in values and shardq in values:
                own, other = (float(shown(measure, values[engine])) for engine in (shardq, rival))
                sign = (own > other) - (own < other)
                counts[-sign if measure in NAMES else sign] += 1
        if any(counts.values()):
            yield f"| {rival.name} | {counts[1]} | {counts[0]} | {counts[-1]} |"


def outcome(title, sentence, rows):
    lines = [f"## {title}", "", sentence]
    if rows:
        lines += ["", "| suite | measure | shardq | best rival | engine |", "|---|---|--:|--:|---|", *rows]
    return [*lines, ""]


def text(there, versions, league):
    engines = list(versions)
    lines = [INTRODUCTION]
    compared = sorted(comparisons(there, engines, league), key=lambda row: -row[0])
    level = sum(ahead == 0 for ahead, _ in compared)
    lost, won = [row for ahead, row in compared if ahead > 0], [row for ahead, row in compared if ahead < 0]
    lines += outcome(
        "Where a rival is ahead",
        f"In {len(lost)} of {len(compared)} measures the best rival is ahead of shardq. The greatest loss is first.",
        lost)
    lines += outcome(
        "Where shardq is ahead of all",
        f"In {len(won)} measures shardq is ahead of the best rival. Measures with equal figures: {level}.",
        won[::-1])
    lines += ["## Against each engine", "", *against_each(there, engines, league), ""]
    lines += ["## Engines", "", *engines_table(engines, versions), ""]
    lines += ["## Suites", "", *suites_table(there, league), ""]
    if league.left_out:
        lines += ["Left out:", "", *(f"- {name}: {reason}" for name, reason in league.left_out.items()), ""]
    lines += ["## Figures", "", RULES]
    for measures, title in [*(((measure,), title) for measure, title in TABLES), (tuple(NAMES), TYPED)]:
        found = table(measures, there, engines, league)
        if found:
            lines += [f"### {title}", "", *found, ""]
    return "\n".join(lines).rstrip("\n") + "\n"
