"""Place comments: they stay with the lines that they belong to."""

from __future__ import annotations

from itertools import islice

from penstock_spec.formatting.lines import StyledLine


def place_comments(lines: list[StyledLine]) -> None:
    """Set the new column of every comment."""
    columns: list[StyledLine] = []
    items = [line for line in lines if line.content and not line.joined]
    above = 0  # the number of items up to this line
    for number, line in enumerate(lines):
        if line.content and not line.joined:
            above += 1
        if not line.comment:
            continue
        alone = not line.content
        home = (line.now if line.joined else _beside(items, above, line.comment_was)) if alone else None
        together = bool(columns) and columns[-1] is lines[number - 1] and columns[-1].comment_was == line.comment_was
        if home is not None and not (line.joined and together):
            line.comment_now = home
        elif together:
            columns.append(line)
        elif alone:
            line.comment_now = _between(items, above, line.comment_was)
        else:
            _align(columns)
            columns = [line]
    _align(columns)


def _align(column: list[StyledLine]) -> None:
    """Align comments in consecutive lines at their common column, if it is free.

    They move with their lines. A single comment, one space after its text, needs no alignment.
    """
    with_text = [line for line in column if line.content]
    if len(column) == 1 and with_text[0].comment_was == with_text[0].end_was + 1:
        with_text[0].comment_now = with_text[0].end + 1
        return
    moved = max((one.now - one.was for one in with_text), default=0)
    free = max((one.end + 1 for one in with_text), default=0)
    for line in column:
        line.comment_now = max(line.comment_was + moved, free)


def _beside(items: list[StyledLine], above: int, was: int) -> int | None:
    """The new column of the nearest line at the comment's old column: below, then above, within its block."""
    for line in islice(items, above, None):
        if line.was == was:
            return line.now
        if line.was < was:
            break
    if was == 0:
        return 0
    for line in reversed(items[:above]):
        if was in line.starts:
            return line.starts[was]
        if line.was < was:
            break
    return None


def _between(items: list[StyledLine], above: int, was: int) -> int:
    """The new column of a comment whose old column is that of no line."""
    if above < len(items) and items[above].was > was:
        return items[above].now
    deeper: list[int] = []
    for line in reversed(items[:above]):
        if line.was > was:
            deeper.extend(line.starts.values())
            continue
        if deeper:
            break
        item = max(now for column, now in line.starts.items() if column < was)
        return item if line.block else item + 2  # at the depth of the block's text it would become text
    return min(deeper, default=0)
