/*
 * assist/facts.c - what a profile knows of a place, as lines of a question.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "assist/prompt.h"
#include "report/number.h"
#include "report/report.h"

/* The most lines whose share is listed one by one. */
#define LINES_MAX       12U
#define LINE_PERCENT    0.5
#define COPY_MIN_MB_S   1.0
#define MEMORY_MIN_MB   0.1
#define AWAIT_PERCENT   0.5
#define DEVICE_PERCENT  0.5
#define UTILIZATION_MIN 0.01
#define DEVICE_MIN_S    0.001
#define DEVICE_MIN_MB   1.0

/* Sums over the lines of a place; peaks are the largest of one line. */
struct sum {
    double kinds[SC_KIND_COUNT_];
    double percent;
    double cores;
    double malloc_mb;
    double python_mb;
    uint64_t mallocs;
    double peak_mb;
    double growth_mb;
    double copy_mb_s;
    double await_percent;
    double await_tasks;
    double load;         /* of the devices at each line, weighted by the line's share of the time */
    double load_percent; /* the sum of those shares */
    double gpu_mb;
    double gpu_s;
    uint64_t gpu_launches;
    double gpu_idle_s;
    double gpu_to_mb;
    double gpu_from_mb;
    double gpu_malloc_mb;
    double gpu_live_mb;
    double gc_s;
    double freeing_s;
    double importing_s;
    double worker_threads_s;
    double wait_s[SC_WAIT_COUNT_];
};

static double larger(double one, double other)
{
    return one > other ? one : other;
}

/* A load is a mean over the time at its line; a device's own times and bytes are sums. */
static void add_device(struct sum *sum, const struct sc_cost *cost, double percent)
{
    sum->load += percent * sc_clamp(cost->gpu_percent, 0.0, 100.0);
    sum->load_percent += percent;
    sum->gpu_mb = larger(sum->gpu_mb, cost->gpu_peak_memory_mb);
    sum->gpu_s += sc_clamp(cost->gpu_s, 0.0, 1e10);
    sum->gpu_launches += cost->gpu_launches;
    sum->gpu_idle_s += sc_clamp(cost->gpu_idle_s, 0.0, 1e10);
    sum->gpu_to_mb += sc_clamp(cost->gpu_to_device_mb, 0.0, 1e12);
    sum->gpu_from_mb += sc_clamp(cost->gpu_from_device_mb, 0.0, 1e12);
    sum->gpu_malloc_mb += sc_clamp(cost->gpu_malloc_mb, 0.0, 1e12);
    sum->gpu_live_mb = larger(sum->gpu_live_mb, cost->gpu_live_peak_mb);
}

static void add_line(struct sum *sum, const struct sc_cost *cost)
{
    double kinds[SC_KIND_COUNT_];
    sc_cost_kinds(cost, kinds);
    double percent = sc_cost_time_percent(cost);
    for (int i = 0; i < SC_KIND_COUNT_; i++)
        sum->kinds[i] += kinds[i];
    sum->percent += percent;
    sum->cores += percent * cost->core_utilization;
    sum->malloc_mb += cost->malloc_mb;
    sum->python_mb += cost->malloc_mb * cost->python_fraction;
    sum->mallocs += cost->mallocs;
    sum->peak_mb = larger(sum->peak_mb, cost->peak_mb);
    sum->growth_mb += cost->growth_mb;
    sum->copy_mb_s += cost->copy_mb_s;
    sum->await_percent += cost->async_await_percent;
    sum->await_tasks = larger(sum->await_tasks, cost->async_concurrency_peak);
    add_device(sum, cost, percent);
    sum->gc_s += cost->gc_s;
    sum->freeing_s += cost->freeing_s;
    sum->importing_s += cost->importing_s;
    sum->worker_threads_s += cost->worker_threads_s;
    for (int i = 0; i < SC_WAIT_COUNT_; i++)
        sum->wait_s[i] += cost->wait_s[i];
}

static void add_time(const struct sum *sum, double total_s, struct sc_str *text)
{
    sc_str_add_format(
        text,
        "- Time: %s of the run's %s; of the whole run, %s is interpreting Python, "
        "%s is in compiled code called from Python, %s is in the system or waiting.\n",
        sc_number_percent(sum->percent).text, sc_number_duration(total_s).text,
        sc_number_fine_percent(sum->kinds[SC_KIND_PYTHON]).text,
        sc_number_fine_percent(sum->kinds[SC_KIND_NATIVE]).text,
        sc_number_fine_percent(sum->kinds[SC_KIND_SYSTEM]).text);
    if (sum->percent > 0.0 && sum->cores / sum->percent >= UTILIZATION_MIN)
        sc_str_add_format(text, "- Of all processors the program used %s meanwhile.\n",
                          sc_number_percent(100.0 * sum->cores / sum->percent).text);
    static const char *const causes[SC_WAIT_COUNT_] = {
        [SC_WAIT_IO] = "input or output",       [SC_WAIT_LOCK] = "locks",
        [SC_WAIT_GIL] = "the interpreter lock", [SC_WAIT_SLEEP] = "sleeping",
        [SC_WAIT_CHILD] = "other processes",
    };
    for (int i = 0; i < SC_WAIT_COUNT_; i++)
        if (causes[i] != NULL && sum->wait_s[i] > 0.01 * total_s)
            sc_str_add_format(text, "- Threads waited %s here for %s.\n",
                              sc_number_duration(sum->wait_s[i]).text, causes[i]);
    if (sum->gc_s > 0.01 * total_s)
        sc_str_add_format(text, "- Garbage collection took %s here.\n",
                          sc_number_duration(sum->gc_s).text);
    if (sum->freeing_s > 0.01 * total_s)
        sc_str_add_format(text, "- Freeing objects took %s here.\n",
                          sc_number_duration(sum->freeing_s).text);
    if (sum->importing_s > 0.01 * total_s)
        sc_str_add_format(text, "- Importing modules took %s here.\n",
                          sc_number_duration(sum->importing_s).text);
    if (sum->worker_threads_s > 0.01 * total_s)
        sc_str_add_format(text, "- Of it, %s passed in worker threads that the lines waited for.\n",
                          sc_number_duration(sum->worker_threads_s).text);
}

static void add_memory(const struct sum *sum, const struct sc_ai_place *place, struct sc_str *text)
{
    if (sum->malloc_mb >= MEMORY_MIN_MB)
        sc_str_add_format(text,
                          "- Memory: %s allocated in %s blocks, %s of it by Python's own objects; "
                          "at most %s alive at once on one of the lines.\n",
                          sc_number_megabytes(sum->malloc_mb).text,
                          sc_number_count(sum->mallocs).text,
                          sc_number_percent(100.0 * sum->python_mb / sum->malloc_mb).text,
                          sc_number_megabytes(sum->peak_mb).text);
    if (sum->growth_mb >= MEMORY_MIN_MB)
        sc_str_add_format(text, "- %s of that was still there at the end of the program.\n",
                          sc_number_megabytes(sum->growth_mb).text);
    if (place->profile->max_footprint_mb >= MEMORY_MIN_MB && sum->malloc_mb >= MEMORY_MIN_MB)
        sc_str_add_format(text, "- The whole program had at most %s.\n",
                          sc_number_megabytes(place->profile->max_footprint_mb).text);
    SC_EACH(const struct sc_leak, leak, &place->file->leaks)
        if (leak->lineno >= place->first && leak->lineno <= place->last)
            sc_str_add_format(text, "- Line %u most likely leaks memory, %.2f MB per second.\n",
                              leak->lineno, sc_clamp(leak->velocity_mb_s, 0.0, 1e6));
    if (sum->copy_mb_s >= COPY_MIN_MB_S)
        sc_str_add_format(text, "- Copying: %.0f MB per second of the run.\n",
                          sc_clamp(sum->copy_mb_s, 0.0, 1e7));
}

static void add_others(const struct sum *sum, struct sc_str *text)
{
    if (sum->await_percent >= AWAIT_PERCENT)
        sc_str_add_format(
            text,
            "- Awaiting: %s of the time that asyncio tasks waited, at most %.0f tasks "
            "at once.\n",
            sc_number_percent(sum->await_percent).text, sc_clamp(sum->await_tasks, 0.0, 1e9));
}

static const char *device_of(const struct sc_profile *profile)
{
    bool is_neuron = profile->gpu_device != NULL && strcmp(profile->gpu_device, "Neuron") == 0;
    return is_neuron ? "Neuron device" : "GPU";
}

/* Load and memory, as the driver reported them. */
static void add_load(const struct sum *sum, const struct sc_profile *profile, struct sc_str *text)
{
    double load = sum->load_percent > 0.0 ? sum->load / sum->load_percent : 0.0;
    if (load >= DEVICE_PERCENT)
        sc_str_add_format(text, "- %s: %s busy on average while the program was here",
                          device_of(profile), sc_number_percent(load).text);
    if (load >= DEVICE_PERCENT && sum->gpu_mb >= DEVICE_MIN_MB)
        sc_str_add_format(text, ", at most %s of its memory in use",
                          sc_number_megabytes(sum->gpu_mb).text);
    if (load >= DEVICE_PERCENT)
        sc_str_add(text, ".\n");
}

/* What the device itself has recorded; all of it is 0 where that was not traced. */
static void add_device_times(const struct sum *sum, const struct sc_profile *profile,
                             struct sc_str *text)
{
    if (sum->gpu_s >= DEVICE_MIN_S) {
        sc_str_add_format(text, "- GPU time of what is launched here: %s",
                          sc_number_duration(sum->gpu_s).text);
        if (sum->gpu_launches > 0)
            sc_str_add_format(text, ", with %s kernels", sc_number_count(sum->gpu_launches).text);
        sc_str_add_format(text, "; of the whole program, kernels %s and copies %s.\n",
                          sc_number_duration(sc_clamp(profile->gpu_kernel_s, 0.0, 1e10)).text,
                          sc_number_duration(sc_clamp(profile->gpu_copy_s, 0.0, 1e10)).text);
    }
    if (sum->gpu_to_mb + sum->gpu_from_mb >= DEVICE_MIN_MB)
        sc_str_add_format(text, "- Copied to the GPU here: %s; from it: %s.\n",
                          sc_number_megabytes(sum->gpu_to_mb).text,
                          sc_number_megabytes(sum->gpu_from_mb).text);
    if (sum->gpu_idle_s >= DEVICE_MIN_S)
        sc_str_add_format(text, "- While the program was here the GPU had nothing to do for %s.\n",
                          sc_number_duration(sum->gpu_idle_s).text);
    if (sum->gpu_malloc_mb >= DEVICE_MIN_MB)
        sc_str_add_format(text,
                          "- GPU memory taken here: %s in all, at most %s at once by one of the "
                          "lines.\n",
                          sc_number_megabytes(sum->gpu_malloc_mb).text,
                          sc_number_megabytes(sum->gpu_live_mb).text);
}

/* The lines that cost most, in the order of the text. */
static void add_lines(const struct sc_ai_place *place, enum sc_ai_goal goal, struct sc_str *text)
{
    unsigned count = 0;
    /* a line is also listed for the same share of the time of the device's kernels */
    double least_s = larger(DEVICE_MIN_S, LINE_PERCENT / 100.0 * place->profile->gpu_kernel_s);
    for (uint32_t lineno = place->first; lineno <= place->last && count < LINES_MAX; lineno++) {
        const struct sc_cost *cost = &place->file->lines.items[lineno - 1].cost;
        double percent = sc_cost_time_percent(cost);
        bool matters =
            goal == SC_AI_GOAL_MEMORY
                ? cost->malloc_mb >= MEMORY_MIN_MB || cost->gpu_malloc_mb >= DEVICE_MIN_MB
                : percent >= LINE_PERCENT || cost->gpu_s >= least_s;
        if (!matters || place->first == place->last)
            continue;
        sc_str_add_format(text, "- Line %u: %s of the time", lineno,
                          sc_number_fine_percent(percent).text);
        if (cost->malloc_mb >= MEMORY_MIN_MB)
            sc_str_add_format(text, ", %s allocated, at most %s alive",
                              sc_number_megabytes(cost->malloc_mb).text,
                              sc_number_megabytes(cost->peak_mb).text);
        if (cost->gpu_s >= DEVICE_MIN_S)
            sc_str_add_format(text, ", %s of GPU time", sc_number_duration(cost->gpu_s).text);
        if (cost->gpu_malloc_mb >= DEVICE_MIN_MB)
            sc_str_add_format(text, ", %s of GPU memory taken",
                              sc_number_megabytes(cost->gpu_malloc_mb).text);
        sc_str_add(text, ".\n");
        count++;
    }
}

void sc_ai_facts_add(const struct sc_ai_place *place, enum sc_ai_goal goal, struct sc_str *text)
{
    struct sum sum = {0};
    for (uint32_t lineno = place->first; lineno <= place->last; lineno++)
        add_line(&sum, &place->file->lines.items[lineno - 1].cost);
    if (goal == SC_AI_GOAL_MEMORY)
        add_memory(&sum, place, text);
    add_time(&sum, place->profile->elapsed_s, text);
    if (goal != SC_AI_GOAL_MEMORY)
        add_memory(&sum, place, text);
    add_others(&sum, text);
    add_load(&sum, place->profile, text);
    add_device_times(&sum, place->profile, text);
    add_lines(place, goal, text);
}
