"""A picture of a screen that can be committed: each run gives the same, and it loads nothing from the network."""

from __future__ import annotations

import re

FONTS = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'
WIDTH = 12.2
"""The width of a letter, in the picture's units."""
BLANK = "&#160;"
TEXT = re.compile(
    rf'x="(?P<x>[\d.]+)" (?P<y>y="[\d.]+") textLength="[\d.]+" (?P<clip>clip-path="[^"]+")>(?P<blanks>(?:{BLANK})*)'
    r"(?P<content>.*?)</text>"
)


def tidy(svg: str, name: str) -> str:
    """Use the reader's fonts, derive ids from the picture's name, and turn leading blanks into positions."""
    svg = re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code, monospace", FONTS).replace("font-family: arial", "font-family: sans-serif")
    svg = TEXT.sub(_placed, re.sub(r"terminal-\d+", name, svg))
    svg = re.sub(r"\d+\.\d{3,}", lambda match: f"{float(match.group()):.1f}", svg)
    return "\n".join(line.strip() for line in svg.splitlines() if line.strip()) + "\n"


def _placed(match: re.Match[str]) -> str:
    """Turn leading blanks into a position; some programs drop them."""
    blanks = match["blanks"].count(BLANK)
    content = match["content"]
    length = len(re.sub(r"&[^;]+;", "x", content)) * WIDTH
    x = float(match["x"]) + blanks * WIDTH
    return f'x="{x:.1f}" {match["y"]} textLength="{length:.1f}" {match["clip"]}>{content}</text>'
