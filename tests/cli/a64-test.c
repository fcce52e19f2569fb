/*
 * Waypoints of A64: every form, as the GNU assembler encodes it, and what
 * looks like one and is none.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "cli/a64.h"
#include "tests/tap/tap.h"

static const struct {
    uint32_t opcode;
    const char *text;
} waypoints[] = {
    { 0x14000000, "b ." }, { 0x17ffffff, "b .-4" }, { 0x94000000, "bl ." },
    { 0x54000000, "b.eq ." }, { 0x54fffffe, "b.al .-4" },
    { 0xb4000000, "cbz x0, ." }, { 0x34ffffff, "cbz wzr, .-4" },
    { 0x35000001, "cbnz w1, ." }, { 0xb5000001, "cbnz x1, ." },
    { 0x36180000, "tbz w0, #3, ." }, { 0xb7180000, "tbnz x0, #35, ." },
    { 0xd61f0060, "br x3" }, { 0xd63f0060, "blr x3" },
    { 0xd65f03c0, "ret" }, { 0xd65f00a0, "ret x5" },
    { 0xd61f083f, "braaz x1" }, { 0xd61f0c3f, "brabz x1" },
    { 0xd63f083f, "blraaz x1" }, { 0xd63f0c3f, "blrabz x1" },
    { 0xd65f0bff, "retaa" }, { 0xd65f0fff, "retab" },
    { 0xd71f0822, "braa x1, x2" }, { 0xd71f0c22, "brab x1, x2" },
    { 0xd73f0822, "blraa x1, x2" }, { 0xd73f0c22, "blrab x1, x2" },
    { 0xd69f03e0, "eret" }, { 0xd69f0bff, "eretaa" },
    { 0xd69f0fff, "eretab" }, { 0xd5033fdf, "isb" },
    { 0xd50333df, "isb #3" },
}, waits[] = {
    { 0xd503205f, "wfe" }, { 0xd503207f, "wfi" },
    { 0xd5031000, "wfet x0" }, { 0xd5031021, "wfit x1" },
}, others[] = {
    { 0xd503201f, "nop" }, { 0xd503203f, "yield" }, { 0xd503209f, "sev" },
    { 0xd50320bf, "sevl" }, { 0xd5033f9f, "dsb sy" },
    { 0xd5033bbf, "dmb ish" }, { 0xd50330ff, "sb" },
    { 0xd5033f5f, "clrex" }, { 0xd4000001, "svc #0" },
    { 0xd4000002, "hvc #0" }, { 0xd4000003, "smc #0" },
    { 0xd4200000, "brk #0" }, { 0xd6bf03e0, "drps" },
    { 0x10000000, "adr x0, ." }, { 0x90000000, "adrp x0, ." },
    { 0x11000400, "add w0, w0, #1" }, { 0xf9400020, "ldr x0, [x1]" },
    { 0x58000000, "ldr x0, ." }, { 0xaa0103e0, "mov x0, x1" },
    { 0xd5384240, "mrs x0, currentel" }, { 0xd518d020, "msr contextidr_el1" },
    { 0x9a810000, "csel x0, x0, x1, eq" }, { 0x00000000, "udf #0" },
    { 0xd503245f, "bti c" }, { 0xd503237f, "pacibsp" },
};

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(waypoints); i++) {
        ok(a64_is_waypoint(waypoints[i].opcode, FALSE) &&
           a64_is_waypoint(waypoints[i].opcode, TRUE), "%s is a waypoint",
           waypoints[i].text);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(waits); i++) {
        ok(!a64_is_waypoint(waits[i].opcode, FALSE) &&
           a64_is_waypoint(waits[i].opcode, TRUE),
           "%s is one where the unit says so", waits[i].text);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        ok(!a64_is_waypoint(others[i].opcode, FALSE) &&
           !a64_is_waypoint(others[i].opcode, TRUE), "%s is none",
           others[i].text);
    }
    return tap_done();
}
