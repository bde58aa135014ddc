#!/bin/sh
# Print the first interpreter that is new enough and can make a virtual environment.
# A name on PATH may be a shim that does not run, so every candidate is tried.
set -eu
for name in ${PYTHON:-} python3.13 python3.12 python3.11 python3 python; do
    if "$name" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
        command -v "$name"
        exit 0
    fi
done
echo "No Python 3.11 or newer with the venv module was found. Install one (Debian, Ubuntu:" \
    "apt-get install python3 python3-venv) or name it: make PYTHON=/path/to/python3.12" >&2
exit 1
