/*
 * The formatter with any stream, room and padding, read back by the
 * independent deformatter.  Input: per chunk a byte of ID (bit 7: pad after
 * it), a byte of length, a byte of room in frames, then the bytes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "models/formatter.h"
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/deformatter.h"

#define MAX 8192

static uint8_t want_id[MAX], want[MAX], frames[4 * MAX];
static size_t n_want, n_frames;
static struct formatter f;

static void push(uint8_t id, const uint8_t *bytes, size_t n, size_t room)
{
    while (n) {
        size_t made, taken = formatter_push(&f, id, bytes, n,
                                            frames + n_frames, room, &made);

        fuzz_check(taken <= n && made <= room && made % 16 == 0, "room");
        fuzz_check(taken || made, "no progress");
        bytes += taken;
        n -= taken;
        n_frames += made;
    }
}

static void read_back(void)
{
    struct deformatter d;
    struct deformatted pair[15];
    size_t k = 0;

    deformatter_init(&d);
    for (size_t at = 0; at < n_frames; at += 16) {
        int n = deformatter_frame(&d, frames + at, pair);

        fuzz_check(n >= 0, "a frame that breaks the rules");
        for (int i = 0; i < n; i++) {
            if (pair[i].id == 0) {
                continue;
            }
            fuzz_check(k < n_want && pair[i].id == want_id[k] &&
                       pair[i].byte == want[k], "another byte than pushed");
            k++;
        }
    }
    fuzz_check(k == n_want, "bytes are missing");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = { data, size };

    formatter_reset(&f);
    n_want = n_frames = 0;
    while (in.left && n_want < MAX - 256 && n_frames < 3 * MAX) {
        unsigned head = (unsigned)fuzz_take(&in, 1);
        uint8_t id = (uint8_t)(1 + head % 0x6f);
        size_t n = (size_t)fuzz_take(&in, 1);
        size_t room = 16 * (1 + (size_t)fuzz_take(&in, 1) % 32);

        for (size_t i = 0; i < n; i++) {
            want[n_want + i] = (uint8_t)fuzz_take(&in, 1);
        }
        memset(want_id + n_want, id, n);
        push(id, want + n_want, n, room);
        n_want += n;
        if (head & 0x80) {
            n_frames += formatter_pad(&f, frames + n_frames);
        }
    }
    n_frames += formatter_pad(&f, frames + n_frames);
    read_back();
    return 0;
}
