# SPDX-License-Identifier: GPL-2.0-only
"""Events and tables as files: CSV, JSON lines, SQLite, and as pandas frames where pandas is.

Each function takes a table, a batch, events, or dicts:

    tamis.export.csv(tamis.tables["opens"], "opens.csv")
    tamis.export.sqlite(kept_events, "trace.db", "switches")
"""

import csv as _csv
import json as _json
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List

from ._table import Hist, Table, Value

Row = Dict[str, Any]

__all__ = ["csv", "frame", "jsonl", "rows", "sqlite"]


# --- rows ---


def _numbers(value: Any) -> Row:
    if isinstance(value, Value):
        known = ((name, getattr(value, name)) for name in Value.__slots__)
        return {name: number for name, number in known if number is not None}
    return {"hist" if isinstance(value, Hist) else "value": value}


def _table_rows(table: Table) -> Iterator[Row]:
    for key, value in table.items():
        parts = key if isinstance(key, tuple) and len(table.parts) != 1 else (key,)
        yield {**dict(zip(table.parts, parts)), **_numbers(value)}


def rows(source: Any) -> Iterator[Row]:
    """What is to be written, one dict each."""
    if isinstance(source, Table):
        yield from _table_rows(source)
        return
    for item in source:
        yield item if isinstance(item, dict) else item.to_dict()


def _plain(value: Any) -> Any:
    """A value as JSON has it: bytes as hexadecimal text, histograms as lists."""
    if isinstance(value, Hist):
        return value.buckets()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    return value


def _cell(value: Any) -> Any:
    """A value for one cell: what is no number or text is JSON. Any bytes are text that UTF-8 has."""
    value = _plain(value)
    if isinstance(value, (list, tuple, dict)):
        value = _json.dumps(value)
    if isinstance(value, str):
        return value.encode(errors="surrogateescape").decode(errors="backslashreplace")
    return value


def _columns(items: List[Row]) -> List[str]:
    """Names of all rows, in the order in which they first stand."""
    return list(dict.fromkeys(name for row in items for name in row))


@contextmanager
def _opened(file: Any) -> Iterator[Any]:
    if hasattr(file, "write"):
        yield file
    else:
        with open(file, "w", newline="", encoding="utf-8") as opened:
            yield opened


# --- files ---


def csv(source: Any, file: Any) -> int:
    """Writes a header and a line for each row. Returns how many rows."""
    items = list(rows(source))
    with _opened(file) as out:
        writer = _csv.DictWriter(out, _columns(items), restval="", lineterminator="\n")
        writer.writeheader()
        for row in items:
            writer.writerow({name: _cell(value) for name, value in row.items()})
    return len(items)


def jsonl(source: Any, file: Any) -> int:
    """Writes one JSON object a line; whole numbers are exact. Returns how many rows."""
    count = 0
    with _opened(file) as out:
        for row in rows(source):
            out.write(_json.dumps({name: _plain(value) for name, value in row.items()}) + "\n")
            count += 1
    return count


def _sql_value(value: Any) -> Any:
    """SQLite's integers end at 2**63-1: larger ones are text, which keeps them exact."""
    value = _cell(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value)
    return value


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def sqlite(source: Any, path: str, table: str = "events") -> int:
    """Appends to a table of an SQLite file, made when it is missing. Returns how many rows."""
    import sqlite3

    items = list(rows(source))
    columns = _columns(items)
    if not columns:
        return 0
    names = ", ".join(map(_quoted, columns))
    marks = ", ".join("?" * len(columns))
    database = sqlite3.connect(path)
    try:
        with database:
            database.execute(f"CREATE TABLE IF NOT EXISTS {_quoted(table)} ({names})")
            insert = f"INSERT INTO {_quoted(table)} ({names}) VALUES ({marks})"
            database.executemany(
                insert, ([_sql_value(row.get(name)) for name in columns] for row in items)
            )
    finally:
        database.close()
    return len(items)


def frame(source: Any) -> Any:
    """A pandas DataFrame."""
    import pandas  # type: ignore[import]

    items = list(rows(source))
    return pandas.DataFrame.from_records(items, columns=_columns(items))
