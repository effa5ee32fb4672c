# SPDX-License-Identifier: GPL-2.0-only
"""Tables: what events aggregate in the kernel, as mappings that are read when they are accessed."""

from collections.abc import Mapping
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

Bucket = Tuple[int, int, int]  # first value, last value, how many


class Hist:
    """A histogram: how many values were in each range. Ranges without any are left out."""

    __slots__ = ("_buckets",)

    def __init__(self, buckets: List[Bucket]) -> None:
        self._buckets = buckets

    def buckets(self) -> List[Bucket]:
        """(low, high, count) of each range, low and high included, ascending."""
        return list(self._buckets)

    @property
    def count(self) -> int:
        """How many values there were."""
        return sum(n for _, _, n in self._buckets)

    @property
    def hist(self) -> "Hist":
        """Itself, so that a table of one histogram reads as one of many operators."""
        return self

    def percentile(self, p: float) -> float:
        """The value below which p percent are, as if spread evenly within a range; 0 if empty."""
        if not 0 <= p <= 100:
            raise ValueError(f"percentile {p}: want 0 to 100")
        left = self.count * p / 100
        for low, high, n in self._buckets:
            if left <= n:
                return low + (high - low) * (left / n)
            left -= n
        return 0.0

    def print(self, unit: str = "", width: int = 40) -> None:
        """Prints a bar for each range."""
        most = max((n for _, _, n in self._buckets), default=0)
        for low, high, n in self._buckets:
            bar = "#" * max(1, round(width * n / most))
            span = f"{low}..{high}" if high != low else str(low)
            print(f"{span + (' ' + unit if unit else ''):>32} {n:>10} {bar}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hist) and self._buckets == other._buckets

    def __repr__(self) -> str:
        return f"<Hist of {self.count} values>"


class Value:
    """The numbers of one key: count sum min max avg hist lhist; None for what was not asked for."""

    __slots__ = ("count", "sum", "min", "max", "avg", "hist", "lhist")

    count: int
    sum: Optional[int]
    min: Optional[int]
    max: Optional[int]
    avg: Optional[float]
    hist: Optional[Hist]
    lhist: Optional[Hist]

    def __init__(self, numbers: Dict[str, Any]) -> None:
        for name in ("count", "sum", "min", "max", "avg"):
            setattr(self, name, numbers.get(name))
        for name in ("hist", "lhist"):
            setattr(self, name, Hist(numbers[name]) if name in numbers else None)
        self.hist = self.hist or self.lhist

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and repr(self) == repr(other)

    def __repr__(self) -> str:
        known = ((name, getattr(self, name)) for name in self.__slots__)
        return "<Value " + " ".join(f"{n}={v}" for n, v in known if v is not None) + ">"


Number = Union[int, float, Hist, Value]


def number_of(value: Number, by: str) -> float:
    """What a value is sorted by."""
    got = getattr(value, by, None) if isinstance(value, (Value, Hist)) else value
    if isinstance(got, Hist):
        return got.count
    if got is None:
        raise ValueError(f"the table has no {by}")
    return float(got) if isinstance(got, float) else got


class Table(Mapping):  # type: ignore[type-arg]
    """A mapping from key to value. Each access reads the kernel's table as it is now.

    A key is a str, an int or a tuple, as in by=; without by= the only key is (). A value is a
    number if the event asks for one operator, else it has count, sum, min, max, avg and hist.
    """

    def __init__(self, source: Any, index: int, name: str) -> None:
        self._source, self._index, self.name = source, index, name
        self.parts, self._ops, self._top = source.info(index)

    def _value(self, numbers: Dict[str, Any]) -> Number:
        if len(self._ops) != 1:
            return Value(numbers)
        one = numbers[self._ops[0]]
        return Hist(one) if isinstance(one, list) else one

    def snapshot(self, clear: bool = False) -> Dict[Any, Number]:
        """All of it as a dict. With clear it is emptied, and no update in between is lost."""
        return {key: self._value(v) for key, v in self._source.rows(self._index, clear)}

    def clear(self) -> None:
        """Empties it."""
        self._source.rows(self._index, True)

    def top(self, n: Optional[int] = None, by: Optional[str] = None) -> List[Tuple[Any, Number]]:
        """The n largest (key, value); n defaults to top=, by to the first operator."""
        order = by or self._ops[0]
        if order not in ("count", *self._ops):
            raise ValueError(f"the table has no {order}: it has {', '.join(self._ops)}")
        items = list(self.snapshot().items())
        if len(self._ops) == 1 and order == "count" != self._ops[0]:
            rows = {key: v["count"] for key, v in self._source.rows(self._index, False)}
            items.sort(key=lambda item: rows.get(item[0], 0), reverse=True)
        else:
            items.sort(key=lambda item: number_of(item[1], order), reverse=True)
        return items[: self._top if n is None else n]

    @property
    def lost(self) -> int:
        """Updates that did not fit."""
        return int(self._source.lost(self._index))

    def __getitem__(self, key: Any) -> Number:
        return self.snapshot()[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.snapshot())

    def __len__(self) -> int:
        return len(self._source.rows(self._index, False))

    # one read each, not one a key
    def items(self) -> Any:
        return self.snapshot().items()

    def values(self) -> Any:
        return self.snapshot().values()

    def keys(self) -> Any:
        return self.snapshot().keys()

    def __repr__(self) -> str:
        return f"<Table {self.name} by {','.join(self.parts) or 'nothing'}: {','.join(self._ops)}>"


class Tables(Mapping):  # type: ignore[type-arg]
    """The tables of a session, by the event's alias or name."""

    def __init__(self, source: Any) -> None:
        self._source = source

    def __getitem__(self, name: str) -> Table:
        known = self._source.names()
        for index, label, handler, alias, plain in known:
            if name in (alias, label, handler, plain):
                return Table(self._source, index, label)
        names = ", ".join(label for _, label, *_ in known) or "none"
        raise KeyError(f"no table {name!r}; there are: {names}")

    def __iter__(self) -> Iterator[str]:
        return iter([alias or label for _, label, _, alias, _ in self._source.names()])

    def __len__(self) -> int:
        return len(self._source.names())
