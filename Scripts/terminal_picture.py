"""A recording of a terminal as an animated SVG: tmux runs the programs and has the screen, and this draws it.

Letters are text in the reader's monospaced font, and each piece is as wide as its columns. The dots of braille signs are
drawn as dots, since fonts differ in them. The drawing has no script and loads nothing.
"""

import html
import os
import re
import subprocess
import time

COLUMNS, ROWS = 80, 24
WIDTH, HEIGHT, MARGIN = 10, 20, 16  # A column, a row and the edge, in pixels.
MARKS = {1: "bold", 4: "underline", 7: "reverse"}
TICK = 0.03  # Screens that stood for less time are left out.
BACKGROUND, FOREGROUND = "#14171c", "#d8dde5"
# The colours of a terminal, 0 to 7 and the bright ones.
COLOURS = ["#3b424d", "#ff7b72", "#7ee787", "#e3b341", "#79b8ff", "#d2a8ff", "#76e3ea", "#d8dde5",
           "#8b95a3", "#ffa198", "#a5f0ab", "#f2cc60", "#a5d0ff", "#e2c5ff", "#a6f0f4", "#ffffff"]


class Recorder:
    """A shell in a tmux of its own. Keys are sent at their time, and each new screen is kept with its time."""

    def __init__(self, directory, path):
        self.socket = os.path.join(directory, "tmux")
        self.screens, self.clock, self.began = [], 0.0, None  # (seconds, screen)
        with open(os.path.join(directory, "tmux.conf"), "w") as file:
            file.write("set -g status off\nset -sg escape-time 0\nset -g default-terminal screen-256color\n")
        variables = {"PATH": path, "HOME": directory, "LANG": "C.UTF-8", "PS1": "$ ", "SHARDQ_CONFIG": "/dev/null",
                     "TERM": "screen-256color"}
        self.tmux("-f", os.path.join(directory, "tmux.conf"), "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS),
                  "-c", directory, "env", "-i", *[f"{name}={value}" for name, value in variables.items()],
                  "bash", "--norc", "--noprofile")
        end = time.monotonic() + 20
        while not self.screen()[0][0].startswith("$"):
            if time.monotonic() > end:
                raise TimeoutError("the shell did not start")

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-u", "-S", self.socket, *arguments], stdout=subprocess.PIPE, check=True,
                              timeout=20, encoding="utf-8").stdout

    def close(self):
        self.tmux("kill-server")

    def screen(self):
        """The lines with their colours, and the cursor's column and row, or None where it is hidden."""
        said = self.tmux("capture-pane", "-pe", ";", "display-message", "-p", "#{cursor_x} #{cursor_y} #{cursor_flag}")
        *lines, cursor = said.rstrip("\n").split("\n")
        column, row, is_shown = map(int, cursor.split())
        return lines, (column, row) if is_shown else None

    def watch(self, seconds):
        """Keeps each new screen of the time until the next key, and the one that is there then."""
        start = time.monotonic()
        self.began = self.began or start
        while True:
            screen, now = self.screen(), time.monotonic()
            if not self.screens or screen != self.screens[-1][1]:
                self.screens.append((now - self.began, screen))
            self.clock = now - self.began
            if now - start >= seconds:
                return

    def keys(self, names, pace, then=0.0):
        """Sends keys, by tmux's names for them, and watches for a time after each."""
        for name in names:
            self.tmux("send-keys", *(["-l"] if len(name) == 1 else []), "--", name)
            self.watch(pace)
        self.watch(then)

    def frames(self):
        """(start, end, screen), without screens that stood for less than a tick."""
        starts = [start for start, _ in self.screens] + [self.clock]
        found = []
        for (start, screen), end in zip(self.screens, starts[1:]):
            if end - start >= TICK:
                found.append([found[-1][1] if found else 0.0, round(end, 2), screen])
        found[-1][1] = round(self.clock, 2)
        return found


class Style:
    """The colour and the marks that tmux's sequences left, from line to line."""

    def __init__(self):
        self.clear()

    def clear(self):
        self.colour, self.marks = None, frozenset()

    def take(self, sequence):
        for code in map(int, re.findall(r"\d+", sequence) or [0]):
            if code == 0:
                self.clear()
            elif code in MARKS:
                self.marks |= {MARKS[code]}
            elif 20 < code < 30:
                self.marks -= {"bold"} if code == 22 else {MARKS.get(code - 20)}
            elif 30 <= code < 38 or 90 <= code < 98:
                self.colour = COLOURS[code - 30 if code < 38 else code - 82]
            elif code == 39:
                self.colour = None
            elif code != 49:
                raise ValueError(f"a style that is not drawn: {sequence!r}")


def pieces(line, style):
    """(column, text, colour, marks) for each piece of a line of one style."""
    column = 0
    for part in re.split(r"(\x1b\[[\d;]*m)", line):
        if part.startswith("\x1b["):
            style.take(part)
        elif part:
            yield column, part, style.colour or FOREGROUND, style.marks
            column += len(part)


def dots(column, signs):
    """The path of the dots of braille signs: each is a line without length, and round."""
    path, last = "", None
    for at, sign in enumerate(signs, column):
        for bit, (x, y) in enumerate(((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))):
            if ord(sign) - 0x2800 >> bit & 1:
                point = (at * WIDTH + 2.5 + 5 * x, 2.5 + 5 * y)
                from_x, from_y = last or (0, 0)
                path += f"{'m' if last else 'M'}{point[0] - from_x:g} {point[1] - from_y:g}h0"
                last = point
    return path


def drawn(line, style):
    """The elements of a line whose top is at 0."""
    found = []
    for start, text, ink, marks in pieces(line, style):
        if "reverse" in marks:
            found.append(f'<rect x="{start * WIDTH}" width="{len(text) * WIDTH}" height="{HEIGHT}" fill="{ink}"/>')
            ink = BACKGROUND
        for match in re.finditer(r"[\u2800-\u28ff]+|│|[^\s\u2800-\u28ff│]+(?: [^\s\u2800-\u28ff│]+)*", text):
            column, part = start + match.start(), match.group()
            if part[0] == "│":
                found.append(f'<path d="M{column * WIDTH + WIDTH / 2:g} 0v{HEIGHT}" stroke="{ink}"/>')
            elif "\u2800" <= part[0] <= "\u28ff":
                found.append(f'<path class="d" d="{dots(column, part)}" stroke="{ink}"/>')
            else:
                classes = " ".join(mark[0] for mark in sorted(marks - {"reverse"}))
                fill = (f' class="{classes}"' if classes else "") + (f' fill="{ink}"' if ink != FOREGROUND else "")
                found.append(f'<text x="{column * WIDTH}" y="15" textLength="{len(part) * WIDTH}"{fill}>'
                             f"{html.escape(part, quote=False)}</text>")
    return "".join(found)


def drawing(frames, still, label):
    """The SVG. It begins in the frame of the second `still`, which is seen alone where the reader wants no motion."""
    total, lines, body, times = frames[-1][1], {}, [], []
    for number, (start, end, (screen, cursor)) in enumerate(frames):
        used, style = [], Style()
        if cursor:
            used.append(f'<use href="#c" x="{cursor[0] * WIDTH}" y="{cursor[1] * HEIGHT}"/>')
        for row, line in enumerate(screen):
            if elements := drawn(line, style):
                name = lines.setdefault(elements, f"l{len(lines)}")
                used.append(f'<use href="#{name}" y="{row * HEIGHT}"/>')
        classes = "f s" if start <= still < end else "f"
        body.append(f'<g class="{classes}" style="animation-name:f{number}">{"".join(used)}</g>')
        steps = [(0, "hidden")] * (start > 0) + [(start, "visible"), (end, "hidden" if end < total else "visible")]
        times.append(f"@keyframes f{number}{{%s}}" % "".join(
            f"{100 * at / total:.3f}%{{visibility:{value}}}" for at, value in steps))
    width, height = COLUMNS * WIDTH + 2 * MARGIN, ROWS * HEIGHT + 2 * MARGIN
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">
<title>{html.escape(label, quote=False)}</title>
<style>
text{{white-space:pre}}
.b{{font-weight:bold}}
.u{{text-decoration:underline}}
.d{{stroke-width:3.6;stroke-linecap:round;fill:none}}
.f{{visibility:hidden;animation:{total:g}s step-end -{still:.2f}s infinite}}
.s{{visibility:visible}}
@media (prefers-reduced-motion:reduce){{.f{{animation:none}}}}
{chr(10).join(times)}
</style>
<defs>
<rect id="c" width="{WIDTH}" height="{HEIGHT}" fill="#9aa4b2" fill-opacity=".75"/>
{chr(10).join(f'<g id="{name}">{elements}</g>' for elements, name in lines.items())}
</defs>
<rect width="{width}" height="{height}" rx="10" fill="{BACKGROUND}"/>
<g transform="translate({MARGIN} {MARGIN})" fill="{FOREGROUND}" font-size="16.6"
 font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace">
{chr(10).join(body)}
</g>
</svg>
"""
