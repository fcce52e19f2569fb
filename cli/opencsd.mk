# OpenCSD 1.5.5 as a static library with its headers, and its own program
# trc_pkt_lister, both from Debian's upstream tar file:
#   build/opencsd/libopencsd.a  build/opencsd/include  .../trc_pkt_lister
# The sources are listed, not globbed: they are not there before the fetch.
OCSD := build/opencsd
OCSD_SRC := $(OCSD)/src

ifeq ($(OPENCSD),host)
OCSD_DEP :=
OCSD_CFLAGS :=
OCSD_LIBS := -lopencsd_c_api -lopencsd
OCSD_LISTER := $(shell command -v trc_pkt_lister)
else
OCSD_DEP := $(OCSD)/libopencsd.a
OCSD_CFLAGS := -isystem $(OCSD)/include
OCSD_LIBS := $(OCSD)/libopencsd.a -lstdc++ -lm
OCSD_LISTER := $(OCSD)/trc_pkt_lister
ALL += $(OCSD_DEP) $(OCSD_LISTER)
INSTALL_LIBEXEC += $(OCSD_LISTER)
endif

OCSD_CPP := \
    c_api/ocsd_c_api c_api/ocsd_c_api_custom_obj \
    ete/trc_cmp_cfg_ete \
    etmv3/trc_cmp_cfg_etmv3 etmv3/trc_pkt_decode_etmv3 \
    etmv3/trc_pkt_elem_etmv3 etmv3/trc_pkt_proc_etmv3 \
    etmv3/trc_pkt_proc_etmv3_impl \
    etmv4/trc_cmp_cfg_etmv4 etmv4/trc_etmv4_stack_elem \
    etmv4/trc_pkt_decode_etmv4i etmv4/trc_pkt_elem_etmv4i \
    etmv4/trc_pkt_proc_etmv4i \
    i_dec/trc_i_decode i_dec/trc_idec_arminst \
    mem_acc/trc_mem_acc_base mem_acc/trc_mem_acc_bufptr \
    mem_acc/trc_mem_acc_cache mem_acc/trc_mem_acc_cb \
    mem_acc/trc_mem_acc_file mem_acc/trc_mem_acc_mapper \
    ocsd_code_follower ocsd_dcd_tree ocsd_error ocsd_error_logger \
    ocsd_gen_elem_list ocsd_gen_elem_stack ocsd_lib_dcd_register \
    ocsd_msg_logger ocsd_version \
    pkt_printers/gen_elem_printer pkt_printers/raw_frame_printer \
    pkt_printers/trc_print_fact \
    ptm/trc_cmp_cfg_ptm ptm/trc_pkt_decode_ptm ptm/trc_pkt_elem_ptm \
    ptm/trc_pkt_proc_ptm \
    stm/trc_pkt_decode_stm stm/trc_pkt_elem_stm stm/trc_pkt_proc_stm \
    trc_component trc_core_arch_map trc_frame_deformatter trc_gen_elem \
    trc_printable_elem trc_ret_stack
OCSD_SNAP_CPP := device_info device_parser snapshot_parser \
    snapshot_parser_util snapshot_reader ss_to_dcdtree

OCSD_LIB_OBJ := $(OCSD_CPP:%=$(OCSD)/obj/source/%.o)
OCSD_LISTER_OBJ := $(OCSD)/obj/tests/source/trc_pkt_lister.o \
    $(OCSD_SNAP_CPP:%=$(OCSD)/obj/tests/snapshot_parser_lib/source/%.o)

$(OCSD)/.unpacked:
	$(Q)rm -rf $(OCSD_SRC) $(OCSD_SRC).new
	$(Q)mkdir -p $(OCSD_SRC).new
	$(Q)t=$$($(APT) $(QEMU_SUITE) source build/dl libopencsd) || exit; \
	    echo "unpacking $$t"; \
	    tar -xf "$$t" -C $(OCSD_SRC).new --strip-components=1 \
	        --exclude='*/snapshots*' --exclude='*/docs'
	$(Q)mv $(OCSD_SRC).new $(OCSD_SRC)
	$(Q)ln -sfn src/decoder/include $(OCSD)/include
	$(Q)touch $@

$(OCSD_LIB_OBJ) $(OCSD_LISTER_OBJ): $(OCSD)/obj/%.o: $(OCSD)/.unpacked
	$(call quiet,CXX,$@) mkdir -p $(@D) && \
	    $(CCACHE) $(CXX) -std=c++11 -DNDEBUG -w $(CXXFLAGS) \
	    -I$(OCSD_SRC)/decoder/include \
	    -I$(OCSD_SRC)/decoder/tests/snapshot_parser_lib/include \
	    -c $(OCSD_SRC)/decoder/$*.cpp -o $@

$(OCSD)/libopencsd.a: $(OCSD_LIB_OBJ)
	$(call quiet,AR,$@) $(RM) $@ && $(AR) rcs $@ $^

$(OCSD)/trc_pkt_lister: $(OCSD_LISTER_OBJ) $(OCSD)/libopencsd.a
	$(call quiet,LINK,$@) $(CXX) $(LDFLAGS) $^ -o $@
