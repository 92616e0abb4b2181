"""Handlers in processes of their own, so that what a handler does to its process is its own affair.

A worker runs an event loop and threads, and such a process must not fork. So it starts a **nursery**: a clean
interpreter with one thread, which imports the handler once and then forks a **child** whenever it is asked to. A child
runs one message at a time and answers the worker directly, over a socket of its own.

```
worker ──── births, ends ───── nursery
   │                              │ fork
   ├──── messages, outcomes ──── child
   └──── messages, outcomes ──── child
```

- The worker's end is the end of all of them: each holds a *lifeline* on which the kernel kills it.
- The end of the nursery is the end of the nursery alone: children go on, and the next message gets a new nursery.
- The end of a child is the end of one message.
- Where the import leaves threads or sockets behind, a fork would copy them broken. Then children import for themselves.
"""

from penstock.isolation.errand import Crashed, Ended, Errand, Killed, Progress, Returned, Why
from penstock.isolation.processes import Processes
from penstock.isolation.trouble import BadHandler, NoChild
from penstock.isolation.words import JSON
from penstock.isolation.work import Port, Work

__all__ = [
    "JSON",
    "BadHandler",
    "Crashed",
    "Ended",
    "Errand",
    "Killed",
    "NoChild",
    "Port",
    "Processes",
    "Progress",
    "Returned",
    "Why",
    "Work",
]
