// SPDX-License-Identifier: GPL-2.0-only
/*
 * kvmguest [-w] N [MS] [-name NAME] - a virtual machine that writes N times to a port, MS milliseconds
 * apart (0), and then waits for a line on stdin if -w was given. Prints how often it left to user space.
 *
 * The guest runs in long mode at ring 3 with all I/O allowed: that works on hypervisors that cannot run
 * real mode, too. What is behind -name is only there to be seen in the command line.
 */
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include "workload.h"

#define MEMORY	(2 << 20)
#define CODE	0x10000
#define PML4	0x2000
#define PDPT	0x3000
#define PD	0x4000
#define PT	0x5000
#define TABLE	7	/* present, writable, user */

static void put_code(unsigned char *at)
{
	static const unsigned char code[] = {
		0xba, 0xf8, 0x03, 0x00, 0x00,	/* mov $0x3f8, %edx */
		0xb0, 'A',			/* mov $'A', %al */
		0xee,				/* 1: out %al, (%dx) */
		0xeb, 0xfd,			/* jmp 1b */
	};

	memcpy(at, code, sizeof(code));
}

static void put_pages(char *memory)
{
	uint64_t *pt = (uint64_t *)(memory + PT);
	int i;

	*(uint64_t *)(memory + PML4) = PDPT | TABLE;
	*(uint64_t *)(memory + PDPT) = PD | TABLE;
	*(uint64_t *)(memory + PD) = PT | TABLE;
	for (i = 0; i < 512; i++)
		pt[i] = i * 4096ull | TABLE;
}

static void set_registers(int vcpu)
{
	struct kvm_segment cs = {.limit = ~0u, .selector = 0x33, .type = 11, .present = 1, .dpl = 3,
				 .s = 1, .l = 1, .g = 1};
	struct kvm_segment ds = {.limit = ~0u, .selector = 0x2b, .type = 3, .present = 1, .dpl = 3,
				 .s = 1, .db = 1, .g = 1};
	struct kvm_regs regs = {.rip = CODE, .rflags = 0x3002, .rsp = 2 * CODE};
	struct kvm_sregs s;

	check(ioctl(vcpu, KVM_GET_SREGS, &s), "KVM_GET_SREGS");
	s.cs = cs;
	s.ds = s.es = s.fs = s.gs = s.ss = ds;
	s.cr3 = PML4;
	s.cr4 = 0x620;
	s.cr0 = 0x80050033;
	s.efer = 0x501;
	check(ioctl(vcpu, KVM_SET_SREGS, &s), "KVM_SET_SREGS");
	check(ioctl(vcpu, KVM_SET_REGS, &regs), "KVM_SET_REGS");
}

static void set_cpuid(int kvm, int vcpu)
{
	const unsigned int max = 256;
	struct kvm_cpuid2 *cpuid = calloc(1, sizeof(*cpuid) + max * sizeof(cpuid->entries[0]));

	if (!cpuid)
		die("out of memory");
	cpuid->nent = max;
	check(ioctl(kvm, KVM_GET_SUPPORTED_CPUID, cpuid), "KVM_GET_SUPPORTED_CPUID");
	check(ioctl(vcpu, KVM_SET_CPUID2, cpuid), "KVM_SET_CPUID2");
	free(cpuid);
}

static int make_vcpu(int kvm, int vm)
{
	struct kvm_userspace_memory_region region = {.memory_size = MEMORY};
	char *memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int vcpu;

	if (memory == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	put_code((unsigned char *)memory + CODE);
	put_pages(memory);
	region.userspace_addr = (uintptr_t)memory;
	check(ioctl(vm, KVM_CREATE_IRQCHIP, 0), "KVM_CREATE_IRQCHIP");
	check(ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region), "KVM_SET_USER_MEMORY_REGION");
	vcpu = check(ioctl(vm, KVM_CREATE_VCPU, 0), "KVM_CREATE_VCPU");
	set_cpuid(kvm, vcpu);
	set_registers(vcpu);
	return vcpu;
}

int main(int argc, char **argv)
{
	int waits = argc > 1 && !strcmp(argv[1], "-w");
	int kvm = check(open("/dev/kvm", O_RDWR | O_CLOEXEC), "/dev/kvm");
	int vm = check(ioctl(kvm, KVM_CREATE_VM, 0), "KVM_CREATE_VM");
	int vcpu = make_vcpu(kvm, vm);
	long size = check(ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0), "KVM_GET_VCPU_MMAP_SIZE");
	struct kvm_run *run = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);
	long n, i, ms;
	char line[16];

	argv = begin(argv);
	n = number(argv[0]);
	ms = argv[1] && argv[1][0] != '-' ? number(argv[1]) : 0;
	if (run == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	for (i = 0; i < n; i++) {
		check(ioctl(vcpu, KVM_RUN, 0), "KVM_RUN");
		if (run->exit_reason != KVM_EXIT_IO)
			die("left for reason %u instead of I/O", run->exit_reason);
		if (ms)
			usleep(ms * 1000);
	}
	printf("io=%ld\n", i);
	fflush(stdout);
	if (waits && !fgets(line, sizeof(line), stdin))
		return 0;
	return 0;
}
