"""`penstock dlq list` and `show` report which messages died, why, and their fields."""

from __future__ import annotations

import base64
import json

import pytest
from operator_cli import OperatorCli

from penstock.operating.dead_letters.dead_letter import DeadLetter
from penstock.operating.entry import Entry
from penstock.worker.dead_letter import dead_letter_fields
from penstock.worker.delivery import Buried, Delivery

CARD = "4111 1111 1111 1111"
MESSAGE = "01KE0000000000000000000001"


def body(**fields: object) -> tuple[bytes, bytes]:
    return b"data", json.dumps(fields).encode()


class TestList:
    """`dlq list` shows one row per dead letter."""

    @pytest.mark.wire
    def test_the_newest_dead_letter_comes_first(self, cli: OperatorCli) -> None:
        ids = cli.died(5)
        rows = cli.penstock("dlq", "list", "trial", "--json").objects
        assert [one["id"] for one in rows] == ids[::-1]
        oldest_first = cli.penstock("dlq", "list", "trial", "--json", "--oldest-first").objects
        assert [one["id"] for one in oldest_first] == ids

    def test_a_row_has_reason_and_log_fields(self, cli: OperatorCli) -> None:
        """For people in a table, for machines as an object."""
        id_ = cli.dies(*body(n=42, pet="rex"), error="TimeoutError: it took longer than 60s", attempts=3)
        heading, line = cli.penstock("dlq", "list", "trial").out.splitlines()
        assert heading.split() == ["id", "age", "reason", "attempts", "error", "fields"]
        assert line.split()[0] == id_
        assert line.split()[2:] == ["failed", "3", "TimeoutError", "n=42", "pet=rex"]
        [row] = cli.penstock("dlq", "list", "trial", "--json").objects
        expected = {"id": id_, "reason": "failed", "attempts": 3, "error_type": "TimeoutError", "deaths": 1}
        assert expected.items() <= row.items()
        assert row["fields"] == {"n": 42, "pet": "rex"}

    def test_a_row_shows_no_other_field_of_the_body(self, cli: OperatorCli) -> None:
        """Nor the text of an error, which may quote the body."""
        cli.dies(*body(n=1, card=CARD), error=f"ValueError: no card: {CARD}")
        for options in ((), ("--json",)):
            ran = cli.penstock("dlq", "list", "trial", *options)
            assert "ValueError" in ran.out
            assert CARD not in ran.out + ran.err

    def test_the_limit_cuts_the_list_and_says_so(self, cli: OperatorCli) -> None:
        ids = cli.died(30)
        ran = cli.penstock("dlq", "list", "trial", "--json", "--limit", "7")
        assert [one["id"] for one in ran.objects] == ids[:-8:-1]
        assert "there are more" in ran.err
        assert "there are more" not in cli.penstock("dlq", "list", "trial", "--limit", "30").err

    @pytest.mark.wire
    def test_it_reads_every_page(self, cli: OperatorCli) -> None:
        """Small and large dead letters appear once each."""
        ids = [cli.dies(*body(n=n, text="x" * (0 if n % 50 else 100_000))) for n in range(1200)]
        rows = cli.penstock("dlq", "list", "trial", "--json", "--limit", "5000", "--oldest-first").objects
        assert [one["id"] for one in rows] == ids

    def test_no_match_sets_the_exit_code(self, cli: OperatorCli) -> None:
        assert cli.penstock("dlq", "list", "trial").code == 1
        cli.died(1)
        ran = cli.penstock("dlq", "list", "trial", "--error", "nothing like it")
        assert (ran.code, ran.out) == (1, "")
        assert ran.err == "1 dead letter was checked, and none matches\n"

    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            (["--error", "timeout"], {1}),
            (["--error", "CARD"], {0}),
            (["--reason", "lost"], {2}),
            (["--reason", "failed", "--error", "e"], {0, 1, 4}),
            (["--field", "n=1"], {1}),
            (["--field", "pet=rex"], {0, 3}),
            (["--field", "pet=rex", "--field", "n=3"], {3}),
            (["--field", "owner.name=Jo"], {3}),
            (["--field", "tags=[1,2]"], {0}),
            (["--field", "gone=null"], {1}),
            (["--field", "ok=true"], {0}),
            (["--field", "n=01"], set()),
            (["--older-than", "1d"], {4}),
            (["--newer-than", "1d"], {0, 1, 2, 3}),
            (["--older-than", "1d", "--reason", "lost"], set()),
        ],
    )
    def test_filters_select_matching_dead_letters(
        self, cli: OperatorCli, options: list[str], expected: set[int]
    ) -> None:
        old = Delivery(b"5-0", body(n=4), "w~01234567", 1)
        cli.ask(
            "XADD", cli.keys.dead, "1000-0", *dead_letter_fields(Buried(old, "failed", "Error: old"), cli.keys, 1000)
        )
        ids = [
            cli.dies(*body(n=0, pet="rex", tags=[1, 2], ok=True), error="ValueError: no card"),
            cli.dies(*body(n=1, gone=None), error="TimeoutError: too long"),
            cli.dies(b"data", b"no json", reason="lost", error="its workers were lost"),
            cli.dies(*body(n=3, pet="rex", owner={"name": "Jo"}), reason="refused", error="Nope"),
            "1000-0",
        ]
        ran = cli.penstock("dlq", "list", "trial", "--json", *options)
        assert {ids.index(one["id"]) for one in ran.objects} == expected
        assert ran.code == (0 if expected else 1)

    def test_dead_letters_of_other_pipelines_are_counted_and_left_out(self, cli: OperatorCli) -> None:
        """Pipelines may share a stream of dead letters."""
        own = cli.died(2)
        other = Delivery(b"1-1", body(n=9), "w~01234567", 1)
        keys = type(cli.keys).at("another", "team", cli.keys.dead)
        cli.ask("XADD", cli.keys.dead, "*", *dead_letter_fields(Buried(other, "failed", "E"), keys, 1000))
        ran = cli.penstock("dlq", "list", "trial", "--json")
        assert [one["id"] for one in ran.objects] == own[::-1]
        assert ran.err.startswith("skipped 1 dead letter in `{trial}:trial:dead` ")

    def test_foreign_entries_are_listed(self, cli: OperatorCli) -> None:
        """Dead letters that Penstock did not write have no history of deaths."""
        id_ = cli.ask("XADD", cli.keys.dead, "*", *body(n=1), "attempts", "5")
        [row] = cli.penstock("dlq", "list", "trial", "--json").objects
        assert (row["id"], row["reason"], row["deaths"], row["fields"]) == (id_, None, 0, {"n": 1})

    def test_a_field_without_a_value_is_refused(self, cli: OperatorCli) -> None:
        ran = cli.penstock("dlq", "list", "trial", "--field", "job_id")
        assert ran.code == 2
        assert "`--field job_id` has no value" in ran.err

    def test_an_invalid_duration_is_refused_with_a_hint(self, cli: OperatorCli) -> None:
        ran = cli.penstock("dlq", "list", "trial", "--older-than", "90")
        assert ran.code == 2
        assert "write `90s`" in ran.err


class TestShow:
    """`dlq show` shows all of one dead letter."""

    AWKWARD = (b"data", b'{"n": 7, "text": "a\\u001b[2J"}', b"raw", b"\xff\x00", b"note", b"two\nlines", b"raw", b"")

    @pytest.mark.wire
    def test_it_shows_everything(self, cli: OperatorCli) -> None:
        """Its history, its fields byte for byte, and its body."""
        id_ = cli.dies(*self.AWKWARD, error="ValueError: no", attempts=3, entry="17-4")
        document = cli.penstock("dlq", "show", "trial", id_, "--json").json
        expected = {
            "id": id_, "reason": "failed", "error": "ValueError: no", "attempts": 3, "entry": "17-4",
            "consumer": "worker~01234567", "group": "trial", "stream": "trial", "died": "2023-11-14T22:13:20Z",
        }  # fmt: skip
        assert expected.items() <= document.items()
        assert document["body"] == {"n": 7, "text": "a\x1b[2J"}
        assert document["fields"] == [
            {"name": "data", "value": self.AWKWARD[1].decode()},
            {"name": "raw", "value_base64": base64.b64encode(b"\xff\x00").decode()},
            {"name": "note", "value": "two\nlines"},
            {"name": "raw", "value": ""},
        ]

    def test_fields_are_shown_as_text_or_base64(self, cli: OperatorCli) -> None:
        """No control character reaches the terminal."""
        output = cli.penstock("dlq", "show", "trial", cli.dies(*self.AWKWARD)).out
        assert "\n  raw: (base64) /wA=\n" in output
        assert '\n  note: "two\\nlines"\n' in output
        assert '\n  raw: ""\n' in output
        assert f"\n  data: {self.AWKWARD[1].decode()}\n" in output
        assert '\n    "n": 7,\n' in output
        assert "\x1b" not in output

    def test_an_unreadable_body_is_marked(self, cli: OperatorCli) -> None:
        id_ = cli.dies(b"data", b"{nope", reason="unreadable", error="not-json: ...")
        ran = cli.penstock("dlq", "show", "trial", id_)
        assert ran.code == 0
        assert "\n  data: {nope\n" in ran.out
        assert "\nbody cannot be read: not-json" in ran.out
        document = cli.penstock("dlq", "show", "trial", id_, "--json").json
        assert document["body"] is None
        assert document["unreadable"].startswith("not-json")

    def test_packed_fields_are_unpacked(self, cli: OperatorCli) -> None:
        """An entry of 1,500 fields keeps their order."""
        fields = [part for n in range(1500) for part in (b"f%d" % n, b"\xfe%d" % n)]
        id_ = cli.dies(*body(n=1), *fields)
        assert len(cli.dead()[id_]) == 2 * 9
        shown = cli.penstock("dlq", "show", "trial", id_, "--json").json["fields"]
        assert len(shown) == 1501
        assert shown[1500] == {"name": "f1499", "value_base64": base64.b64encode(b"\xfe1499").decode()}

    def test_a_missing_dead_letter_is_reported(self, cli: OperatorCli) -> None:
        ran = cli.penstock("dlq", "show", "trial", "5-5")
        assert (ran.code, ran.out, ran.err) == (1, "", "no dead letter `5-5`\n")

    @pytest.mark.wire
    def test_the_id_of_a_message_finds_its_newest_dead_letter(self, cli: OperatorCli) -> None:
        """`penstock send` prints that id."""
        sent = (*body(n=1), b"penstock-id", MESSAGE.encode())
        cli.dies(*sent)
        newest = cli.dies(*sent)
        cli.died(2)
        assert cli.penstock("dlq", "show", "trial", MESSAGE, "--json").json["id"] == newest

    def test_a_message_without_a_dead_letter_is_reported(self, cli: OperatorCli) -> None:
        cli.died(2)
        ran = cli.penstock("dlq", "show", "trial", MESSAGE)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err == f"no dead letter of message `{MESSAGE}` among the newest 10,000\n"

    @pytest.mark.parametrize("verb", ["replay", "purge"])
    def test_the_id_of_a_message_selects_nothing_to_change(self, cli: OperatorCli, verb: str) -> None:
        """A message may have died more than once; the hint shows how to see the id of its dead letter."""
        ran = cli.penstock("dlq", verb, "trial", MESSAGE)
        assert ran.code == 2
        assert f"hint: `penstock dlq show SPEC {MESSAGE}` shows the id of its dead letter" in ran.err

    def test_an_invalid_id_is_refused_with_a_hint(self, cli: OperatorCli) -> None:
        ran = cli.penstock("dlq", "show", "trial", "latest")
        assert ran.code == 2
        assert "hint: `penstock dlq list` shows ids" in ran.err


class TestReading:
    """Reading separates the fields of the burial from the fields that were sent."""

    def read(self, cli: OperatorCli, *fields: bytes) -> DeadLetter:
        delivery = Delivery(b"7-7", fields, "w~01234567", 2)
        entry_fields = dead_letter_fields(Buried(delivery, "failed", "E: no"), cli.keys, 5)
        return DeadLetter.of(Entry("8-8", entry_fields))

    def test_sent_fields_that_look_like_a_death_stay(self, cli: OperatorCli) -> None:
        """Somebody may have put a dead letter back into the stream by hand."""
        once = self.read(cli, b"data", b"{}")
        inner = [*once.original, b"penstock-dead-id", b"1-1", b"penstock-dead-reason", b"lost"]
        dead_letter = self.read(cli, *inner)
        assert list(dead_letter.original) == inner
        assert (dead_letter.reason, dead_letter.record["id"]) == ("failed", "7-7")

    def test_a_field_that_looks_packed_stays(self, cli: OperatorCli) -> None:
        for value in (b"1:a,1:b,", b"nonsense", b""):
            assert list(self.read(cli, b"penstock-dead-packed", value).original) == [b"penstock-dead-packed", value]

    def test_an_entry_with_fields_of_the_burial_only_has_no_original_fields(self, cli: OperatorCli) -> None:
        assert list(self.read(cli).original) == []
