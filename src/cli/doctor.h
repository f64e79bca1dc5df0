/*
 * cli/doctor.h - what of a profile can be had here, and why not the rest.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cli/diagnosis.h"

/* The interpreter (python as for --python, or NULL), and a trial run with it. */
void sc_doctor_try(struct sc_diagnosis *diagnosis, const char *python);

/* What the kernel permits and how it measures. */
void sc_doctor_ask_system(struct sc_diagnosis *diagnosis);
