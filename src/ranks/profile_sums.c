/* ranks/profile_sums.c - see profile_sums.h. SPDX-License-Identifier: Apache-2.0 */
#include "ranks/profile_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "profile/labels.h"
#include "report/name.h"

/* As in the profile of one run. */
#define THREADS_MAX   1000U
#define PROCESSES_MAX 1000U
#define HIDDEN_MAX    20U

/* Profiles may come from anywhere. */
#define FILES_MAX 10000U
#define NOTES_MAX 20U

static char *copy_of(const char *text)
{
    return text != NULL ? sc_strdup(text) : NULL;
}

static bool is_equal(const char *one, const char *other)
{
    return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

uint32_t sc_profile_sums_file(const struct sc_profile_sums *sums, const struct sc_profile *profile,
                              const char *name)
{
    SC_AUTO_FREE char *shown = sc_shown_name(profile, name);
    return sc_intern_find(&sums->names, shown, strlen(shown));
}

/* -------- files -------- */

static struct sc_file *file_of(struct sc_profile_sums *sums, const struct sc_profile *profile,
                               const char *name)
{
    SC_AUTO_FREE char *shown = sc_shown_name(profile, name);
    uint32_t known = sums->names.count;
    uint32_t at = sc_intern_find(&sums->names, shown, strlen(shown));
    if (at != SC_NONE)
        return &sums->profile.files.items[at];
    if (known >= FILES_MAX)
        return NULL;
    (void)sc_intern_add(&sums->names, shown, strlen(shown));
    sc_vec_push(&sums->profile.files, (struct sc_file){.name = sc_strdup(name)});
    return &sums->profile.files.items[known];
}

static void add_lines(struct sc_profile_sums *sums, struct sc_file *to, const struct sc_file *from,
                      const struct sc_cost_whole *whole)
{
    for (size_t i = 0; i < from->lines.count; i++) {
        const struct sc_line *line = &from->lines.items[i];
        if (i == to->lines.count) {
            struct sc_line made = *line;
            made.text = sc_strdup(line->text);
            made.cost = (struct sc_cost){0};
            sc_vec_push(&to->lines, made);
        }
        struct sc_line *sum = &to->lines.items[i];
        if (sum->lineno != line->lineno)
            return; /* records that are not one for each line: not ours */
        if (strcmp(sum->text, line->text) != 0) {
            if (sums->other_lines++ == 0)
                sums->first_other = sc_strdup(to->name);
        }
        sc_cost_sum_add(&sum->cost, &line->cost, whole);
    }
}

static struct sc_function *function_of(struct sc_profile_sums *sums, struct sc_file *file,
                                       const struct sc_function *from)
{
    const char *name = sc_intern_keep(&sums->profile.texts, from->name);
    uint64_t at = (uint64_t)(file - sums->profile.files.items);
    uint64_t key = sc_mix(sc_mix(at, from->lineno), (uintptr_t)name);
    uint32_t known = sc_map_get(&sums->functions, key);
    if (known != SC_NONE)
        return &file->functions.items[known];
    sc_map_put(&sums->functions, key, (uint32_t)file->functions.count);
    sc_vec_push(&file->functions,
                (struct sc_function){.name = sc_strdup(from->name), .lineno = from->lineno});
    return &file->functions.items[file->functions.count - 1];
}

static void add_leaks(struct sc_file *to, const struct sc_file *from)
{
    SC_EACH(const struct sc_leak, leak, &from->leaks) {
        size_t at = 0;
        while (at < to->leaks.count && to->leaks.items[at].lineno != leak->lineno)
            at++;
        if (at == to->leaks.count)
            sc_vec_push(&to->leaks, (struct sc_leak){.lineno = leak->lineno});
        struct sc_leak *sum = &to->leaks.items[at];
        sum->likelihood = fmax(sum->likelihood, leak->likelihood);
        sum->velocity_mb_s += leak->velocity_mb_s;
    }
}

static void add_file(struct sc_profile_sums *sums, const struct sc_profile *profile,
                     const struct sc_file *from, const struct sc_cost_whole *whole)
{
    struct sc_file *to = file_of(sums, profile, from->name);
    if (to == NULL)
        return;
    if (to->imports.count == 0) {
        for (size_t i = 0; i < from->imports.count; i++)
            sc_vec_push(&to->imports, sc_strdup(from->imports.items[i]));
    }
    to->percent_cpu_time += from->percent_cpu_time * whole->time_s;
    to->source_changed |= from->source_changed;
    add_lines(sums, to, from, whole);
    SC_EACH(const struct sc_function, function, &from->functions)
        sc_cost_sum_add(&function_of(sums, to, function)->cost, &function->cost, whole);
    add_leaks(to, from);
}

/* -------- the run -------- */

static void add_thread(struct sc_profile *sum, const struct sc_thread *from, const char *name)
{
    struct sc_thread *to = NULL;
    if (sum->threads.count < THREADS_MAX) {
        sc_vec_push(&sum->threads, *from);
        to = &sum->threads.items[sum->threads.count - 1];
        to->name = sc_format("%s: %s", name, from->name);
        return;
    }
    to = &sum->threads.items[THREADS_MAX - 1]; /* sums up all that are left */
    free(to->name);
    to->name = sc_strdup("other threads");
    to->tid = to->pid = to->python_ident = 0;
    to->is_main = false;
    to->has_python |= from->has_python;
    to->cpu_s += from->cpu_s;
    to->samples += from->samples;
    for (size_t i = 0; i < SC_TIME_COUNT_; i++)
        to->time_s[i] += from->time_s[i];
    for (size_t i = 0; i < SC_WAIT_COUNT_; i++)
        to->wait_s[i] += from->wait_s[i];
    sum->threads_ended++;
}

static void add_processes(struct sc_profile *sum, const struct sc_profile *from, const char *name)
{
    size_t others = sum->processes.count;
    for (size_t i = 0; i < from->threads.count; i++)
        add_thread(sum, &from->threads.items[i], name);
    for (size_t i = 0; i < from->processes.count && sum->processes.count < PROCESSES_MAX; i++) {
        struct sc_process_cost process = from->processes.items[i];
        /* ranks in containers of their own may have the same numbers */
        if (!sc_profile_has_process(from, from->processes.count, process.parent_pid) ||
            sc_profile_has_process(sum, others, process.pid) ||
            sc_profile_has_process(sum, others, process.parent_pid))
            process.parent_pid = 0;
        process.command = sc_format("%s: %s", name, process.command);
        process.exit_kind = copy_of(process.exit_kind);
        sc_vec_push(&sum->processes, process);
    }
}

/* Each sentence once. */
static void add_notes(struct sc_profile *sum, const struct sc_profile *from)
{
    for (size_t i = 0; i < from->notes.count && sum->notes.count < NOTES_MAX; i++) {
        size_t at = 0;
        while (at < sum->notes.count && strcmp(sum->notes.items[at], from->notes.items[i]) != 0)
            at++;
        if (at == sum->notes.count)
            sc_vec_push(&sum->notes, sc_strdup(from->notes.items[i]));
    }
}

/* The whole is as long as the longest, and has measured what any has. */
static void cover(struct sc_profile *sum, const struct sc_profile *from)
{
    sum->elapsed_s = fmax(sum->elapsed_s, from->elapsed_s);
    sum->span_s = fmax(sum->span_s, from->span_s);
    sum->memory |= from->memory;
    sum->async_profile |= from->async_profile;
    sum->gpu |= from->gpu;
}

static void add_numbers(struct sc_profile *sum, const struct sc_profile *from)
{
    static const size_t added[] = {
#define MEMBER(member) offsetof(struct sc_profile, member)
        MEMBER(max_footprint_mb),
        MEMBER(native_allocations_mb),
        MEMBER(handler_cpu_s),
        MEMBER(observer_cpu_s),
        MEMBER(target_cpu_s),
        MEMBER(gc_s),
        MEMBER(freeing_s),
        MEMBER(importing_s),
        MEMBER(ending_s),
        MEMBER(await_s),
        MEMBER(allocated_mb),
        MEMBER(churn_mb),
        MEMBER(copied_mb),
        MEMBER(live_at_exit_mb),
        MEMBER(memory_lost_mb),
        MEMBER(unaccounted_mb),
        MEMBER(max_rss_mb),
        MEMBER(native_threads_cpu_s),
        MEMBER(gpu_kernel_s),
        MEMBER(gpu_copy_s),
        MEMBER(gpu_traced_s),
        MEMBER(gpu_busy_s),
        MEMBER(gpu_peak_mb),
        MEMBER(neuron_total_time_ms),
        MEMBER(neuron_total_nc_time_ms),
#undef MEMBER
    };
    for (size_t i = 0; i < sizeof(added) / sizeof(added[0]); i++) {
        double *to = (double *)(void *)((char *)sum + added[i]);
        *to += *(const double *)(const void *)((const char *)from + added[i]);
    }
    for (size_t i = 0; i < SC_TIME_COUNT_; i++)
        sum->time_s[i] += from->time_s[i];
    for (size_t i = 0; i < SC_WAIT_COUNT_; i++)
        sum->wait_s[i] += from->wait_s[i];
    for (size_t i = 0; i < SC_LOSS_COUNT_; i++)
        sum->losses[i] += from->losses[i];
    sum->max_footprint_python_fraction +=
        from->max_footprint_python_fraction * from->max_footprint_mb; /* MB, until complete */
    sum->alloc_samples += from->alloc_samples;
    sum->samples_taken += from->samples_taken;
    sum->samples_waiting += from->samples_waiting;
    sum->threads_ended += from->threads_ended;
    sum->neuron_event_count += from->neuron_event_count;
    sum->max_footprint_allocated_mb += from->max_footprint_allocated_mb > 0.0
                                           ? from->max_footprint_allocated_mb
                                           : from->max_footprint_mb;
    /* squares, until the sum is complete */
    sum->max_footprint_error_mb += from->max_footprint_error_mb * from->max_footprint_error_mb;
    sum->live_at_exit_error_mb += from->live_at_exit_error_mb * from->live_at_exit_error_mb;
    sum->interval_s += from->interval_s; /* the mean, in the end */
    cover(sum, from);
}

/* What is the same on all ranks, by the first one. */
static void begin(struct sc_profile *sum, const struct sc_profile *from)
{
    sum->program = copy_of(from->program);
    sum->entrypoint_dir = copy_of(from->entrypoint_dir);
    sum->root_dir = copy_of(from->root_dir);
    sum->args_known = from->args_known;
    for (size_t i = 0; i < from->args.count; i++)
        sc_vec_push(&sum->args, sc_strdup(from->args.items[i]));
    sum->written_by = copy_of(from->written_by);
    sum->python_version = copy_of(from->python_version);
    sum->mode = copy_of(from->mode);
    sum->command_mark = copy_of(from->command_mark);
    sum->main_thread_id = from->main_thread_id;
    sum->start_time_absolute_s = from->start_time_absolute_s;
    sum->start_time_perf_s = from->start_time_perf_s;
    sc_labels_copy(&sum->labels, &from->labels);
}

/* Not all ranks need have used a GPU. */
static void add_gpu(struct sc_profile *sum, const struct sc_profile *from)
{
    if (sum->gpu_device == NULL || sum->gpu_device[0] == '\0') {
        free(sum->gpu_device);
        sum->gpu_device = copy_of(from->gpu_device);
    }
    if (sum->gpu_trace == NULL)
        sum->gpu_trace = copy_of(from->gpu_trace);
}

/* Their shares are times until the sum is complete. */
static void add_hidden(struct sc_profile *sum, const struct sc_profile *from, double time_s)
{
    SC_EACH(const struct sc_hidden_file, file, &from->hidden_files) {
        size_t at = 0;
        while (at < sum->hidden_files.count &&
               (strcmp(sum->hidden_files.items[at].name, file->name) != 0 ||
                !is_equal(sum->hidden_files.items[at].reason, file->reason)))
            at++;
        if (at == FILES_MAX)
            continue;
        if (at == sum->hidden_files.count)
            sc_vec_push(&sum->hidden_files,
                        (struct sc_hidden_file){.name = sc_strdup(file->name),
                                                .reason = copy_of(file->reason)});
        sum->hidden_files.items[at].percent += file->percent * time_s;
    }
}

SC_ORDERED_BY(by_percent, struct sc_hidden_file, SC_FALLING(percent), strcmp(a->name, b->name));

static void finish_hidden(struct sc_profile *sum, double time_s)
{
    SC_EACH(struct sc_hidden_file, file, &sum->hidden_files)
        file->percent = time_s > 0.0 ? file->percent / time_s : 0.0;
    sc_vec_sort(&sum->hidden_files, by_percent);
    while (sum->hidden_files.count > HIDDEN_MAX) {
        struct sc_hidden_file last = sum->hidden_files.items[--sum->hidden_files.count];
        free(last.name);
        free(last.reason);
    }
}

/* Labels that ranks differ in are no labels of the sum. */
static void keep_common_labels(struct sc_labels *labels, const struct sc_labels *others)
{
    size_t kept = 0;
    for (size_t i = 0; i < labels->count; i++) {
        struct sc_label label = labels->items[i];
        const char *other = sc_label_of(others, label.name);
        if (other != NULL && strcmp(other, label.value) == 0) {
            labels->items[kept++] = label;
            continue;
        }
        free(label.name);
        free(label.value);
    }
    labels->count = kept;
}

static void add_ending(struct sc_profile *sum, const struct sc_profile *from)
{
    SC_AUTO_FREE char *bad = sc_profile_ending(sum);
    SC_AUTO_FREE char *other = sc_profile_ending(from);
    if (bad != NULL || (sum->exit_kind != NULL && other == NULL))
        return;
    free(sum->exit_kind);
    sum->exit_kind = copy_of(from->exit_kind);
    sum->exit_value = from->exit_value;
}

struct naming {
    const struct sc_profile_sums *sums;
    const struct sc_profile *profile;
};

static const char *name_in_sum(void *context, const char *name)
{
    const struct naming *naming = context;
    uint32_t at = sc_profile_sums_file(naming->sums, naming->profile, name);
    return at != SC_NONE ? naming->sums->profile.files.items[at].name : name;
}

void sc_profile_sums_add(struct sc_profile_sums *sums, const struct sc_profile *profile,
                         const char *name)
{
    struct sc_profile *sum = &sums->profile;
    struct sc_cost_whole whole = {.time_s = sc_time_sum(profile->time_s),
                                  .await_s = profile->await_s,
                                  .elapsed_s = profile->elapsed_s,
                                  .neuron_ms = profile->neuron_total_time_ms,
                                  .allocated_mb = profile->allocated_mb};
    struct naming naming = {sums, profile};
    if (sums->count++ == 0) {
        begin(sum, profile);
    } else {
        keep_common_labels(&sum->labels, &profile->labels);
        sums->has_other_versions |= !is_equal(sum->written_by, profile->written_by) ||
                                    !is_equal(sum->python_version, profile->python_version);
        sums->has_other_modes |= !is_equal(sum->mode, profile->mode);
    }
    sums->with_memory += profile->memory;
    add_ending(sum, profile);
    add_numbers(sum, profile);
    for (size_t i = 0; i < profile->files.count; i++)
        add_file(sums, profile, &profile->files.items[i], &whole);
    sc_call_sums_add(&sums->calls, sum, profile, name_in_sum, &naming);
    add_gpu(sum, profile);
    add_hidden(sum, profile, whole.time_s);
    add_processes(sum, profile, name);
    add_notes(sum, profile);
}

SC_ORDERED_BY(by_name, struct sc_file, strcmp(a->name, b->name));

void sc_profile_sums_finish(struct sc_profile_sums *sums)
{
    struct sc_profile *sum = &sums->profile;
    sums->whole = (struct sc_cost_whole){.time_s = sc_time_sum(sum->time_s),
                                         .await_s = sum->await_s,
                                         .elapsed_s = sum->elapsed_s,
                                         .neuron_ms = sum->neuron_total_time_ms,
                                         .allocated_mb = sum->allocated_mb};
    sc_call_sums_finish(&sums->calls, sum);
    sum->interval_s /= sums->count > 0 ? sums->count : 1;
    finish_hidden(sum, sums->whole.time_s);
    if (sum->max_footprint_mb > 0.0)
        sum->max_footprint_python_fraction /= sum->max_footprint_mb;
    if (sum->allocated_mb > 0.0)
        sum->growth_rate = 100.0 * sum->live_at_exit_mb / sum->allocated_mb;
    sum->max_footprint_error_mb = sqrt(sum->max_footprint_error_mb);
    sum->live_at_exit_error_mb = sqrt(sum->live_at_exit_error_mb);
    if (sum->max_footprint_allocated_mb <= sum->max_footprint_mb)
        sum->max_footprint_allocated_mb = 0.0;
    SC_EACH(struct sc_file, file, &sum->files) {
        file->percent_cpu_time =
            sums->whole.time_s > 0.0 ? file->percent_cpu_time / sums->whole.time_s : 0.0;
        for (size_t k = 0; k < file->lines.count; k++)
            sc_cost_sum_finish(&file->lines.items[k].cost, &sums->whole);
        for (size_t k = 0; k < file->functions.count; k++)
            sc_cost_sum_finish(&file->functions.items[k].cost, &sums->whole);
    }
    if (sum->files.count > 1) /* by now nothing needs their order any more */
        qsort(sum->files.items, sum->files.count, sizeof(*sum->files.items), by_name);
}

void sc_profile_sums_done(struct sc_profile_sums *sums)
{
    sc_profile_done(&sums->profile);
    sc_call_sums_done(&sums->calls);
    sc_intern_done(&sums->names);
    sc_map_done(&sums->functions);
    free(sums->first_other);
}
