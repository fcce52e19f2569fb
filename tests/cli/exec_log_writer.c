/* The emulator's writer of execution logs, for the tests of its readers. */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/exec_log_writer.c"
