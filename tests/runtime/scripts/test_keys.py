"""In a cluster, a script uses only the keys that it is called with, all in one cluster slot."""

from pathlib import Path

import pytest
from lua_keys import Lua, called, files
from redis.crc import key_slot
from redis_state import KEYS

from penstock.keys import PipelineKeys
from penstock.scripts import script


@pytest.mark.parametrize("file", files(), ids=called)
def test_a_script_uses_only_the_keys_it_is_called_with(file: Path) -> None:
    """Every command uses an element of KEYS as its key."""
    lua = Lua(script(file.stem, file.parent).text.decode())
    assert list(lua.commands())
    assert lua.foreign_keys() == []


@pytest.mark.parametrize(
    "text",
    [
        "redis.call('GET', ARGV[1])",
        "redis.call('GET', KEYS[1] .. ':more')",
        "redis.call('DEL', KEYS[1], ARGV[1])",
        "redis.call('XGROUP', 'CREATE', ARGV[1], '0')",
        "local key = ARGV[1]\nredis.call('GET', key)",
        "local one, two = KEYS[1], ARGV[1]\nredis.call('GET', two)",
        "local key = KEYS[1]\nif ARGV[2] then\n  key = 'other'\nend\nredis.call('GET', key)",
        "local function look(key)\n  return redis.call('GET', key)\nend\nlook(KEYS[1])\nlook(ARGV[1])",
        "local set = ARGV[1] and KEYS[1] or ARGV[2]\nredis.call('GET', set)",
        "for _, set in ipairs({KEYS[1], ARGV[1]}) do redis.call('ZCARD', set) end",
        "local words = {'XACK', ARGV[1]}\nredis.call(unpack(words))",
        "redis.pcall(ARGV[1], KEYS[1])\nredis.call('GET')",
    ],
)
def test_any_other_key_is_found(text: str) -> None:
    """These scripts prove that the test above can fail."""
    assert Lua(text).foreign_keys() != []


@pytest.mark.parametrize("stream", ["work", "streams:media.cluster", "{tag}:rest", "a b*[c]", "größe"])
def test_all_keys_of_a_stream_share_its_slot(stream: str) -> None:
    """This holds for any name of the stream, any message id and any deduplication key."""
    keys = PipelineKeys.at(stream, "team {with} odd signs", KEYS.dead)
    sides = [
        *(keys.delayed, keys.bodies, keys.parked, keys.uncharged, keys.crashed, keys.alive, keys.position),
        *(keys.finished, keys.dedup + "job {1}", keys.result + "1-1"),
    ]
    assert {key_slot(key.encode()) for key in sides} == {key_slot(stream.encode())}
