# SPDX-License-Identifier: GPL-2.0-only
"""Histograms and heat maps as self-contained SVG or HTML: no script, no font, nothing to fetch.

    tamis.plot.histogram(tamis.tables["lat"][()], title="latency", unit="ns").save("lat.svg")

    seen = []
    def __interval__():
        seen.append((time.time(), tamis.tables["lat"].snapshot(clear=True).get(())))
    def __exit__():
        tamis.plot.heatmap(seen, title="latency", unit="ns").save("lat.html")
"""

import time as _time
from html import escape
from typing import Any, List, Sequence, Tuple

Bucket = Tuple[int, int, int]

__all__ = ["Plot", "heatmap", "histogram"]

WIDTH, LEFT, TOP, BOTTOM = 760, 170, 48, 40
ROW = 20  # height of a bar or a cell
INK, BAR = "#222", "#3b6ea5"


class Plot:
    """A drawing: svg() and html() are text, save() writes either by the file's suffix."""

    def __init__(self, width: int, height: int, title: str, parts: List[str]) -> None:
        self.width, self.height, self.title, self._parts = width, height, title, parts

    def svg(self) -> str:
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" font-family="sans-serif" font-size="12">'
        )
        title = f"<title>{escape(self.title)}</title>"
        back = f'<rect width="{self.width}" height="{self.height}" fill="white"/>'
        return "\n".join([head, title, back, *self._parts, "</svg>\n"])

    def html(self) -> str:
        head = f'<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>{escape(self.title)}'
        return f"{head}</title></head>\n<body>\n{self.svg()}</body></html>\n"

    def save(self, path: str) -> None:
        text = self.html() if str(path).lower().endswith((".html", ".htm")) else self.svg()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


# --- pieces ---


def _text(x: float, y: float, text: str, anchor: str = "start", more: str = "") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{INK}"'
    return f"<text {place}{more}>{escape(text)}</text>"


def _rect(x: float, y: float, w: float, h: float, fill: str, tip: str) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" width="{max(w, 0.5):.1f}" height="{h:.1f}" fill="{fill}"'
    return f"<rect {place}><title>{escape(tip)}</title></rect>"


def _short(n: float) -> str:
    """1536 as 1.54k: an axis has little room."""
    for size, letter in ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(n) >= size:
            return f"{n / size:.3g}{letter}"
    return f"{n:.3g}"


def _span(low: int, high: int, unit: str) -> str:
    text = _short(low) if low == high else f"{_short(low)} .. {_short(high)}"
    return f"{text} {unit}".rstrip()


def _buckets(hist: Any) -> List[Bucket]:
    """Of a Hist, of a value that has one, or as they are; ascending."""
    hist = getattr(hist, "hist", hist)
    if hist is None:
        return []
    buckets = hist.buckets() if hasattr(hist, "buckets") else hist
    return sorted((int(low), int(high), int(n)) for low, high, n in buckets)


# --- histogram ---


def histogram(hist: Any, title: str = "", unit: str = "") -> Plot:
    """A bar for each range of values. hist: a Hist, a table's value, or (low, high, count)s."""
    buckets = _buckets(hist)
    most = max((n for _, _, n in buckets), default=0)
    total = sum(n for _, _, n in buckets)
    room = WIDTH - LEFT - 90
    parts = [_text(LEFT, 24, title, more=' font-size="15"')]
    for i, (low, high, n) in enumerate(buckets):
        y = TOP + i * ROW
        share = f"{n} of {total} ({100 * n / total:.1f} %)" if total else "0"
        parts.append(_text(LEFT - 8, y + 14, _span(low, high, unit), "end"))
        width = room * n / most if most else 0
        tip = f"{low} .. {high} {unit}: {share}"
        parts.append(_rect(LEFT, y + 2, width, ROW - 4, BAR, tip))
        parts.append(_text(LEFT + width + 6, y + 14, str(n)))
    if not buckets:
        parts.append(_text(LEFT, TOP + 14, "no values"))
    return Plot(WIDTH, TOP + max(1, len(buckets)) * ROW + BOTTOM, title or "histogram", parts)


# --- heat map ---


def _shade(n: int, most: int) -> str:
    """Darker for more; by the square root, so that the rare is seen beside the frequent."""
    depth = (n / most) ** 0.5
    pale, dark = (222, 235, 247), (8, 48, 107)
    mixed = (round(p + (d - p) * depth) for p, d in zip(pale, dark))
    return "#%02x%02x%02x" % tuple(mixed)


def _clock(when: float) -> str:
    if when > 10**17:  # ns since the epoch, as _realtime
        when /= 1e9
    return _time.strftime("%H:%M:%S", _time.localtime(when)) if when > 10**8 else f"{when:g}"


def heatmap(columns: Sequence[Tuple[float, Any]], title: str = "", unit: str = "") -> Plot:
    """A column for each (time, histogram), a row for each range, darker for more."""
    shown = [(when, _buckets(hist)) for when, hist in columns]
    ranges = sorted({(low, high) for _, buckets in shown for low, high, _ in buckets}, reverse=True)
    row_of = {span: i for i, span in enumerate(ranges)}
    most = max((n for _, buckets in shown for _, _, n in buckets), default=0)
    cell = max(2.0, min(40.0, (WIDTH - LEFT - 20) / max(1, len(shown))))
    width = int(LEFT + cell * len(shown) + 20)
    bottom = TOP + max(1, len(ranges)) * ROW
    parts = [_text(LEFT, 24, title, more=' font-size="15"')]
    for low, high in ranges:
        parts.append(
            _text(LEFT - 8, TOP + row_of[low, high] * ROW + 14, _span(low, high, unit), "end")
        )
    for i, (when, buckets) in enumerate(shown):
        for low, high, n in buckets:
            tip = f"{_clock(when)}: {low} .. {high} {unit}: {n}"
            y = TOP + row_of[low, high] * ROW
            parts.append(_rect(LEFT + i * cell, y, cell - 0.5, ROW - 1, _shade(n, most), tip))
    for i in range(0, len(shown), max(1, int(90 / cell))):
        parts.append(_text(LEFT + i * cell, bottom + 16, _clock(shown[i][0])))
    if not ranges:
        parts.append(_text(LEFT, TOP + 14, "no values"))
    return Plot(max(WIDTH, width), bottom + BOTTOM, title or "heat map", parts)
