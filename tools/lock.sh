#!/usr/bin/env bash
# Writes requirements/*.txt from requirements/*.in and packages/*/pyproject.toml. Pinned versions stay as long as they
# satisfy these; arguments go to uv, so `tools/lock.sh --upgrade` takes the newest of everything.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"${PYTHON:-python3}" -m venv "$scratch"
"$scratch/bin/python" -m pip --quiet --disable-pip-version-check install --require-hashes -r requirements/lock.txt

# One lock for Linux and macOS and every Python from 3.11 on. It names no index, so that a mirror can be used.
lock() {
    local name=$1
    shift
    echo "locking requirements/$name.txt"
    "$scratch/bin/uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --no-emit-package penstock --no-emit-package penstock-spec \
        --no-emit-package penstock-generate --no-emit-package penstock-scaling --no-emit-package penstock-dev \
        --custom-compile-command "make lock" --output-file "requirements/$name.txt" "requirements/$name.in" "$@" >/dev/null
}

lock lock "$@"
lock dev "$@"
lock validate "$@"
lock pod --constraint requirements/dev.txt "$@" # a pod runs the versions that were tested

# Each peer of `make bench-peers` has requirements of its own, because they exclude each other.
for peer in requirements/peers/*.in; do
    lock "peers/$(basename "$peer" .in)" "$@"
done
