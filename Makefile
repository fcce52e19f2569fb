# csvirt: one make file and a fragment per folder (*/rules.mk).
# make deps demo check: see README.md; make help lists the targets.
#
# SPDX-License-Identifier: GPL-2.0-or-later

MAKEFLAGS += --no-builtin-rules --no-builtin-variables
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

AR := ar
RM := rm -f
NPROC := $(shell nproc 2>/dev/null || echo 2)

# ---- make deps: before anything is configured --------------------------
# What a bare Debian 12 or 13 lacks. clang and its run time serve make fuzz;
# flex and bison make check-perf, which builds a perf with symbols.
DEPS := gcc g++ libc6-dev binutils pkgconf ninja-build python3 python3-venv \
    libglib2.0-dev zlib1g-dev libfdt-dev device-tree-compiler patch bzip2 \
    xz-utils zstd cpio kmod perl dash file ccache debian-archive-keyring \
    ca-certificates gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
    clang libclang-rt-dev flex bison bc

ifneq ($(filter deps,$(MAKECMDGOALS)),)
# Other goals of the same command line need the tools first and a configure
# that has seen them: they run in a second make.
LATER := $(filter-out deps,$(MAKECMDGOALS))
.PHONY: deps $(LATER)
deps:
	@.ci/deps $(DEPS)
ifneq ($(LATER),)
$(firstword $(LATER)): deps
	@+$(MAKE) --no-print-directory $(LATER)
$(wordlist 2,$(words $(LATER)),$(LATER)): $(firstword $(LATER))
	@:
endif
else

# ---- configuration -----------------------------------------------------
NO_CONFIG := clean distclean help lint
ifneq ($(filter-out $(NO_CONFIG),$(or $(MAKECMDGOALS),all)),)
include config.mak
endif
-include $(wildcard config.mak)

# Also re-run, with the same arguments, when configure changes or make deps
# has installed something.
config.mak: configure
	@args=$$(sed -n 's/^# args://p' $@ 2>/dev/null); \
	    eval ./configure "$$args"

# ---- common settings ---------------------------------------------------
# Parallel unless told otherwise: -jN and -j1 on the command line win.
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(NPROC)
endif
ifneq ($(V),1)
Q := @
quiet = @echo "  $(1)	$(2)";
endif
top := $(abspath .)
export CCACHE_BASEDIR := $(top)
export CCACHE_NOHASHDIR := 1

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
    $(if $(WERROR),-Werror)
SAN := -fsanitize=address,undefined -fno-sanitize-recover=all \
    -fno-omit-frame-pointer
DEPFLAGS = -MMD -MP
CPPFLAGS_ALL := -I. -D_GNU_SOURCE
CFLAGS_ALL = -std=c11 $(WARN) $(CPPFLAGS_ALL) $(CFLAGS)
# Sanitized objects: the same code without the user's choice of optimizing.
CFLAGS_SAN = -std=c11 $(WARN) $(CPPFLAGS_ALL) -O1 -g $(SAN)
TEST_ENV := UBSAN_OPTIONS=print_stacktrace=1

# What objects depend on besides their sources: flags here and in config.mak.
RULES := Makefile build/config.stamp
build/config.stamp: config.mak
	@mkdir -p $(@D) && { cmp -s $< $@ || cp $< $@; }

.PHONY: FORCE all check check-all bench fuzz install clean distclean lint \
    accept demo help truth mutate
FORCE:

include models/rules.mk
include board/rules.mk
include hw/rules.mk
include cli/rules.mk
include guest/rules.mk
include docs/rules.mk
include tests/rules.mk

all: $(ALL)

# ---- installing, cleaning ----------------------------------------------
INSTALL_DIR := $(DESTDIR)$(PREFIX)
install: all
	$(Q)mkdir -p $(INSTALL_DIR)/bin $(INSTALL_DIR)/libexec/csvirt \
	    $(INSTALL_DIR)/share/csvirt
	$(Q)for f in $(INSTALL_BIN); do \
	    install -m 755 "$$f" $(INSTALL_DIR)/bin/ || exit; done
	$(Q)for f in $(INSTALL_LIBEXEC); do \
	    install -m 755 "$$f" $(INSTALL_DIR)/libexec/csvirt/ || exit; done
	$(Q)tar -cf - --exclude='*.c' --exclude='*.h' --exclude='*.mk' \
	    --exclude=guest/progs --exclude=guest/init \
	    $(INSTALL_SHARE) | \
	    tar -xf - --no-same-owner -C $(INSTALL_DIR)/share/csvirt
	$(Q)for f in $(INSTALL_MAN); do \
	    mkdir -p $(INSTALL_DIR)/share/man/man1 && \
	    install -m 644 "$$f" $(INSTALL_DIR)/share/man/man1/ || exit; done
	@echo "installed below $(INSTALL_DIR)"

# What was fetched (build/apt) stays until distclean.
clean:
	$(Q)if [ -d build ]; then \
	    find build -mindepth 1 -maxdepth 1 ! -name apt -exec rm -rf {} +; fi

distclean:
	$(Q)rm -rf build config.mak

help:
	@echo 'make deps       install what this host lacks (apt-get, as root)'
	@echo 'make            build everything into build/'
	@echo 'make demo       boot, record, decode: the main job, shown'
	@echo 'make check      all tests but the slow ones; also by layer:'
	@echo '                check-models check-board check-qtest check-sched'
	@echo '                check-guest check-cli'
	@echo 'make check-all  the slow ones too'
	@echo 'make accept     the acceptance runs (JOBS="NAME..." LETTERS="A B...")'
	@echo 'make check-perf the CoreSight tests of perf, in the guest'
	@echo 'make stories    many trace units: STORIES="small many before"'
	@echo 'make bench      speed, as ratios within one run; bench-plugins first:'
	@echo '                plugins too; bench-path: records, no emulator'
	@echo 'make truth      10^9 instructions and 1,000 random programs compared'
	@echo 'make mutate     each rule of the trace unit broken: a test must see it'
	@echo 'make docs       docs/registers.md, from the tables of models/'
	@echo 'make fuzz       every fuzzer for FUZZ_SECONDS (20)'
	@echo 'make lint       style and layering'
	@echo 'make install    DESTDIR= and ./configure --prefix= are honoured'
	@echo 'make clean      build/ without what was fetched; distclean: all'
	@echo 'V=1 shows the commands'
endif
