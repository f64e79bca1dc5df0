/*
 * push/requests.c - makes the requests of one push.
 *
 * Pyroscope keeps profiles apart by kind, and takes one kind in a request (its ingest API:
 * /ingest?name=SERVICE{LABEL=VALUE,...}&from=&until=&format=pprof). A collector takes all at once
 * (OTLP/HTTP, ExportProfilesServiceRequest).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "push/requests.h"

#include <string.h>

#include "export/gzip.h"
#include "export/writers.h"
#include "profile/labels.h"

/* What Pyroscope shows as process_cpu, wall and memory. It tells them apart by the types of values
 * and what they were sampled by. */
static const struct kind {
    const char *period_name;
    enum sc_export_unit period_unit;
    const char *names[SC_EXPORT_COUNT_];
} kinds[] = {
    {"cpu", SC_EXPORT_NS, {[SC_EXPORT_TIME] = "cpu"}}, /* without waiting */
    {"wall", SC_EXPORT_NS, {[SC_EXPORT_TIME] = "wall"}},
    {"space",
     SC_EXPORT_BYTES,
     {[SC_EXPORT_ALLOCATED] = "alloc_space", [SC_EXPORT_AT_EXIT] = "inuse_space"}},
};
enum { KIND_CPU, KIND_WALL, KIND_MEMORY, KINDS };

/* -------- the address -------- */

/* A name of Pyroscope's has letters, digits, and some more; others become "_". */
static void add_name(struct sc_str *name, const char *text, const char *more)
{
    for (const char *at = text; *at != '\0'; at++) {
        bool is_allowed = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                          (*at >= '0' && *at <= '9') || strchr(more, *at) != NULL;
        sc_str_add_char(name, is_allowed ? *at : '_');
    }
    if (text[0] == '\0')
        sc_str_add_char(name, '_');
}

/* A value ends at a comma or a brace. */
static void add_value(struct sc_str *name, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        bool is_allowed = (unsigned char)*at >= ' ' && *at != 0x7f && strchr(",}", *at) == NULL;
        sc_str_add_char(name, is_allowed ? *at : '_');
    }
}

static char *ingest_url(const struct sc_push_target *target,
                        const struct sc_export_samples *samples)
{
    const struct sc_labels *labels = &samples->profile->labels;
    SC_AUTO(sc_str_done) struct sc_str name = {0};
    SC_AUTO(sc_str_done) struct sc_str url = {0};
    add_name(&name, samples->service, "_-./");
    sc_str_add_char(&name, '{');
    for (size_t i = 0; i < labels->count; i++) {
        sc_str_add(&name, i > 0 ? "," : "");
        add_name(&name, labels->items[i].name, "_.");
        sc_str_add_char(&name, '=');
        add_value(&name, labels->items[i].value);
    }
    sc_str_add_char(&name, '}');
    uint64_t begin_ns = sc_export_moment_ns(samples->begin_s);
    uint64_t end_ns = sc_export_moment_ns(samples->begin_s + samples->span_s);
    sc_str_add_format(&url, "%s?name=", target->url);
    sc_str_add_encoded(&url, sc_str_text(&name), "");
    sc_str_add_format(&url, "&from=%llu&until=%llu&format=pprof&spyName=scalene",
                      (unsigned long long)(begin_ns / 1000000000U),
                      (unsigned long long)(end_ns / 1000000000U));
    return sc_str_take(&url);
}

/* -------- bodies -------- */

/* Time on a CPU, or ready for one, of each node, which has no more waiting than time; NULL where
 * there is none. To be freed. */
static double *cpu_of(const struct sc_export_samples *samples)
{
    const double *time = samples->self[SC_EXPORT_TIME];
    bool has_any = false;
    if (time == NULL)
        return NULL;
    double *cpu = sc_alloc(samples->room, sizeof(*cpu));
    for (uint32_t node = 1; node < samples->nodes.count; node++) {
        cpu[node] = (double)(sc_export_self(samples, SC_EXPORT_TIME, node) -
                             sc_export_self(samples, SC_EXPORT_WAITING, node));
        has_any = has_any || cpu[node] > 0;
    }
    if (!has_any) {
        free(cpu);
        cpu = NULL;
    }
    return cpu;
}

/* Shows the writer a part of the samples, under other names. */
static void add_kind(const struct sc_push_target *target, struct sc_export_samples *samples,
                     const struct kind *kind, struct sc_push_requests *requests)
{
    double *self[SC_EXPORT_COUNT_];
    struct sc_push_request request = {0};
    bool has_any = false;
    memcpy(self, samples->self, sizeof(self));
    memcpy(samples->names, kind->names, sizeof(samples->names));
    for (int value = 0; value < SC_EXPORT_COUNT_; value++) {
        if (kind->names[value] == NULL)
            samples->self[value] = NULL;
        has_any = has_any || samples->self[value] != NULL;
    }
    samples->period_name = kind->period_name;
    samples->period_unit = kind->period_unit;
    if (has_any) {
        request.url = ingest_url(target, samples);
        sc_export_pprof_of(samples, NULL, &request.body);
        sc_vec_push(requests, request);
    }
    memcpy(samples->self, self, sizeof(self));
}

static void add_pyroscope(const struct sc_push_target *target, struct sc_export_samples *samples,
                          struct sc_push_requests *requests)
{
    double *time = samples->self[SC_EXPORT_TIME];
    SC_AUTO_FREE double *cpu = cpu_of(samples);
    add_kind(target, samples, &kinds[KIND_WALL], requests);
    add_kind(target, samples, &kinds[KIND_MEMORY], requests);
    samples->self[SC_EXPORT_TIME] = cpu;
    add_kind(target, samples, &kinds[KIND_CPU], requests);
    samples->self[SC_EXPORT_TIME] = time;
}

static void add_otlp(const struct sc_push_target *target, struct sc_export_samples *samples,
                     struct sc_push_requests *requests)
{
    SC_AUTO(sc_str_done) struct sc_str plain = {0};
    struct sc_push_request request = {.url = sc_strdup(target->url)};
    samples->names[SC_EXPORT_AT_EXIT] = "in_use";
    samples->has_periods = true; /* Pyroscope, behind a collector, refuses what has none */
    sc_export_otlp_of(samples, NULL, &plain);
    sc_export_gzip(&plain, &request.body);
    sc_vec_push(requests, request);
}

void sc_push_requests_make(const struct sc_push_target *target, struct sc_export_samples *samples,
                           struct sc_push_requests *ret_requests)
{
    bool has_any = false;
    for (int value = 0; value < SC_EXPORT_COUNT_; value++)
        has_any = has_any || samples->self[value] != NULL;
    if (!has_any)
        return;
    if (target->kind == SC_PUSH_OTLP)
        add_otlp(target, samples, ret_requests);
    else
        add_pyroscope(target, samples, ret_requests);
}
