"""Runs handlers in child processes, so that a crash of a handler ends only its own process.

A process with an event loop and threads, such as a worker, must not fork. So it starts a **fork server**: a clean
interpreter with one thread, which imports the handler once and forks a **child** on request. A child runs one message
at a time, and communicates with the worker over its own socket.

```
worker ──── forks, exits ──── fork server
   │                              │ fork
   ├──── messages, outcomes ──── child
   └──── messages, outcomes ──── child
```

- When the worker ends, all others end: each holds a *lifeline*, by which the kernel kills it.
- When the fork server ends, children continue, and the next message gets a new fork server.
- When a child ends, only its message ends.
- If the import leaves threads or sockets behind, a fork would copy them broken. Then each child imports the handler.
"""

from penstock.isolation.errors import HandlerImportError, NoChildError
from penstock.isolation.pool import ChildPool
from penstock.isolation.program import ChildProgram, RunControl
from penstock.isolation.protocol import JSON
from penstock.isolation.runs import CancelReason, Crashed, Killed, ProgressReport, Returned, RunRequest, RunResult

__all__ = [
    "JSON",
    "CancelReason",
    "ChildPool",
    "ChildProgram",
    "Crashed",
    "HandlerImportError",
    "Killed",
    "NoChildError",
    "ProgressReport",
    "Returned",
    "RunControl",
    "RunRequest",
    "RunResult",
]
