"""Faults by foreign hands: commands that somebody runs against the keys of a pipeline."""

from __future__ import annotations

from pipelines import KEY

from .family import Family
from .storm import Storm

SIDE_KEYS = ("parked", "uncharged", "crashed", "alive", "position", "finished")
KEPT = "P1 nothing lost, P8 no fence twice, P4 attempts"
SHORT, LONG = 1.0, 3.0


def group(storm: Storm) -> None:
    """XGROUP DESTROY, twice."""
    for _ in range(2):
        storm.pause(SHORT, LONG)
        storm.ask("XGROUP", "DESTROY", KEY, "trial")
    storm.pause(LONG, 2 * LONG)


def consumers(storm: Storm) -> None:
    """XGROUP DELCONSUMER of live workers and of states."""
    for number in range(6):
        storm.pause(SHORT / 2, LONG / 2)
        live = storm.trial.live_consumers()
        name = ("~parked", "~ready", "~suspect")[number // 2] if number % 2 or not live else storm.rng.choice(live)
        storm.ask("XGROUP", "DELCONSUMER", KEY, "trial", name)
    storm.pause(SHORT, LONG)


def side_keys(storm: Storm) -> None:
    """DEL of each side key, in random order."""
    for name in storm.rng.sample(SIDE_KEYS, len(SIDE_KEYS)):
        storm.pause(SHORT / 2, LONG / 2)
        storm.ask("DEL", f"{{trial}}:trial:{name}")
    storm.pause(SHORT, LONG)


def trims(storm: Storm) -> None:
    """XTRIM and XDEL of entries that are not done."""
    for _ in range(3):
        storm.pause(SHORT, LONG)
        storm.ask("XTRIM", KEY, "MAXLEN", 2)
        entries = storm.ask("XRANGE", KEY, "-", "+", "COUNT", 1)
        assert isinstance(entries, list)
        for entry in entries:
            assert isinstance(entry, list)
            storm.ask("XDEL", KEY, str(entry[0]))
        storm.forget(is_new_history=False)
    storm.pause(SHORT, LONG)


FAMILIES = (
    Family("group", "XGROUP DESTROY, twice.", KEPT, group),
    Family("consumers", "XGROUP DELCONSUMER of live workers and of `~parked`, `~ready`, `~suspect`.", KEPT, consumers),
    Family("side-keys", "DEL of each side key.", f"{KEPT}; a lost record may cost attempts", side_keys),
    Family(
        "trims",
        "XTRIM and XDEL of entries that are not done, three times.",
        "P1 for messages sent after it; no fence twice, no crash loop, nothing stuck",
        trims,
    ),
)
