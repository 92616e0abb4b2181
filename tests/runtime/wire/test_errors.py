"""The code of a refusal is the same for every version of the server."""

import pytest

from penstock.wire.errors import Refused

# Messages of Redis 6.2, Redis 7.0 and Valkey 9.1, with shortened checksums.
IN_SCRIPT = "ERR Error running script (call to f_9356ab): @user_script:1: "
CODES = {
    "OOM command not allowed when used memory > 'maxmemory'.": "OOM",
    "WRONGPASS invalid username-password pair or user is disabled.": "WRONGPASS",
    "NOSCRIPT No matching script. Please use EVAL.": "NOSCRIPT",
    "CLUSTERDOWN The cluster is down": "CLUSTERDOWN",
    "ERR unknown command `FOO`, with args beginning with: ": "ERR",
    "ERR Error compiling script (new function): user_script:1: unexpected symbol near '<eof>'": "ERR",
    "-FENCED by another": "FENCED",
    "EXECABORT": "EXECABORT",
    "strange words": "ERR",
    "": "ERR",
    f"{IN_SCRIPT}WRONGTYPE Operation against a key holding the wrong kind of value": "WRONGTYPE",
    f"{IN_SCRIPT}@user_script: 1: -OOM command not allowed when used memory > 'maxmemory'.": "OOM",
    f"{IN_SCRIPT}@user_script: 1: -READONLY You can't write against a read only replica.": "READONLY",
    f"{IN_SCRIPT}@user_script: 1: -NOREPLICAS Not enough good replicas to write.": "NOREPLICAS",
    f"{IN_SCRIPT}@user_script: 1: Unknown Redis command called from Lua script": "ERR",
    f"{IN_SCRIPT}@user_script: 1: The user executing the script can't run this command or subcommand": "NOPERM",
    f"{IN_SCRIPT}user_script:1: FENCED by another": "FENCED",
    f"{IN_SCRIPT}user_script:1: Script attempted to access nonexistent global variable 'nofunc'": "ERR",
    "NOGROUP No such key 'nokey' or consumer group 'g' script: e39135, on @user_script:1.": "NOGROUP",
    "ERR The user executing the script can't run this command or subcommand script: ad90, on @user_script:1.": "NOPERM",
    "ERR user_script:1: FENCED by another script: 4688c2, on @user_script:1.": "FENCED",
    "ERR ACL failure in script: No permissions to access a key script: on @user_script:1.": "NOPERM",
    "ERR user_script:1: attempt to index local 'x' (a nil value) script: on @user_script:1.": "ERR",
}


@pytest.mark.parametrize(("text", "code"), CODES.items())
def test_the_code_is_the_first_word_of_the_inner_error(text: str, code: str) -> None:
    """The text of the refusal stays unchanged."""
    refused = Refused(text)
    assert refused.code == code
    assert str(refused) == text
