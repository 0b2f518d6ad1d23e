#!/bin/sh
# The page in a headless Chromium, and each visit to it in Firefox as well: Tests/Page/run.sh [a class or a test, as
# test_page.Map]. Ends with 77 where one of the two is missing. docs/page.md says what is checked.
set -eu
cd "$(dirname "$0")"
export PYTHONDONTWRITEBYTECODE=1
if ! python3 -c 'import browser, sys; sys.exit(not browser.executable())'; then
  echo "skipped: there is no Chromium; Scripts/dependencies.sh --tests installs it on Debian" >&2
  exit 77
fi
[ $# -gt 0 ] || set -- test_page test_visits test_lists
python3 -m unittest "$@"
if ! python3 -c 'import firefox, sys; sys.exit(not firefox.executable())'; then
  echo "skipped: the visits in Firefox; Scripts/dependencies.sh --tests installs it on Debian" >&2
  exit 77
fi
