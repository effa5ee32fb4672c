# SPDX-License-Identifier: GPL-2.0-only
"""Events of the kernel in Python: inside `tamis python`, and in any interpreter.

help(tamis.PerfEvent) tells what an event offers.
"""

from _tamis import Batch, Error, FieldError, PerfEvent

__all__ = ["Batch", "Error", "FieldError", "PerfEvent"]
