// SPDX-License-Identifier: GPL-2.0-only
/* btf_args.c - names and types of a kernel function's parameters, from the kernel's BTF. */
#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>
#include "probe_parts.h"

static const struct btf_type *peel(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

static const char *name_of(const struct btf *btf, const struct btf_type *t)
{
	const char *name = t ? btf__name_by_offset(btf, t->name_off) : NULL;

	return name && *name ? name : "void";
}

static bool describe(const struct btf *btf, u32 id, struct probe_arg *a)
{
	const struct btf_type *t = peel(btf, id);

	if (!t)
		return false;
	if (btf_is_ptr(t)) {
		a->size = 8;
		a->is_signed = false;
		snprintf(a->type, sizeof(a->type), "%s *", name_of(btf, peel(btf, t->type)));
		return true;
	}
	if (!btf_is_int(t) && !btf_is_any_enum(t))
		return false;
	a->size = t->size;
	a->is_signed = btf_is_int(t) && btf_int_encoding(t) & BTF_INT_SIGNED;
	snprintf(a->type, sizeof(a->type), "%s", name_of(btf, t));
	return a->size == 1 || a->size == 2 || a->size == 4 || a->size == 8;
}

static bool place(enum spec_kind kind, unsigned int i, struct probe_value *v)
{
	*v = (struct probe_value){.from = PROBE_ARGUMENT, .reg = i};
	if (kind == SPEC_FENTRY || kind == SPEC_FEXIT)
		return true;
	v->from = PROBE_REGISTER;
	return probe_reg__argument(probe_reg__machine(), i, &v->reg);
}

static void take_parameters(const struct btf *btf, const struct btf_type *proto,
			    enum spec_kind kind, struct probe_args *args)
{
	const struct btf_param *p = btf_params(proto);
	struct probe_arg *a;
	unsigned int i;

	for (i = 0; i < btf_vlen(proto) && args->n < PROBE_FIELDS; i++) {
		a = &args->v[args->n];
		if (!describe(btf, p[i].type, a) || !place(kind, i, &a->value))
			return;
		snprintf(a->name, sizeof(a->name), "%s", btf__name_by_offset(btf, p[i].name_off));
		if (!a->name[0])
			snprintf(a->name, sizeof(a->name), "arg%u", i);
		args->n++;
	}
}

static void take_return(const struct btf *btf, const struct btf_type *proto, enum spec_kind kind,
			struct probe_args *args)
{
	struct probe_arg *a = &args->v[args->n];

	if (args->n == PROBE_FIELDS || !proto->type || !describe(btf, proto->type, a))
		return;
	snprintf(a->name, sizeof(a->name), "ret");
	a->value = (struct probe_value){.from = PROBE_ARGUMENT, .reg = btf_vlen(proto)};
	if (kind == SPEC_KRETPROBE) {
		a->value.from = PROBE_REGISTER;
		a->value.reg = probe_reg__return(probe_reg__machine());
	}
	args->n++;
}

u32 btf_args__find(const char *function, enum spec_kind kind, struct probe_args *args)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const struct btf_type *proto;
	int id = -1;

	args->n = 0;
	if (btf)
		id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);
	if (id > 0) {
		proto = btf__type_by_id(btf, btf__type_by_id(btf, id)->type);
		if (kind != SPEC_KRETPROBE)
			take_parameters(btf, proto, kind, args);
		if (kind == SPEC_FEXIT || kind == SPEC_KRETPROBE)
			take_return(btf, proto, kind, args);
	}
	btf__free(btf);
	return id > 0 ? id : 0;
}
