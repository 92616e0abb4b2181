"""Runs a role as a process, from the first log line to the exit code."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from contextlib import ExitStack

import uvloop

from penstock.observe.collector import process_collector
from penstock.observe.events import Event
from penstock.observe.health import HealthServer
from penstock.observe.heartbeat import Heartbeat
from penstock.observe.logs import loop_trouble
from penstock.observe.page import Pages
from penstock.observe.readiness import Readiness
from penstock.pod.exit import end_process, run_to_end
from penstock.pod.garbage import collect_seldom
from penstock.pod.loop_watch import watch_loop
from penstock.pod.parts import Parts
from penstock.pod.role import Pod, Program, Role, Start
from penstock.pod.side_loop import SideThread
from penstock.pod.sidecar import quit_sidecar
from penstock.pod.signals import handle_signals

FILES_EVERY = 5.0
"""Seconds between two checks of the files; Kubernetes itself takes up to a minute to change them."""


def run(role: Role, start: Start) -> int:
    """Run a role until it has drained; return the exit code."""
    role.log.event(role.started, **role.fields)
    readiness, heartbeat, collector = Readiness(), Heartbeat(), process_collector()
    collect_seldom()
    with ExitStack() as at_end:

        async def main() -> tuple[int, bool]:
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(loop_trouble)
            async with SideThread() as side:
                pod = Pod(start, collector, readiness, heartbeat, side)
                program = role.build(pod)
                if start.listen is not None:
                    at_end.callback(_serve(role, pod, program, *start.listen).stop)
                handle_signals(loop, role, program)
                if not role.limits.spare_start:
                    heartbeat.beat_in(loop)
                parts = Parts(role.log, program.drain)
                loop_watch = side.start(watch_loop(loop, heartbeat, readiness, role))
                parts.start("loop watch", _until_ended(loop_watch))
                parts.start("file watch", _watch_files(role, program))
                code = await program.run()
                parts.cancel()
                loop_watch.cancel()
                heartbeat.stop()
                if role.sidecar_quit_url is not None:
                    await asyncio.to_thread(quit_sidecar, role.sidecar_quit_url)
                return parts.exit_code(code), program.is_busy()

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            code, busy = run_to_end(runner.get_loop(), main(), role.log)
            role.log.event(role.stopped, exit_code=code)
            # Closing the runner waits for threads; handlers that ignore their cancellation may never end.
            end_process(code, at_once=busy)
    return code


def _serve(role: Role, pod: Pod, program: Program, host: str, port: int) -> HealthServer:
    server = HealthServer(pod.heartbeat, role.limits.live, pod.readiness, Pages(pod.collector))
    server.add_redis(program.redis.ask, program.redis.field)
    for path, route in program.routes.items():
        server.add(path, route)
    server.start(host, port)
    role.log.event(Event.HTTP_LISTENING, address=host, port=server.port)
    return server


async def _until_ended(work: Future[None]) -> None:
    """Raise the exception of work in the side loop."""
    await asyncio.wrap_future(work)


async def _watch_files(role: Role, program: Program) -> None:
    if role.files_changed is None:
        return
    changed = False
    while not changed:
        await asyncio.sleep(FILES_EVERY)
        changed = await asyncio.to_thread(role.files_changed)
    role.log.event(Event.FILES_CHANGED)
    program.drain()
