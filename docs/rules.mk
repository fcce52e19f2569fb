INSTALL_SHARE += $(wildcard docs/*.md)

# docs/registers.md comes from the tables of models/; a test compares.
REGISTERS := build/registers
$(REGISTERS): docs/registers.c $(MODELS_C) $(wildcard models/*.h) $(RULES)
	$(call quiet,CC,$@) mkdir -p $(@D) && \
	    $(CC) $(CFLAGS_ALL) $(LDFLAGS) $(filter %.c,$^) -o $@

.PHONY: docs
docs: $(REGISTERS)
	$(Q)$(REGISTERS) >build/registers.md && \
	    mv build/registers.md docs/registers.md
