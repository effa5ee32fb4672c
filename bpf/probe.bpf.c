// SPDX-License-Identifier: GPL-2.0-only
/*
 * template.bpf.c - one program, compiled once, cloned for every event.
 *
 * The loader copies the relocated instructions, fills the holes with code
 * generated from the user's expressions, points the map loads at the event's
 * own maps and loads the copy. Nothing here knows a field of any event.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "template.h"

char LICENSE[] SEC("license") = "GPL";

#define EEXIST 17
#define STR_(x) #x
#define STR(x) STR_(x)

/*
 * A hole. Contract with the generated code: r6 = record (ctx, or a rebuilt
 * record with the same layout), r7 = struct work on this stack; r0 to r5 are
 * free; r8 and r9 belong to the compiler. It leaves its result in r0 and falls
 * through to the end; a rejecting jump goes to the end with r0 = 0.
 * r6 and r7 are clobbers rather than operands, so that the compiler saves
 * its own values and the generator can rely on the names across helper calls.
 */
#define HOLE(mark, len, rec, w) ({						\
	u64 __res;								\
	asm volatile("r6 = %[r]; r7 = %[v]; r0 = " STR(mark) "; r0 = 1;"	\
		     ".rept " STR(len) "; goto +0; .endr; %[out] = r0"		\
		     : [out] "=r"(__res)					\
		     : [r] "r"(rec), [v] "r"(w)					\
		     : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "memory"); \
	__res; })

/* A constant that the loader fills in; opaque to clang, known to the verifier. */
#define PATCHED(mark) ({							\
	u64 __imm;								\
	asm volatile("%0 = " STR(mark) "; %0 = 0" : "=r"(__imm));		\
	__imm; })

/* First thing in a function that generated code calls. */
#define ENTRY(mark) asm volatile("r0 = " STR(mark) ::: "r0")

/* Hidden, not static: clang must not change the signature to suit its one caller. */
#define CALLABLE __attribute__((noinline, visibility("hidden")))

/*
 * Placeholders: every clone brings its own agg, starts and swap, with other
 * key and value sizes than these.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, 8);
	__uint(value_size, 8);
} agg SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, 8);
	__uint(value_size, sizeof(struct start));
} starts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct start);
} task_starts SEC(".maps");

struct inner {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, 8);
	__uint(value_size, 8);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 2);
	__type(key, u32);
	__array(values, struct inner);
} swap SEC(".maps");

/* Shared by all clones. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct scratch);
} scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 64);
	__type(key, u32);
	__type(value, struct counters);
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, u32);
	__type(value, struct control);
} control SEC(".maps");

struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 2);		/* possible CPUs; resized by the loader */
	__type(key, u32);
	__array(values, struct ring);
} rings SEC(".maps");

/* The first value of any aggregation. Read-only, so larger than the stack may be. */
const volatile u8 zeroes[ZEROES] = {};

static __always_inline void count(enum counter c)
{
	u32 id = PATCHED(IMM_ID);
	struct counters *all = bpf_map_lookup_elem(&counters, &id);

	if (all)
		all->c[c]++;
}

/*
 * --- functions that generated code calls ---
 */

/*
 * Match @len bytes at @s (at most STR_MAX, ended early by NUL). No branch
 * depends on the pattern, so every iteration looks alike to the verifier.
 */
CALLABLE u64 glob_match(const u8 *s, u64 len, const struct glob *g)
{
	u64 state, c;
	u32 i;

	ENTRY(FN_GLOB);
	if (!s || !g)
		return 0;
	state = 1;
	for (i = 0; i < STR_MAX; i++) {
		if (i >= len)
			break;
		c = s[i];
		if (!c)
			break;
		state = ((state & g->step[c]) << 1) | (state & g->stay);
		if (!state)
			return 0;
	}
	return state & g->accept;
}

/* Does the string contain the up to 8 bytes @want (masked by @mask)? */
CALLABLE u64 str_contains(const u8 *s, u64 len, u64 want, u64 mask)
{
	u64 window = 0, c;
	u32 i;

	ENTRY(FN_CONTAINS);
	if (!s)
		return 0;
	for (i = 0; i < STR_MAX; i++) {
		if (i >= len)
			break;
		c = s[i];
		if (!c)
			break;
		window = (window << 8) | c;
		if (((window ^ want) & mask) == 0)
			return 1;
	}
	return 0;
}

static __always_inline struct scratch *get_scratch(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&scratch, &zero);
}

/* Match the string that the __data_loc word @loc of @rec describes. */
CALLABLE u64 glob_dynamic(const void *rec, u64 loc, const struct glob *g)
{
	struct scratch *s;
	u64 len = (loc >> 16) & 0xffff;

	ENTRY(FN_STR_DYNAMIC);
	s = get_scratch();
	if (!s || !rec)
		return 0;
	if (len > STR_MAX)
		len = STR_MAX;
	if (bpf_probe_read_kernel(s->str, len, rec + (loc & 0xffff)))
		return 0;
	return glob_match(s->str, len, g);
}

/* Match the string at the user address @p. */
CALLABLE u64 glob_user(const void *p, const struct glob *g)
{
	struct scratch *s;
	long len;

	ENTRY(FN_STR_USER);
	s = get_scratch();
	if (!s)
		return 0;
	len = bpf_probe_read_user_str(s->str, STR_MAX, p);
	/* 0 is an empty string before 6.14, which counts no NUL there; 1 since */
	if (len < 0) {
		count(C_STR_FAULT);	/* a rejection, but not because of the pattern */
		return 0;
	}
	return glob_match(s->str, len, g);
}

CALLABLE u64 agg_stats(struct agg_stats *a, u64 v)
{
	ENTRY(FN_AGG_STATS);
	if (!a)
		return 0;
	if (!a->count || (s64)v < (s64)a->min)
		a->min = v;
	if (!a->count || (s64)v > (s64)a->max)
		a->max = v;
	a->count++;
	a->sum += v;
	return 0;
}

CALLABLE u64 agg_log2(struct agg_log2 *h, u64 v)
{
	u32 n = 0;

	ENTRY(FN_AGG_LOG2);
	if (!h)
		return 0;
	if ((s64)v < 0) {
		h->negative++;
		return 0;
	}
	if (v >> 32) { n += 32; v >>= 32; }
	if (v >> 16) { n += 16; v >>= 16; }
	if (v >> 8) { n += 8; v >>= 8; }
	if (v >> 4) { n += 4; v >>= 4; }
	if (v >> 2) { n += 2; v >>= 2; }
	if (v >> 1) { n += 1; v >>= 1; }
	n += v;			/* 0 stays 0, 1 is slot 1 */
	/*
	 * Bounded by a mask that clang cannot see through. It turns a comparison
	 * into one of a 32-bit copy, which 6.1 does not connect to the index.
	 */
	asm volatile("%0 &= 127" : "+r"(n));
	h->slot[n]++;
	return 0;
}

/*
 * Append to the record in scratch. Each string is a u32 length and its bytes,
 * padded to 8, so that the next one is aligned.
 */
static __always_inline void put_done(struct scratch *s, u32 pos, u32 len)
{
	*(u32 *)(s->data + pos) = len;
	s->pos = pos + ((sizeof(u32) + len + 7) & ~7u);
}

CALLABLE u64 put_dynamic(const void *rec, u64 loc)
{
	struct scratch *s;
	u64 len = (loc >> 16) & 0xffff;
	u32 pos;

	ENTRY(FN_PUT_DYNAMIC);
	s = get_scratch();
	if (!s || !rec)
		return 0;
	pos = s->pos;
	if (pos >= DATA_MAX - 8)
		return 0;
	if (len > DATA_MAX - 8)
		len = DATA_MAX - 8;
	if (bpf_probe_read_kernel(s->data + pos + sizeof(u32), len, rec + (loc & 0xffff)))
		len = 0;
	put_done(s, pos, len);
	return 0;
}

CALLABLE u64 put_user(const void *p)
{
	struct scratch *s;
	long len;
	u32 pos;

	ENTRY(FN_PUT_USER);
	s = get_scratch();
	if (!s)
		return 0;
	pos = s->pos;
	if (pos >= DATA_MAX - 8)
		return 0;
	len = bpf_probe_read_user_str(s->data + pos + sizeof(u32), STR_MAX, p);
	if (len < 0) {
		count(C_STR_FAULT);
		put_done(s, pos, 0);
		*(u32 *)(s->data + pos) = LEN_FAULT;
		return 0;
	}
	put_done(s, pos, len);
	return 0;
}

/* A string as part of a key: padded with zeroes, as equal keys must be equal bytes. */
CALLABLE u64 key_dynamic(u64 *key, const void *rec, u64 loc)
{
	int i;

	ENTRY(FN_KEY_DYNAMIC);
	if (!key || !rec)
		return 0;
#pragma unroll
	for (i = 0; i < KEY_TEXT / 8; i++)
		key[i] = 0;
	bpf_probe_read_kernel_str(key, KEY_TEXT, rec + (loc & 0xffff));
	return 0;
}

/*
 * Never runs. Without a call clang would drop the functions, libbpf would not
 * append them, and check_cfg() would refuse them as unreachable. The verifier
 * sees that the condition is false and removes the block and the functions
 * that a clone does not call.
 */
static __always_inline void keep_callable(void)
{
	u64 never, any;

	asm volatile("%0 = 0; %1 = 0" : "=r"(never), "=r"(any));
	if (!never)
		return;
	glob_match((void *)any, any, (void *)any);
	str_contains((void *)any, any, any, any);
	glob_dynamic((void *)any, any, (void *)any);
	glob_user((void *)any, (void *)any);
	agg_stats((void *)any, any);
	agg_log2((void *)any, any);
	put_dynamic((void *)any, any);
	put_user((void *)any);
	key_dynamic((void *)any, (void *)any, any);
}

/*
 * --- the stages of an event ---
 */

static __always_inline void begin_interval(struct work *w, u64 flags)
{
	struct start *old;
	int err;	/* not long: before 6.4 map operations set only the low 32 bits */

	w->start.ts = bpf_ktime_get_ns();
	if (flags & F_TASK) {
		old = bpf_task_storage_get(&task_starts, bpf_get_current_task_btf(), NULL,
					   BPF_LOCAL_STORAGE_GET_F_CREATE);
		if (!old) {
			count(C_STARTS_FULL);
			return;
		}
		if (old->ts)
			count(C_OVERWRITTEN);
		*old = w->start;
		return;
	}
	if (flags & F_REUSE) {
		old = bpf_map_lookup_elem(&starts, w->key);
		if (old) {
			if (old->ts)
				count(C_OVERWRITTEN);
			*old = w->start;
			return;
		}
	}
	err = bpf_map_update_elem(&starts, w->key, &w->start, BPF_NOEXIST);
	if (err == -EEXIST) {
		count(C_OVERWRITTEN);
		err = bpf_map_update_elem(&starts, w->key, &w->start, BPF_ANY);
	}
	if (err)
		count(C_STARTS_FULL);
}

static __always_inline bool end_interval(struct work *w, u64 flags)
{
	struct start *st;

	if (flags & F_TASK)
		st = bpf_task_storage_get(&task_starts, bpf_get_current_task_btf(), NULL, 0);
	else
		st = bpf_map_lookup_elem(&starts, w->key);
	if (!st || !st->ts) {
		count(C_UNMATCHED);
		return false;
	}
	w->start = *st;
	if (flags & (F_REUSE | F_TASK))
		st->ts = 0;
	else
		bpf_map_delete_elem(&starts, w->key);
	w->latency = bpf_ktime_get_ns() - w->start.ts;
	return true;
}

static __always_inline void aggregate(const void *rec, struct work *w, u64 flags)
{
	void *map = &agg, *v, *key = w->key;
	struct scratch *s;
	u32 sel = 0;

	if (flags & F_BIGKEY) {
		s = get_scratch();
		if (!s)
			return;
		key = s->key;
		w->dst = (u64)key;
	}
	HOLE(MARK_KEY, 64, rec, w);
	HOLE(MARK_VALUE, 32, rec, w);
	if (flags & F_SWAP) {
		if (flags & F_SELECT) {
			struct control *ctl = bpf_map_lookup_elem(&control, &sel);

			if (ctl)
				sel = *(volatile u32 *)&ctl->selector & 1;
		}
		map = bpf_map_lookup_elem(&swap, &sel);
		if (!map)
			return;
	}
	v = bpf_map_lookup_elem(map, key);
	if (!v) {
		/* EEXIST from another CPU is fine: the second lookup finds its element. */
		bpf_map_update_elem(map, key, (void *)zeroes, BPF_NOEXIST);
		v = bpf_map_lookup_elem(map, key);
		if (!v) {
			count(C_AGG_FULL);
			return;
		}
	}
	w->dst = (u64)v;
	HOLE(MARK_UPDATE, 32, rec, w);
}

static __always_inline void emit(const void *rec, struct work *w, u64 flags)
{
	u32 cpu = bpf_get_smp_processor_id();
	u64 size = PATCHED(IMM_SIZE), id;
	struct scratch *s = NULL;
	struct rec_head *h;
	void *ring;

	ring = bpf_map_lookup_elem(&rings, &cpu);
	if (!ring)
		return;
	if (flags & F_DYNAMIC) {
		s = get_scratch();
		if (!s)
			return;
		h = &s->head;
		s->pos = size - sizeof(*h);
	} else {
		h = bpf_ringbuf_reserve(ring, size, 0);
		if (!h) {
			count(C_RING_FULL);
			return;
		}
	}
	h->ts = bpf_ktime_get_ns();
	id = bpf_get_current_pid_tgid();
	h->tid = id;
	h->tgid = id >> 32;
	h->cpu = cpu;
	h->id = PATCHED(IMM_ID);
	w->dst = (u64)h;
	HOLE(MARK_COPY, 96, rec, w);
	if (!(flags & F_DYNAMIC)) {
		bpf_ringbuf_submit(h, BPF_RB_NO_WAKEUP);
		return;
	}
	size = s->pos;
	if (size > DATA_MAX)
		size = DATA_MAX;
	size += sizeof(*h);
	h->len = size;
	if (bpf_ringbuf_output(ring, h, size, BPF_RB_NO_WAKEUP))
		count(C_RING_FULL);
}

static __always_inline void run_event(const void *rec)
{
	u64 flags = PATCHED(IMM_FLAGS);
	struct work w;

	keep_callable();
	if (!HOLE(MARK_SCOPE, 16, rec, &w))
		return;
	/*
	 * What this filter rejects never was an event: it ends no interval. Only
	 * the part of a filter that needs latency runs after the pairing.
	 */
	if (!HOLE(MARK_FILTER, 96, rec, &w))
		return;
	if (flags & F_END) {
		HOLE(MARK_ENDKEY, 32, rec, &w);
		if (!end_interval(&w, flags))
			return;
		if (!HOLE(MARK_LATE, 96, rec, &w))
			return;
	}
	if (flags & F_START) {
		HOLE(MARK_STARTKEY, 32, rec, &w);
		HOLE(MARK_KEEP, 32, rec, &w);
		begin_interval(&w, flags);
	}
	if (flags & F_AGG)
		aggregate(rec, &w, flags);
	if (flags & F_EMIT)
		emit(rec, &w, flags);
}

/*
 * The result decides whether perf events on the same tracepoint see the event:
 * with 0, anybody's perf record beside us would get nothing.
 */
SEC("tp/raw_syscalls/sys_enter")
int classic(void *ctx)
{
	run_event(ctx);
	return 1;
}

/*
 * The same stages for a tp_btf program, where ctx is the array of arguments.
 * The generator's field loads follow the arguments (direct), so rec is ctx.
 */
SEC("tp_btf/sys_enter")
int btf_direct(u64 *ctx)
{
	run_event(ctx);
	return 0;
}

/* Or the record is rebuilt first, in the tracepoint's own layout: no change to the generator. */
SEC("tp_btf/sys_enter")
int btf_rebuilt(u64 *ctx)
{
	struct pt_regs *regs = (void *)ctx[0];
	struct {
		u64 common;
		u64 id;
		u64 args[6];
	} rec;

	rec.common = 0;
	rec.id = ctx[1];
	/* x86; plain loads, which the verifier turns into fault-tolerant ones */
	rec.args[0] = regs->di;
	rec.args[1] = regs->si;
	rec.args[2] = regs->dx;
	rec.args[3] = regs->r10;
	rec.args[4] = regs->r8;
	rec.args[5] = regs->r9;
	run_event(&rec);
	return 0;
}
