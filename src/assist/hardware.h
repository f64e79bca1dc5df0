/*
 * assist/hardware.h - the machine in one line, since a proposal depends on it (eight cores or one).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/str.h"
#include "profile/profile.h"

/* Adds "Intel(R) ..., 8 processors, 31 GB of memory, NVIDIA ...". Where no device of the machine is
 * found, those that the profile's program used are named. */
void sc_hardware_add(struct sc_str *text, const struct sc_profile *profile);
