# SPDX-License-Identifier: GPL-2.0-only
"""Names of native stacks; the oracle is what the traced program is known to do, and nm."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Dict, List

import pytest

import support
from folded import FP, compile_c, of, parse, profile, share, user_frames

# The loop variable lives on the stack: without, gcc leaves out the frame pointer whatever its options.
BURN = """
#include <stdlib.h>
#include <time.h>
static volatile unsigned long sink;
__attribute__((noinline)) void leaf_fn(void) { for (volatile int i = 0; i < 300000; i++) sink += i; }
__attribute__((noinline)) void level2(void) { leaf_fn(); sink++; }
__attribute__((noinline)) void level1(void) { level2(); sink++; }
int main(int argc, char **argv)
{
	clock_t end = clock() + atoi(argv[argc - 1]) * (CLOCKS_PER_SEC / 1000);
	while (clock() < end)
		level1();
	return 0;
}
"""


def test_process_already_gone(tamis, workload_path):
    """D1: the program has ended long before anything is named."""
    stacks = of(profile(tamis, "--", workload_path("burn"), support.ms(150)), "burn")
    assert share(stacks, "main", "middle", "hot_fn") > 0.8


def test_short_runs_are_each_named(tamis, workload_path):
    """Twenty processes that live 30 ms, some of the same pid range, all with their names."""
    burn = workload_path("burn")
    stacks = profile(
        tamis, "--", "sh", "-c", f"for i in $(seq 20); do {burn} {int(30 * support.PATIENCE)}; done"
    )
    # a guest starts a program about as long as it runs
    assert share(of(stacks, "burn"), "middle", "hot_fn") > (0.7 if support.PATIENCE == 1 else 0.4)


def test_deleted_and_replaced_binary(tamis, tmp_path):
    """D3: the names are those of the file that runs, whatever is at its path now."""
    program = compile_c(tmp_path / "victim", BURN, *FP)
    other = BURN.replace("leaf_fn", "wrong_fn").replace("level", "wrong")
    compile_c(tmp_path / "other", "int pad[999] = {1};" + other, *FP)
    running = support.Process([program, support.ms(4000)])
    try:
        os.unlink(program)
        stacks = profile(tamis, "-p", running.pid, "--", "sleep", support.ms(500) / 1000)
        assert share(of(stacks, "victim"), "level1", "level2", "leaf_fn") > 0.8
        shutil.copy(tmp_path / "other", program)
        stacks = of(
            profile(tamis, "-p", running.pid, "--", "sleep", support.ms(500) / 1000), "victim"
        )
        assert share(stacks, "level1", "level2", "leaf_fn") > 0.8
        assert "wrong" not in str(stacks) and "(deleted)" not in str(stacks)
    finally:
        running.close()


def test_deleted_while_it_is_profiled(tamis, tmp_path):
    """D3, and gone before its stacks are named."""
    program = compile_c(tmp_path / "victim", BURN, *FP)
    script = f"{program} {support.ms(600)} & sleep {support.ms(300) / 1000}; rm {program}; cp /bin/ls {program}; wait"
    stacks = of(profile(tamis, "--", "sh", "-c", script), "victim")
    assert share(stacks, "level1", "level2", "leaf_fn") > 0.8


def test_rewritten_in_place(tamis, tmp_path):
    """One path and inode, two programs one after the other: each with its own names."""
    one = compile_c(
        tmp_path / "one", BURN.replace("leaf_fn", "first_fn"), *FP, "-Wl,--build-id=none"
    )
    two = compile_c(
        tmp_path / "two",
        "int pad(void) { return 1; }" + BURN.replace("leaf_fn", "second_fn"),
        *FP,
        "-Wl,--build-id=none",
    )
    prog = tmp_path / "prog"
    shutil.copy(one, prog)
    # Each runs long enough to be named while it is there: later its file is no longer to be had.
    script = f"{prog} {support.ms(1500)}; cat {two} > {prog}; {prog} {support.ms(1500)}; echo; cat {one} > {prog}; {prog} 50"
    stacks = of(profile(tamis, "--", "sh", "-c", script), "prog")
    first = share(stacks, "level1", "level2", "first_fn")
    second = share(stacks, "level1", "level2", "second_fn")
    # Half of the time each: neither has samples of the other one's.
    assert 0.2 < first < 0.6 and second < 0.6, stacks
    assert first + second > 0.5, stacks


def test_vdso(tamis, workload_path):
    """D5"""
    stacks = of(profile(tamis, "--", workload_path("burn"), support.ms(300), "vdso"), "burn")
    leaf = sum(
        n for stack, n in stacks.items() if user_frames(stack)[-1:] == ["__vdso_clock_gettime"]
    )
    assert leaf > sum(stacks.values()) * 0.3, stacks


def test_mangled_names(tamis, tmp_path):
    """D6"""
    source = BURN.replace(
        "__attribute__((noinline)) void leaf_fn(void)",
        "namespace ns { template <typename T> struct burner { static void run(T); }; }\n"
        "template <typename T> __attribute__((noinline)) void ns::burner<T>::run(T)",
    ).replace("leaf_fn()", "ns::burner<int>::run(1)")
    program = compile_c(tmp_path / "mangled", source, *FP, compiler="g++")
    assert (
        "_ZN2ns6burnerIiE3runEi"
        in subprocess.run(["nm", program], capture_output=True, text=True).stdout
    )
    stacks = of(profile(tamis, "--", program, support.ms(200)), "mangled")
    assert share(stacks, "level1()", "level2()", "ns::burner<int>::run(int)") > 0.8
    stacks = of(profile(tamis, "--no-demangle", "--", program, support.ms(200)), "mangled")
    assert share(stacks, "_Z6level1v", "_Z6level2v", "_ZN2ns6burnerIiE3runEi") > 0.8


@pytest.mark.parametrize("version", ["legacy", "v0"])
def test_rust_names(tamis, tmp_path, version):
    """D6"""
    support.require("tool:rustc")
    source = tmp_path / "rusty.rs"
    source.write_text(
        "mod deep { #[inline(never)] pub fn spin<T: Copy + Into<u64>>(n: T) -> u64 {"
        " let mut x = 0u64; for i in 0..1_000_000u64 {"
        " x = std::hint::black_box(x.wrapping_add(i ^ n.into())); } x } }\n"
        "fn main() { let t = std::time::Instant::now(); let mut s = 0;"
        " while t.elapsed().as_millis() < 500 { s ^= deep::spin(7u32); }"
        " std::hint::black_box(s); }\n"
    )
    options = ["-O", "-C", f"symbol-mangling-version={version}", "-C", "force-frame-pointers=yes"]
    if version == "legacy":
        options += ["-Z", "unstable-options"]
    done = subprocess.run(
        ["rustc", *options, source.name, "-o", "rusty"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    if done.returncode and version == "legacy":
        # In stable compilers legacy is what comes without asking.
        options = options[:1] + options[3:5]
        done = subprocess.run(
            ["rustc", *options, source.name, "-o", "rusty"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
    if done.returncode:
        support.skip(f"rustc does not build it: {done.stderr[:200]}")
    stacks = of(profile(tamis, "--", tmp_path / "rusty"), "rusty")
    name = "rusty::deep::spin" + ("::<u32>" if version == "v0" else "")
    assert share(stacks, name) > 0.8, stacks


def test_stripped(tamis, tmp_path):
    """D8: nameless frames are module+0xoff, as nm of the unstripped file has them."""
    program = compile_c(tmp_path / "whole", BURN, *FP)
    symbols = {}
    for line in subprocess.run(
        ["nm", "-S", program], capture_output=True, text=True
    ).stdout.splitlines():
        fields = line.split()
        if len(fields) == 4:
            symbols[fields[3]] = (int(fields[0], 16), int(fields[1], 16))
    shutil.copy(program, tmp_path / "stripped")
    subprocess.run(["strip", tmp_path / "stripped"], check=True)
    stacks = of(profile(tamis, "--", tmp_path / "stripped", support.ms(300)), "stripped")
    seen = 0
    for stack, n in stacks.items():
        assert not {"leaf_fn", "level1", "level2", "main"} & set(stack)
        offsets = [re.fullmatch(r"stripped\+0x([0-9a-f]+)", f) for f in user_frames(stack)[-4:]]
        if all(offsets) and len(offsets) == 4:
            for match, name in zip(offsets, ("main", "level1", "level2", "leaf_fn")):
                start, size = symbols[name]
                assert start <= int(match[1], 16) <= start + size, (stack, name)
            seen += n
    assert seen > sum(stacks.values()) * 0.7, stacks


def test_separate_debug_file(tamis, tmp_path):
    """Names that were moved to a file beside, found by debug link and checked by build id."""
    program = compile_c(tmp_path / "split", BURN, *FP)
    (tmp_path / ".debug").mkdir()
    debug = tmp_path / ".debug" / "split.debug"
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["strip", program], check=True)
    subprocess.run(["objcopy", f"--add-gnu-debuglink={debug}", program], check=True)
    stacks = of(profile(tamis, "--", program, support.ms(200)), "split")
    assert share(stacks, "main", "level1", "level2", "leaf_fn") > 0.8
    compile_c(tmp_path / "foreign", BURN.replace("leaf_fn", "wrong_fn"), *FP)
    subprocess.run(["objcopy", "--only-keep-debug", tmp_path / "foreign", debug], check=True)
    stacks = of(profile(tamis, "--", program, support.ms(200)), "split")
    assert "wrong_fn" not in str(stacks) and "leaf_fn" not in str(stacks)


def test_mini_debug_info(tamis, tmp_path):
    """.gnu_debugdata, as distributions ship it."""
    support.require("tool:xz")
    program = compile_c(tmp_path / "mini", BURN, *FP)
    data = tmp_path / "mini.debugdata"
    subprocess.run(
        ["objcopy", "-S", "--keep-symbol=leaf_fn", "--keep-symbol=level2", program, data],
        check=True,
    )
    subprocess.run(["xz", data], check=True)
    subprocess.run(["strip", program], check=True)
    subprocess.run(["objcopy", f"--add-section=.gnu_debugdata={data}.xz", program], check=True)
    stacks = of(profile(tamis, "--", program, support.ms(200)), "mini")
    assert share(stacks, "level2", "leaf_fn") > 0.8


def test_without_frame_pointers(tamis, tmp_path):
    """D8: no invented names, and a hint."""
    program = compile_c(tmp_path / "nofp", BURN, "-O2", "-fomit-frame-pointer")
    done = tamis(
        "profile", "-F", "499", "--folded", "--unwind", "fp", "--", program, support.ms(400)
    )
    known = {"main", "level1", "level2", "leaf_fn", "clock", "_start", "__libc_start_call_main"}
    for stack in of(parse(done.out), "nofp"):
        for frame in user_frames(stack):
            if "+0x" not in frame and frame.startswith("l"):
                assert frame in known, stack
    assert "stack=dwarf" in done.err


def test_kernel_symbols_unreadable(tamis, workload_path):
    """D10: user frames stay, kernel frames are marked, one notice."""
    path = Path("/proc/sys/kernel/kptr_restrict")
    before = path.read_text()
    try:
        path.write_text("2")
    except OSError:
        support.skip("kernel.kptr_restrict cannot be set here")
    try:
        done = tamis(
            "profile", "-F", "499", "--folded", "--", workload_path("syscalls"), "getppid", 2000000
        )
    finally:
        path.write_text(before)
    stacks = of(parse(done.out), "syscalls")
    assert share(stacks, "syscall") > 0.3
    kernel = [f for stack in stacks for f in stack if f.endswith("_[k]")]
    assert kernel and all(
        re.fullmatch(r"\[kernel.kallsyms\]\+0x[0-9a-f]+_\[k\]", f) for f in kernel
    ), kernel
    assert done.err.count("kernel frames have no names") == 1


def test_kernel_names_agree_with_kallsyms(tamis):
    """Every function of /proc/kallsyms, by its first byte."""
    names: Dict[int, List[str]] = {}
    with open("/proc/kallsyms") as f:
        for line in f:
            fields = line.split()
            if fields[1] in "tTwW":
                names.setdefault(int(fields[0], 16), []).append(fields[2])
    asked = sorted(names)[::17]
    out = subprocess.run(
        [tamis.path, "symbols"],
        input="".join(f"{a:x}\n" for a in asked),
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    assert len(out) == len(asked)
    for line, address in zip(out, asked):
        name = line.split()[1].rpartition("+")[0]
        assert name in names[address], (line, names[address])


def test_file_agrees_with_nm(tamis):
    """tamis symbols FILE, over its own symbol table; the oracle is nm."""
    support.require("tool:nm")
    nm = subprocess.run(["nm", "-S", tamis.path], capture_output=True, text=True).stdout
    names: Dict[int, List[str]] = {}
    ends: Dict[int, int] = {}
    for line in nm.splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tT":
            names.setdefault(int(fields[0], 16), []).append(fields[3].partition("@")[0])
            ends[int(fields[0], 16)] = int(fields[0], 16) + int(fields[1], 16) - 1
    asked = sorted(names)
    lines = "".join(f"{a:x}\n{ends[a]:x}\n" for a in asked)
    out = subprocess.run(
        [tamis.path, "symbols", "--no-demangle", str(tamis.path)],
        input=lines,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    assert len(out) == 2 * len(asked)
    for i, address in enumerate(asked):
        for line in out[2 * i : 2 * i + 2]:
            assert line.split()[1].rpartition("+")[0] in names[address], (line, names[address])


def test_thousands_of_short_runs(tamis, tmp_path):
    """D11: one copy of each library, whatever the number of processes."""
    source = '#include <string>\n#include <iostream>\nint main() { std::string s(1000, 120); std::cout << s.size() << "\\n"; }\n'
    runs = int(3000 / support.PATIENCE)
    program = compile_c(tmp_path / "short", source, "-O1", compiler="g++")
    runner = compile_c(
        tmp_path / "runner",
        "#include <spawn.h>\n#include <sys/wait.h>\n#include <unistd.h>\n#include <fcntl.h>\n"
        "extern char **environ;\n"
        'int main(int c, char **v) { close(1); open("/dev/null", O_WRONLY);\n'
        f" for (int i = 0; i < {runs}; i++) {{ pid_t p; int s; char *a[] = {{v[1], 0}};\n"
        " if (posix_spawn(&p, v[1], 0, 0, a, environ)) return 1; waitpid(p, &s, 0); } return 0; }\n",
    )
    running = tamis.start("profile", "-F", "499", "--folded", "--", runner, program)
    sizes = []

    def sample() -> bool:
        if running.rc is not None:
            return True
        with open(f"/proc/{running.pid}/status") as f:
            match = re.search(r"VmRSS:\s+(\d+)", f.read())
        if match:
            sizes.append(int(match[1]))
        return False

    support.wait_until(sample, f"the end of {runs} runs", 120)
    assert running.rc == 0, running.err
    sizes = sizes[len(sizes) // 10 :]
    assert len(sizes) > 10
    assert sizes[-2] - sizes[0] < 50 * 1024, sizes
    later = sizes[len(sizes) // 2 :]
    assert max(later) - later[0] < 16 * 1024, sizes
