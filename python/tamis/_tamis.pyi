"""Events of the kernel as Python objects: the C part of tamis.

This file is the single source of the types and of the docstrings of the C module.
"""

from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union, overload, final

class Error(OSError):
    """What tamis could not do, in the words of its command line; errno where there is one."""

class FieldError(AttributeError, KeyError):
    """The event has no such field. Both an AttributeError and a KeyError."""

@final
class PerfEvent:
    """One event of the kernel. Read-only; made by tamis, not by scripts.

    Fields of a tracepoint-like event: _pid _tid _time _cpu _period common_type common_flags
    common_preempt_count common_pid _realtime _callchain _event, then the event's own. Fields of a
    sampling source: _pid _tid _time _cpu _realtime _event, then one for each part its samples
    carry: identifier ip addr id stream_id cpu period weight data_src transaction phys_addr cgroup
    data_page_size code_page_size pid tid time callchain raw read regs_user regs_intr branch_stack
    stack_user aux.

    _pid, _tid      process and thread, as tamis's own pid namespace numbers them
    _time           ns on CLOCK_MONOTONIC
    _realtime       ns since the epoch, for display: within 10 ms of the wall clock
    _cpu            CPU it happened on
    _period         events this one stands for
    _event          "sys:name", "sys:alias" or the source's name
    _callchain      list of frames, the innermost first: dicts of addr, symbol, offset, kernel, dso
    _hostpid, _hosttid
                    process and thread as the host numbers them, like payload fields do
    _comm _ppid _uid _nspid _nstid _cgroup _container
                    carried when the script names them, or by --with; else None, but for _comm,
                    which then comes from the process table. Fields only when they are carried.

    Integers have the width and sign of their C type, text is str (bytes that are not UTF-8 by
    surrogateescape), arrays are bytes; array() gives them typed. User text that could not be read
    is None.

    Ways to read a field: event.name, event['name'], event.get('name', default). Also 'name' in
    event, len(event), keys(), values(), items(), iteration over (name, value), to_dict(),
    to_json(), str, repr, hash, ==, copy.copy and pickle. Fields win over methods of the same name.

    Nothing is decoded before it is asked for. An event may be kept: it then keeps its own bytes,
    and stays valid for ever.
    """

    _pid: int
    _tid: int
    _time: int
    _cpu: int
    _period: int
    _realtime: int
    _event: str
    _callchain: List[Dict[str, Any]]
    _hostpid: int
    _hosttid: int
    _comm: Optional[str]
    _ppid: Optional[int]
    _uid: Optional[int]
    _nspid: Optional[int]
    _nstid: Optional[int]
    _cgroup: Optional[str]
    _container: Optional[str]
    common_type: int
    common_flags: Optional[int]
    common_preempt_count: Optional[int]
    common_pid: int

    @property
    def truncated(self) -> bool:
        """Was a text or dynamic field cut to maxlen=?"""
    @property
    def unreadable(self) -> bool:
        """Was a user text not in memory when the event happened? Its field is None."""
    @property
    def late(self) -> bool:
        """With --order: did it come after later events had been delivered?"""
    @property
    def start(self) -> Dict[str, Any]:
        """With since=: the fields that keep= kept of the event that began the interval."""
    def get(self, name: str, default: Any = None) -> Any:
        """The field's value, or default if the event has no such field."""
    def keys(self) -> List[str]:
        """Names of all fields."""
    def values(self) -> List[Any]:
        """Values of all fields."""
    def items(self) -> List[Tuple[str, Any]]:
        """(name, value) of all fields."""
    def array(self, name: str) -> Optional[memoryview]:
        """A field that is an array, as a read-only memoryview of its elements."""
    def to_dict(self) -> Dict[str, Any]:
        """All fields as a dict; arrays of integers wider than a byte as lists."""
    def to_json(self) -> str:
        """All fields as one strict JSON object; bytes as hexadecimal text."""
    def print(self, timestamp: bool = True, callchain: bool = True) -> None:
        """Writes the event to sys.stdout as `tamis trace` does."""
    def __getattr__(self, name: str) -> Any: ...
    def __getitem__(self, name: str) -> Any: ...
    def __contains__(self, name: object) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Tuple[str, Any]]: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __copy__(self) -> PerfEvent: ...
    def __deepcopy__(self, memo: Any) -> PerfEvent: ...

@final
class Batch:
    """Up to 4096 events of one kind, in order.

    batch['field'] is a column: gathered once, when asked for, into memory of its own (a memoryview;
    numpy.asarray shares it). Text columns are bytes of one width, arrays have two dimensions.
    batch[0], batch[2:5] and iteration give events.
    """

    def keys(self) -> List[str]:
        """Names of all fields."""
    def to_dict(self) -> Dict[str, List[Any]]:
        """All fields: name to the list of values."""
    def to_numpy(self) -> Any:
        """A structured numpy array of all fields that have columns."""
    @overload
    def __getitem__(self, key: str) -> memoryview: ...
    @overload
    def __getitem__(self, key: int) -> PerfEvent: ...
    @overload
    def __getitem__(self, key: slice) -> List[PerfEvent]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[PerfEvent]: ...

@final
class Session:
    """Collects events: Session("sched:sched_switch/prev_prio<120/", cgroup="/web", cpus="0-3").

    Events are written as behind -e, options are those of the command line as keywords, with _ for
    - (with_= for --with). workload= is a command to start and trace. Iterating waits for events and
    ends when nothing more can come; batches() gives them in batches, poll() those that are there.

    A session belongs to one thread at a time. close() detaches everything; so do leaving a with
    block and forgetting the session. Losses and notices go to the logger "tamis".
    """

    def __init__(
        self, *events: str, workload: Optional[List[str]] = None, **options: Any
    ) -> None: ...
    @property
    def closed(self) -> bool:
        """Was it closed?"""
    @property
    def lost(self) -> int:
        """Events that were lost so far, as far as they are known by now."""
    @property
    def tables(self) -> Any:
        """What events aggregate in the kernel, by alias or name; see tamis.Tables."""
    def poll(self, timeout: Optional[float] = None) -> List[PerfEvent]:
        """Events that are there, after waiting for at most timeout seconds; None: for the first."""
    def batches(self) -> Iterator[Batch]:
        """Waits for events and gives them in batches, each of one kind."""
    def stats(self) -> Dict[str, Dict[str, int]]:
        """What became of the events of each kind: delivered, lost, rejected, ..."""
    def fileno(self) -> int:
        """A descriptor that is readable when poll() has something to do."""
    def close(self) -> None:
        """Detaches everything. Kept events stay valid."""
    def __enter__(self) -> Session: ...
    def __exit__(self, *args: Any) -> None: ...
    def __iter__(self) -> Iterator[PerfEvent]: ...
    def __next__(self) -> PerfEvent: ...

def parse(event: str) -> List[Dict[str, Any]]:
    """What one argument of -e says: a dict for each event, with what was written. Needs no rights."""

def events(glob: str = "*:*", tracefs: Optional[str] = None) -> List[str]:
    """Names of this kernel's tracepoints, "sys:name"; a glob without a colon is for the name."""

def symbolize(pid: int, addrs: List[int]) -> List[Dict[str, Any]]:
    """Names for addresses of a process, or of the kernel: a frame for each, as in _callchain."""

class _Tables:
    def names(self) -> List[Tuple[int, str, str, Optional[str], Optional[str]]]: ...
    def info(self, index: int) -> Tuple[Tuple[str, ...], List[str], int]: ...
    def rows(self, index: int, clear: bool) -> List[Tuple[Any, Dict[str, Any]]]: ...
    def lost(self, index: int) -> int: ...

_tables: _Tables

def _make_kind(
    format: Optional[str] = None,
    system: str = "test",
    name: str = "event",
    label: Optional[str] = None,
    sample_type: int = 0,
    read_format: int = 0,
    regs_user: int = 0,
    regs_intr: int = 0,
    perf: bool = False,
    with_extras: int = 0,
    clock: int = 0,
) -> Any:
    """Internal, for tests: a kind of event from the text of a format file, or a sampling source."""

def _make_event(
    kind: Any,
    raw: bytes,
    pid: int = 0,
    tid: int = 0,
    time: int = 0,
    cpu: int = 0,
    flags: int = 0,
    callchain: bytes = b"",
) -> PerfEvent:
    """Internal, for tests: an event from the bytes of its record (or of a whole perf sample)."""

def _deliver(
    kind: Any, raws: List[bytes], handler: Callable[[Any], Any], batch: bool = False
) -> None:
    """Internal, for tests: hands borrowed events to handler, then overwrites their bytes."""

def _counts() -> Dict[str, int]:
    """Internal, for tests: objects in the free list, and kept events."""

def _restore(*args: Any) -> PerfEvent: ...
def _restore_kind(*args: Any) -> Any: ...
