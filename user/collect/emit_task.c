// SPDX-License-Identifier: GPL-2.0-only
#include "../event/event.h"
#include "emit_task.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"

#define TMP(n) (offsetof(struct work, tmp) + 8 * (n))

bool task_members__find(struct task_members *m, struct kernel_types *k)
{
	const struct {
		const char *type, *member;
		u32 *offset;
	} all[] = {
		{"task_struct", "group_leader", &m->group_leader},
		{"task_struct", "real_parent", &m->real_parent},
		{"task_struct", "tgid", &m->tgid},
		{"task_struct", "thread_pid", &m->thread_pid},
		{"pid", "level", &m->level},
		{"pid", "numbers", &m->number},
	};
	u32 size, nr;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		if (!kernel_types__member(k, all[i].type, all[i].member, all[i].offset, &size))
			return false;
	if (!kernel_types__member(k, "upid", "nr", &nr, &size) || size != 4)
		return false;
	m->number += nr;
	m->number_step = kernel_types__size(k, "upid");
	return m->number_step;
}

/* r1 = the @size bytes at r3 + @offset; 0 if they cannot be read */
static void read_at(struct code *c, u32 offset, int size)
{
	code__alu_imm(c, BPF_ADD, R3, offset);
	code__mov(c, R1, R_WORK);
	code__alu_imm(c, BPF_ADD, R1, TMP(0));
	code__mov_imm(c, R2, size);
	code__helper(c, BPF_FUNC_probe_read_kernel);
	code__load(c, R1, R_WORK, TMP(0), size);
}

static void follow(struct code *c, u32 offset)
{
	read_at(c, offset, 8);
	code__mov(c, R3, R1);
}

static void current_task(struct code *c)
{
	code__helper(c, BPF_FUNC_get_current_task);
	code__mov(c, R3, R0);
}

static void store_r1(struct code *c, u32 at)
{
	code__load(c, R2, R_WORK, offsetof(struct work, dst), 8);
	code__store(c, R2, at, R1, 4);
}

static void put_parent(const struct task_members *m, u32 at, struct code *c)
{
	current_task(c);
	follow(c, m->real_parent);
	read_at(c, m->tgid, 4);
	store_r1(c, at);
}

/* r3 is a task */
static void put_number(const struct task_members *m, u32 at, struct code *c)
{
	follow(c, m->thread_pid);
	code__store(c, R_WORK, TMP(1), R3, 8);
	read_at(c, m->level, 4);
	code__alu_imm(c, BPF_MUL, R1, m->number_step);
	code__load(c, R3, R_WORK, TMP(1), 8);
	code__insn(c, BPF_ALU64 | BPF_ADD | BPF_X, R3, R1, 0, 0);
	read_at(c, m->number, 4);
	store_r1(c, at);
}

void emit_task__code(const struct task_members *m, const struct record_layout *l, struct code *c)
{
	if (l->extra[EXTRA_PPID])
		put_parent(m, l->extra[EXTRA_PPID], c);
	if (l->extra[EXTRA_NSPID]) {
		current_task(c);
		follow(c, m->group_leader);
		put_number(m, l->extra[EXTRA_NSPID], c);
	}
	if (l->extra[EXTRA_NSTID]) {
		current_task(c);
		put_number(m, l->extra[EXTRA_NSTID], c);
	}
}
