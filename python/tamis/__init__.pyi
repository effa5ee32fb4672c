"""Types of the package: those of the C module, which type checkers find beside this file."""

from . import export as export, perf_map as perf_map, plot as plot
from ._table import Hist as Hist, Table as Table, Tables as Tables, Value as Value
from ._tamis import (
    Batch as Batch,
    Error as Error,
    FieldError as FieldError,
    PerfEvent as PerfEvent,
    Session as Session,
    events as events,
    parse as parse,
    symbolize as symbolize,
)

tables: Tables
