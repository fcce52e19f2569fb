# Board: device trees to trace graphs. BOARD_SRC is compiled three times: into
# the emulator (by meson), into csvirt, and for the tests under sanitizers;
# BOARD_CLI_SRC is not in the emulator.
include board/sources.mk
BOARD_C := $(addprefix board/,$(BOARD_SRC))
BOARD_CSVIRT_C := $(BOARD_C) $(addprefix board/,$(BOARD_CLI_SRC))
BOARD_OBJ := $(BOARD_CSVIRT_C:%.c=build/obj/%.o)
BOARD_SAN := $(BOARD_CSVIRT_C:%.c=build/san/%.o)

$(BOARD_OBJ): build/obj/%.o: %.c $(RULES)
	$(call quiet,CC,$@) mkdir -p $(@D) && \
	    $(CCACHE) $(CC) $(CFLAGS_ALL) $(GLIB_CFLAGS) $(DEPFLAGS) \
	    -c $< -o $@

$(BOARD_SAN): build/san/%.o: %.c $(RULES)
	$(call quiet,CC,$@) mkdir -p $(@D) && \
	    $(CCACHE) $(CC) $(CFLAGS_SAN) $(GLIB_CFLAGS) $(DEPFLAGS) \
	    -c $< -o $@

# The topologies that csvirt knows by name, as overlays.
BOARD_DTS := $(wildcard board/dts/*.dtso)
BOARD_DTBO := $(BOARD_DTS:%.dtso=build/%.dtbo)
ALL += $(BOARD_DTBO)
INSTALL_SHARE += $(BOARD_DTS)

$(BOARD_DTBO): build/%.dtbo: %.dtso $(wildcard board/dts/*.dtsi)
	$(call quiet,DTC,$@) mkdir -p $(@D) && \
	    $(DTC) -q -@ -I dts -O dtb -i board/dts -o $@ $<

-include $(BOARD_OBJ:.o=.d) $(BOARD_SAN:.o=.d)
