"""Where comments go: they keep standing with what they stood with."""

from __future__ import annotations

from itertools import islice

from penstock_spec.formatting.lines import StyledLine


def place_comments(lines: list[StyledLine]) -> None:
    """Say of every comment where it will stand."""
    columns: list[StyledLine] = []
    items = [line for line in lines if line.says and not line.joined]
    above = 0  # how many of them
    for number, line in enumerate(lines):
        if line.says and not line.joined:
            above += 1
        if not line.comment:
            continue
        alone = not line.says
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
    """Comments below each other behind words, and those that go on with them: at their column as far as it is free.

    They move with their lines. One that stands alone a single blank behind its word is no column.
    """
    said = [line for line in column if line.says]
    if len(column) == 1 and said[0].comment_was == said[0].end_was + 1:
        said[0].comment_now = said[0].end + 1
        return
    moved = max((one.now - one.was for one in said), default=0)
    free = max((one.end + 1 for one in said), default=0)
    for line in column:
        line.comment_now = max(line.comment_was + moved, free)


def _beside(items: list[StyledLine], above: int, was: int) -> int | None:
    """Where the nearest line that starts at a comment's column will start; below, then above, within its block."""
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
    """Where a comment goes that stood at the column of no line."""
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
        return item if line.block else item + 2  # as deep as a block's text it would be text
    return min(deeper, default=0)
