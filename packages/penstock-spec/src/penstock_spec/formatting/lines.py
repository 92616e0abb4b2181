"""A line of a file: what it says, where it stood, and where it will stand."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class StyledLine:
    """A line on its way into the style. Columns count from 0."""

    was: int
    """Its indentation."""
    now: int = 0
    says: str = ""
    """Its words with the blanks between them, without indentation and comment."""
    starts: dict[int, int] = field(default_factory=dict)
    """Where the items that start here stood, and where they will: several in `- - name: x`."""
    comment: str = ""
    comment_was: int = 0
    comment_now: int = 0
    end_was: int = 0
    """Behind its last word."""
    joined: bool = False
    """It goes on with a text or a collection in brackets that starts above, so comments do not stand with it."""
    text: bool = False
    """Within a text of several lines, where blank lines count."""
    block: bool = False
    """Within the text below a `|` or `>`, or its first line: blanks count."""

    @property
    def blank(self) -> bool:
        """Nothing is here that must stay."""
        return not (self.says or self.comment or self.text)

    @property
    def end(self) -> int:
        """Behind its last word, as it will stand."""
        return self.now + len(self.says)
