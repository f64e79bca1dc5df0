/*
 * observer/report/report_gpu.h - what the profile shows of the machine's GPUs, besides the costs of
 * lines.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/lifecycle/observation.h"

/* Fills gpu, gpu_device, gpu_devices and gpu_trace, and adds notes about what could not be
 * measured. */
void sc_report_gpu(const struct sc_observation *observation, struct sc_profile *profile);
