# SPDX-License-Identifier: GPL-2.0-only
"""Events of the kernel in Python: inside `tamis python`, and in any interpreter.

help(tamis.PerfEvent) tells what an event offers.
"""

from __future__ import annotations

from _tamis import Batch, Error, FieldError, PerfEvent, Session, events, parse, symbolize

__all__ = ["Batch", "Error", "FieldError", "PerfEvent", "Session"]
__all__ += ["events", "parse", "export", "perf_map", "plot", "symbolize", "tables"]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def __getattr__(name: str) -> Any:
    """What few scripts use is imported when it is first asked for."""
    if name in ("perf_map", "plot", "export"):
        import importlib

        return importlib.import_module("tamis." + name)
    if name == "tables":
        import _tamis

        from ._table import Tables

        globals()["tables"] = Tables(_tamis._tables)
        return globals()["tables"]
    if name in ("Hist", "Table", "Tables", "Value"):
        from . import _table

        return getattr(_table, name)
    raise AttributeError(f"module 'tamis' has no attribute {name!r}")
