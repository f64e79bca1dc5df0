/*
 * assist/hardware.h - the machine in one line: a proposal for eight cores is another than for one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/str.h"

/* Adds "Intel(R) ..., 8 processors, 31 GB of memory, NVIDIA ...". gpu: what a profile knows of a
 * device, or NULL. */
void sc_hardware_add(struct sc_str *text, const char *gpu);
