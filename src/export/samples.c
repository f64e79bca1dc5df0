/* export/samples.c - see samples.h. SPDX-License-Identifier: Apache-2.0 */
#include "export/samples.h"

#include <math.h>
#include <string.h>

#include "base/visible.h"
#include "report/name.h"
#include "report/report.h"

#define NS_PER_S     1e9
#define BYTES_PER_MB 1048576.0

/* Sums of some such numbers are still less than 2^63. */
#define WHOLE_MAX 1e17

#define MOMENT_MAX_S 9e9

static const char *const value_names[SC_EXPORT_COUNT_] = {
#define X_NAME(name, text, unit) [SC_EXPORT_##name] = (text),
    SC_EXPORT_VALUES(X_NAME)
#undef X_NAME
};

static const enum sc_export_unit value_units[SC_EXPORT_COUNT_] = {
#define X_UNIT(name, text, unit) [SC_EXPORT_##name] = (unit),
    SC_EXPORT_VALUES(X_UNIT)
#undef X_UNIT
};

/* Texts are those of the table, so that equal ones are one. */
struct function_key {
    const char *name;
    const char *path;
    uint64_t kind;
};

_Static_assert((int)SC_EXPORT_COUNT_ - (int)SC_EXPORT_BLOCKED_IO == (int)SC_WAIT_COUNT_,
               "each wait has a value");

/* The first values are those of the stacks. */
static const enum sc_stack_list lists[] = {
    [SC_EXPORT_TIME] = SC_STACKS_TIME,        [SC_EXPORT_WAITING] = SC_STACKS_WAITING,
    [SC_EXPORT_ALLOCATED] = SC_STACKS_MEMORY, [SC_EXPORT_AT_PEAK] = SC_STACKS_AT_PEAK,
    [SC_EXPORT_AT_EXIT] = SC_STACKS_AT_EXIT,
};
enum { STACK_VALUES = sizeof(lists) / sizeof(lists[0]) };

const char *sc_export_value_name(const struct sc_export_samples *samples,
                                 enum sc_export_value value)
{
    if (samples->names[value] != NULL)
        return samples->names[value];
    return value == SC_EXPORT_TIME && !samples->is_timed ? "samples" : value_names[value];
}

enum sc_export_unit sc_export_value_unit(const struct sc_export_samples *samples,
                                         enum sc_export_value value)
{
    return value == SC_EXPORT_TIME && !samples->is_timed ? SC_EXPORT_SAMPLES : value_units[value];
}

const char *sc_export_unit_name(enum sc_export_unit unit)
{
    return unit == SC_EXPORT_NS ? "nanoseconds" : unit == SC_EXPORT_BYTES ? "bytes" : "count";
}

int64_t sc_export_whole(double number)
{
    return number > 0 ? (int64_t)llround(fmin(number, WHOLE_MAX)) : 0;
}

uint64_t sc_export_moment_ns(double moment_s)
{
    return moment_s > 0 ? (uint64_t)(fmin(moment_s, MOMENT_MAX_S) * NS_PER_S) : 0;
}

int64_t sc_export_self(const struct sc_export_samples *samples, enum sc_export_value value,
                       uint32_t node)
{
    return samples->self[value] != NULL ? sc_export_whole(samples->self[value][node]) : 0;
}

void sc_export_stack_of(const struct sc_export_samples *samples, uint32_t node,
                        struct sc_export_stack *ret_frames)
{
    ret_frames->count = 0;
    for (; node != 0; node = samples->nodes.items[node].parent)
        sc_vec_push(ret_frames, samples->nodes.items[node].frame);
    for (size_t i = 0; i < ret_frames->count / 2; i++) {
        uint32_t inner = ret_frames->items[i];
        ret_frames->items[i] = ret_frames->items[ret_frames->count - 1 - i];
        ret_frames->items[ret_frames->count - 1 - i] = inner;
    }
}

const char *sc_export_text(struct sc_intern *texts, const char *text)
{
    SC_AUTO(sc_str_done) struct sc_str shown = {0};
    sc_visible_add(&shown, text, strlen(text), SC_VISIBLE_LINE);
    return sc_intern_keep(texts, sc_str_text(&shown));
}

/* "name (place)", as one of the table's texts; native functions that are not known are named by
 * their module already. */
static const char *shown_as(struct sc_export_samples *samples, const char *name, const char *place)
{
    SC_AUTO_FREE char *both =
        place[0] == '\0' || sc_starts_with(name, place) ? NULL : sc_format("%s (%s)", name, place);
    return both != NULL ? sc_intern_keep(&samples->texts, both) : name;
}

/* A function's file as people know it. Owned. */
static char *place_of(const struct sc_export_samples *samples, const char *path,
                      enum sc_frame_kind kind)
{
    bool is_python = kind == SC_FRAME_PYTHON || kind == SC_FRAME_LIBRARY;
    return is_python ? sc_shown_name(samples->profile, path) : sc_strdup(sc_after_last(path, '/'));
}

static uint32_t add_function(struct sc_export_samples *samples, const char *name, const char *path,
                             enum sc_frame_kind kind)
{
    name = sc_export_text(&samples->texts, name[0] != '\0' ? name : "(unknown)");
    const char *shown_path = sc_export_text(&samples->texts, path);
    const struct function_key key = {name, shown_path, kind};
    uint32_t index = sc_intern_add(&samples->function_index, (const char *)&key, sizeof(key));
    if (index == samples->functions.count) {
        SC_AUTO_FREE char *place = place_of(samples, shown_path, kind);
        sc_vec_push(
            &samples->functions,
            (struct sc_export_function){name, shown_path, shown_as(samples, name, place), kind});
    }
    return index;
}

static void add_frame(struct sc_export_samples *samples, uint32_t function, uint32_t line)
{
    const struct sc_export_function *of = &samples->functions.items[function];
    const char *shown = of->shown;
    if (line > 0 && of->path[0] != '\0') {
        SC_AUTO_FREE char *place = place_of(samples, of->path, of->kind);
        SC_AUTO_FREE char *with_line = sc_format("%s:%u", place, line);
        shown = shown_as(samples, of->name, with_line);
    }
    sc_vec_push(&samples->frames, (struct sc_export_frame){function, line, shown, false});
}

/* The frames and nodes of the stacks keep their numbers. */
static void add_stacks(struct sc_export_samples *samples)
{
    const struct sc_stacks *stacks = &samples->stacks;
    const struct sc_trie *trie = &stacks->tries[SC_GRAIN_LINE];
    SC_EACH(const struct sc_frame, frame, &stacks->frames) {
        uint32_t function = add_function(samples, sc_intern_text(&stacks->texts, frame->name),
                                         sc_intern_text(&stacks->texts, frame->path), frame->kind);
        add_frame(samples, function, frame->line);
    }
    for (size_t i = 0; i < trie->nodes.count; i++)
        sc_vec_push(&samples->nodes, (struct sc_export_node){trie->nodes.items[i].parent,
                                                             trie->nodes.items[i].frame, false});
}

static void add_value(struct sc_export_samples *samples, enum sc_export_value value, uint32_t node,
                      double amount)
{
    enum sc_export_unit unit = sc_export_value_unit(samples, value);
    if (!(amount > 0) || !isfinite(amount))
        return;
    if (samples->self[value] == NULL)
        samples->self[value] = sc_alloc(samples->room, sizeof(double));
    samples->self[value][node] += amount * (unit == SC_EXPORT_NS      ? NS_PER_S
                                            : unit == SC_EXPORT_BYTES ? BYTES_PER_MB
                                                                      : 1);
}

static double of_line(enum sc_export_value value, const struct sc_cost *cost,
                      const struct sc_profile *profile, double total_s)
{
    switch (value) {
    case SC_EXPORT_TIME:
        return total_s / 100 *
               (cost->cpu_python_percent + cost->cpu_native_percent + cost->system_percent);
    case SC_EXPORT_WAITING:
        return sc_time_waiting(cost->time_s);
    case SC_EXPORT_ALLOCATED:
        return cost->malloc_mb;
    case SC_EXPORT_AT_PEAK:
        return cost->live_at_peak_mb;
    case SC_EXPORT_AT_EXIT:
        return cost->live_at_exit_mb;
    case SC_EXPORT_COPIED:
        return cost->copy_mb_s * profile->elapsed_s;
    case SC_EXPORT_GPU:
        return cost->gpu_s;
    default:
        return cost->wait_s[value - SC_EXPORT_BLOCKED_IO];
    }
}

/* What 100 % of time is. */
static double total_s_of(const struct sc_profile *profile)
{
    double total_s = sc_time_sum(profile->time_s);
    return total_s > 0 ? total_s : profile->elapsed_s;
}

/* has_stacks: which values the stacks have. */
static void add_line(struct sc_export_samples *samples, const struct sc_file *file,
                     const struct sc_line *line, const bool has_stacks[SC_EXPORT_COUNT_],
                     double total_s)
{
    uint32_t node = 0;
    for (int i = 0; i < SC_EXPORT_COUNT_; i++) {
        double amount = has_stacks[i] ? 0
                                      : of_line((enum sc_export_value)i, &line->cost,
                                                samples->profile, total_s);
        if (!(amount > 0))
            continue;
        if (node == 0) {
            const struct sc_function *around = sc_function_around(file, line->lineno, "");
            uint32_t function = add_function(samples, around != NULL ? around->name : "<module>",
                                             file->name, SC_FRAME_PYTHON);
            node = (uint32_t)samples->nodes.count;
            sc_vec_push(&samples->nodes,
                        (struct sc_export_node){0, (uint32_t)samples->frames.count, true});
            add_frame(samples, function, line->lineno);
        }
        add_value(samples, (enum sc_export_value)i, node, amount);
    }
}

void sc_export_samples_init(struct sc_export_samples *samples, const struct sc_profile *profile)
{
    bool has_stacks[SC_EXPORT_COUNT_] = {false};
    *samples = (struct sc_export_samples){
        .profile = profile,
        .service = profile->program != NULL ? sc_after_last(profile->program, '/') : "",
        .begin_s = profile->start_time_absolute_s,
        .span_s = fmax(profile->elapsed_s, profile->span_s),
        .period_name = "time",
        .period_unit = SC_EXPORT_NS};
    sc_stacks_init(&samples->stacks, profile);
    samples->is_timed = samples->stacks.is_timed;
    add_stacks(samples);
    samples->room = samples->nodes.count;
    for (size_t i = 0; i < profile->files.count; i++)
        samples->room += profile->files.items[i].lines.count;
    for (int value = 0; value < STACK_VALUES; value++) {
        const enum sc_stack_list list = lists[value];
        for (size_t i = 0; i < samples->stacks.lists[list].count; i++)
            add_value(samples, (enum sc_export_value)value,
                      samples->stacks.lists[list].items[i].node,
                      samples->stacks.lists[list].items[i].weight);
        has_stacks[value] = samples->self[value] != NULL;
    }
    samples->is_timed |= !has_stacks[SC_EXPORT_TIME];
    double total_s = total_s_of(profile);
    SC_EACH(const struct sc_file, file, &profile->files) {
        for (size_t k = 0; k < file->lines.count; k++)
            add_line(samples, file, &file->lines.items[k], has_stacks, total_s);
    }
    for (size_t i = 1; i < samples->nodes.count; i++)
        samples->frames.items[samples->nodes.items[i].frame].is_used = true;
}

void sc_export_samples_done(struct sc_export_samples *samples)
{
    for (int i = 0; i < SC_EXPORT_COUNT_; i++)
        free(samples->self[i]);
    sc_vec_done(&samples->functions);
    sc_vec_done(&samples->frames);
    sc_vec_done(&samples->nodes);
    sc_stacks_done(&samples->stacks);
    sc_intern_done(&samples->texts);
    sc_intern_done(&samples->function_index);
}
