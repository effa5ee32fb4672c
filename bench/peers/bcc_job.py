# SPDX-License-Identifier: GPL-2.0-only
"""The bench's jobs as a bcc user writes them: bcc_job.py A1|A2|B|C|E|F [NAME|SYSCALL NUMBER|CGROUP]"""

import os
import signal
import struct
import sys

from bcc import BPF

# 1: a tracepoint program that returns 0 hides the event from perf.
A1 = """
BPF_HASH(counts, u64);
RAW_TRACEPOINT_PROBE(sys_enter) {
    u64 id = ctx->args[1];
    counts.increment(id);
    return 1;
}
"""
A2 = """
struct key { char comm[16]; };
BPF_HASH(counts, struct key);
TRACEPOINT_PROBE(sched, sched_switch) {
    struct key key = {};
    bpf_probe_read_kernel(&key.comm, sizeof(key.comm), args->prev_comm);
    counts.increment(key);
    return 1;
}
"""
B = """
struct record { u64 time; u32 pid; char comm[16]; u64 name[8]; };
BPF_RINGBUF_OUTPUT(records, 512);
TRACEPOINT_PROBE(syscalls, sys_enter_openat) {
    struct record r = {};
    bpf_probe_read_user_str(r.name, sizeof(r.name), args->filename);
    if (!(MATCH))
        return 1;
    r.time = bpf_ktime_get_ns();
    r.pid = bpf_get_current_pid_tgid();
    bpf_get_current_comm(r.comm, sizeof(r.comm));
    records.ringbuf_output(&r, sizeof(r), 0);
    return 1;
}
"""
C = """
struct record { u64 time; u64 id; u32 pid; u32 tid; u64 args[6]; };
BPF_RINGBUF_OUTPUT(records, 2048);
TRACEPOINT_PROBE(raw_syscalls, sys_enter) {
    struct record r = {};
    u64 id = bpf_get_current_pid_tgid();
    if (id >> 32 == OWN)
        return 1;
    r.time = bpf_ktime_get_ns();
    r.pid = id >> 32;
    r.tid = id;
    r.id = args->id;
    __builtin_memcpy(r.args, args->args, sizeof(r.args));
    records.ringbuf_output(&r, sizeof(r), 0);
    return 1;
}
"""
F = """
BPF_CGROUP_ARRAY(cgroups, 1);
BPF_HASH(counts, u64);
RAW_TRACEPOINT_PROBE(sys_enter) {
    u64 id = ctx->args[1];
    if (cgroups.check_current_task(0) > 0)
        counts.increment(id);
    return 1;
}
"""
E = """
BPF_HASH(woken, u32);
BPF_HISTOGRAM(latencies);
TRACEPOINT_PROBE(sched, sched_wakeup) {
    u32 pid = args->pid;
    u64 now = bpf_ktime_get_ns();
    woken.update(&pid, &now);
    return 1;
}
TRACEPOINT_PROBE(sched, sched_switch) {
    u32 pid = args->next_pid;
    u64 *start = woken.lookup(&pid);
    if (start) {
        latencies.increment(bpf_log2l(bpf_ktime_get_ns() - *start));
        woken.delete(&pid);
    }
    return 1;
}
"""

job = sys.argv[1]
seen = 0
stop = False


def on_signal(number, frame):
    global stop
    stop = True


def on_open(ctx, data, size):
    global seen
    r = b["records"].event(data)
    print(r.time, r.pid, r.comm, bytes(r.name).rstrip(b"\0"))
    seen += 1


def on_call(ctx, data, size):
    global seen
    r = b["records"].event(data)
    if r.id == number and r.pid:
        seen += 1


source = globals()[job]
if job == "B":
    # by words of the zeroed name: comparing characters is more than this verifier takes
    name = sys.argv[2].encode()
    words = struct.unpack(f"<{len(name) // 8 + 1}Q", name.ljust(len(name) // 8 * 8 + 8, b"\0"))
    source = source.replace(
        "MATCH", " && ".join(f"r.name[{i}] == {word:#x}ULL" for i, word in enumerate(words))
    )
# its own calls would feed back
source = source.replace("OWN", str(os.getpid()))
number = int(sys.argv[2]) if job == "C" else 0
b = BPF(text=source)
if job == "F":
    b["cgroups"][0] = sys.argv[2]
signal.signal(signal.SIGINT, on_signal)
if job in "BC":
    b["records"].open_ring_buffer(on_open if job == "B" else on_call)
while not stop:
    if job in "BC":
        b.ring_buffer_poll(100)
    else:
        signal.pause()
if job in "BC":
    b.ring_buffer_consume()
elif job == "E":
    seen = sum(v.value for v in b["latencies"].values())
elif job == "A1":
    seen = sum(v.value for v in b["counts"].values())
else:
    seen = sum(v.value for v in b["counts"].values())
print(f"seen={seen}", flush=True)
