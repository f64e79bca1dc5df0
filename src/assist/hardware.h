/*
 * assist/hardware.h - the machine in one line: a proposal for eight cores is another than for one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/str.h"
#include "profile/profile.h"

/* Adds "Intel(R) ..., 8 processors, 31 GB of memory, NVIDIA ...". Where the machine names no
 * device, those that the profile's program used count. */
void sc_hardware_add(struct sc_str *text, const struct sc_profile *profile);
