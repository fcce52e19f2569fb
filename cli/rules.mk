# The front end build/csvirt: cli/, the board code (so that csvirt topology
# says what the machine says), libfdt, GLib and OpenCSD's C interface.
include cli/sources.mk
include cli/opencsd.mk
CLI_C := $(addprefix cli/,$(CLI_SRC))
CLI_OBJ := $(CLI_C:%.c=build/obj/%.o)

$(CLI_OBJ): build/obj/%.o: %.c $(RULES) | $(OCSD_DEP)
	$(call quiet,CC,$@) mkdir -p $(@D) && \
	    $(CCACHE) $(CC) $(CFLAGS_ALL) $(GLIB_CFLAGS) $(OCSD_CFLAGS) \
	    $(DEPFLAGS) -c $< -o $@

build/csvirt: $(CLI_OBJ) $(BOARD_OBJ) $(OCSD_DEP)
	$(call quiet,LINK,$@) $(CC) $(LDFLAGS) $(CLI_OBJ) $(BOARD_OBJ) \
	    $(OCSD_LIBS) $(GLIB_LIBS) $(FDT_LIBS) -o $@

ifneq ($(CLI_SRC),)
ALL += build/csvirt
INSTALL_BIN += build/csvirt
INSTALL_MAN += cli/csvirt.1
endif

demo: all
	$(Q)cli/demo.sh

-include $(CLI_OBJ:.o=.d)
