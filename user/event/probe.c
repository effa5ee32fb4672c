// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "probe_parts.h"

void probe__free(struct probe *p)
{
	if (!p)
		return;
	if (p->fd >= 0)
		close(p->fd);
	free(p->file);
	free(p->function);
	free(p->places);
	free(p);
}

/* --- a probe and its fields as a format --- */

/* Names of a binary's debug information are whatever its compiler wrote; ours are identifiers. */
static char *identifier(char *name)
{
	char *c;

	for (c = name; *c; c++)
		if (!isalnum((u8)*c))
			*c = '_';
	return name;
}

static int fill_fields(struct event_format *f, const struct probe_args *args)
{
	size_t i, used = 0;

	f->fields = calloc(args->n + 1, sizeof(*f->fields));
	f->strings = malloc(PROBE_FIELDS * (sizeof(args->v[0].name) + sizeof(args->v[0].type)));
	if (!f->fields || !f->strings)
		return -ENOMEM;
	for (i = 0; i < args->n; i++) {
		const struct probe_arg *a = &args->v[i];

		f->fields[i] = (struct field){
			.name = identifier(strcpy(f->strings + used, a->name)),
			.kind = FIELD_INT,
			.offset = 8 + 8 * i,
			.room = 8,
			.size = a->size,
			.elem_size = a->size,
			.is_signed = a->is_signed,
		};
		used += strlen(a->name) + 1;
		f->fields[i].type = strcpy(f->strings + used, a->type);
		used += strlen(a->type) + 1;
		f->probe->values[i] = a->value;
	}
	f->nr_fields = args->n;
	f->size = 8 + 8 * args->n;
	return 0;
}

static struct event_format *new_format(const char *system, const char *name,
				       const struct probe_args *args)
{
	struct event_format *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->refs = 1;
	f->system = strdup(system);
	f->name = strdup(name);
	f->probe = calloc(1, sizeof(*f->probe));
	if (f->probe)
		f->probe->fd = -1;
	if (f->system && f->name && f->probe && !fill_fields(f, args))
		return f;
	event_format__put(f);
	return NULL;
}

/* What is known of a function without any description of it. */
static void plain_args(struct probe_args *args, bool is_return)
{
	u16 machine = probe_reg__machine();
	struct probe_arg *a;

	for (args->n = 0; args->n < (is_return ? 1 : 6); args->n++) {
		a = &args->v[args->n];
		a->size = 8;
		a->is_signed = is_return;
		snprintf(a->name, sizeof(a->name), is_return ? "ret" : "arg%zu", args->n);
		snprintf(a->type, sizeof(a->type), is_return ? "s64" : "u64");
		a->value = (struct probe_value){.from = PROBE_REGISTER};
		if (is_return)
			a->value.reg = probe_reg__return(machine);
		else
			probe_reg__argument(machine, args->n, &a->value.reg);
	}
}

/* --- uprobes --- */

struct found {
	const struct event_spec *spec;
	const struct elf_file *file;
	int (*fn)(void *ctx, struct event_format *f);
	void *ctx;
};

/* A path below another root could lead elsewhere by a link: what was opened is kept open. */
static int set_file(struct probe *p, const struct elf_file *file)
{
	char path[32];

	if (!file->is_elsewhere) {
		p->file = strdup(file->path);
		return p->file ? 0 : -ENOMEM;
	}
	p->fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	if (p->fd < 0)
		return -errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", p->fd);
	p->file = strdup(path);
	return p->file ? 0 : -ENOMEM;
}

static int add_file_probe(struct found *u, const char *system, const char *name,
			  const struct probe_place *places, size_t n, const struct probe_args *args)
{
	struct event_format *f = new_format(system, name, args);

	if (!f)
		return -ENOMEM;
	f->probe->places = malloc(n * sizeof(*places));
	if (set_file(f->probe, u->file) || !f->probe->places) {
		event_format__put(f);
		return -ENOMEM;
	}
	memcpy(f->probe->places, places, n * sizeof(*places));
	f->probe->nr_places = n;
	return u->fn(u->ctx, f);
}

static void find_args(const struct elf_file *file, const struct event_spec *spec, u64 addr,
		      struct probe_args *args)
{
	bool is_return = spec->kind == SPEC_URETPROBE;

	/* inside of a function its arguments are anywhere */
	if (!spec->offset && !dwarf_args__find(file, addr, is_return, args)) {
		if (!is_return || !args->n)
			return;
		snprintf(args->v[0].name, sizeof(args->v[0].name), "ret");
		args->v[0].value = (struct probe_value){
			.from = PROBE_REGISTER,
			.reg = probe_reg__return(probe_reg__machine()),
		};
		return;
	}
	plain_args(args, is_return);
}

static int add_function(void *ctx, const char *name, u64 addr)
{
	struct found *u = ctx;
	struct probe_place place = {0};
	struct probe_args args = {0};

	if (!elf_file__offset(u->file, addr + u->spec->offset, &place.offset))
		return 0; /* a symbol without code */
	find_args(u->file, u->spec, addr, &args);
	return add_file_probe(u, u->file->path, name, &place, 1, &args);
}

static int resolve_function(struct found *u, struct err *err)
{
	u64 addr;

	if (strpbrk(u->spec->name, "*?["))
		return elf_file__each(u->file, u->spec, add_function, u, err);
	if (elf_file__function(u->file, u->spec, &addr, err))
		return -EINVAL;
	return add_function(u, u->spec->name, addr);
}

static int add_usdt(void *ctx, const char *provider, const char *name,
		    const struct probe_place *places, size_t n, const struct probe_args *args)
{
	return add_file_probe(ctx, provider, name, places, n, args);
}

static int resolve_in_file(struct found *u, const char *root, struct err *err)
{
	struct elf_file file;
	int ret = elf_file__open(&file, u->spec, root, err);

	u->file = &file;
	if (!ret && u->spec->kind == SPEC_USDT)
		ret = usdt__each(&file, u->spec, add_usdt, u, err);
	else if (!ret)
		ret = resolve_function(u, err);
	elf_file__close(&file);
	return ret;
}

/* --- kernel functions --- */

static int unknown_function(const struct event_spec *spec, struct err *err)
{
	return err__caret(
		err, spec->text, strchr(spec->text, ':') + 1 - spec->text, strlen(spec->name),
		"the kernel's types (/sys/kernel/btf/vmlinux) have no function %s: it is inlined, "
		"not traceable or not there",
		spec->name);
}

static int resolve_in_kernel(struct found *u, struct err *err)
{
	const struct event_spec *s = u->spec;
	struct probe_args args = {0};
	struct event_format *f;
	u32 id = btf_args__find(s->name, s->kind, &args);

	if (!id && (s->kind == SPEC_FENTRY || s->kind == SPEC_FEXIT))
		return unknown_function(s, err);
	if (!id || s->offset)
		plain_args(&args, s->kind == SPEC_KRETPROBE);
	f = new_format("", s->name, &args);
	if (!f)
		return -ENOMEM;
	f->probe->function = strdup(s->name);
	f->probe->offset = s->offset;
	f->probe->btf_id = id;
	if (!f->probe->function) {
		event_format__put(f);
		return -ENOMEM;
	}
	return u->fn(u->ctx, f);
}

int probe__resolve(const struct event_spec *spec, const char *root,
		   int (*fn)(void *ctx, struct event_format *f), void *ctx, struct err *err)
{
	struct found u = {.spec = spec, .fn = fn, .ctx = ctx};
	int ret = spec->file ? resolve_in_file(&u, root, err) : resolve_in_kernel(&u, err);

	return ret == -ENOMEM ? err__set(err, ENOMEM, "out of memory") : ret;
}
