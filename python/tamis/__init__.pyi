"""Types of the package: those of the C module, which type checkers find beside this file."""

from ._tamis import Batch as Batch, Error as Error, FieldError as FieldError, PerfEvent as PerfEvent
