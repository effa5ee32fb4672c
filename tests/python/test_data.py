# SPDX-License-Identifier: GPL-2.0-only
"""tamis.export and tamis.plot: read back by readers that are not ours."""

import csv
import io
import json
import os
import shutil
import sqlite3
import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Any, List, Tuple

import pytest

import made
import support
import tamis
from tamis import export, plot
from tamis._table import Hist, Tables, Value


class Source:
    """Stands for the kernel's side of a table."""

    def __init__(self, parts: Tuple[str, ...], ops: List[str], rows: Any) -> None:
        self.parts, self.ops, self._rows, self.cleared = parts, ops, rows, 0

    def names(self) -> Any:
        return [(0, "sys:alias", "sys__alias", "alias", "event")]

    def info(self, index: int) -> Any:
        return self.parts, self.ops, 20

    def rows(self, index: int, clear: bool) -> Any:
        self.cleared += clear
        return list(self._rows)

    def lost(self, index: int) -> int:
        return 3


COUNTS = Source(
    ("id", "_comm"), ["count"], [((1, "a,b"), {"count": 5}), ((2**63, 'q"'), {"count": 7})]
)
BUCKETS = [(0, 0, 1), (1, 1, 2), (2, 3, 4), (1024, 2047, 93)]
STATS = Source(
    ("comm",),
    ["sum", "max", "hist"],
    [
        ("x", {"count": 100, "sum": -9, "max": -5, "hist": BUCKETS}),
        ("y", {"count": 1, "sum": 1, "max": 1, "hist": []}),
    ],
)


# --- tables ---


def test_table_as_mapping() -> None:
    table = Tables(COUNTS)["alias"]
    assert dict(table) == {(1, "a,b"): 5, (2**63, 'q"'): 7} and len(table) == 2
    assert table[1, "a,b"] == 5 and table.get((9, "z"), 0) == 0 and (1, "a,b") in table
    assert table.top(1) == [((2**63, 'q"'), 7)] and table.lost == 3
    with pytest.raises(KeyError):
        table[3, "x"]
    with pytest.raises(ValueError, match="no sum"):
        table.top(by="sum")
    for name in ("sys:alias", "sys__alias", "event"):
        assert Tables(COUNTS)[name].name == "sys:alias"
    with pytest.raises(KeyError, match="sys:alias"):
        Tables(COUNTS)["nosuch"]
    table.clear()
    assert table.snapshot(clear=True) and COUNTS.cleared == 2


def test_values_of_many_operators() -> None:
    table = Tables(STATS)["alias"]
    value = table["x"]
    assert isinstance(value, Value)
    assert (value.count, value.sum, value.max, value.min, value.avg) == (100, -9, -5, None, None)
    assert value.hist and value.hist.buckets() == BUCKETS and value.hist.count == 100
    assert [key for key, _ in table.top(by="sum")] == ["y", "x"]
    assert [key for key, _ in table.top(by="count")] == ["x", "y"]


def test_percentiles() -> None:
    hist = Hist(BUCKETS)
    assert hist.percentile(0) == 0 and hist.percentile(100) == 2047
    assert hist.percentile(1) == 0 and hist.percentile(3) == 1
    assert 1024 < hist.percentile(50) < 1600 and Hist([]).percentile(50) == 0
    with pytest.raises(ValueError):
        hist.percentile(101)


def test_bars(capsys: Any) -> None:
    Hist(BUCKETS).print("ns")
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 4 and "1024..2047 ns" in out[3] and out[3].count("#") == 40
    Hist([]).print()


# --- export ---


def test_csv_of_a_table(tmp_path: Path) -> None:
    assert export.csv(Tables(COUNTS)["alias"], tmp_path / "t.csv") == 2
    with open(tmp_path / "t.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0] == {"id": "1", "_comm": "a,b", "value": "5"} and rows[1]["_comm"] == 'q"'


def test_csv_of_events() -> None:
    out = io.StringIO()
    events = [made.event(pid=i, comm=b"\xff\n,x") for i in range(3)]
    assert export.csv(events, out) == 3
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert [row["pid"] for row in rows] == ["0", "1", "2"]
    assert rows[0]["comm"] == "\\xff\n,x" and rows[0]["saddr"] == "7f000001"
    assert json.loads(rows[0]["args"])[1] == 2**64 - 1


def test_jsonl() -> None:
    out = io.StringIO()
    export.jsonl([made.event(), {"a": b"\1", "b": Hist(BUCKETS)}], out)
    first, second = map(json.loads, out.getvalue().splitlines())
    assert first["big"] == 2**64 - 1 and first["args"][1] == 2**64 - 1
    assert second == {"a": "01", "b": [list(b) for b in BUCKETS]}


def test_sqlite(tmp_path: Path) -> None:
    path = str(tmp_path / "t.db")
    for _ in range(2):
        assert export.sqlite([made.event(pid=i) for i in range(5)], path, 'odd "name"') == 5
    database = sqlite3.connect(path)
    got = database.execute('SELECT sum(pid), min(small), max(big) FROM "odd ""name"""').fetchone()
    assert got == (20, -(2**63), str(2**64 - 1))
    assert export.sqlite([], path, "nothing") == 0
    database.close()


def test_frame() -> None:
    pytest.importorskip("pandas")
    frame = export.frame(Tables(STATS)["alias"])
    assert list(frame["comm"]) == ["x", "y"] and list(frame["sum"]) == [-9, 1]


# --- plot ---

SVG = "{http://www.w3.org/2000/svg}"


def tips(text: str) -> List[str]:
    root = xml.fromstring(text)
    assert root.tag == SVG + "svg"
    return [t.text or "" for rect in root.iter(SVG + "rect") for t in rect.findall(SVG + "title")]


def test_histogram(tmp_path: Path) -> None:
    drawn = plot.histogram(Hist(BUCKETS), title="a <b> & c", unit="ns")
    assert len(tips(drawn.svg())) == 4
    assert "1024 .. 2047 ns: 93 of 100 (93.0 %)" in tips(drawn.svg())
    widths = [
        float(rect.get("width", 0))
        for rect in list(xml.fromstring(drawn.svg()).iter(SVG + "rect"))[1:]
    ]
    assert widths == sorted(widths) and widths[3] / widths[2] == pytest.approx(93 / 4, rel=0.02)
    drawn.save(str(tmp_path / "h.svg"))
    drawn.save(str(tmp_path / "h.html"))
    xml.parse(tmp_path / "h.svg")
    html = (tmp_path / "h.html").read_text()
    assert html.startswith("<!DOCTYPE html>") and "a &lt;b&gt; &amp; c" in html
    assert "http" not in html.replace("http://www.w3.org/2000/svg", "")


def test_heatmap() -> None:
    columns = [(1.7e9 + i, Hist([(1, 1, i + 1), (1024, 2047, 10)])) for i in range(30)]
    drawn = plot.heatmap(columns, title="t", unit="us")
    assert len(tips(drawn.svg())) == 60
    assert plot.heatmap([(1, None), (2, [])]).svg().count("no values") == 1
    assert plot.histogram(None).svg().count("no values") == 1
    assert tips(plot.histogram(Value({"count": 1, "hist": [(5, 5, 1)]})).svg()) == [
        "5 .. 5 : 1 of 1 (100.0 %)"
    ]


def test_many_columns_stay_readable() -> None:
    drawn = plot.heatmap([(i, [(0, 0, 1)]) for i in range(2000)])
    assert drawn.width < 5000 and len(tips(drawn.svg())) == 2000


def test_lazy_modules() -> None:
    assert tamis.plot is plot and tamis.export is export


def test_browser_draws_it(tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser or os.environ.get("LD_PRELOAD"):
        support.skip("no Chromium, or not with a sanitizer's library in it")
    plot.histogram(Hist(BUCKETS), title="a <b> & c", unit="ns").save(str(tmp_path / "h.html"))
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    command += [f"--user-data-dir={tmp_path}/profile", f"file://{tmp_path}/h.html"]
    env = {**os.environ, "HOME": str(tmp_path)}
    run = subprocess.run(command, env=env, stdout=-1, stderr=-1, text=True, timeout=90)
    if run.returncode:
        support.skip(f"Chromium does not run here: {run.stderr[-200:]}")
    assert run.stdout.count("<rect ") == 5 and "a &lt;b&gt; &amp; c" in run.stdout
