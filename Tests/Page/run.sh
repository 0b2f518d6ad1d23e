#!/bin/sh
# Tests the scripts of the page in Node, the page in a headless Chromium, and the visits also in Firefox:
# Tests/Page/run.sh [a class or a test in the browser, such as test_page.Map]. Ends with 77 if Node or a browser is
# missing.
# docs/page.md lists the checks.
set -eu
cd "$(dirname "$0")"
export PYTHONDONTWRITEBYTECODE=1
ended=0
skip() {
  echo "skipped: $1; Scripts/dependencies.sh --tests installs it on Debian" >&2
  ended=77
}
if [ $# -eq 0 ]; then
  command -v node >/dev/null || skip "the scripts of the page, because Node is missing"
  for file in *.test.mjs; do ! command -v node >/dev/null || node --test-force-exit "$file"; done
  set -- test_page test_visits test_lists test_filters test_look test_box
fi
if python3 -c 'import browser, sys; sys.exit(not browser.executable())'; then
  python3 -m unittest "$@"
  python3 -c 'import firefox, sys; sys.exit(not firefox.executable())' || skip "the visits in Firefox, which is missing"
else
  skip "the page in browsers, because Chromium is missing"
fi
exit "$ended"
