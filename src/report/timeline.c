/* report/timeline.c - see timeline.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/timeline.h"

#include <math.h>

#include "base/sort.h"

/* Ours have 4,096 runs at most, the original's 100,000. */
#define RUNS_MAX    20000000U
#define THREADS_MAX 1000U

/* No run is longer than a century. */
#define TIME_MAX_S 3e9

/* A run's start may be recorded this much too early, or the start of a run this short too late. */
#define SHIFT_MAX_S 0.02

struct reader {
    struct sc_timeline_view *view;
    const struct sc_profile *profile;
    struct sc_map threads; /* mix(thread's number) -> thread */
    uint64_t last_number;
    uint32_t last; /* its thread */
};

static bool has_processes(const struct sc_profile *profile)
{
    for (size_t i = 1; i < profile->threads.count; i++) {
        if (profile->threads.items[i].pid != profile->threads.items[0].pid)
            return true;
    }
    return false;
}

/* The thread's entry in the profile; NULL when it has none. */
static const struct sc_thread *find_thread(const struct sc_profile *profile, uint64_t number)
{
    const struct sc_thread *found = NULL;
    SC_EACH(const struct sc_thread, thread, &profile->threads) {
        if (thread->tid == number)
            return thread;
        if (thread->python_ident == number && found == NULL)
            found = thread;
    }
    return found;
}

static void name_thread(const struct sc_profile *profile, struct sc_timeline_thread *thread)
{
    const struct sc_thread *entry = find_thread(profile, thread->number);
    unsigned long long number = thread->number;
    thread->is_main = number == profile->main_thread_id || (entry != NULL && entry->is_main);
    bool has_name = entry != NULL && entry->name != NULL && entry->name[0] != '\0';
    const char *name = has_name ? entry->name : thread->is_main ? "MainThread" : NULL;
    if (name == NULL && number == SC_NO_NUMBER)
        thread->name = sc_strdup("thread not known");
    else if (name == NULL)
        thread->name = sc_format("thread %llu", number);
    else if (entry != NULL && entry->pid != 0 && has_processes(profile))
        thread->name = sc_format("%llu %s", (unsigned long long)entry->pid, name);
    else
        thread->name = sc_strdup(name);
    if (entry != NULL && entry->tid != 0)
        thread->id =
            sc_format("%llu:%llu", (unsigned long long)entry->pid, (unsigned long long)entry->tid);
    else
        thread->id = sc_format("%llu", number);
}

static uint32_t thread_of(struct reader *reader, uint64_t number)
{
    struct sc_timeline_view *view = reader->view;
    if (view->threads.count > 0 && reader->last_number == number)
        return reader->last;
    uint32_t at = sc_map_get(&reader->threads, number);
    if (at == SC_NONE && view->threads.count < THREADS_MAX) {
        struct sc_timeline_thread thread = {.number = number};
        name_thread(reader->profile, &thread);
        at = (uint32_t)view->threads.count;
        sc_map_put(&reader->threads, number, at);
        sc_vec_push(&view->threads, thread);
    } else if (at == SC_NONE) { /* all further ones are shown as the last */
        at = THREADS_MAX - 1;
        free(view->threads.items[at].name);
        view->threads.items[at].name = sc_strdup("other threads");
    }
    reader->last_number = number;
    reader->last = at;
    return at;
}

static void add_run(struct reader *reader, double start_s, uint32_t stack, double count,
                    uint64_t thread)
{
    struct sc_timeline_view *view = reader->view;
    if (!(start_s >= 0 && start_s <= TIME_MAX_S && count > 0 && count <= 1e15) ||
        stack >= view->stacks->lists[SC_STACKS_TIME].count)
        return;
    if (view->run_count >= RUNS_MAX) {
        view->is_cut = true;
        return;
    }
    uint32_t at = thread_of(reader, thread);
    struct sc_run run = {
        .start_s = start_s, .weight = count * view->stacks->count_s, .stack = stack};
    sc_vec_push(&view->threads.items[at].runs, run);
    view->threads.items[at].weight += run.weight;
    view->run_count++;
}

static void add_runs(struct reader *reader)
{
    const struct sc_profile *profile = reader->profile;
    double first_s = fmax(profile->timeline_start_s, 0);
    SC_EACH(const struct sc_stack_run, run, &profile->combined_stacks_timeline)
        add_run(reader, run->start_s + first_s, run->stack, (double)run->count,
                run->tid > 0 ? run->tid : run->thread);
}

static void add_call_runs(struct reader *reader)
{
    SC_EACH(const struct sc_call_run, run, &reader->profile->call_timeline)
        if (run->call > 0)
            add_run(reader, run->start_s, run->call - 1, run->length_s, run->tid);
}

SC_ORDERED_BY(by_start, struct sc_run, SC_RISING(start_s));

SC_ORDERED_BY(by_rank, struct sc_timeline_thread, SC_FALLING(is_main), SC_FALLING(weight),
              SC_RISING(number));

static bool is_sorted(const struct sc_timeline_thread *thread)
{
    for (size_t i = 1; i < thread->runs.count; i++) {
        if (thread->runs.items[i].start_s < thread->runs.items[i - 1].start_s)
            return false;
    }
    return true;
}

/* Makes the runs of a thread follow each other, as a thread is at one place at a time. What is
 * known late, such as how long the thread was without a CPU, is recorded at the end of a tick, when
 * the thread may already be in its next run: such a short run lies at the beginning of a longer
 * one, and is moved before it. A run that begins a little too early is moved to the end of the one
 * before. None is moved beyond where the next one starts: runs are in order of their starts, before
 * and afterwards. */
static void lay_out(struct sc_timeline_thread *thread)
{
    for (size_t i = 1; i < thread->runs.count; i++) {
        struct sc_run *before = &thread->runs.items[i - 1];
        struct sc_run *run = &thread->runs.items[i];
        double end_s = before->start_s + before->weight;
        double next_s = i + 1 < thread->runs.count ? run[1].start_s : INFINITY;
        if (run->start_s >= end_s)
            continue;
        if (run->weight <= SHIFT_MAX_S && run->start_s - before->start_s <= SHIFT_MAX_S &&
            run->start_s + run->weight <= end_s && before->start_s + run->weight <= next_s) {
            struct sc_run within = *run;
            within.start_s = before->start_s;
            *run = *before;
            run->start_s += within.weight;
            *before = within;
        } else if (end_s - run->start_s <= fmin(SHIFT_MAX_S, run->weight / 4) && end_s <= next_s) {
            run->start_s = end_s;
        }
    }
}

/* A run lasts as long as its weight, but not beyond the start of the thread's next run. Where the
 * weight is not in seconds it lasts until that start, and the last one until the end of the run. */
static void set_ends(struct sc_timeline_thread *thread, bool is_timed, double span_s)
{
    if (is_timed)
        lay_out(thread);
    for (size_t i = 0; i < thread->runs.count; i++) {
        struct sc_run *run = &thread->runs.items[i];
        bool is_last = i + 1 == thread->runs.count;
        double next_s = is_last ? INFINITY : run[1].start_s;
        if (is_timed)
            run->end_s = fmin(next_s, run->start_s + run->weight);
        else if (!is_last)
            run->end_s = next_s;
        else
            run->end_s = fmax(run->start_s, span_s);
    }
}

static void find_marks(struct sc_timeline_view *view)
{
    size_t count = view->stacks->lists[SC_STACKS_TIME].count;
    unsigned char unknown = 0; /* tracks that have to be guessed */
    for (int track = 0; track < SC_TRACK_COUNT_; track++) {
        view->has_track[track] = view->curves[track].shares.count > 0;
        unknown |= (unsigned char)((view->curves[track].is_there ? 0 : 1) << track);
    }
    SC_AUTO_FREE unsigned char *of_node = sc_stack_marks(view->stacks);
    view->marks = sc_alloc(count + 1, 1);
    for (size_t i = 0; i < count; i++)
        view->marks[i] = of_node[view->stacks->lists[SC_STACKS_TIME].items[i].node] & unknown;
    SC_EACH(const struct sc_timeline_thread, thread, &view->threads) {
        for (size_t k = 0; k < thread->runs.count; k++) {
            for (int track = 0; track < SC_TRACK_COUNT_; track++)
                view->has_track[track] |= (view->marks[thread->runs.items[k].stack] >> track) & 1;
        }
    }
}

void sc_timeline_view_init(struct sc_timeline_view *view, const struct sc_profile *profile,
                           const struct sc_stacks *stacks)
{
    struct reader reader = {.view = view, .profile = profile};
    *view = (struct sc_timeline_view){.stacks = stacks};
    if (stacks->has_calls)
        add_call_runs(&reader);
    else
        add_runs(&reader);
    sc_track_curves_init(view->curves, profile);
    sc_map_done(&reader.threads);
    SC_EACH(struct sc_timeline_thread, thread, &view->threads) {
        if (!is_sorted(thread))
            qsort(thread->runs.items, thread->runs.count, sizeof(struct sc_run), by_start);
        set_ends(thread, stacks->is_timed, fmax(profile->elapsed_s, profile->span_s));
        for (size_t k = 0; k < thread->runs.count; k++)
            view->end_s = fmax(view->end_s, thread->runs.items[k].end_s);
    }
    sc_vec_sort(&view->threads, by_rank);
    find_marks(view);
}

void sc_timeline_view_done(struct sc_timeline_view *view)
{
    for (size_t i = 0; i < view->threads.count; i++) {
        free(view->threads.items[i].name);
        free(view->threads.items[i].id);
        sc_vec_done(&view->threads.items[i].runs);
    }
    sc_vec_done(&view->threads);
    sc_track_curves_done(view->curves);
    free(view->marks);
    view->marks = NULL;
}
