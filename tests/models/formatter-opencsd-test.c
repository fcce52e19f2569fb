/*
 * The formatter against opencsd: its frame deformatter, with a monitor of raw
 * bytes per ID, must give back what was pushed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <opencsd/c_api/opencsd_c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/formatter.h"
#include "tests/tap/tap.h"

#define MAX_BYTES 4096

struct seen {
    uint8_t id[2 * MAX_BYTES], byte[2 * MAX_BYTES];
    size_t n;
};

static struct seen got, want;

/* A line: "Frame Data; Index <n>; ID_DATA[0x<id>]; <hex> <hex> ..." */
static void on_text(const void *context, const char *text, const int len)
{
    const char *at = strstr(text, "ID_DATA[0x");
    unsigned long id;
    char *end;

    (void)context;
    (void)len;
    if (!at) {
        return;
    }
    id = strtoul(at + 10, &end, 16);
    end = strchr(end, ';');
    while (id != 0 && end && got.n < sizeof(got.id)) {
        char *next;
        unsigned long byte = strtoul(end + 1, &next, 16);

        if (next == end + 1) {
            break;
        }
        got.id[got.n] = (uint8_t)id;
        got.byte[got.n++] = (uint8_t)byte;
        end = *next == ' ' ? next : NULL;
    }
}

static bool deformat(const uint8_t *frames, uint32_t n)
{
    dcd_tree_handle_t tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED,
        OCSD_DFRMTR_FRAME_MEM_ALIGN | OCSD_DFRMTR_RESET_ON_4X_FSYNC);
    uint32_t used = 0;
    bool fine;

    got.n = 0;
    ocsd_def_errlog_set_strprint_cb(tree, NULL, on_text);
    ocsd_dt_set_raw_frame_printer(tree, OCSD_DFRMTR_UNPACKED_RAW_OUT);
    fine = ocsd_dt_process_data(tree, OCSD_OP_DATA, 0, n, frames, &used) ==
           OCSD_RESP_CONT && used == n;
    ocsd_dt_process_data(tree, OCSD_OP_EOT, n, 0, NULL, &used);
    ocsd_destroy_dcd_tree(tree);
    return fine;
}

static void one_round(struct sweep *s, struct prng *p, int round)
{
    static uint8_t frames[8 * MAX_BYTES];
    struct formatter f;
    size_t n = 0, made;
    uint64_t longest = 1 + prng_below(p, round % 3 ? 6 : 200);
    uint64_t ids = 1 + prng_below(p, 0x6f);
    bool fine;

    formatter_reset(&f);
    want.n = 0;
    while (want.n < MAX_BYTES) {
        uint8_t data[200];
        uint8_t id = (uint8_t)(1 + prng_below(p, ids));
        size_t len = (size_t)(1 + prng_below(p, longest));

        for (size_t i = 0; i < len; i++) {
            data[i] = (uint8_t)prng_u64(p);
            want.id[want.n] = id;
            want.byte[want.n++] = data[i];
        }
        formatter_push(&f, id, data, len, frames + n, sizeof(frames) - n,
                       &made);
        n += made;
    }
    n += formatter_pad(&f, frames + n);
    fine = deformat(frames, (uint32_t)n);
    sweep_case(s, fine, "round %d: decoder refused the frames", round);
    sweep_case(s, got.n == want.n &&
               memcmp(got.id, want.id, want.n) == 0 &&
               memcmp(got.byte, want.byte, want.n) == 0,
               "round %d: got %zu bytes, want %zu", round, got.n, want.n);
}

int main(int argc, char **argv)
{
    struct sweep s;
    struct prng p;

    tap_begin(argc, argv, 1);
    ocsd_def_errlog_init(OCSD_ERR_SEV_INFO, 1);
    ocsd_def_errlog_config_output(C_API_MSGLOGOUT_FLG_NONE, NULL);
    prng_seed(&p, tap_seed());
    sweep_begin(&s, "opencsd reads back what was pushed");
    for (int round = 0; round < 60; round++) {
        one_round(&s, &p, round);
    }
    sweep_end(&s);
    return tap_done();
}
