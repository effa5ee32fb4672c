# SPDX-License-Identifier: GPL-2.0-only
"""Kernel tests need root; after each, nothing of it may be left in the kernel."""

import os
import shutil
from pathlib import Path
from typing import Iterator

import pytest

import support


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """No process and no BPF link of the test outlives it."""
    support.require("root")
    can_list = shutil.which("bpftool") is not None
    before = support.bpf_links() if can_list else set()
    processes = set(support.descendants(os.getpid()))
    yield
    support.wait_until(
        lambda: not set(support.descendants(os.getpid())) - processes,
        "the end of all processes that the test started",
    )
    if not can_list:
        return
    # Links of other processes come and go; what nobody holds is freed after a grace period.
    left = support.bpf_links() - before
    if left:
        left -= support.held_links()
    if left:
        support.wait_until(lambda: not left & support.bpf_links(), f"the end of the links {left}")


@pytest.fixture(autouse=True, scope="session")
def tracing_unchanged() -> Iterator[None]:
    """Dynamic events and event filters of tracefs, where it is mounted, are as they were."""
    before = _tracing_state()
    yield
    # a tool beside which tamis was tested may have mounted it meanwhile
    assert _tracing_state() == (before or NOTHING_TRACED) or not _tracing_state()


NOTHING_TRACED = "\n\nnop\n"


def _tracing_state() -> str:
    """Empty where tracefs is not mounted."""
    state = []
    for name in ("dynamic_events", "set_event", "current_tracer"):
        try:
            with open(f"/sys/kernel/tracing/{name}") as f:
                state.append(f.read())
        except OSError:
            pass
    return "\n".join(state)


@pytest.fixture
def paranoid() -> Iterator[None]:
    """What upstream has at most; with more (Debian: 3) a capability is not enough. Put back in the end."""
    path = Path("/proc/sys/kernel/perf_event_paranoid")
    before = path.read_text()
    if int(before) > 2:
        path.write_text("2")
    yield
    path.write_text(before)
