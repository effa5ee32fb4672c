#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Keeps of a kernel's types what the BPF programs use.

    bpftool btf dump file BTF format c | vmlinux/reduce.py > vmlinux/ARCH/vmlinux.h

Types keep their true widths; large structs keep the members whose names stand in the programs. That is
enough because every record is marked preserve_access_index: where a member is, CO-RE says at load time.
"""

import re
import sys
from pathlib import Path
from typing import Dict, Iterator, List, Set

TOP = Path(__file__).resolve().parent.parent
LIBBPF = ["bpf_helper_defs.h", "bpf_helpers.h", "bpf_tracing.h", "bpf_core_read.h"]
LARGE = 40  # lines; smaller structs stay whole, they may be read without CO-RE
WORD = re.compile(r"[A-Za-z_]\w*")
TAG = re.compile(r"\b(struct|union|enum) (\w+)")

HEAD = """/* Made by vmlinux/reduce.py. A program needs a type or a member that is not here? make vmlinux */
#ifndef __VMLINUX_H__
#define __VMLINUX_H__

#ifndef BPF_NO_PRESERVE_ACCESS_INDEX
#pragma clang attribute push (__attribute__((preserve_access_index)), apply_to = record)
#endif
"""
TAIL = """
#ifndef BPF_NO_PRESERVE_ACCESS_INDEX
#pragma clang attribute pop
#endif

#endif /* __VMLINUX_H__ */"""


def programs() -> str:
    """The text of everything that is compiled for BPF, without comments."""
    text = ""
    for folder in ("bpf", "bench"):
        for path in sorted((TOP / folder).iterdir()):
            if path.suffix == ".h" or path.name.endswith(".bpf.c"):
                text += path.read_text()
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def members_used(text: str) -> Set[str]:
    """Names behind -> and . and between the parentheses of CO-RE's macros."""
    used = set(re.findall(r"(?:->|\.)\s*([A-Za-z_]\w*)", text))
    for call in re.finditer(r"\b(?:BPF_CORE_READ\w*|BPF_PROBE_READ\w*|bpf_core_\w+)\s*\(", text):
        depth, end = 1, call.end()
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        used |= set(WORD.findall(text[call.end() : end]))
    return used


def words_of_libbpf() -> Set[str]:
    text = "".join((Path("/usr/include/bpf") / name).read_text() for name in LIBBPF)
    return set(WORD.findall(re.sub(r"/\*.*?\*/", " ", text, flags=re.S)))


def members(body: List[str]) -> Iterator[List[str]]:
    """The members of a struct, each with all its lines."""
    depth, member = 0, []
    for line in body:
        member.append(line)
        depth += line.count("{") - line.count("}")
        if depth == 0:
            yield member
            member = []


class Types:
    def __init__(self, text: str) -> None:
        self.blocks = [b for b in text.split("\n\n") if b.strip() and "#" not in b]
        self.by_tag: Dict[str, int] = {}
        self.by_name: Dict[str, int] = {}
        for i, block in enumerate(self.blocks):
            first = block.split("\n", 1)[0]
            tag = re.match(r"(struct|union|enum) (\w+) \{", first)
            if tag:
                self.by_tag[" ".join(tag.groups())] = i
            if first.startswith("enum"):
                for name in re.findall(r"^\t(\w+) =", block, re.M):
                    self.by_name[name] = i
            if first.startswith("typedef"):
                last = block.rstrip().rstrip(";")
                name = re.search(r"\(\*(\w+)\)", last) or re.search(r"(\w+)(\[\d*\])*$", last)
                if name:
                    self.by_name[name.group(1)] = i

    def reduced(self, i: int, used: Set[str]) -> str:
        block = self.blocks[i]
        lines = block.split("\n")
        if len(lines) <= LARGE or not re.match(r"(struct|union) ", block):
            return block
        kept = [m for m in members(lines[1:-1]) if used & set(WORD.findall("\n".join(m)))]
        return "\n".join([lines[0], *(line for m in kept for line in m), lines[-1]])


def needs(types: Types, text: str, used: Set[str]) -> Iterator[int]:
    """Types that `text` names: by value always, behind a pointer where a member is used by name."""
    for line in text.split("\n"):
        words = WORD.findall(line)
        for kind, name in TAG.findall(line):
            by_value = not re.search(rf"\b{name} \*", line) and "(*" not in line
            if f"{kind} {name}" in types.by_tag and (by_value or used & set(words)):
                yield types.by_tag[f"{kind} {name}"]
        for word in words:
            if word in types.by_name and types.blocks[types.by_name[word]].startswith("typedef"):
                yield types.by_name[word]


def forward(kept: str, types: Types, whole: Set[int]) -> str:
    """Declares what is only pointed to, so that prototypes can name it."""
    tags = {f"{kind} {name}" for kind, name in TAG.findall(kept) if kind != "enum"}
    return "\n\n".join(f"{t};" for t in sorted(tags) if types.by_tag.get(t) not in whole)


def main() -> int:
    types = Types(sys.stdin.read())
    text = programs()
    words, used = set(WORD.findall(text)), members_used(text)
    tags = {f"{kind} {name}" for kind, name in TAG.findall(text)}
    todo = [i for tag, i in types.by_tag.items() if tag in tags]
    todo += [i for name, i in types.by_name.items() if name in words]
    for word in words_of_libbpf():
        i = types.by_name.get(word)
        if i is not None and types.blocks[i].startswith("typedef"):
            todo.append(i)
    keep: Dict[int, str] = {}
    while todo:
        i = todo.pop()
        if i not in keep:
            keep[i] = types.reduced(i, used)
            todo += needs(types, keep[i], used)
    body = "\n\n".join(keep[i] for i in sorted(keep))
    print(HEAD)
    print(forward(body, types, set(keep)) + "\n")
    print(body)
    print(TAIL)
    return 0


if __name__ == "__main__":
    sys.exit(main())
