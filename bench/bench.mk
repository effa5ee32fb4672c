# SPDX-License-Identifier: GPL-2.0-only
#
# What bench/run measures with; included by ../Makefile.

BENCH	:= $(BUILD)/bench/load $(BUILD)/bench/floor
TEST_DEPS += $(BENCH:=.d) $(BUILD)/bench/floor.bpf.d

# Leaves keep their frame pointers, so that a stack of known depth is whole in a profile.
FRAMES	:= -fno-omit-frame-pointer $(if $(filter x86,$(ARCH)),-mno-omit-leaf-frame-pointer)

$(BUILD)/bench/load: bench/load.c tests/workload/workload.h
	$(call msg,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -O1 -g $(WARN) -std=gnu11 -D_GNU_SOURCE $(FRAMES) -fno-optimize-sibling-calls $< -o $@

$(BUILD)/bench/floor.o: $(BUILD)/bench/floor.skel.h
$(BUILD)/bench/floor: $(BUILD)/bench/floor.o
	$(call msg,LINK,$@)
	$(Q)$(LINK) -o $@ $< -lbpf -lelf -lz

bench-programs: all $(BENCH)

bench:
	@./setup.sh build bench
	@$(MAKE) --no-print-directory bench-programs
	$(Q)TAMIS_BUILD=$(abspath $(BUILD)) bench/run

.PHONY: bench bench-programs
