# Tests: programs that print TAP, run by prove from the top folder.
#   tests/models/*-test.c   with models/ and tests/oracle/, sanitized
#   tests/board/*-test.c    with board/, libfdt and GLib, sanitized
#   tests/qtest/*-test.c    with the other tests/qtest/*.c: registers of the
#                           running emulator over its qtest socket
#   tests/*/*.t             scripts, run as they are
# Other .c files of a folder are helpers linked into all its tests; those that
# name opencsd are linked, with the library, into the tests that name it.
#   tests/sched/            the vCPU scheduler, with a guest of its own
# *-slow-test.c and *-slow.t, and what asks for CSVIRT_SLOW=1, run in check-all.

TEST_OUT := build/tests
TAP_OBJ := $(patsubst %.c,build/san/%.o,$(wildcard tests/tap/*.c))
mentions_opencsd = $(if $(strip $(1)),$(shell grep -l opencsd $(1)))

# helpers FOLDER: its .c files that are no test
helpers = $(filter-out %-test.c %-fuzz.c,$(wildcard tests/$(1)/*.c))
san_obj = $(patsubst %.c,build/san/%.o,$(1))
programs = $(patsubst tests/%.c,$(TEST_OUT)/%,\
    $(wildcard tests/$(1)/*-test.c))

MODELS_TESTS := $(call programs,models)
BOARD_TESTS := $(call programs,board)
QTEST_TESTS := $(call programs,qtest)
SCHED_TESTS := $(call programs,sched)
CLI_TESTS := $(call programs,cli)

MODELS_HELP_C := $(foreach d,models oracle,$(call helpers,$(d)))
OCSD_HELP_C := $(call mentions_opencsd,$(MODELS_HELP_C))
OCSD_TESTS := $(patsubst tests/%.c,$(TEST_OUT)/%,\
    $(call mentions_opencsd,$(wildcard tests/models/*-test.c)))
PLAIN_HELP_OBJ := $(call san_obj,$(filter-out $(OCSD_HELP_C),\
    $(MODELS_HELP_C)))
OCSD_HELP_OBJ := $(call san_obj,$(OCSD_HELP_C))
BOARD_HELP_OBJ := $(call san_obj,$(call helpers,board))
QTEST_HELP_OBJ := $(call san_obj,$(call helpers,qtest))
CLI_HELP_OBJ := $(call san_obj,$(call helpers,cli))

TEST_OBJ := build/san/hw/sched_policy.o build/san/tests/state/qmp.o \
    $(TAP_OBJ) $(PLAIN_HELP_OBJ) $(OCSD_HELP_OBJ) $(BOARD_HELP_OBJ) \
    $(QTEST_HELP_OBJ) $(CLI_HELP_OBJ) \
    $(patsubst $(TEST_OUT)/%,build/san/tests/%.o,$(MODELS_TESTS) \
    $(BOARD_TESTS) $(QTEST_TESTS) $(SCHED_TESTS) $(CLI_TESTS))

$(OCSD_HELP_OBJ) $(OCSD_TESTS:$(TEST_OUT)/%=build/san/tests/%.o): | \
    $(OCSD_DEP)
$(TEST_OBJ): build/san/%.o: %.c $(RULES)
	$(call quiet,CC,$@) mkdir -p $(@D) && \
	    $(CCACHE) $(CC) $(CFLAGS_SAN) $(GLIB_CFLAGS) $(OCSD_CFLAGS) \
	    -DTOP_DIR='"$(top)"' $(DEPFLAGS) -c $< -o $@

LINK_TEST = $(call quiet,LINK,$@) mkdir -p $(@D) && \
    $(CC) $(SAN) $(filter %.o,$^) $(LIBS) -o $@
$(filter-out $(OCSD_TESTS),$(MODELS_TESTS)): $(TEST_OUT)/%: \
    build/san/tests/%.o $(MODELS_SAN) $(PLAIN_HELP_OBJ) $(TAP_OBJ)
	$(LINK_TEST)
$(OCSD_TESTS): LIBS = $(OCSD_LIBS)
$(OCSD_TESTS): $(TEST_OUT)/%: build/san/tests/%.o $(MODELS_SAN) \
    $(PLAIN_HELP_OBJ) $(OCSD_HELP_OBJ) $(TAP_OBJ) $(OCSD_DEP)
	$(LINK_TEST)
$(BOARD_TESTS): LIBS = $(GLIB_LIBS) $(FDT_LIBS)
$(BOARD_TESTS): $(TEST_OUT)/%: build/san/tests/%.o $(BOARD_SAN) \
    $(BOARD_HELP_OBJ) $(TAP_OBJ)
	$(LINK_TEST)
$(QTEST_TESTS): LIBS = $(GLIB_LIBS) $(FDT_LIBS)
$(QTEST_TESTS): $(TEST_OUT)/%: build/san/tests/%.o $(QTEST_HELP_OBJ) \
    $(MODELS_SAN) $(TAP_OBJ)
	$(LINK_TEST)
$(CLI_TESTS): LIBS = $(GLIB_LIBS) $(FDT_LIBS)
$(CLI_TESTS): $(TEST_OUT)/%: build/san/tests/%.o $(CLI_HELP_OBJ) $(TAP_OBJ)
	$(LINK_TEST)

# The scheduler: its policies, and the emulator with a guest of our own.
$(TEST_OUT)/sched/policy-test: build/san/tests/sched/policy-test.o \
    build/san/hw/sched_policy.o $(TAP_OBJ)
	$(LINK_TEST)
$(TEST_OUT)/sched/control-test: build/san/tests/sched/control-test.o \
    build/san/tests/state/qmp.o $(TAP_OBJ)
	$(LINK_TEST)
BARE_CFLAGS := -std=gnu11 $(WARN) -O2 -ffreestanding -nostdlib -static \
    -fno-pie -no-pie -fno-stack-protector -mgeneral-regs-only -mno-outline-atomics \
    -march=armv8-a -Wl,--build-id=none,--no-warn-rwx-segments
$(TEST_OUT)/bare $(TEST_OUT)/bare-long: tests/sched/bare-start.S \
    tests/sched/bare.c tests/sched/bare.ld tests/rules.mk
	$(call quiet,CROSS,$@) mkdir -p $(@D) && \
	    $(CROSS_CC) $(BARE_CFLAGS) $(BARE_ROUNDS) -T tests/sched/bare.ld \
	    $(filter %.S %.c,$^) -o $@
$(TEST_OUT)/bare-long: BARE_ROUNDS := -DROUNDS=40

# Programs that tests of the guest run on the host.
TEST_TOOLS := $(addprefix $(TEST_OUT)/,savestate logcount joinlogs \
    samesteps randprog bare bare-long) \
    $(REGISTERS)
$(TEST_OUT)/savestate: $(wildcard tests/state/*.c tests/state/*.h)
	$(call quiet,CC,$@) mkdir -p $(@D) && \
	    $(CC) $(CFLAGS_ALL) $(LDFLAGS) $(filter %.c,$^) -o $@
$(TEST_OUT)/logcount $(TEST_OUT)/joinlogs $(TEST_OUT)/samesteps: \
    $(TEST_OUT)/%: \
    tests/lib/%.c tests/lib/logread.c tests/lib/logread.h \
    hw/exec_log_format.h
	$(call quiet,CC,$@) mkdir -p $(@D) && \
	    $(CC) $(CFLAGS_ALL) $(LDFLAGS) $(filter %.c,$^) -o $@
$(TEST_OUT)/randprog: $(wildcard tests/truth/*.c tests/truth/*.h) \
    tests/tap/tap.c tests/tap/tap.h
	$(call quiet,CC,$@) mkdir -p $(@D) && \
	    $(CC) $(CFLAGS_ALL) $(LDFLAGS) $(filter %.c,$^) -o $@

# ---- running -----------------------------------------------------------
scripts = $(sort $(wildcard $(1:%=tests/%/*.t)))
LAYER_models := $(MODELS_TESTS) $(call scripts,models tap)
LAYER_board := $(BOARD_TESTS) $(call scripts,board)
LAYER_qtest := $(QTEST_TESTS) $(call scripts,qtest hw)
LAYER_sched := $(SCHED_TESTS) $(call scripts,sched)
LAYER_guest := $(call scripts,guest guest-image truth race)
LAYER_cli := $(CLI_TESTS) $(call scripts,cli build)
LAYERS := models board qtest sched guest cli
EVERY_TEST := $(foreach l,$(LAYERS),$(LAYER_$(l)))
SLOW_TESTS := $(filter %-slow-test %-slow.t,$(EVERY_TEST))
fast = $(filter-out $(SLOW_TESTS),$(1))

PROVE_FLAGS := --timer --failures -j$(NPROC)
# A layer without a test is an error: a pass must mean something.
prove = @$(if $(strip $(1)),,echo "$@: no tests" >&2; exit 1;) \
    $(if $(PROVE),,echo "prove (package perl) is missing" >&2; exit 1;) \
    $(TEST_ENV) $(PROVE) $(PROVE_FLAGS) --exec '' $(1)

.PHONY: $(LAYERS:%=check-%)
check-models: $(LAYER_models) $(REGISTERS)
	$(call prove,$(call fast,$(LAYER_models)))
check-board: $(LAYER_board) $(BOARD_DTBO)
	$(call prove,$(call fast,$(LAYER_board)))
check-qtest: $(LAYER_qtest) all
	$(call prove,$(call fast,$(LAYER_qtest)))
check-sched: $(LAYER_sched) $(TEST_TOOLS) all
	$(call prove,$(call fast,$(LAYER_sched)))
check-guest: $(LAYER_guest) $(TEST_TOOLS) all
	$(call prove,$(call fast,$(LAYER_guest)))
check-cli: $(LAYER_cli) $(TEST_TOOLS) all
	$(call prove,$(call fast,$(LAYER_cli)))
check: $(EVERY_TEST) $(TEST_TOOLS) all
	$(call prove,$(call fast,$(EVERY_TEST)))
check-all: $(EVERY_TEST) $(TEST_TOOLS) all
	@CSVIRT_SLOW=1; export CSVIRT_SLOW; $(TEST_ENV) \
	    $(PROVE) $(PROVE_FLAGS) --exec '' $(EVERY_TEST)

# One after the other: these measure, or fill the host. JOBS="exact-trace"
# LETTERS="B D" picks.
JOBS := $(notdir $(filter-out %.sh,$(wildcard tests/acceptance/*)))
accept: all $(EVERY_TEST) $(TEST_TOOLS)
	$(Q)failed=; for job in $(JOBS); do \
	    echo "# $$job"; \
	    $(TEST_ENV) tests/acceptance/$$job $(LETTERS) || \
	        failed="$$failed $$job"; done; \
	[ -z "$$failed" ] || { echo "accept: failed:$$failed" >&2; exit 1; }
bench: all $(TEST_TOOLS)
	$(Q)tests/bench/bench.sh
# The same emulator with plugins, and QEMU's plugin that counts blocks, to
# compare with: a second build of QEMU.
PLUGIN_QEMU := build/qemu/plugins
.PHONY: bench-plugins bench-path
bench-plugins: $(QEMU)
	$(Q)mkdir -p $(PLUGIN_QEMU)
	$(Q)[ -e $(PLUGIN_QEMU)/build.ninja ] || { cd $(PLUGIN_QEMU) && \
	    $(MESON_ENV) $(QEMU_CONFIGURE) --enable-plugins >configure.log \
	    2>&1; } || { tail -n 5 $(PLUGIN_QEMU)/configure.log >&2; exit 1; }
	@+$(MESON_ENV) NINJA=$(NINJA) hw/qemu/ninja.sh $(PLUGIN_QEMU) -j$(NPROC) \
	    qemu-system-aarch64
	$(Q)$(CC) -O2 -fPIC -shared -I $(QEMU_SRC)/include/qemu $(GLIB_CFLAGS) \
	    $(QEMU_SRC)/tests/tcg/plugins/bb.c -o $(PLUGIN_QEMU)/libbb.so
# What a record costs on its way, without an emulator.
bench-path: $(TEST_OUT)/path
	$(Q)$<
$(TEST_OUT)/path: tests/bench/path.c $(MODELS_C) $(wildcard models/*.h)
	$(call quiet,CC,$@) mkdir -p $(@D) && \
	    $(CC) $(CFLAGS_ALL) -O2 $(LDFLAGS) $(filter %.c,$^) -o $@
# perf's own CoreSight tests, and perf beside OpenCSD's lister.
.PHONY: check-perf
check-perf: all $(TEST_TOOLS)
	$(Q)$(PROVE) --timer --failures -v --exec '' $(call scripts,perf-suite)
# docs/many-etms.md as tests: STORIES="many before" or names of its cases.
.PHONY: stories
STORIES ?= small
stories: all
	$(Q)$(PROVE) --timer --failures -v --exec '' tests/stories/stories.t \
	    :: $(STORIES)
# Every night: 10^9 instructions and 1,000 random programs; each rule broken.
truth: all $(TEST_TOOLS)
	$(Q)tests/truth/truth.sh -g nightly -m 1000 $(TRUTH_FLAGS)
mutate: all
	$(Q)tests/truth/mutate.sh $(MUTATIONS)

# ---- fuzzing -----------------------------------------------------------
FUZZ_SECONDS ?= 20
FUZZ_C := $(wildcard tests/fuzz/*-fuzz.c)
FUZZERS := $(FUZZ_C:tests/fuzz/%.c=build/fuzz/%)
FUZZ_HELP_C := $(filter-out $(FUZZ_C),$(wildcard tests/fuzz/*.c)) \
    tests/oracle/deformatter.c tests/models/sink.c tests/models/probe.c
FUZZ_CFLAGS := -std=c11 -Wall -Wextra $(CPPFLAGS_ALL) -O1 -g \
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
FUZZ_LIB_OBJ := $(patsubst %.c,build/fuzz/obj/%.o,$(MODELS_C) $(BOARD_C) \
    $(FUZZ_HELP_C))
FUZZ_OBJ := $(FUZZ_LIB_OBJ) $(FUZZ_C:%.c=build/fuzz/obj/%.o)

$(FUZZ_OBJ): build/fuzz/obj/%.o: %.c $(RULES)
	$(call quiet,CLANG,$@) mkdir -p $(@D) && \
	    $(if $(CLANG),,{ echo "make fuzz needs clang" >&2; exit 1; } &&) \
	    $(CCACHE) $(CLANG) $(FUZZ_CFLAGS) $(GLIB_CFLAGS) $(DEPFLAGS) \
	    -c $< -o $@

$(FUZZERS): build/fuzz/%: build/fuzz/obj/tests/fuzz/%.o $(FUZZ_LIB_OBJ)
	$(call quiet,LINK,$@) $(CLANG) -fsanitize=fuzzer,address,undefined \
	    $^ $(GLIB_LIBS) $(FDT_LIBS) -o $@

fuzz: $(FUZZERS)
	@[ -n "$(FUZZERS)" ] || { echo "fuzz: no fuzzers" >&2; exit 1; }
	@for f in $(FUZZERS); do \
	    echo "fuzz $${f##*/} for $(FUZZ_SECONDS) s"; \
	    mkdir -p $$f.corpus; \
	    $$f -max_total_time=$(FUZZ_SECONDS) -timeout=10 \
	        -artifact_prefix=$$f- -print_final_stats=1 $$f.corpus \
	        >$$f.log 2>&1 || { tail -n 40 $$f.log >&2; \
	        echo "fuzz: $${f##*/} failed: $$f.log" >&2; exit 1; }; \
	    grep -E 'number_of_executed_units' $$f.log; done

# ---- lint --------------------------------------------------------------
lint:
	$(Q)tests/lint/lint.sh

-include $(TEST_OBJ:.o=.d) $(FUZZ_OBJ:.o=.d)
