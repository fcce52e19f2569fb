# The emulator: QEMU 10.0's source, our patches hw/qemu/*.patch, and our
# folders linked into it as csvirt/, built by meson and ninja.
#
#   build/qemu/src     the tree: unpacked once, patched in place
#   build/qemu/saved   originals of the files that patches touch
#   build/qemu/obj     meson's build folder
include hw/sources.mk
HW_C := $(addprefix hw/,$(HW_SRC))
BOARD_QEMU_C := $(addprefix board/,$(BOARD_QEMU_SRC))
QEMU := build/qemu-system-aarch64
QEMU_SRC := build/qemu/src
QEMU_OBJ := build/qemu/obj
QEMU_SUITE := trixie
APT := guest/apt.sh --state build/apt $(OFFLINE)
ALL += $(QEMU)
INSTALL_LIBEXEC += $(QEMU)

# -- meson, beside the build if the host's is too old
ifeq ($(MESON),fetch)
MESON_STAMP := build/meson/.stamp
MESON_ENV := PYTHONPATH=$(top)/build/meson/usr/lib/python3/dist-packages \
    PYTHONDONTWRITEBYTECODE=1
endif
build/meson/.stamp:
	$(Q)rm -rf build/meson build/meson.new
	$(Q)deb=$$($(APT) $(QEMU_SUITE) download build/dl meson) && \
	    dpkg -x "$$deb" build/meson.new
	$(Q)mv build/meson.new build/meson && touch $@

# -- the source
build/qemu/.unpacked: config.mak
	$(Q)mkdir -p build/qemu
ifneq ($(WITH_QEMU),)
	$(Q)if [ "$$(cat $@ 2>/dev/null)" != "$(WITH_QEMU)" ]; then \
	    echo "copying $(WITH_QEMU)"; \
	    rm -rf build/qemu && mkdir -p $(QEMU_SRC).new && \
	    tar -cf - -C $(WITH_QEMU) --exclude=./.git --exclude=./build . | \
	        tar -xf - -C $(QEMU_SRC).new && \
	    mv $(QEMU_SRC).new $(QEMU_SRC); fi
	$(Q)echo "$(WITH_QEMU)" >$@
else
	$(Q)if [ "$$(cat $@ 2>/dev/null)" != "$(QEMU_SUITE)" ]; then \
	    rm -rf build/qemu; mkdir -p $(QEMU_SRC).new; \
	    tarball=$$($(APT) $(QEMU_SUITE) source build/dl qemu) || exit; \
	    echo "unpacking $$tarball"; \
	    tar -xf "$$tarball" -C $(QEMU_SRC).new --strip-components=1 && \
	    mv $(QEMU_SRC).new $(QEMU_SRC); fi
	$(Q)echo "$(QEMU_SUITE)" >$@
endif

QEMU_PATCHES := $(sort $(wildcard hw/qemu/*.patch))
# The list of names is a prerequisite too: a patch may go.
build/qemu/patches.list: FORCE | build/qemu/.unpacked
	$(Q)echo $(QEMU_PATCHES) | cmp -s - $@ || echo $(QEMU_PATCHES) >$@
build/qemu/.patched: build/qemu/.unpacked build/qemu/patches.list \
    $(QEMU_PATCHES) hw/qemu/prepare.sh
	$(Q)echo "patching QEMU ($(words $(QEMU_PATCHES)) patches)"
	$(Q)hw/qemu/prepare.sh $(QEMU_SRC) build/qemu/saved $(QEMU_PATCHES)
	$(Q)touch $@

# -- our folders in it
build/qemu/.linked: build/qemu/.unpacked hw/rules.mk
	$(Q)mkdir -p $(QEMU_SRC)/csvirt
	$(Q)for d in hw models board; do \
	    ln -sfn ../../../../$$d $(QEMU_SRC)/csvirt/$$d || exit; done
	$(Q)ln -sfn ../../../../hw/meson.build $(QEMU_SRC)/csvirt/meson.build
	$(Q)ln -sfn ../../../../../../hw/qemu/csvirt.mak \
	    $(QEMU_SRC)/configs/devices/aarch64-softmmu/csvirt.mak
	$(Q)touch $@

QEMU_OUR_C := $(sort $(MODELS_C) $(BOARD_C) $(BOARD_QEMU_C) $(HW_C))
build/qemu/sources.txt: FORCE build/qemu/.linked
	$(Q)for f in $(QEMU_OUR_C); do echo $$f; done >$@.new
	$(Q)cmp -s $@.new $(QEMU_SRC)/csvirt/sources.txt || \
	    cp $@.new $(QEMU_SRC)/csvirt/sources.txt
	$(Q)mv $@.new $@

# -- configure. A change of the options means a new build folder; ccache has
# most of the objects then.
QEMU_OPTS := --target-list=aarch64-softmmu --with-pkgversion=csvirt \
    --without-default-features --without-default-devices \
    --with-devices-aarch64=csvirt --enable-system --enable-tcg \
    --enable-fdt=system --disable-install-blobs --disable-tools \
    --disable-docs --disable-guest-agent --disable-plugins \
    --disable-pie --extra-ldflags=-no-pie \
    --disable-debug-info --disable-download --disable-containers \
    $(if $(WERROR),--enable-werror,--disable-werror)
QEMU_CONFIGURE := ../src/configure --python=$(PYTHON) --ninja=$(NINJA) \
    --cc="$(strip $(CCACHE) $(CC))" $(QEMU_OPTS)

build/qemu/options: FORCE | build/qemu/.unpacked
	$(Q)echo '$(QEMU_CONFIGURE)' | cmp -s - $@ || \
	    echo '$(QEMU_CONFIGURE)' >$@
$(QEMU_OBJ)/build.ninja: build/qemu/options $(MESON_STAMP) | \
    build/qemu/.patched build/qemu/.linked build/qemu/sources.txt
	$(Q)echo "configuring QEMU $$(cat $(QEMU_SRC)/VERSION)"
	$(Q)rm -rf $(QEMU_OBJ) && mkdir -p $(QEMU_OBJ)
	$(Q)cd $(QEMU_OBJ) && { $(MESON_ENV) $(QEMU_CONFIGURE) >configure.log \
	    2>&1 || { tail -n 20 configure.log >&2; \
	    echo "QEMU's configure failed: $(QEMU_OBJ)/configure.log" >&2; \
	    rm -f build.ninja; exit 1; }; }

# -- build. ninja knows what has changed; on a terminal it keeps one line, else
# every 50th step is shown.
$(QEMU): FORCE $(QEMU_OBJ)/build.ninja build/qemu/.patched \
    build/qemu/sources.txt
	@+$(MESON_ENV) NINJA=$(NINJA) hw/qemu/ninja.sh $(QEMU_OBJ) $(if $(V),-v) \
	    -j$(NPROC) qemu-system-aarch64
	$(Q)ln -sfn qemu/obj/qemu-system-aarch64 $@

.PHONY: qemu
qemu: $(QEMU)
