"""A picture of a screen as it can lie in a repository: the same from each run, and asking no host for anything."""

from __future__ import annotations

import re

FONTS = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'
WIDTH = 12.2
"""Of a letter, in the picture's units."""
BLANK = "&#160;"
TEXT = re.compile(
    rf'x="(?P<x>[\d.]+)" (?P<y>y="[\d.]+") textLength="[\d.]+" (?P<clip>clip-path="[^"]+")>(?P<blanks>(?:{BLANK})*)'
    r"(?P<says>.*?)</text>"
)


def tidy(svg: str, name: str) -> str:
    """Fonts of the reader's machine, ids of the picture's name, and blanks at a start as places."""
    svg = re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code, monospace", FONTS).replace("font-family: arial", "font-family: sans-serif")
    svg = TEXT.sub(_placed, re.sub(r"terminal-\d+", name, svg))
    svg = re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found.group()):.1f}", svg)
    return "\n".join(line.strip() for line in svg.splitlines() if line.strip()) + "\n"


def _placed(found: re.Match[str]) -> str:
    """Some programs leave out blanks at the start of a text."""
    blanks = found["blanks"].count(BLANK)
    says = found["says"]
    long = len(re.sub(r"&[^;]+;", "x", says)) * WIDTH
    x = float(found["x"]) + blanks * WIDTH
    return f'x="{x:.1f}" {found["y"]} textLength="{long:.1f}" {found["clip"]}>{says}</text>'
