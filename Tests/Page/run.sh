#!/bin/sh
# The page in a headless Chromium: Tests/Page/run.sh [a class or a test, as test_page.Map]
# Ends with 77 where there is no Chromium. docs/page.md says what is checked.
set -eu
cd "$(dirname "$0")"
export PYTHONDONTWRITEBYTECODE=1
if ! python3 -c 'import browser, sys; sys.exit(not browser.executable())'; then
  echo "skipped: there is no Chromium; Scripts/dependencies.sh --tests installs it on Debian" >&2
  exit 77
fi
[ $# -gt 0 ] || set -- test_page
exec python3 -m unittest "$@"
