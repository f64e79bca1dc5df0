/*
 * export/writers.h - the formats, and the function that writes each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/str.h"
#include "profile/profile.h"

/* name in code and on the command line, extension, whether it is binary, what opens it */
#define SC_EXPORT_FORMATS(X)                                                                       \
    X(pprof, ".pb.gz", true, "go tool pprof, https://github.com/google/pprof")                     \
    X(speedscope, ".speedscope.json", false, "speedscope, https://www.speedscope.app")             \
    X(firefox, ".firefox.json", false, "the Firefox Profiler, https://profiler.firefox.com")       \
    X(perfetto, ".pftrace", true, "Perfetto, https://ui.perfetto.dev")                             \
    X(otlp, ".otlp", true, "OpenTelemetry's collector and what it sends profiles to")              \
    X(callgrind, ".callgrind.out", false, "kcachegrind, qcachegrind and callgrind_annotate")       \
    X(collapsed, ".collapsed.txt", false, "flamegraph.pl and others that read collapsed stacks")   \
    X(csv, ".csv", false, "spreadsheets and tables of data")                                       \
    X(markdown, ".md", false, "the page of a CI run")                                              \
    X(svg, ".svg", false, "browsers and documents")

#define X_WRITER(name, ...)                                                                        \
    void sc_export_##name(const struct sc_profile *profile, struct sc_str *ret_bytes);
SC_EXPORT_FORMATS(X_WRITER)
#undef X_WRITER

/* The same of samples that the caller has changed, without threads where the view is NULL; otlp's
 * is a request to a collector, too. */
struct sc_export_samples;
struct sc_timeline_view;
void sc_export_pprof_of(struct sc_export_samples *samples, const struct sc_timeline_view *view,
                        struct sc_str *ret_bytes);
void sc_export_otlp_of(struct sc_export_samples *samples, const struct sc_timeline_view *view,
                       struct sc_str *ret_bytes);
