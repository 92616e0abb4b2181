"""Defines the line of each event: its level, its message, its fields, and the roles that log it.

All messages of the runtime's log are in this folder. `docs/reference/events.md` is generated from them.
"""

from __future__ import annotations

from collections.abc import Mapping

from penstock.observe.event_lines.define import EventLine
from penstock.observe.event_lines.janitor import JANITOR
from penstock.observe.event_lines.messages import ISOLATION, MESSAGE, MESSAGES
from penstock.observe.event_lines.processes import PROCESS, REDIS, SHUTDOWN
from penstock.observe.event_lines.scheduler import SCHEDULER
from penstock.observe.events import Event

TOPICS = (PROCESS, SHUTDOWN, REDIS, MESSAGE, MESSAGES, ISOLATION, JANITOR, SCHEDULER)
EVENT_LINES: Mapping[Event, EventLine] = {event: line for topic in TOPICS for event, line in topic.lines.items()}
"""The line of every event."""
