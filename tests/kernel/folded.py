# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of names share: folded stacks of tamis profile, and programs to profile."""

import os
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Tuple

import support

Stack = Tuple[str, ...]
Folded = Dict[Stack, int]


def parse(folded: str) -> Folded:
    """Folded stacks as tuples of frames with their samples; a workload's own output is no stack."""
    stacks: Folded = {}
    for line in folded.splitlines():
        path, _, count = line.rpartition(" ")
        if ";" not in path:
            continue
        key = tuple(path.split(";"))
        stacks[key] = stacks.get(key, 0) + int(count)
    return stacks


def user_frames(stack: Stack) -> List[str]:
    return [frame for frame in stack[1:] if not frame.endswith("_[k]")]


def share(stacks: Folded, *frames: str) -> float:
    """How much of all samples has these frames next to each other."""
    total = sum(stacks.values())
    assert total >= 20, f"too few samples to say anything: {stacks}"
    text = ";" + ";".join(frames) + ";"
    hits = sum(n for stack, n in stacks.items() if text in ";".join(("",) + stack + ("",)))
    return hits / total


def of(stacks: Folded, comm: str) -> Folded:
    return {stack: n for stack, n in stacks.items() if stack[0] == comm}


def profile(tamis: Any, *args: support.Arg) -> Folded:
    done = tamis("profile", "-F", "499", "--folded", *args)
    assert done.rc == 0, done.err
    return parse(done.out)


# On x86 gcc leaves out the frame pointer of a leaf that does not touch the stack, whatever its options.
FP = [
    "-O1",
    "-fno-omit-frame-pointer",
    *(["-mno-omit-leaf-frame-pointer"] if os.uname().machine == "x86_64" else []),
]


def compile_c(path: Path, text: str, *flags: str, compiler: str = "gcc") -> Path:
    support.require(f"tool:{compiler}")
    source = path.with_suffix(".cc" if compiler == "g++" else ".c")
    source.write_text(text)
    command = [compiler, "-g", *flags, str(source), "-o", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return path
