# SPDX-License-Identifier: GPL-2.0-only
#
# The rings of tests; included by ../Makefile. What each ring is: CONTRIBUTING.md.

# --- C tests: one cmocka program a file; tests/kernel/*.c need root and a live kernel ---

UNIT	:= $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/unit/test_*.c)))
KERNEL	:= $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/kernel/test_*.c)))
# Programs that pytest files drive; no tests themselves.
DRIVER	:= $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/kernel/driver_*.c)))
FUZZ	:= $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
TEST_DEPS = $(UNIT:=.d) $(KERNEL:=.d) $(DRIVER:=.d) $(FUZZ:=.d)

# cmocka gives each test a state that few use; tables of expectations leave out what is zero.
$(BUILD)/tests/%.o: WARN += -Wno-unused-parameter -Wno-missing-field-initializers

$(UNIT) $(KERNEL) $(DRIVER): $(BUILD)/tests/%: $(BUILD)/tests/%.o $(NO_PYTHON) $(CORE)
	$(call msg,LINK,$@)
	$(Q)$(LINK) -o $@ $^ $(LIBS) -lcmocka

# --- the embedded interpreter over a session that is made up: what tests/python runs as a program;
#     its functions of session.h stand in front of the real ones ---

ifneq ($(PY_OBJ),)
EMBEDDED := $(BUILD)/tests/python/embedded
TEST_DEPS += $(EMBEDDED).d

$(EMBEDDED): $(BUILD)/tests/python/embedded.o $(PY_OBJ) $(CORE)
	$(call msg,LINK,$@)
	$(Q)$(LINK) -rdynamic -Wl,--allow-multiple-definition -o $@ $^ $(PY_LIBS) $(LIBS)
endif

# --- workload programs: they do a known number of things, and say so ---

WORKLOAD_SRC := $(sort $(wildcard tests/workload/*.c tests/workload/*.cc))
WORKLOAD := $(patsubst %,$(BUILD)/%,$(basename $(WORKLOAD_SRC)))

# What one of them needs beyond this goes into WORKLOAD_FLAGS_name, after the source.
WORKLOAD_CFLAGS := -O2 -g -Wall -Wextra -Werror -D_GNU_SOURCE -fno-omit-frame-pointer
-include tests/workload/flags.mk

$(BUILD)/tests/workload/%: tests/workload/%.c tests/workload/workload.h
	$(call msg,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(WORKLOAD_CFLAGS) -std=gnu11 $< $(WORKLOAD_FLAGS_$*) -o $@ -lpthread

$(BUILD)/tests/workload/%: tests/workload/%.cc
	$(call msg,CXX,$@)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(WORKLOAD_CFLAGS) $< $(WORKLOAD_FLAGS_$*) -o $@ -lpthread

workload: $(WORKLOAD)

embedded: $(EMBEDDED)

# --- fuzz targets: LLVMFuzzerTestOneInput(), with clang's fuzzer, address and undefined sanitizers ---

FUZZ_SECONDS ?= 20
# The rooms that read what others wrote; commands and transports stay out.
FUZZ_CORE_SRC = $(filter user/base/% user/event/% user/filter/% user/format/% user/symbol/% user/scope/container_path.c,$(CORE_SRC))

$(FUZZ): $(BUILD)/tests/fuzz/%: tests/fuzz/%.c $(CORE_SRC) | $(SKELS)
	$(call msg,FUZZ,$@)
	@mkdir -p $(@D)
	$(Q)$(CLANG) -O1 -g $(WARN) -std=gnu11 -D_GNU_SOURCE -I. -I$(BUILD) \
		-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined $< $(FUZZ_CORE_SRC) -o $@ $(LIBS)

fuzz-programs: $(FUZZ)

fuzz: fuzz-programs
	$(Q)TAMIS_BUILD=$(abspath $(BUILD)) tests/run fuzz --seconds $(FUZZ_SECONDS)

# --- rings ---

RUN	= $(Q)TAMIS_BUILD=$(abspath $(BUILD)) TAMIS_PYTHON=$(PYTHON) tests/run

unit: $(UNIT)
	$(RUN) unit

pytest: all workload $(EMBEDDED)
	$(RUN) python

kernel: all workload $(KERNEL) $(DRIVER)
	$(RUN) kernel

test-programs: all workload $(UNIT) $(KERNEL) $(EMBEDDED) $(DRIVER)

check-arm64:
	@./setup.sh build cross
	$(Q)TAMIS_BUILD=$(abspath $(BUILD)) tests/vm/arm64

check-vm:
	@./setup.sh build test vm
	@$(MAKE) --no-print-directory test-programs
	$(RUN) vm

# Guests need more packages; where they cannot be had, the VM ring says so and is skipped.
check:
	@./setup.sh build test
	@./setup.sh vm || true
	@$(MAKE) --no-print-directory test-programs
	$(RUN) all

.PHONY: embedded unit pytest kernel fuzz fuzz-programs workload test-programs check-vm check-arm64 check
