// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_sample.c - hand-made samples: each part alone, all together, and every cut of them.
 *
 * Run with SANITIZER=address: samples are copied to a heap block of their exact size.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "../../user/event/sample.h"

struct made {
	struct perf_event_header header;
	u64 words[512];
	size_t n;
};

static void word(struct made *m, u64 v)
{
	m->words[m->n++] = v;
}

static void pair(struct made *m, u32 a, u32 b)
{
	memcpy(&m->words[m->n], &a, 4);
	memcpy((char *)&m->words[m->n++] + 4, &b, 4);
}

static void bytes(struct made *m, const void *p, size_t n)
{
	memcpy(&m->words[m->n], p, n);
	m->n += (n + 7) / 8;
}

/* The parts point into a heap copy of the exact size; the caller frees it. */
static struct perf_event_header *parse(struct made *m, const struct sample_layout *l, int expect,
				       struct sample_parts *p)
{
	u32 size = sizeof(m->header) + m->n * 8;
	struct perf_event_header *copy = malloc(size);

	m->header = (struct perf_event_header){PERF_RECORD_SAMPLE, 0, size};
	memcpy(copy, m, size);
	memset(p, 0xa5, sizeof(*p));
	assert_int_equal(sample__parse(l, copy, size, p), expect);
	return copy;
}

static void single_words(void **state)
{
	static const struct {
		u64 bit;
		size_t offset;
		const char *name;
	} parts[] = {
		{1u << 16, offsetof(struct sample_parts, identifier), "identifier"},
		{1u << 0, offsetof(struct sample_parts, ip), "ip"},
		{1u << 2, offsetof(struct sample_parts, time), "time"},
		{1u << 3, offsetof(struct sample_parts, addr), "addr"},
		{1u << 6, offsetof(struct sample_parts, id), "id"},
		{1u << 9, offsetof(struct sample_parts, stream_id), "stream_id"},
		{1u << 8, offsetof(struct sample_parts, period), "period"},
		{1u << 14, offsetof(struct sample_parts, weight), "weight"},
		{1u << 24, offsetof(struct sample_parts, weight), "weight"},
		{1u << 15, offsetof(struct sample_parts, data_src), "data_src"},
		{1u << 17, offsetof(struct sample_parts, transaction), "transaction"},
		{1u << 19, offsetof(struct sample_parts, phys_addr), "phys_addr"},
		{1u << 21, offsetof(struct sample_parts, cgroup), "cgroup"},
		{1u << 22, offsetof(struct sample_parts, data_page_size), "data_page_size"},
		{1u << 23, offsetof(struct sample_parts, code_page_size), "code_page_size"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		struct sample_layout l = {.sample_type = parts[i].bit};
		struct made m = {0};
		struct sample_parts p;
		u64 v;

		word(&m, 0xfedcba9876543210ull + i);
		free(parse(&m, &l, 0, &p));
		memcpy(&v, (char *)&p + parts[i].offset, 8);
		assert_int_equal(v, 0xfedcba9876543210ull + i);
		assert_int_equal(p.has, parts[i].bit);
		assert_string_equal(sample__part_name(parts[i].bit), parts[i].name);

		m.n = 0;
		free(parse(&m, &l, -EINVAL, &p));
		assert_int_equal(p.has, 0);
	}
}

static void tid_and_cpu(void **state)
{
	struct sample_layout l = {.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CPU};
	struct made m = {0};
	struct sample_parts p;

	pair(&m, 4242, 4243);
	pair(&m, 7, 0xffffffff);
	free(parse(&m, &l, 0, &p));
	assert_int_equal(p.pid, 4242);
	assert_int_equal(p.tid, 4243);
	assert_int_equal(p.cpu, 7);
}

/* Every read_format: 32 of them, each word numbered by where it stands. */
static void read_formats(void **state)
{
	u64 format;

	for (format = 0; format < 32; format++) {
		bool group = format & PERF_FORMAT_GROUP;
		struct sample_layout l = {.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_PHYS_ADDR,
					  .read_format = format};
		u64 nr = group ? 3 : 1, i, next = 100, enabled = 0, running = 0;
		struct sample_count want[3] = {0};
		struct sample_parts p;
		struct made m = {0};
		struct perf_event_header *copy;

		if (group)
			word(&m, nr);
		else
			word(&m, want[0].value = next++);
		if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
			word(&m, enabled = next++);
		if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
			word(&m, running = next++);
		for (i = 0; i < nr; i++) {
			if (group)
				word(&m, want[i].value = next++);
			if (format & PERF_FORMAT_ID)
				word(&m, want[i].id = next++);
			if (format & 16)
				word(&m, want[i].lost = next++);
		}
		word(&m, 0x1234);
		copy = parse(&m, &l, 0, &p);
		assert_int_equal(p.read_nr, nr);
		assert_int_equal(p.time_enabled, enabled);
		assert_int_equal(p.time_running, running);
		assert_int_equal(p.phys_addr, 0x1234);
		for (i = 0; i < nr; i++) {
			struct sample_count c = sample__count(&l, &p, i);

			assert_memory_equal(&c, &want[i], sizeof(c));
		}
		assert_int_equal(sample__count(&l, &p, nr).value, 0);
		free(copy);
	}
}

static void huge_group(void **state)
{
	struct sample_layout l = {.sample_type = PERF_SAMPLE_READ,
				  .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID};
	struct made m = {0};
	struct sample_parts p;

	word(&m, 0x8000000000000001ull);	/* times 16 bytes overflows to 16 */
	word(&m, 1);
	word(&m, 2);
	free(parse(&m, &l, -EINVAL, &p));
	assert_int_equal(p.has, 0);
}

static void callchain(void **state)
{
	struct sample_layout l = {.sample_type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CGROUP};
	struct made m = {0};
	struct sample_parts p;
	struct perf_event_header *copy;

	word(&m, 3);
	word(&m, (u64)-512);
	word(&m, 0x401000);
	word(&m, 0x401010);
	word(&m, 99);
	copy = parse(&m, &l, 0, &p);
	assert_int_equal(p.nr_callchain, 3);
	assert_int_equal(p.callchain[0], (u64)-512);
	assert_int_equal(p.callchain[2], 0x401010);
	assert_int_equal(p.cgroup, 99);
	free(copy);

	m.words[0] = 5;
	free(parse(&m, &l, -EINVAL, &p));
	m.words[0] = ~0ull;
	free(parse(&m, &l, -EINVAL, &p));
	assert_int_equal(p.has, 0);

	m.n = 0;
	word(&m, 0);
	word(&m, 99);
	free(parse(&m, &l, 0, &p));
	assert_int_equal(p.nr_callchain, 0);
}

static void raw(void **state)
{
	struct sample_layout l = {.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_CGROUP};
	u32 size;

	for (size = 0; size <= 20; size++) {
		struct { u32 size; char data[20]; } r = {size, "0123456789abcdefghi"};
		struct made m = {0};
		struct sample_parts p;
		struct perf_event_header *copy;

		bytes(&m, &r, 4 + size);
		word(&m, 77);
		copy = parse(&m, &l, 0, &p);
		assert_int_equal(p.raw_size, size);
		assert_memory_equal(p.raw, "0123456789abcdefghi", size);
		assert_int_equal(p.cgroup, 77);
		free(copy);
	}
}

static void raw_cut(void **state)
{
	struct sample_layout l = {.sample_type = PERF_SAMPLE_RAW};
	struct made m = {0};
	struct sample_parts p;

	pair(&m, 0xffffffff, 1);
	word(&m, 0);
	free(parse(&m, &l, -EINVAL, &p));
	assert_int_equal(p.has, 0);
}

static void branch_stack(void **state)
{
	int with;

	for (with = 0; with < 4; with++) {
		struct sample_layout l = {
			.sample_type = PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_CGROUP,
			.branch_type = (with & 1 ? PERF_SAMPLE_BRANCH_HW_INDEX : 0) |
				       (with & 2 ? SAMPLE_BRANCH_COUNTERS : 0),
		};
		struct made m = {0};
		struct sample_parts p;
		struct perf_event_header *copy;
		int i;

		word(&m, 2);
		if (with & 1)
			word(&m, 5);
		for (i = 0; i < 6; i++)
			word(&m, 1000 + i);
		for (i = 0; i < 2 && with & 2; i++)
			word(&m, 2000 + i);
		word(&m, 31);
		copy = parse(&m, &l, 0, &p);
		assert_int_equal(p.nr_branches, 2);
		assert_int_equal(p.branch_hw_idx, with & 1 ? 5 : ~0ull);
		assert_int_equal(p.branches[1].from, 1003);
		assert_int_equal(p.branches[1].flags, 1005);
		if (with & 2)
			assert_int_equal(p.branch_counters[1], 2001);
		else
			assert_null(p.branch_counters);
		assert_int_equal(p.cgroup, 31);
		free(copy);

		m.words[0] = 0x5555555555555556ull;	/* times 24 overflows to 16 */
		free(parse(&m, &l, -EINVAL, &p));
		assert_int_equal(p.has, 0);
	}
}

static void registers(void **state)
{
	struct sample_layout l = {
		.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR,
		.regs_user = 1ull << 6 | 1ull << 7 | 1ull << 8,	/* bp sp ip */
		.regs_intr = 1ull << 0 | 1ull << 63,
	};
	struct made m = {0};
	struct sample_parts p;
	struct perf_event_header *copy;

	word(&m, PERF_SAMPLE_REGS_ABI_64);
	word(&m, 6);
	word(&m, 7);
	word(&m, 8);
	word(&m, PERF_SAMPLE_REGS_ABI_32);
	word(&m, 10);
	word(&m, 63);
	copy = parse(&m, &l, 0, &p);
	assert_int_equal(p.regs_user.abi, 2);
	assert_int_equal(p.regs_user.words[2], 8);
	assert_int_equal(p.regs_intr.abi, 1);
	assert_int_equal(p.regs_intr.mask, l.regs_intr);
	assert_int_equal(p.regs_intr.words[1], 63);
	free(copy);
}

/* A kernel thread has no user registers: the abi word alone. */
static void no_registers(void **state)
{
	struct sample_layout l = {.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_CGROUP,
				  .regs_user = 0xffffff};
	struct made m = {0};
	struct sample_parts p;

	word(&m, PERF_SAMPLE_REGS_ABI_NONE);
	word(&m, 5);
	free(parse(&m, &l, 0, &p));
	assert_null(p.regs_user.words);
	assert_int_equal(p.cgroup, 5);
}

static void register_names(void **state)
{
	assert_string_equal(sample__reg_name(SAMPLE_X86_64, 0), "ax");
	assert_string_equal(sample__reg_name(SAMPLE_X86_64, 8), "ip");
	assert_string_equal(sample__reg_name(SAMPLE_X86_64, 23), "r15");
	assert_string_equal(sample__reg_name(SAMPLE_X86_64, 32), "reg32");
	assert_string_equal(sample__reg_name(SAMPLE_ARM64, 29), "x29");
	assert_string_equal(sample__reg_name(SAMPLE_ARM64, 30), "lr");
	assert_string_equal(sample__reg_name(SAMPLE_ARM64, 32), "pc");
	assert_string_equal(sample__reg_name(SAMPLE_ARM64, 46), "reg46");
	assert_string_equal(sample__reg_name(SAMPLE_OTHER, 3), "reg3");
	assert_int_equal(sample__reg_bit(SAMPLE_X86_64, "r8", 2), 16);
	assert_int_equal(sample__reg_bit(SAMPLE_ARM64, "sp", 2), 31);
	assert_int_equal(sample__reg_bit(SAMPLE_X86_64, "lr", 2), -ENOENT);
}

static void stack_user(void **state)
{
	struct sample_layout l = {.sample_type = PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CGROUP};
	struct made m = {0};
	struct sample_parts p;
	struct perf_event_header *copy;

	word(&m, 24);
	bytes(&m, "abcdefghijklmnopqrstuvw", 24);
	word(&m, 16);
	word(&m, 9);
	copy = parse(&m, &l, 0, &p);
	assert_int_equal(p.stack_user_size, 16);
	assert_memory_equal(p.stack_user, "abcdefghijklmnop", 16);
	assert_int_equal(p.cgroup, 9);
	free(copy);

	m.words[4] = 4096;	/* claims more than its room */
	copy = parse(&m, &l, 0, &p);
	assert_int_equal(p.stack_user_size, 24);
	free(copy);

	m.n = 0;
	word(&m, 0);		/* no room: no word that says how much is used */
	word(&m, 9);
	free(parse(&m, &l, 0, &p));
	assert_int_equal(p.stack_user_size, 0);
	assert_int_equal(p.cgroup, 9);

	m.words[0] = ~0ull - 3;	/* rounding it up overflows */
	free(parse(&m, &l, -EINVAL, &p));
	assert_int_equal(p.has, 0);
}

static void aux(void **state)
{
	struct sample_layout l = {.sample_type = PERF_SAMPLE_AUX};
	struct made m = {0};
	struct sample_parts p;
	struct perf_event_header *copy;

	word(&m, 10);
	bytes(&m, "0123456789", 10);
	copy = parse(&m, &l, 0, &p);
	assert_int_equal(p.aux_size, 10);
	assert_memory_equal(p.aux, "0123456789", 10);
	free(copy);
}

/* All parts in the kernel's order, then every shorter length of it. */
static void make_all(struct made *m)
{
	static const char raw[12] = {8, 0, 0, 0, 'r', 'a', 'w', 'r', 'a', 'w', 'r', 0};
	u64 i;

	memset(m, 0, sizeof(*m));
	for (i = 0; i < 2; i++)
		word(m, 1 + i);			/* identifier, ip */
	pair(m, 3, 4);
	for (i = 0; i < 4; i++)
		word(m, 5 + i);			/* time, addr, id, stream_id */
	pair(m, 9, 0);
	word(m, 10);				/* period */
	word(m, 2);				/* read: a group of two */
	for (i = 0; i < 8; i++)
		word(m, 11 + i);		/* times, then value, id, lost of each */
	word(m, 2);
	word(m, 19);
	word(m, 20);				/* callchain */
	bytes(m, raw, sizeof(raw));
	word(m, 1);
	for (i = 0; i < 4; i++)
		word(m, 21 + i);		/* branch: hw_idx, from, to, flags */
	word(m, 2);
	word(m, 25);				/* regs_user */
	word(m, 8);
	word(m, 26);
	word(m, 8);				/* stack_user */
	for (i = 0; i < 3; i++)
		word(m, 27 + i);		/* weight, data_src, transaction */
	word(m, 2);
	word(m, 30);				/* regs_intr */
	for (i = 0; i < 4; i++)
		word(m, 31 + i);		/* phys_addr, cgroup, page sizes */
	word(m, 8);
	word(m, 35);				/* aux */
}

static const struct sample_layout all = {
	.sample_type = (1u << 24) - 1,
	.read_format = 31,
	.regs_user = 1,
	.regs_intr = 1,
	.branch_type = PERF_SAMPLE_BRANCH_HW_INDEX,
};

static void everything(void **state)
{
	struct perf_event_header *copy;
	struct sample_parts p;
	struct made m;

	make_all(&m);
	copy = parse(&m, &all, 0, &p);
	assert_int_equal(p.has, all.sample_type);
	assert_int_equal(p.identifier, 1);
	assert_int_equal(p.tid, 4);
	assert_int_equal(p.stream_id, 8);
	assert_int_equal(p.cpu, 9);
	assert_int_equal(p.time_running, 12);
	assert_int_equal(sample__count(&all, &p, 1).lost, 18);
	assert_int_equal(p.callchain[1], 20);
	assert_memory_equal(p.raw, "rawrawr", 8);
	assert_int_equal(p.branch_hw_idx, 21);
	assert_int_equal(p.branches[0].to, 23);
	assert_int_equal(p.regs_user.words[0], 25);
	assert_int_equal(p.stack_user_size, 8);
	assert_int_equal(p.transaction, 29);
	assert_int_equal(p.regs_intr.words[0], 30);
	assert_int_equal(p.code_page_size, 34);
	assert_memory_equal(p.aux, "\x23", 1);
	free(copy);
}

static void every_cut(void **state)
{
	struct sample_parts p;
	struct made m;
	size_t n, whole;

	make_all(&m);
	whole = m.n;
	for (n = 0; n < whole; n++) {
		m.n = n;
		free(parse(&m, &all, -EINVAL, &p));
		assert_true(p.has < all.sample_type);
	}
	for (n = 0; n < sizeof(m.header) + 8; n++) {
		char *copy = malloc(n + 1);

		memset(copy, 0, n + 1);
		sample__parse(&all, (void *)copy, n, &p);
		assert_int_equal(p.has & ~PERF_SAMPLE_IDENTIFIER, 0);
		free(copy);
	}
}

static void random_bytes(void **state)
{
	int round;

	srand(1);
	for (round = 0; round < 200000; round++) {
		struct sample_layout l = {rand(), rand() & 31, rand(), rand(), rand()};
		u32 size = 8 + rand() % 40 * 8, i;
		u64 *copy = malloc(size), sum = 0;
		struct sample_parts p;

		for (i = 0; i < size / 8; i++)
			copy[i] = rand() % 4 ? (u64)(rand() % 9) : (u64)rand() << 33 | rand();
		sample__parse(&l, (void *)copy, size, &p);
		if (p.has & PERF_SAMPLE_READ)
			for (i = 0; i < p.read_nr; i++)
				sum += sample__count(&l, &p, i).lost;
		if (p.has & PERF_SAMPLE_CALLCHAIN)
			for (i = 0; i < p.nr_callchain; i++)
				sum += p.callchain[i];
		if (p.has & PERF_SAMPLE_RAW)
			for (i = 0; i < p.raw_size; i++)
				sum += ((const u8 *)p.raw)[i];
		if (p.has & PERF_SAMPLE_STACK_USER)
			for (i = 0; i < p.stack_user_size; i++)
				sum += ((const u8 *)p.stack_user)[i];
		if (p.has & PERF_SAMPLE_AUX)
			for (i = 0; i < p.aux_size; i++)
				sum += ((const u8 *)p.aux)[i];
		__asm__ volatile("" ::"r"(sum));
		free(copy);
	}
}

static void stops_early(void **state)
{
	struct sample_parts p;
	struct made m;

	make_all(&m);
	m.n = 4;	/* identifier, ip, tid, time: nothing behind is looked at */
	assert_int_equal(sample__parse_until(&all, &m.header, sizeof(m.header) + m.n * 8,
					     PERF_SAMPLE_TIME, &p), 0);
	assert_int_equal(p.time, 5);
	assert_int_equal(p.has & (PERF_SAMPLE_ADDR | PERF_SAMPLE_AUX), 0);
}

static void trailer(void **state)
{
	struct sample_layout l = {.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
						 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
						 PERF_SAMPLE_IP | PERF_SAMPLE_RAW};
	struct made m = {0};
	struct sample_parts p;
	size_t n;

	word(&m, 1111);	/* of the record itself */
	pair(&m, 5, 6);
	word(&m, 7);
	pair(&m, 8, 0);
	word(&m, 9);
	assert_int_equal(sample__parse_id(&l, &m.header, sizeof(m.header) + m.n * 8, &p), 0);
	assert_int_equal(p.pid, 5);
	assert_int_equal(p.tid, 6);
	assert_int_equal(p.time, 7);
	assert_int_equal(p.cpu, 8);
	assert_int_equal(p.identifier, 9);
	for (n = 0; n < 4; n++)
		assert_int_equal(sample__parse_id(&l, &m.header, sizeof(m.header) + n * 8, &p),
				 -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_words), cmocka_unit_test(tid_and_cpu),
		cmocka_unit_test(read_formats), cmocka_unit_test(huge_group),
		cmocka_unit_test(callchain), cmocka_unit_test(raw), cmocka_unit_test(raw_cut),
		cmocka_unit_test(branch_stack), cmocka_unit_test(registers),
		cmocka_unit_test(no_registers), cmocka_unit_test(register_names),
		cmocka_unit_test(stack_user), cmocka_unit_test(aux), cmocka_unit_test(everything),
		cmocka_unit_test(every_cut), cmocka_unit_test(random_bytes),
		cmocka_unit_test(stops_early), cmocka_unit_test(trailer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
