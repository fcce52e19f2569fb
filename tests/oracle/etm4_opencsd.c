/*
 * OpenCSD as a judge, through its C API; see etm4_opencsd.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/oracle/etm4_opencsd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <opencsd/c_api/opencsd_c_api.h>

static void complain(struct judge *j, const char *text)
{
    if (!j->error[0]) {
        snprintf(j->error, sizeof(j->error), "%s", text);
    }
}

static void add(struct judge *j, const struct judge_item *it)
{
    if (j->n == j->room) {
        j->room = j->room ? 2 * j->room : 1024;
        j->item = realloc(j->item, j->room * sizeof(*j->item));
        if (!j->item) {
            abort();
        }
    }
    j->item[j->n++] = *it;
}

static uint32_t fetch(const void *arg, const ocsd_vaddr_t addr,
                      const ocsd_mem_space_acc_t space, const uint32_t want,
                      uint8_t *buf)
{
    const struct judge *j = arg;
    uint32_t insn;

    (void)space;
    if (want < 4 || !j->fetch(j->arg, addr, &insn)) {
        return 0;
    }
    buf[0] = (uint8_t)insn;
    buf[1] = (uint8_t)(insn >> 8);
    buf[2] = (uint8_t)(insn >> 16);
    buf[3] = (uint8_t)(insn >> 24);
    return 4;
}

static void on_range(struct judge *j, const ocsd_generic_trace_elem *el)
{
    struct judge_item it = j->now;
    uint64_t at;

    it.kind = JUDGE_INSN;
    if ((el->en_addr - el->st_addr) / 4 != el->num_instr_range) {
        complain(j, "range with another number of instructions");
    }
    for (at = el->st_addr; at < el->en_addr; at += 4) {
        it.addr = at;
        add(j, &it);
    }
}

static void on_context(struct judge *j, const ocsd_generic_trace_elem *el)
{
    j->now.el = (unsigned)el->context.exception_level;
    j->now.ns = el->context.security_level == ocsd_sec_nonsecure;
    if (el->context.ctxt_id_valid) {
        j->now.cid = el->context.context_id;
    }
    if (el->context.vmid_valid) {
        j->now.vmid = el->context.vmid;
    }
}

static ocsd_datapath_resp_t on_element(const void *arg,
                                       const ocsd_trc_index_t index,
                                       const uint8_t id,
                                       const ocsd_generic_trace_elem *el)
{
    struct judge *j = (struct judge *)(uintptr_t)arg;
    struct judge_item it = j->now;
    char text[128];

    (void)id;
    switch (el->elem_type) {
    case OCSD_GEN_TRC_ELEM_NO_SYNC:
    case OCSD_GEN_TRC_ELEM_EO_TRACE:
        return OCSD_RESP_CONT;
    case OCSD_GEN_TRC_ELEM_PE_CONTEXT:
        on_context(j, el);
        return OCSD_RESP_CONT;
    case OCSD_GEN_TRC_ELEM_INSTR_RANGE:
        on_range(j, el);
        return OCSD_RESP_CONT;
    case OCSD_GEN_TRC_ELEM_TRACE_ON:
        it.kind = JUDGE_TRACE_ON;
        it.type = el->trace_on_reason == TRACE_ON_OVERFLOW;
        break;
    case OCSD_GEN_TRC_ELEM_EXCEPTION:
        it.kind = JUDGE_EXCEPTION;
        it.addr = el->en_addr;
        it.type = el->exception_number;
        break;
    case OCSD_GEN_TRC_ELEM_TIMESTAMP:
        it.kind = JUDGE_TIMESTAMP;
        it.ts = el->timestamp;
        it.cycles = el->has_cc ? el->cycle_count : 0;
        break;
    case OCSD_GEN_TRC_ELEM_CYCLE_COUNT:
        it.kind = JUDGE_CYCLES;
        it.cycles = el->cycle_count;
        break;
    case OCSD_GEN_TRC_ELEM_EVENT:
        it.kind = JUDGE_EVENT;
        it.type = el->trace_event.ev_number;
        break;
    default:
        snprintf(text, sizeof(text), "element %d at byte %llu",
                 (int)el->elem_type, (unsigned long long)index);
        complain(j, text);
        return OCSD_RESP_CONT;
    }
    add(j, &it);
    return OCSD_RESP_CONT;
}

static bool set_up(struct judge *j, dcd_tree_handle_t tree)
{
    ocsd_etmv4_cfg cfg;
    unsigned char id = 0;
    int flags = OCSD_CREATE_FLG_FULL_DECODER |
                OCSD_OPFLG_PKTDEC_ERROR_BAD_PKTS |
                OCSD_OPFLG_PKTDEC_HALT_BAD_PKTS |
                OCSD_OPFLG_PKTPROC_ERR_BAD_PKTS |
                OCSD_OPFLG_N_UNCOND_DIR_BR_CHK |
                OCSD_OPFLG_STRICT_N_UNCOND_BR_CHK |
                OCSD_OPFLG_CHK_RANGE_CONTINUE |
                ETM4_OPFLG_PKTDEC_AA64_OPCODE_CHK;

    memset(&cfg, 0, sizeof(cfg));
    cfg.reg_idr0 = j->unit.idr0;
    cfg.reg_idr1 = j->unit.idr1;
    cfg.reg_idr2 = j->unit.idr2;
    cfg.reg_idr8 = j->unit.idr8;
    cfg.reg_configr = j->unit.configr;
    cfg.reg_traceidr = j->unit.traceidr;
    cfg.arch_ver = ARCH_AA64;
    cfg.core_prof = profile_CortexA;
    return ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETMV4I, flags, &cfg,
                                  &id) == OCSD_OK &&
           ocsd_dt_add_callback_mem_acc(tree, 0, UINT64_MAX,
                                        OCSD_MEM_SPACE_ANY, fetch,
                                        j) == OCSD_OK &&
           ocsd_dt_set_gen_elem_outfn(tree, on_element, j) == OCSD_OK;
}

static void feed(struct judge *j, dcd_tree_handle_t tree,
                 const uint8_t *bytes, size_t n)
{
    size_t at = 0;
    uint32_t used;
    char text[160];
    ocsd_datapath_resp_t resp = OCSD_RESP_CONT;

    while (at < n && OCSD_DATA_RESP_IS_CONT(resp)) {
        size_t part = n - at < 0x10000 ? n - at : 0x10000;

        used = 0;
        resp = ocsd_dt_process_data(tree, OCSD_OP_DATA, at, (uint32_t)part,
                                    bytes + at, &used);
        at += used;
        if (used == 0) {
            break;
        }
    }
    if (resp == OCSD_RESP_CONT && at == n) {
        resp = ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, NULL);
    }
    if (resp != OCSD_RESP_CONT || at != n) {
        snprintf(text, sizeof(text), "response %d after %zu of %zu bytes",
                 (int)resp, at, n);
        complain(j, text);
    }
}

static void on_log(const void *arg, const char *text, const int len)
{
    (void)len;
    complain((struct judge *)(uintptr_t)arg, text);
}

bool judge_decode(struct judge *j, const uint8_t *bytes, size_t n)
{
    static bool logger;          /* the library has one for all trees */
    dcd_tree_handle_t tree;

    if (!logger) {
        ocsd_def_errlog_init(OCSD_ERR_SEV_WARN, 1);
        ocsd_def_errlog_config_output(C_API_MSGLOGOUT_FLG_NONE, NULL);
        logger = true;
    }
    tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
    if (tree == C_API_INVALID_TREE_HANDLE) {
        complain(j, "no decode tree");
        return false;
    }
    ocsd_def_errlog_set_strprint_cb(tree, j, on_log);
    if (set_up(j, tree)) {
        feed(j, tree, bytes, n);
    } else {
        complain(j, "the decoder refuses the unit's registers");
    }
    ocsd_destroy_dcd_tree(tree);
    return !j->error[0];
}

void judge_free(struct judge *j)
{
    free(j->item);
    j->item = NULL;
}
