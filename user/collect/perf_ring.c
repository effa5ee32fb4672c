// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "../base/guard.h"
#include "../base/log.h"
#include "perf_ring.h"

#define RECORD_ROOM 65536u /* a record's size is a u16 */

static int mlock_kb(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/perf_event_mlock_kb", "re");
	int kb;

	return f && fscanf(f, "%d", &kb) == 1 ? kb : -1;
}

static int cannot_map(u64 bytes, int code, struct err *err)
{
	struct rlimit lim = {0};

	if (code == EPERM)
		return err__set(
			err, code,
			"cannot map a perf ring of %llu KiB: kernel.perf_event_mlock_kb is %d and "
			"used up; raise it, run with CAP_IPC_LOCK, or use fewer CPUs (-C)",
			(unsigned long long)bytes >> 10, mlock_kb());
	getrlimit(RLIMIT_AS, &lim);
	if (code == ENOMEM && lim.rlim_cur != RLIM_INFINITY)
		return err__set(
			err, code,
			"cannot map a perf ring of %llu KiB: the limit on address space (ulimit "
			"-v) is %llu KiB",
			(unsigned long long)bytes >> 10, (unsigned long long)lim.rlim_cur >> 10);
	return err__set(err, code, "cannot map a perf ring of %llu KiB: %s",
			(unsigned long long)bytes >> 10, strerror(code));
}

static void say_smaller(struct log *log, u64 wanted, u64 bytes, int code)
{
	log__once(log, LOG_NOTICE, "perf rings have %llu KiB a CPU instead of %llu: %s",
		  (unsigned long long)bytes >> 10, (unsigned long long)wanted >> 10,
		  code == EPERM ? "kernel.perf_event_mlock_kb allows no more without CAP_IPC_LOCK"
				: "there is no room for more (ulimit -v?)");
}

u64 perf_ring__affordable(u64 bytes, unsigned int nr, struct log *log)
{
	u64 page = sysconf(_SC_PAGESIZE), n = bytes;
	struct rlimit lim;

	if (getrlimit(RLIMIT_AS, &lim) || lim.rlim_cur == RLIM_INFINITY)
		return bytes;
	while (n * nr > lim.rlim_cur / 8 && n > page)
		n /= 2;
	if (n < bytes)
		say_smaller(log, bytes, n, ENOMEM);
	return n;
}

int perf_ring__map(struct perf_ring *r, int fd, u64 *bytes, struct log *log, struct err *err)
{
	u64 page = sysconf(_SC_PAGESIZE), n = *bytes > page ? *bytes : page;
	int code = 0;
	void *p;

	memset(r, 0, sizeof(*r));
	for (;; n /= 2) {
		p = mmap(NULL, page + n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (p != MAP_FAILED)
			break;
		code = errno;
		if ((code != EPERM && code != ENOMEM) || n <= page)
			return cannot_map(n, code, err);
	}
	if (code)
		say_smaller(log, *bytes, n, code);
	r->bounce = malloc(RECORD_ROOM);
	if (!r->bounce) {
		munmap(p, page + n);
		return err__set(err, ENOMEM, "out of memory for a perf ring");
	}
	r->page = p;
	r->data = (u8 *)p + page;
	r->bytes = *bytes = n;
	return 0;
}

void perf_ring__unmap(struct perf_ring *r)
{
	if (r->page)
		munmap(r->page, r->bytes + sysconf(_SC_PAGESIZE));
	free(r->bounce);
	memset(r, 0, sizeof(*r));
}

bool perf_ring__refresh(struct perf_ring *r)
{
	if (r->page)
		r->head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	return r->at != r->head;
}

/*
 * One buffer is enough: two records that wrap are at least a ring apart, so that the first was
 * released before the kernel could write the second.
 */
static const void *unwrap(struct perf_ring *r, u64 off, u32 size)
{
	u32 first = r->bytes - off;

	memcpy(r->bounce, r->data + off, first);
	memcpy(r->bounce + first, r->data, size - first);
	return r->bounce;
}

const struct perf_event_header *perf_ring__next(struct perf_ring *r)
{
	const struct perf_event_header *h;
	u64 off;

	if (r->at == r->head)
		return NULL;
	off = r->at & (r->bytes - 1);
	h = (const void *)(r->data + off);
	if (h->size < sizeof(*h) || h->size % 8 || h->size > r->head - r->at) {
		r->broken += r->head - r->at;
		r->at = r->head;
		return NULL;
	}
	if (off + h->size > r->bytes)
		h = unwrap(r, off, h->size);
	r->at += h->size;
	return h;
}

void perf_ring__release(struct perf_ring *r, u64 end)
{
	if (end <= r->released)
		return;
	r->released = end;
	__atomic_store_n(&r->page->data_tail, end, __ATOMIC_RELEASE);
}
