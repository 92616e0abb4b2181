"""A line of a file before and after formatting."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class StyledLine:
    """A line with its old (`was`) and its new (`now`) columns, from 0."""

    was: int
    """Its old indentation."""
    now: int = 0
    content: str = ""
    """Its text with spaces between tokens, without indentation and comment."""
    starts: dict[int, int] = field(default_factory=dict)
    """The old and new columns of the items that start on this line: several in `- - name: x`."""
    comment: str = ""
    comment_was: int = 0
    comment_now: int = 0
    end_was: int = 0
    """The old end of its last token."""
    joined: bool = False
    """Whether it continues a text or a collection in brackets from above, so that comments do not belong to it."""
    in_text: bool = False
    """Whether it is inside a text of several lines, where blank lines matter."""
    block: bool = False
    """Whether it is in a block of text with `|` or `>`, including its first line, where spaces matter."""

    @property
    def blank(self) -> bool:
        """Whether the line can be removed."""
        return not (self.content or self.comment or self.in_text)

    @property
    def end(self) -> int:
        """The new end of its last token."""
        return self.now + len(self.content)
