# Programs of the guest, static arm64, and mkcpio, which runs on the host.
# Images themselves are made by guest/image.sh when csvirt run wants them.
#   build/guest/init          guest/init/*.c
#   build/guest/NAME          guest/NAME.c
#   build/guest/progs/NAME    guest/progs/NAME.c or .S: programs to trace
GUEST_OUT := build/guest
GUEST_CFLAGS := -std=gnu11 -D_GNU_SOURCE $(WARN) -O2 -g -static
# Frames and symbols for perf; plain v8.0 without outlined atomics, which pick
# other code at run time by what the CPU model has.
GUEST_PROG_FLAGS := -fno-omit-frame-pointer -fno-pie -no-pie -pthread \
    -march=armv8-a -mno-outline-atomics
# init and the tools lie elsewhere than the programs: a trace without context
# IDs, of which a buffer holds the end only, cannot tell two programs apart that
# have one address.
GUEST_TOOL_FLAGS := -s -no-pie -Wl,-Ttext-segment=
GUEST_HOST := $(GUEST_OUT)/mkcpio
GUEST_STUB := $(GUEST_OUT)/libdebuginfod.so.1
GUEST_TOOLS := $(patsubst guest/%.c,$(GUEST_OUT)/%,$(filter-out \
    guest/mkcpio.c %-stub.c,$(wildcard guest/*.c)))
GUEST_PROGS := $(patsubst guest/%,$(GUEST_OUT)/%,$(basename \
    $(filter-out guest/progs/race_%,$(wildcard guest/progs/*.c \
    guest/progs/*.S))))
GUEST_ASM := $(patsubst guest/%.S,$(GUEST_OUT)/%,$(wildcard guest/progs/*.S))
GUEST_INIT_C := $(wildcard guest/init/*.c)
GUEST_ALL := $(GUEST_HOST) $(GUEST_STUB) $(GUEST_TOOLS) $(GUEST_PROGS) \
    $(if $(GUEST_INIT_C),$(GUEST_OUT)/init)
ALL += $(GUEST_ALL)
INSTALL_SHARE += guest
INSTALL_LIBEXEC += $(filter-out $(GUEST_PROGS),$(GUEST_ALL)) \
    $(GUEST_OUT)/progs/race

$(GUEST_OUT)/init: $(GUEST_INIT_C) $(RULES) guest/rules.mk \
    $(wildcard guest/init/*.h)
	$(call quiet,CROSS,$@) mkdir -p $(@D) && \
	    $(CROSS_CC) $(GUEST_CFLAGS) $(GUEST_TOOL_FLAGS)0x20000000 \
	    $(GUEST_INIT_C) -o $@

$(GUEST_TOOLS): $(GUEST_OUT)/%: guest/%.c $(RULES) guest/rules.mk
	$(call quiet,CROSS,$@) mkdir -p $(@D) && \
	    $(CROSS_CC) $(GUEST_CFLAGS) $(GUEST_TOOL_FLAGS)0x30000000 \
	    $< -o $@

$(filter-out $(GUEST_ASM),$(GUEST_PROGS)): $(GUEST_OUT)/progs/%: \
    guest/progs/%.c $(RULES) $(wildcard guest/progs/*.h)
	$(call quiet,CROSS,$@) mkdir -p $(@D) && \
	    $(CROSS_CC) $(GUEST_CFLAGS) $(GUEST_PROG_FLAGS) $(filter %.c,$^) \
	    -o $@ $(PROG_FLAGS)

$(GUEST_OUT)/progs/race: $(wildcard guest/progs/race_*.c)

$(GUEST_HOST): $(GUEST_OUT)/%: guest/%.c $(RULES)
	$(call quiet,CC,$@) mkdir -p $(@D) && \
	    $(CC) $(CFLAGS_ALL) $(LDFLAGS) $< -o $@

$(GUEST_STUB): guest/libdebuginfod-stub.c guest/libdebuginfod-stub.map
	$(call quiet,CROSS,$@) mkdir -p $(@D) && \
	    $(CROSS_CC) -std=gnu11 $(WARN) -O2 -fPIC -shared -nostdlib \
	    -Wl,-z,noseparate-code -Wl,-z,max-page-size=65536 \
	    -Wl,-soname,$(@F) -Wl,--version-script=guest/libdebuginfod-stub.map \
	    $< -o $@

$(GUEST_ASM): $(GUEST_OUT)/progs/%: guest/progs/%.S $(RULES)
	$(call quiet,CROSS,$@) mkdir -p $(@D) && \
	    $(CROSS_CC) -g -static -nostdlib $< -o $@

# tiny has its own _start and no libc: its instructions can be counted.
$(GUEST_OUT)/progs/tiny: PROG_FLAGS := -nostdlib -ffreestanding \
    -fno-stack-protector

.PHONY: guest
guest: $(GUEST_ALL)
