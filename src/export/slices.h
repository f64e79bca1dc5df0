/*
 * export/slices.h - a thread's runs as calls that begin and end, for formats that show them over
 * time.
 *
 * Where a run follows another at once, what is on both stacks goes on; so does a function whose
 * line changes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "export/samples.h"
#include "report/timeline.h"

/* A function of samples was called, or returns, so many ns after profiling began. */
typedef void sc_export_slice(void *context, int64_t time_ns, uint32_t function, bool begins);

/* In order of time; each that returns is the last of those that were called and have not yet. */
void sc_export_slices(const struct sc_export_samples *samples,
                      const struct sc_timeline_thread *thread, sc_export_slice *slice,
                      void *context);
