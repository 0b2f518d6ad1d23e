"""Measures the page: python3 Tests/Page/measure.py INDEX [LONG PREFIX [NAME...]]

The script types names in a headless Chromium without a graphics card, against bin/shardq-serve, and scrolls through the
matches of a prefix (sa). If the index has filters, it types the names with the filters hidden, and then with their
values. Other work of the machine changes the times, so the script also prints the load.
"""

import os
import statistics
import sys
import time

import browser
import test_page

NAMES = ["san jose", "berlin", "paris", "london", "tokyo", "new york", "münchen", "são paulo", "kraków", "łódź"]


def spread(values):
    values = sorted(values)
    return f"median {statistics.median(values):.1f}, 90 % {values[len(values) * 9 // 10]:.1f}, most {values[-1]:.1f} ms"


def metrics(tab):
    return {metric["name"]: metric["value"] for metric in tab.call("Performance.getMetrics")["metrics"]}


def watch(tab):
    tab.evaluate("""addEventListener('input', () => { window.keyed = performance.now() }, true)
        const shows = showAnswer
        showAnswer = (...given) => {
          const start = keyed
          answered.push(performance.now() - start)
          shows(...given)
          requestAnimationFrame(() => setTimeout(() => painted.push(performance.now() - start)))
        }""")


def type_names(tab, names):
    tab.evaluate("window.answered = [], window.painted = []")
    before, keys = metrics(tab), 0
    for name in names:
        tab.evaluate("input.select()")
        for character in name:
            tab.type(character)
            keys += 1
            time.sleep(0.12)
    time.sleep(0.5)
    after = metrics(tab)
    print(f"{keys} keys")
    print("key to answer:   ", spread(tab.evaluate("answered")))
    print("key to painted:  ", spread(tab.evaluate("painted")))
    for name in ("ScriptDuration", "LayoutDuration", "TaskDuration"):
        print(f"{name} a key: {(after[name] - before[name]) * 1000 / keys:.1f} ms")


def scroll(tab, prefix):
    tab.evaluate("input.select()")
    tab.type(prefix)
    tab.wait(f"answer.query === '{prefix}'")
    requests = "performance.getEntriesByType('resource').length"
    before, most, turns = tab.evaluate(requests), 0, 0
    while tab.evaluate("list.top < list.count * list.rowHeight - list.view - 1"):
        tab.wheel(tab.middle("#matches"), 600)
        turns += 1
        most = max(most, tab.evaluate("document.querySelectorAll('*').length"))
    tab.wait("rowAt(answer.count - 1) !== undefined")
    rows = tab.evaluate("answer.count")
    print(
        f"{rows} rows in {turns} turns of the wheel: {tab.evaluate(requests) - before} requests, {most} elements at most"
    )


def main():
    served = test_page.Upstream(sys.argv[1])
    chromium = browser.Browser()
    try:
        tab = browser.Tab(chromium)
        tab.open("http://%s:%d/" % served.address)
        tab.wait("answer.query !== null && (map.levels !== null || !map.isThere)")
        tab.call("Performance.enable")
        tab.evaluate("input.focus()")
        watch(tab)
        for state in ("hidden", "shown") if tab.evaluate("!byId('filter').hidden") else ("hidden",):
            tab.evaluate(f"byId('filters').hidden === {str(state == 'shown').lower()} && byId('filter').click()")
            print(f"filters {state}:", end=" ")
            type_names(tab, sys.argv[3:] or NAMES)
        scroll(tab, sys.argv[2] if len(sys.argv) > 2 else "sa")
        print("load of the last minute: %.1f on %d processors" % (os.getloadavg()[0], os.cpu_count()))
    finally:
        chromium.close()
        served.stop()


main()
