"""Handlers in processes of their own, so that what a handler does to its process is its own affair.

A worker runs an event loop and threads, and such a process must not fork. So it starts a **fork server**: a clean
interpreter with one thread, which imports the handler once and then forks a **child** whenever it is asked to. A child
runs one message at a time and answers the worker directly, over a socket of its own.

```
worker ──── births, ends ───── fork server
   │                              │ fork
   ├──── messages, outcomes ──── child
   └──── messages, outcomes ──── child
```

- The worker's end is the end of all of them: each holds a *lifeline* on which the kernel kills it.
- The end of the fork server ends nothing else: children go on, and the next message gets a new fork server.
- The end of a child is the end of one message.
- Where the import leaves threads or sockets behind, a fork would copy them broken. Then children import for themselves.
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
