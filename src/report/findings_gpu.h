/*
 * report/findings_gpu.h - what the findings about devices have in common; for src/report alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "report/findings.h"

/* Shorter use of a device is start-up: contexts and first kernels take that long. */
#define SC_GPU_WATCHED_MIN_S 0.5

/* A device that works two thirds of the time can do at most half as much again with more work. */
#define SC_GPU_IDLE_MIN_PERCENT 33.0

/* Seconds, summed over processes, as a share of the run, at most 100 %. */
double sc_gpu_part_of_run(const struct sc_report *report, double seconds);

void sc_find_gpu_idle(const struct sc_report *report, struct sc_findings *findings);
