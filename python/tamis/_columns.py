# SPDX-License-Identifier: GPL-2.0-only
"""Batches as numpy arrays; numpy is asked for only here."""

from typing import Any, Dict


def structured(batch: Any) -> Any:
    """All columns of a batch in one structured array; fields without a column are left out."""
    import numpy

    columns: Dict[str, Any] = {}
    for name in batch.keys():
        try:
            columns[name] = numpy.asarray(batch[name])
        except TypeError:
            continue
    dtype = [(name, column.dtype, column.shape[1:]) for name, column in columns.items()]
    array = numpy.empty(len(batch), dtype=dtype)
    for name, column in columns.items():
        array[name] = column
    return array
