# SPDX-License-Identifier: GPL-2.0-only
"""What the Python and kernel tests share: running tamis and workloads, skipping with a reason."""

import json
import os
import shutil
import signal as signals
import subprocess
import tempfile
import time
from pathlib import Path
from typing import IO, Any, Callable, Dict, List, NoReturn, Optional, Sequence, Set, Tuple, Union

import pytest

TOP = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("TAMIS_BUILD", TOP / "build")).resolve()
REQUIRE_ALL = os.environ.get("REQUIRE_ALL") == "1"
# A software-emulated guest is many times slower; all time limits are multiplied by this.
PATIENCE = float(os.environ.get("TAMIS_TEST_PATIENCE", "1"))

# The first two CPUs as -C takes them, where there are two.
FIRST_CPUS = "0-1" if (os.cpu_count() or 1) > 1 else "0"

Arg = Union[str, bytes, int, float, Path]


def skip(reason: str) -> NoReturn:
    """Skips the test and says why. With REQUIRE_ALL=1 that is a failure."""
    if REQUIRE_ALL:
        pytest.fail(f"needed with REQUIRE_ALL=1: {reason}")
    pytest.skip(reason)


def wait_until(condition: Any, what: str, seconds: float = 20) -> Any:
    """Calls condition() until it returns something true, which is returned."""
    end = time.monotonic() + seconds * PATIENCE
    while True:
        got = condition()
        if got:
            return got
        if time.monotonic() > end:
            pytest.fail(f"not within {seconds * PATIENCE:.0f} s: {what}")
        time.sleep(0.02)


class Process:
    """A running program whose output is collected in files, so that no pipe fills up."""

    def __init__(self, command: Sequence[Arg], **popen: Any) -> None:
        self.command: List[Union[str, bytes]] = [
            a if isinstance(a, bytes) else str(a) for a in command
        ]
        self._out: IO[bytes] = tempfile.TemporaryFile()
        self._err: IO[bytes] = tempfile.TemporaryFile()
        options: Dict[str, Any] = {
            "stdin": subprocess.PIPE,
            "stdout": self._out,
            "stderr": self._err,
        }
        options.update(popen)
        self.popen: "subprocess.Popen[bytes]" = subprocess.Popen(self.command, **options)

    @staticmethod
    def _text(file: IO[bytes]) -> str:
        size = os.fstat(file.fileno()).st_size
        return os.pread(file.fileno(), size, 0).decode(errors="surrogateescape")

    @property
    def pid(self) -> int:
        return self.popen.pid

    @property
    def out(self) -> str:
        """What it has written so far."""
        return self._text(self._out)

    @property
    def err(self) -> str:
        return self._text(self._err)

    @property
    def rc(self) -> Optional[int]:
        return self.popen.poll()

    def send(self, line: str) -> None:
        """Writes a line to its stdin."""
        assert self.popen.stdin
        self.popen.stdin.write(line.encode() + b"\n")
        self.popen.stdin.flush()

    def wait_for(self, text: str, seconds: float = 20) -> None:
        """Until `text` stands in its output or on its stderr."""

        def seen() -> bool:
            if text in self.out or text in self.err:
                return True
            assert (
                self.rc is None
            ), f"ended with {self.rc} without {text!r}:\n{self.out}\n{self.err}"
            return False

        wait_until(seen, f"{text!r} from {self.command}:\n{self.err}", seconds)

    def signal(self, number: int) -> None:
        self.popen.send_signal(number)

    def stop(self, number: int = signals.SIGINT, seconds: float = 30) -> "Process":
        """Sends the signal and waits for the end."""
        if self.rc is None:
            self.signal(number)
        return self.wait(seconds)

    def wait(self, seconds: float = 60) -> "Process":
        try:
            self.popen.wait(seconds * PATIENCE)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
            pytest.fail(f"hangs: {self.command}\n{self.out[-2000:]}\n{self.err[-2000:]}")
        return self

    def close(self) -> None:
        if self.popen.poll() is None:
            self.popen.kill()
        self.popen.wait()
        if self.popen.stdin:
            try:
                self.popen.stdin.close()
            except BrokenPipeError:
                pass
        self._out.close()
        self._err.close()


def ms(n: int) -> int:
    """How long code is to be profiled: beside it, the start of a process takes long in a guest."""
    return int(n * max(1, PATIENCE / 2))


def hz(n: int) -> int:
    """As many samples as with `n` a second, for code that runs for ms(); a guest's timers are late."""
    return int(n / max(1, PATIENCE / 2))


def attached(process: Process, pid: int = 0) -> None:
    """Waits until everything is attached: then, and not before, tamis sleeps in poll().

    `pid` is tamis's, if the process only started it.
    """
    wchan = Path(f"/proc/{pid or process.pid}/wchan")

    def polls() -> bool:
        assert process.rc is None, process.out + process.err
        return wchan.read_text().startswith(("poll_schedule_timeout", "do_sys_poll"))

    wait_until(polls, f"the attachment of what {process.command} asks for")


class Workload(Process):
    """A program of tests/workload, started with -w: it has a pid, and waits for go()."""

    @property
    def begun(self) -> int:
        """Its pid, once it waits to be let go."""
        self.wait_for("pid=")
        return self.pid

    def go(self, seconds: float = 60) -> Dict[str, int]:
        """Lets it run to its end. Returns what it says it did."""
        self.send("go")
        self.wait(seconds)
        assert self.rc == 0, self.err
        return said(self.out)


def said(out: str) -> Dict[str, int]:
    """The key=value lines of a workload's output."""
    pairs = (line.split("=", 1) for line in out.splitlines() if "=" in line)
    return {key: int(value, 0) for key, value in pairs}


def workload_path(name: str) -> Path:
    path = BUILD / "tests/workload" / name
    assert path.exists(), f"{path} is not built: make workload"
    return path


# --- what this machine can do ---


def _kernel_symbol(name: str) -> bool:
    with open("/proc/kallsyms") as f:
        return any(line.split()[2] == name for line in f)


def _bpftrace(program: str) -> bool:
    command = ["bpftrace", "-e", program]
    return subprocess.run(command, capture_output=True, timeout=60 * PATIENCE).returncode == 0


def _pmu() -> bool:
    types = Path("/sys/bus/event_source/devices")
    return (types / "cpu").exists() or any(types.glob("armv8*"))


PROBES: Dict[str, Tuple[Callable[[], bool], str]] = {
    "root": (lambda: os.geteuid() == 0, "needs root"),
    "btf": (lambda: Path("/sys/kernel/btf/vmlinux").exists(), "this kernel has no BTF"),
    "kprobes": (lambda: _kernel_symbol("register_kprobe"), "this kernel has no kprobes"),
    "fentry": (
        lambda: _bpftrace("kfunc:vmlinux:do_nanosleep { exit() } BEGIN { exit() }"),
        "this kernel refuses fentry programs",
    ),
    "kvm": (lambda: os.access("/dev/kvm", os.R_OK | os.W_OK), "no /dev/kvm"),
    "pmu": (_pmu, "this machine has no hardware PMU"),
    "compat": (lambda: os.uname().machine == "x86_64", "no 32-bit system calls here"),
    "cgroup2": (lambda: cgroup2() is not None, "no cgroup2 mount"),
}
_probed: Dict[str, bool] = {}


def require(*names: str) -> None:
    """Skips unless the machine has all of `names`: a key of PROBES, or a program as "tool:perf"."""
    for name in names:
        if name.startswith("tool:"):
            if not shutil.which(name[5:]):
                skip(f"{name[5:]} is not installed")
            continue
        probe, reason = PROBES[name]
        if name not in _probed:
            _probed[name] = bool(probe())
        if not _probed[name]:
            skip(reason)


def cgroup2() -> Optional[Path]:
    """Where the cgroup2 hierarchy is mounted."""
    with open("/proc/self/mounts") as f:
        for line in f:
            fields = line.split()
            if fields[2] == "cgroup2":
                return Path(fields[1])
    return None


# --- nothing is left behind ---


def bpf_links() -> Set[int]:
    """Ids of all BPF links of the machine: a program that stays attached does so through one."""
    done = subprocess.run(["bpftool", "-j", "link", "show"], capture_output=True, text=True)
    items = json.loads(done.stdout or "[]")
    if not isinstance(items, list):  # a link went while bpftool looked at it
        return bpf_links()
    return {item["id"] for item in items}


def held_links() -> Set[int]:
    """Ids of the BPF links that a living process holds."""
    held = set()
    for path in Path("/proc").glob("[0-9]*/fdinfo/*"):
        try:
            info = path.read_text()
        except OSError:
            continue
        for line in info.splitlines():
            if line.startswith("link_id:"):
                held.add(int(line.split()[1]))
    return held


def descendants(pid: int) -> List[int]:
    """Living processes below `pid`."""
    parents: Dict[int, List[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, todo = [], [pid]
    while todo:
        for child in parents.get(todo.pop(), []):
            found.append(child)
            todo.append(child)
    return found
