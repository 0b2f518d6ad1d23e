#!/usr/bin/env python3
"""Writes the manual pages, from the parser's dump of itself: Scripts/manual.py SHARDQ DIRECTORY

SHARDQ is the command. One page for it and one for each of its commands, in mdoc, which man and mandoc read. The day on
them is that of $SOURCE_DATE_EPOCH, or today.

The generator that comes with swift-argument-parser was looked at first: it fills the lines of examples into paragraphs
and says of every command that it exits 0 on success and >0 if an error occurs, which differs from shardq's promise.
"""

import json
import os
import re
import subprocess
import sys
import textwrap
import time

MONTHS = (
    "January February March April May June July August September October November December".split()
)


def escaped(text, starts_line=False):
    """Text as mdoc takes it. A dot or an apostrophe that starts a line would be a macro."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    # Typewriter quotes and carets: typesetters make others of them, and then an example does not work.
    text = text.replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return "\\&" + text if starts_line and text[:1] == "." else text


def argument(text):
    """Text as one argument of a macro: a macro's name by itself is no macro, and punctuation no punctuation."""
    return '"\\&' + escaped(text).replace('"', "\\(dq") + '"'


def sentences(text):
    """A line for each sentence, so that the space between them is the formatter's; long ones wrapped."""
    lines = []
    for sentence in re.split(r"(?<=[a-z0-9)][.:;?!]) +(?=[A-Z$])", " ".join(text.split())):
        lines += textwrap.wrap(sentence, 56, break_long_words=False, break_on_hyphens=False)
    return [escaped(line, True) for line in lines]


def name_of(name):
    return ("-" if name["kind"] != "long" else "--") + name["name"]


def flags(option, names):
    words = []
    for name in names:
        # Fl writes the first dash itself.
        words.append("Fl " + argument(name_of(name)[1:]))
    line = " , ".join(words)
    if option["kind"] == "option":
        line += " Ar " + argument(option["valueName"])
    return line


def shown(command):
    return [each for each in command.get("arguments", []) if each["shouldDisplay"]]


def synopsis(title, command):
    lines = [".Nm " + " ".join(argument(word) for word in title.split())]
    for each in shown(command):
        if each.get("preferredName", {}).get("name") in ("help", "version"):
            continue
        if each["kind"] == "positional":
            line = "Ar " + argument(each["valueName"]) + (" ..." if each["isRepeating"] else "")
        else:
            line = flags(each, [each["preferredName"]]) + (" ..." if each["isRepeating"] else "")
        lines.append("." + ("Op " if each["isOptional"] else "") + line)
    return lines


def literal(block):
    width = min(len(line) - len(line.lstrip()) for line in block)
    return [".Bd -literal -offset indent", *(escaped(line[width:], True) for line in block), ".Ed"]


def discussion(text):
    """The help text taken apart: paragraphs; lists under a heading, which are examples or keys, by that heading; the
    text about this command's exit status; and the list of all statuses, which the help of `shardq` has."""
    paragraphs, lists, own, statuses = [], {}, [], []
    for block in re.split(r"\n\s*\n", text or ""):
        lines = [line.rstrip() for line in block.split("\n")]
        if re.fullmatch(r"[A-Z ]+:", lines[0]):
            lists[lines[0][:-1]] = literal(lines[1:])
        elif lines[0].startswith("Exit status: "):
            joined = " ".join(lines)[len("Exit status: "):].rstrip(".")
            statuses = [entry.split(" ", 1) for entry in joined.split("; ")]
        elif lines[0].startswith("  "):
            paragraphs.append(literal(lines))
        elif lines != [""]:
            said = re.split(r"(?<=[.]) +(?=[A-Z$])", " ".join(" ".join(lines).split()))
            own += [each for each in said if each.startswith("Exit status ")]
            rest = [each for each in said if not each.startswith("Exit status ")]
            if rest:
                paragraphs.append([".Pp", *sentences(" ".join(rest))])
    return paragraphs, lists, own, statuses


def option_list(entries):
    lines = [".Bl -tag -width Ds"]
    for each in entries:
        if each["kind"] == "positional":
            lines.append(".It Ar " + argument(each["valueName"]) + (" ..." if each["isRepeating"] else ""))
        else:
            lines.append(".It " + flags(each, each["names"]))
        text = each.get("abstract", "")
        values, default = each.get("allValues"), each.get("defaultValue")
        notes = ["values: " + ", ".join(values)] if values and any(value not in text for value in values) else []
        notes += ["default: " + default] if default and "default:" not in text else []
        if notes:
            text = text.rstrip(".")
            text = (text[:-1] + "; " if text.endswith(")") else text + " (") + "; ".join(notes) + ")."
        lines += sentences(text)
    return lines + [".El"]


def page(title, version, command, statuses, references, commands):
    paragraphs, lists, own, _ = discussion(command.get("discussion"))
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    day = time.gmtime(epoch)
    file_name = title.replace(" ", "-")
    lines = [
        f".Dd {MONTHS[day.tm_mon - 1]} {day.tm_mday}, {day.tm_year}",
        # groff would name BSD in the heading.
        ".ds doc-volume-operating-system shardq",
        f".Dt {file_name.upper()} 1",
        f".Os shardq {version}",
        ".Sh NAME",
        ".Nm " + argument(file_name),
        ".Nd " + escaped(command["abstract"].rstrip(".")),
        ".Sh SYNOPSIS",
    ]
    if commands:
        lines += [
            '.Nm "shardq"', ".Op Ar options", ".Ar prefix", '.Nm "shardq"', ".Ar command", ".Op Ar ...",
        ]
    else:
        lines += synopsis(title, command)
    lines += [".Sh DESCRIPTION"] + sentences(command["abstract"])
    for paragraph in paragraphs:
        lines += paragraph
    if commands:
        lines += [".Pp", "The options of a plain query are those of", ".Xr shardq-query 1 .", ".Pp", "The commands are:"]
        lines.append(".Bl -tag -width Ds")
        for each in commands:
            lines.append(".It Xr shardq-" + each["commandName"] + " 1")
            lines += sentences(each["abstract"])
        lines.append(".El")
    lines += [".Pp", "The options are:"] + option_list(shown(command))
    if commands or any(name["name"] == "index" for each in shown(command) for name in each.get("names", [])):
        lines += [
            ".Sh ENVIRONMENT", ".Bl -tag -width Ds", ".It Ev SHARDQ_INDEX",
            "The directory or the name of the index, if", ".Fl \\-index", "is not given.",
            ".It Ev SHARDQ_OPTS", "Settings as options, like", ".Ql \\-\\-color never .",
            ".It Ev SHARDQ_UI_OPTS", "Options of", ".Xr shardq-ui 1 .",
            ".It Ev SHARDQ_CONFIG", "The file of settings.", ".El",
            ".Sh FILES", ".Bl -tag -width Ds", ".It Pa \\(ti/.config/shardq/config",
            "Settings, one a line, like", ".Ql color = never .",
            ".It Pa \\(ti/.local/share/shardq", "The indexes that have names.", ".El",
        ]
    for heading, content in lists.items():
        if heading != "EXAMPLES":
            lines += [".Sh " + heading] + content
    lines.append(".Sh EXIT STATUS")
    if own:
        lines += sentences(" ".join(own)) + [".Pp", "Exit statuses of all commands:"]
    lines.append(".Bl -tag -width Ds")
    for status, meaning in statuses:
        lines += [f".It {status}", *sentences(meaning[:1].upper() + meaning[1:] + ".")]
    lines.append(".El")
    if "EXAMPLES" in lists:
        lines += [".Sh EXAMPLES"] + lists["EXAMPLES"]
    lines.append(".Sh SEE ALSO")
    lines += [f".Xr {each} 1" + (" ," if each != references[-1] else "") for each in references]
    return "\n".join(lines) + "\n"


def main():
    program, directory = sys.argv[1:]
    version = subprocess.run([program, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    said = subprocess.run([program, "--experimental-dump-help"], check=True, stdout=subprocess.PIPE).stdout
    root = json.loads(said)["command"]
    commands = [
        each for each in root["subcommands"]
        if each["commandName"] != "help" and each.get("shouldDisplay", True)
    ]
    statuses = discussion(root["discussion"])[3]
    if not statuses:
        sys.exit("the help of shardq lists no exit statuses: look at Sources/Programs/ShardqCommands/Shardq.swift")
    os.makedirs(directory, exist_ok=True)

    def write(title, command, references, commands=()):
        name = title.replace(" ", "-")
        with open(os.path.join(directory, name + ".1"), "w", encoding="utf-8") as file:
            file.write(page(title, version, command, statuses, references, commands))

    names = sorted("shardq-" + each["commandName"] for each in commands)
    write("shardq", root, names, commands)
    for each in commands:
        write("shardq " + each["commandName"], each, ["shardq"])


main()
