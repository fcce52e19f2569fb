// The bare guest of the scheduler's tests: entry of the first CPU (the boot
// loader's) and of the others (PSCI CPU_ON, with their number in x0).
//
// SPDX-License-Identifier: GPL-2.0-or-later
    .section .text.start, "ax"
    .globl _start
_start:
    mov     x0, #0
    .globl bare_entry
bare_entry:
    // 4 KiB of stack each, the first CPU's on top
    adrp    x1, bare_stacks_end
    add     x1, x1, :lo12:bare_stacks_end
    lsl     x2, x0, #12
    sub     x1, x1, x2
    mov     sp, x1
    mov     x19, x0
    cbnz    x0, 2f
    // Also after a reset: all that is not initialized is zero.
    adrp    x1, bare_bss
    add     x1, x1, :lo12:bare_bss
    adrp    x2, bare_bss_end
    add     x2, x2, :lo12:bare_bss_end
1:  stp     xzr, xzr, [x1], #16
    cmp     x1, x2
    b.lo    1b
2:  adrp    x1, bare_vectors
    add     x1, x1, :lo12:bare_vectors
    msr     vbar_el1, x1
    isb
    mov     x0, x19
    bl      bare_main
3:  wfi
    b       3b

    .balign 2048
bare_vectors:
    .rept   16
    .balign 128
    mrs     x0, esr_el1
    mrs     x1, elr_el1
    mrs     x2, far_el1
    b       bare_fault
    .endr
