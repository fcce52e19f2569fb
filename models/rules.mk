# Models: libc and themselves only. The emulator compiles them by meson; here
# they are built under the sanitizers, for tests and fuzzers.
include models/sources.mk
MODELS_C := $(addprefix models/,$(MODELS_SRC))
MODELS_SAN := $(MODELS_C:%.c=build/san/%.o)

$(MODELS_SAN): build/san/%.o: %.c $(RULES)
	$(call quiet,CC,$@) mkdir -p $(@D) && \
	    $(CCACHE) $(CC) $(CFLAGS_SAN) -Wconversion $(DEPFLAGS) -c $< -o $@

-include $(MODELS_SAN:.o=.d)
