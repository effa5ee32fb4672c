// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>
#include "kernel_types.h"

static struct btf *types(struct kernel_types *k)
{
	if (!k->tried)
		k->btf = btf__load_vmlinux_btf();
	k->tried = true;
	return k->btf;
}

void kernel_types__free(struct kernel_types *k)
{
	btf__free(k->btf);
	*k = (struct kernel_types){0};
}

static int find(struct kernel_types *k, const char *name, u32 kind)
{
	u32 i, n = k->nr_found < KERNEL_TYPES_FOUND ? k->nr_found : KERNEL_TYPES_FOUND;

	if (!types(k) || strlen(name) >= sizeof(k->found[0].name))
		return 0;
	for (i = 0; i < n; i++)
		if (k->found[i].kind == kind && !strcmp(k->found[i].name, name))
			return k->found[i].id;
	i = k->nr_found++ % KERNEL_TYPES_FOUND;
	strcpy(k->found[i].name, name);
	k->found[i].kind = kind;
	k->found[i].id = btf__find_by_name_kind(k->btf, name, kind);
	return k->found[i].id;
}

u32 kernel_types__tracepoint(struct kernel_types *k, const char *name)
{
	char typedef_name[128];
	int id;

	snprintf(typedef_name, sizeof(typedef_name), "btf_trace_%s", name);
	id = find(k, typedef_name, BTF_KIND_TYPEDEF);
	return id > 0 ? id : 0;
}

static const struct btf_type *skip_names(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_typedef(t) || btf_is_mod(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

/* The typedef is of a pointer to a function, whose first parameter is not the tracepoint's. */
static const struct btf_param *param(const struct btf *btf, u32 tracepoint, int arg)
{
	const struct btf_type *t = skip_names(btf, tracepoint);

	if (!t || !btf_is_ptr(t))
		return NULL;
	t = btf__type_by_id(btf, t->type);
	if (!t || !btf_is_func_proto(t) || arg + 1 >= btf_vlen(t))
		return NULL;
	return btf_params(t) + arg + 1;
}

bool kernel_types__arg_is(struct kernel_types *k, const char *name, int arg, const char *type)
{
	u32 id = kernel_types__tracepoint(k, name);
	const struct btf_param *p = id ? param(k->btf, id, arg) : NULL;
	const struct btf_type *t;

	if (!p || !type)
		return p;
	t = skip_names(k->btf, p->type);
	if (!t || !btf_is_ptr(t))
		return false;
	t = skip_names(k->btf, t->type);
	return t && btf_is_struct(t) && !strcmp(btf__name_by_offset(k->btf, t->name_off), type);
}

/* Adds the bits in front of the member to @bits. @return the member's type, 0: not found */
static u32 find_member(const struct btf *btf, const struct btf_type *t, const char *name, u32 len,
		       u32 *bits)
{
	const struct btf_type *inner;
	const char *is;
	u32 id, at;
	int i;

	for (i = 0; i < btf_vlen(t); i++) {
		is = btf__name_by_offset(btf, btf_members(t)[i].name_off);
		id = btf_members(t)[i].type;
		at = *bits + btf_member_bit_offset(t, i);
		inner = skip_names(btf, id);
		if (!*is && inner && btf_is_composite(inner))
			id = find_member(btf, inner, name, len, &at);
		else if (strlen(is) != len || memcmp(is, name, len))
			id = 0;
		if (id) {
			*bits = at;
			return id;
		}
	}
	return 0;
}

bool kernel_types__member(struct kernel_types *k, const char *type, const char *path, u32 *offset,
			  u32 *size)
{
	int id = find(k, type, BTF_KIND_STRUCT);
	const struct btf_type *t;
	u32 len, bits = 0;

	while (id > 0 && *path) {
		t = skip_names(k->btf, id);
		len = strcspn(path, ".");
		id = t && btf_is_composite(t) ? find_member(k->btf, t, path, len, &bits) : 0;
		path += len + (path[len] == '.');
	}
	if (id <= 0 || bits % 8)
		return false;
	*offset = bits / 8;
	*size = btf__resolve_size(k->btf, id);
	return true;
}

s64 kernel_types__enum(struct kernel_types *k, const char *type, const char *name)
{
	int id = find(k, type, BTF_KIND_ENUM), i;
	const struct btf_type *t = id > 0 ? btf__type_by_id(k->btf, id) : NULL;

	for (i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(k->btf, btf_enum(t)[i].name_off), name))
			return btf_enum(t)[i].val;
	return -1;
}

u32 kernel_types__size(struct kernel_types *k, const char *type)
{
	int id = find(k, type, BTF_KIND_STRUCT);

	return id > 0 ? btf__resolve_size(k->btf, id) : 0;
}
