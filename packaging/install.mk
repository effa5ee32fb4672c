# SPDX-License-Identifier: GPL-2.0-only
#
# make install and make deb; included by ../Makefile.
#
#	PREFIX/bin/tamis
#	PREFIX/share/tamis/python	the package that `tamis python` gives to scripts
#	PREFIX/share/tamis/presets	PREFIX/share/tamis/scripts
#	PREFIX/share/man/man1
#	PYTHON_SITE			the extension module, and links to the package

DESTDIR	?=
INSTALL	?= install
DATA	= $(DESTDIR)$(PREFIX)/share/tamis
ifneq ($(PYTHON),)
PYTHON_SITE ?= $(PREFIX)/lib/python$(call python_ask,s.get_python_version())/$(if \
	       $(wildcard /etc/debian_version),dist,site)-packages
endif
SCRIPTS	:= $(sort $(wildcard python/scripts/*.py))
MAN	:= $(sort $(wildcard docs/*.1))

# Made by the build, so that a build by a user can be installed by root without building again.
install: all
	$(Q)$(INSTALL) -D -m 755 $(BUILD)/tamis $(DESTDIR)$(PREFIX)/bin/tamis
	$(Q)$(INSTALL) -d $(DATA)/presets $(DATA)/scripts $(DESTDIR)$(PREFIX)/share/man/man1
	$(Q)$(INSTALL) -m 644 python/presets/* $(DATA)/presets
	$(Q)$(foreach f,$(SCRIPTS),$(INSTALL) -m 755 $(f) $(DATA)/scripts &&) true
	$(Q)$(INSTALL) -m 644 $(MAN) $(DESTDIR)$(PREFIX)/share/man/man1
ifneq ($(PYTHON),)
	$(Q)$(INSTALL) -d $(DATA)/python/tamis $(DESTDIR)$(PYTHON_SITE)
	$(Q)$(INSTALL) -m 644 python/tamis/*.py python/tamis/*.pyi python/tamis/py.typed $(DATA)/python/tamis
	$(Q)$(INSTALL) -m 644 python/perf_prof.py $(DATA)/python
	$(Q)$(INSTALL) -m 644 $(PY_EXT) $(DESTDIR)$(PYTHON_SITE)
	$(Q)ln -sfn $(PREFIX)/share/tamis/python/tamis $(DESTDIR)$(PYTHON_SITE)/tamis
	$(Q)ln -sfn $(PREFIX)/share/tamis/python/perf_prof.py $(DESTDIR)$(PYTHON_SITE)/perf_prof.py
endif

uninstall:
	$(Q)rm -f $(DESTDIR)$(PREFIX)/bin/tamis $(MAN:docs/%=$(DESTDIR)$(PREFIX)/share/man/man1/%)
	$(Q)rm -rf $(DATA)
	$(Q)[ -z "$(PYTHON_SITE)" ] || rm -f $(addprefix $(DESTDIR)$(PYTHON_SITE)/,tamis perf_prof.py $(notdir $(PY_EXT)))

# A build of its own, because the prefix is compiled in. Made for the release of the build machine:
# what it depends on is asked of dpkg.
deb:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/deb/build PREFIX=/usr PYTHON=$(PYTHON) PYTHON_DIR=/usr/share/tamis/python all
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/deb/build PREFIX=/usr PYTHON=$(PYTHON) PYTHON_DIR=/usr/share/tamis/python \
		PYTHON_SITE=/usr/lib/python3/dist-packages DESTDIR=$(abspath $(BUILD))/deb/root install
	$(Q)packaging/deb $(abspath $(BUILD))/deb/root $(FULL_VERSION) $(abspath $(BUILD))

.PHONY: install uninstall deb
