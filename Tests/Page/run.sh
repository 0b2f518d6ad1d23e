#!/bin/sh
# Tests the page in a headless Chromium, and the visits also in Firefox: Tests/Page/run.sh [a class or a test, such as
# test_page.Map]. Ends with 77 if a browser is missing. docs/page.md lists the checks.
set -eu
cd "$(dirname "$0")"
export PYTHONDONTWRITEBYTECODE=1
if ! python3 -c 'import browser, sys; sys.exit(not browser.executable())'; then
  echo "skipped: Chromium is missing; Scripts/dependencies.sh --tests installs it on Debian" >&2
  exit 77
fi
[ $# -gt 0 ] || set -- test_page test_visits test_lists
python3 -m unittest "$@"
if ! python3 -c 'import firefox, sys; sys.exit(not firefox.executable())'; then
  echo "skipped: the visits in Firefox, which is missing; Scripts/dependencies.sh --tests installs it on Debian" >&2
  exit 77
fi
