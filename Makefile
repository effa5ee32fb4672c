# SPDX-License-Identifier: GPL-2.0-only
#
#   make                  build/tamis and, with Python, build/_tamis.*.so
#   make demo             installs what is missing, builds, traces this machine for a few seconds
#   make check            installs what is missing, builds, runs all tests
#
# V=1 shows commands, SANITIZER=address|undefined builds with it, PYTHON=/path/to/python3 chooses the
# interpreter, PYTHON= builds without one, BUILD=dir puts the outputs elsewhere.

BUILD	?= build
PYTHON	?= /usr/bin/python3
CC	?= gcc
CLANG	?= clang
BPFTOOL	?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
VERSION	:= 0.1.0

ARCH	:= $(shell uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/')

ifeq ($(V),1)
Q :=
msg = @:
else
Q := @
msg = @printf '  %-8s %s\n' "$(1)" "$(patsubst $(BUILD)/%,%,$(2))"
endif

CFLAGS	?= -O2 -g
WARN	:= -Wall -Wextra -Werror -Wno-unused-parameter -Wno-missing-field-initializers
ALL_CFLAGS = $(CFLAGS) $(WARN) -std=gnu11 -D_GNU_SOURCE -DTAMIS_VERSION='"$(VERSION)"' -fPIC \
	     -I. -I$(BUILD) $(SANITIZE) -MMD -MP
LIBS	:= -ltraceevent -lbpf -ldw -lelf -lz -lpthread
ifneq ($(SANITIZER),)
SANITIZE := -fsanitize=$(SANITIZER) -fno-omit-frame-pointer -fno-sanitize-recover=undefined
endif

# --- BPF: .bpf.c -> .bpf.o -> .skel.h ---

BPF_SRC	:= $(wildcard bpf/*.bpf.c)
SKELS	:= $(BPF_SRC:bpf/%.bpf.c=$(BUILD)/bpf/%.skel.h)

# --- the core: everything that knows nothing of Python ---

CORE_SRC := $(filter-out user/main.c user/pymod/% user/embed/%, \
	    $(wildcard user/*.c user/*/*.c))
CORE_OBJ := $(CORE_SRC:%.c=$(BUILD)/%.o)

ifneq ($(PYTHON),)
PY_CFLAGS := $(shell $(PYTHON)-config --includes 2>/dev/null || \
	     $(PYTHON) -c 'import sysconfig as s; print("-I" + s.get_path("include"))')
endif

# user/embed/script.h without Python, also for the unit tests
NO_PYTHON := $(BUILD)/user/embed/no_python.o
SCRIPT_OBJ := $(NO_PYTHON)

all: $(BUILD)/tamis

.SECONDARY:
.DELETE_ON_ERROR:

$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c $(wildcard bpf/*.h) vmlinux/$(ARCH)/vmlinux.h
	$(call msg,BPF,$@)
	@mkdir -p $(@D)
	$(Q)$(CLANG) -O2 -g -Wall -Werror -target bpf -D__TARGET_ARCH_$(ARCH) -Ivmlinux/$(ARCH) -I. -c $< -o $@

$(BUILD)/bpf/%.skel.h: $(BUILD)/bpf/%.bpf.o
	$(call msg,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $(subst -,_,$*)_bpf > $@

$(BUILD)/%.o: %.c | $(SKELS)
	$(call msg,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -c $< -o $@

core: $(CORE_OBJ)

$(BUILD)/tamis: $(BUILD)/user/main.o $(CORE_OBJ) $(SCRIPT_OBJ)
	$(call msg,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(LIBS)

# --- unit tests: one program a file, linked with the core ---

UNIT	:= $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/test_*.c))

$(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(CORE_OBJ) $(NO_PYTHON)
	$(call msg,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(LIBS) -lcmocka

unit: $(UNIT)
	$(Q)set -e; for t in $(UNIT); do $$t; done

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PHONY: all core unit clean
