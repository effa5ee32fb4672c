# SPDX-License-Identifier: GPL-2.0-only
"""stack=dwarf: programs without frame pointers, whose frames are known."""

import re
from typing import List

import pytest

import support
from folded import compile_c, of, parse, share

CHAIN = """
#include <stdlib.h>
#include <string.h>
#include <time.h>
static volatile unsigned long sink;
__attribute__((noinline)) void leaf_fn(void) { for (volatile int i = 0; i < 300000; i++) sink += i; }
__attribute__((noinline)) void with_alloca(int n)
{
	char *p = __builtin_alloca(n);
	memset(p, n, n);
	sink += p[n / 2];
	leaf_fn();
	sink += p[n / 3];
}
__attribute__((noinline)) int compare(const void *a, const void *b)
{
	with_alloca(100 + *(const int *)a);
	return *(const int *)a - *(const int *)b;
}
__attribute__((noinline)) void through_libc(void)
{
	int v[2] = {2, 1};
	qsort(v, 2, sizeof(int), compare);
	sink += v[0];
}
int main(int argc, char **argv)
{
	clock_t end = clock() + atoi(argv[argc - 1]) * (CLOCKS_PER_SEC / 1000);
	while (clock() < end)
		through_libc();
	return 0;
}
"""
NO_FP = ["-O2", "-fomit-frame-pointer", "-momit-leaf-frame-pointer"]


@pytest.fixture
def program(tmp_path):
    return compile_c(tmp_path / "nofp", CHAIN, *NO_FP)


def frames(block: str) -> List[str]:
    return re.findall(r"^\s+[0-9a-f]+ (\S+?)\+0x", block, re.M)


def test_trace_with_tables(tamis, program):
    done = tamis(
        "trace",
        "-e",
        "cpu-clock/-F 499/stack=dwarf/",
        "-N",
        support.ms(60),
        "--",
        program,
        support.ms(400),
    )
    assert done.rc in (0, 130, 141), done.err
    blocks = [frames(b) for b in re.split(r"^\d{4}-.*$", done.out, flags=re.M)]
    wanted = ["leaf_fn", "with_alloca", "compare"]
    hits = [b for b in blocks if b[:3] == wanted]
    assert len(hits) > 30, done.out[:3000]
    for chain in hits:
        below = chain[3:]
        assert (
            "through_libc" in below and below.index("main") == below.index("through_libc") + 1
        ), chain
        assert chain[-1] == "_start", chain


def test_profile_with_tables(tamis, program):
    done = tamis(
        "profile", "-F", "499", "--unwind", "dwarf", "--folded", "--", program, support.ms(1000)
    )
    stacks = of(parse(done.out), "nofp")
    assert share(stacks, "main", "through_libc") > 0.9
    assert share(stacks, "compare", "with_alloca", "leaf_fn") > 0.9


def test_profile_finds_out_by_itself(tamis, program):
    # in a guest it takes seconds to name the first stacks
    ms = int(1500 * support.PATIENCE)
    done = tamis("profile", "-F", "499", "--folded", "-v", "--", program, ms)
    assert "nofp" in done.err and "unwound by tables" in done.err, done.err
    stacks = of(parse(done.out), "nofp")
    assert share(stacks, "compare", "with_alloca", "leaf_fn") > 0.6


def test_files_that_are_cut_while_their_tables_are_used(tamis, program, tmp_path):
    """Whoever owns a program may cut its file: that ends nobody's profile."""
    victim = tmp_path / "victim"
    run = f"cat {program} > {victim}; chmod +x {victim}; {victim} {support.ms(100)}"
    # what was sampled last is unwound when the file is empty
    script = f"for i in 1 2 3 4 5; do {run}; : > {victim}; sleep 0.15; done"
    done = tamis("profile", "-F", "4999", "--unwind", "dwarf", "--folded", "--", "sh", "-c", script)
    assert done.rc == 0, done.err
    assert share(of(parse(done.out), "victim"), "through_libc") > 0.3, done.out[-2000:]


def test_by_frame_pointers_nothing_is_invented(tamis, program):
    done = tamis(
        "profile", "-F", "499", "--unwind", "fp", "--folded", "--", program, support.ms(500)
    )
    known = {"main", "through_libc", "compare", "with_alloca", "leaf_fn"}
    for stack in of(parse(done.out), "nofp"):
        for frame in stack[1:]:
            assert frame in known or not frame.endswith("_fn"), stack
    assert "stack=dwarf" in done.err


def test_python_callchain_is_unwound(tamis, program, tmp_path):
    script = tmp_path / "chains.py"
    script.write_text(
        "def cpu_clock(event):\n"
        "    names = [f['symbol'] for f in event._callchain if not f['kernel']]\n"
        "    print('CHAIN', ' '.join(names))\n"
    )
    done = tamis(
        "python", "-e", "cpu-clock/-F 499/stack=dwarf/", script, "--", program, support.ms(300)
    )
    chains = re.findall(r"^CHAIN (.*)$", done.out, re.M)
    chains = [c for c in chains if "workload__spawn" not in c]  # before its exec
    good = [c for c in chains if c.startswith("leaf_fn with_alloca compare ") and " main " in c]
    assert len(good) > len(chains) * 0.8 and len(good) > 20, done.out[-2000:] + done.err[-500:]
