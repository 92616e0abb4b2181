"""Runs a role of Penstock (worker, scheduler, janitor) as the process of a pod.

A role is a value of `role.Role`; `run.run` does the rest: it logs, serves HTTP, runs the role's program in uvloop,
drains on a signal, watches the event loop, and exits with the program's code.

```
run            run(role, start): from the first log line to the exit code
├── role         Role, Limits, Program: the description of a role; Pod: what it gets
├── parts        tasks that must run as long as the pod
├── dependencies Dependencies: connections, metrics, clocks and the like, for the program
├── signals      the first signal drains, the second one ends the process at once
├── side_loop    an event loop in a thread, for tasks that must not wait for handlers: the lease, the loop watch
├── loop_watch   exits if handlers block the event loop for too long
├── file_stamps  detects changed files, after which the pod restarts
├── redis_check  the health check of Redis, over its own connection
├── links        connections to the node of a spec's keys
├── lease        registers a consumer and renews its lease
├── sidecar      asks a sidecar to quit
├── garbage      settings of Python's garbage collector
└── exit         exits even if handlers left tasks and threads behind
```
"""
