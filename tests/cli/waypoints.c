/* The front end's list of waypoints, for its test. */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/a64.c"
