# SPDX-License-Identifier: GPL-2.0-only
#
#   make                  build/tamis and, with Python, the extension module build/_tamis.*.so
#   make demo             installs what is missing, builds, traces this machine for a few seconds
#   make check            installs what is missing, builds, runs all tests
#   make setup            installs what is missing, does nothing else
#   make install          to PREFIX (/usr/local) below DESTDIR
#   make deb              a Debian package in build/
#   make bench            the numbers of bench/README.md
#   make unit, make pytest, make kernel, make check-vm, make fuzz     one ring of tests
#
# V=1 shows commands. SANITIZER=address, =undefined or =address,undefined builds with it, into a folder of
# its own. PYTHON=/path/to/python3 chooses the interpreter, PYTHON= builds without one. BUILD=dir puts the
# outputs elsewhere. CROSS_COMPILE=aarch64-linux-gnu- ARCH=arm64 builds for another machine.

empty	:=
space	:= $(empty) $(empty)
comma	:= ,

SANITIZER ?=
BUILD	?= build$(if $(SANITIZER),/$(subst $(comma),+,$(SANITIZER)))
PYTHON	?= /usr/bin/python3
PREFIX	?= /usr/local
CROSS_COMPILE ?=
ifeq ($(origin CC),default)
CC	:= $(CROSS_COMPILE)gcc
endif
ifeq ($(origin CXX),default)
CXX	:= $(CROSS_COMPILE)g++
endif
ifeq ($(origin AR),default)
AR	:= $(CROSS_COMPILE)ar
endif
CLANG	?= clang
BPFTOOL	?= $(firstword $(wildcard /usr/sbin/bpftool /usr/local/sbin/bpftool) bpftool)
ARCH	?= $(shell uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/')

VERSION	:= 0.1.0
GIT_VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
FULL_VERSION := $(VERSION)$(if $(GIT_VERSION),+$(subst -,.,$(GIT_VERSION)))

ifeq ($(V),1)
Q :=
msg = @:
else ifneq ($(findstring s,$(firstword -$(MAKEFLAGS))),)
Q := @
msg = @:
else
Q := @
msg = @printf '  %-8s %s\n' "$(1)" "$(patsubst $(BUILD)/%,%,$(2))"
endif

CFLAGS	?= -O2 -g
WARN	:= -Wall -Wextra -Werror
ifneq ($(SANITIZER),)
SANITIZE := -fsanitize=$(SANITIZER) -fno-omit-frame-pointer -fno-sanitize-recover=undefined
endif
ALL_CFLAGS = $(CFLAGS) $(WARN) -std=gnu11 -D_GNU_SOURCE -fPIC -I. -I$(BUILD) $(SANITIZE) -MMD -MP
LINK	= $(CC) $(CFLAGS) $(SANITIZE) $(LDFLAGS)
LIBS	:= -Wl,--as-needed -ltraceevent -lbpf -ldw -lelf -llzma -liberty -lz -lpthread -lncursesw -ltinfo -lm

# --- BPF: .bpf.c -> .bpf.o -> .skel.h ---

BPF_SRC	:= $(wildcard bpf/*.bpf.c)
SKELS	:= $(BPF_SRC:bpf/%.bpf.c=$(BUILD)/bpf/%.skel.h)

# --- the core: everything that knows nothing of Python ---

CORE_SRC := $(filter-out user/main.c user/pymod/% user/embed/%,$(sort $(wildcard user/*.c user/*/*.c)))
CORE_OBJ := $(CORE_SRC:%.c=$(BUILD)/%.o)
CORE	:= $(BUILD)/libtamis.a

# --- Python: pymod/ the module, embed/ the interpreter in tamis; these alone include Python.h ---

# embed/script.h without Python: for a build without it, and for the unit tests.
NO_PYTHON_SRC := user/embed/no_python.c
NO_PYTHON := $(NO_PYTHON_SRC:%.c=$(BUILD)/%.o)

ifneq ($(PYTHON),)
python_ask = $(shell $(PYTHON) -c 'import sysconfig as s; print($(1))')
PY_SRC	 := $(filter-out $(NO_PYTHON_SRC),$(sort $(wildcard user/pymod/*.c user/embed/*.c)))
PY_CFLAGS := -isystem $(call python_ask,s.get_path("include"))
PY_LIBS	 := $(call python_ask,"-L%s -Wl$(comma)-rpath$(comma)%s -lpython%s %s" % \
	    (s.get_config_var("LIBDIR")$(comma) s.get_config_var("LIBDIR")$(comma) \
	     s.get_config_var("LDVERSION")$(comma) s.get_config_var("LIBS") or ""))
PY_EXT	 := $(BUILD)/_tamis$(call python_ask,s.get_config_var("EXT_SUFFIX"))
endif
# Where the package tamis is looked for when it is not beside the program.
PYTHON_DIR ?= $(CURDIR)/python
PY_OBJ	:= $(PY_SRC:%.c=$(BUILD)/%.o)
PYMOD_OBJ := $(filter $(BUILD)/user/pymod/%,$(PY_OBJ))
# What of Python is linked into tamis.
SCRIPT_OBJ := $(if $(PY_SRC),$(PY_OBJ),$(NO_PYTHON))

all: $(BUILD)/tamis $(if $(PYMOD_OBJ),$(PY_EXT))

.SECONDARY:
.DELETE_ON_ERROR:

# Embedded by .incbin, which the compiler does not list.
$(BUILD)/user/output/flamegraph.o: user/output/flamegraph.js user/output/flamegraph.css

$(BUILD)/%.bpf.o: %.bpf.c vmlinux/$(ARCH)/vmlinux.h
	$(call msg,BPF,$@)
	@mkdir -p $(@D)
	$(Q)$(CLANG) -O2 -g -Wall -Werror -target bpf -D__TARGET_ARCH_$(ARCH) -Ivmlinux/$(ARCH) -I. -MMD -MP \
		-c $< -o $@

$(BUILD)/%.skel.h: $(BUILD)/%.bpf.o
	$(call msg,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $(subst -,_,$(*F))_bpf > $@

$(PY_OBJ): ALL_CFLAGS += $(PY_CFLAGS)
# Tables of CPython's API are filled in by halves, and its functions rarely need all they get.
$(PY_OBJ): WARN += -Wno-unused-parameter -Wno-missing-field-initializers -Wno-cast-function-type
$(PY_OBJ): | $(BUILD)/docstrings.h
$(BUILD)/user/embed/interpreter.o: ALL_CFLAGS += -DTAMIS_PYTHON='"$(call python_ask,getattr(s.sys$(comma) "_base_executable"$(comma) s.sys.executable))"' \
	-DTAMIS_PYTHON_PREFIX='"$(call python_ask,s.get_config_var("prefix"))"' \
	-DTAMIS_PYTHON_DIR='"$(PYTHON_DIR)"'
# Stubs use none of their parameters.
$(NO_PYTHON): WARN += -Wno-unused-parameter
$(BUILD)/user/main.o: ALL_CFLAGS += -DTAMIS_VERSION='"$(FULL_VERSION)"'
$(BUILD)/user/main.o: $(BUILD)/version

$(BUILD)/%.o: %.c | $(SKELS)
	$(call msg,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -c $< -o $@

$(BUILD)/docstrings.h: python/tamis/_tamis.pyi python/docstrings.py
	$(call msg,DOC,$@)
	@mkdir -p $(@D)
	$(Q)$(PYTHON) python/docstrings.py $< > $@

# Numbers of the target's system calls by name, sorted as strcmp() does.
$(BUILD)/syscall_numbers.inc: Makefile
	$(call msg,GEN,$@)
	@mkdir -p $(@D)
	$(Q)echo '#include <asm/unistd.h>' | $(CC) -E -dM - | \
		sed -n 's/^#define __NR_\([a-z][a-z0-9_]*\) .*/{"\1", __NR_\1},/p' | LC_ALL=C sort > $@

$(BUILD)/user/collect/syscall_table.o: $(BUILD)/syscall_numbers.inc

# Rewritten only when it changes, so that only main.c is built again.
$(BUILD)/version: FORCE
	@mkdir -p $(@D)
	@echo '$(FULL_VERSION)' | cmp -s - $@ || echo '$(FULL_VERSION)' > $@

# Made anew, so that an object whose source is gone does not stay in it.
$(CORE): $(CORE_OBJ)
	$(call msg,AR,$@)
	@rm -f $@
	$(Q)$(AR) crs $@ $^

$(BUILD)/tamis: $(BUILD)/user/main.o $(SCRIPT_OBJ) $(CORE)
	$(call msg,LINK,$@)
	$(Q)$(LINK) -rdynamic -o $@ $^ $(PY_LIBS) $(LIBS)

ifneq ($(PYMOD_OBJ),)
$(PY_EXT): $(PYMOD_OBJ) $(CORE)
	$(call msg,LINK,$@)
	$(Q)$(LINK) -shared -o $@ $^ $(LIBS)
endif

core: $(CORE)

extension: $(PY_EXT)

# After a BPF program began to use another type or member of the kernel; of the running kernel, or BTF=file.
BTF	?= /sys/kernel/btf/vmlinux
vmlinux:
	$(Q)mkdir -p $(BUILD)/vmlinux vmlinux/$(ARCH)
	$(Q)$(BPFTOOL) btf dump file $(BTF) format c > $(BUILD)/vmlinux/$(ARCH).h
	$(Q)vmlinux/reduce.py < $(BUILD)/vmlinux/$(ARCH).h > $(BUILD)/vmlinux/$(ARCH).reduced
	$(Q)mv $(BUILD)/vmlinux/$(ARCH).reduced vmlinux/$(ARCH)/vmlinux.h

setup:
	@./setup.sh build

demo: setup
	@$(MAKE) --no-print-directory all
	@python/demo.sh $(BUILD)/tamis

clean:
	rm -rf $(BUILD)

include tests/tests.mk
include bench/bench.mk
include packaging/install.mk

DEPS	= $(CORE_OBJ:.o=.d) $(PY_OBJ:.o=.d) $(NO_PYTHON:.o=.d) $(BUILD)/user/main.d $(SKELS:.skel.h=.bpf.d) $(TEST_DEPS)
-include $(wildcard $(DEPS))
FORCE:
.PHONY: all core vmlinux extension setup demo clean FORCE
