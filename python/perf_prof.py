# SPDX-License-Identifier: GPL-2.0-only
"""The module that scripts for perf-prof's `python` command import."""

from tamis import PerfEvent

__all__ = ["PerfEvent"]
