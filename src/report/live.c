/* report/live.c - see live.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "base/sort.h"
#include "base/utf8.h"
#include "report/name.h"
#include "report/number.h"

/* -------- rows: one of a profile is found in the other by what names it -------- */

#define TIME_MAX_S 1e9
#define MB_MAX     1e12
#define ROUNDED    1e-3 /* seconds or MB: less may be what numbers of a profile are rounded by */

/* How far a number of the whole run is from that of the interval. */
#define TO_ALL (SC_LIVE_ALL - SC_LIVE_NOW)

/* The rows of one profile, by the text that names each. */
struct found {
    struct sc_intern keys;
    struct sc_live_rows rows; /* row i has key i */
};

static double time_of(double seconds)
{
    return sc_clamp(seconds, 0.0, TIME_MAX_S);
}

/* The row of this key: a new one gets name and place, which are freed where there is one. */
static struct sc_live_row *row_of(struct found *found, const char *key, char *name, char *place)
{
    uint32_t id = sc_intern_add(&found->keys, key, strlen(key));
    if (id == found->rows.count) {
        sc_vec_push(&found->rows, (struct sc_live_row){.name = name, .place = place});
    } else {
        free(name);
        free(place);
    }
    return &found->rows.items[id];
}

static void add_times(struct sc_live_row *row, const double time_s[SC_TIME_COUNT_],
                      const double wait_s[SC_WAIT_COUNT_])
{
    static const enum sc_live_number kinds[SC_TIME_COUNT_] = {
        [SC_TIME_PYTHON] = SC_LIVE_ALL_PYTHON,
        [SC_TIME_NATIVE] = SC_LIVE_ALL_NATIVE,
        [SC_TIME_KERNEL] = SC_LIVE_ALL_SYSTEM,
        [SC_TIME_PARALLEL] = SC_LIVE_ALL_NATIVE,
        [SC_TIME_PREEMPTED_PYTHON] = SC_LIVE_ALL_PYTHON,
        [SC_TIME_PREEMPTED_NATIVE] = SC_LIVE_ALL_NATIVE,
        [SC_TIME_PREEMPTED_KERNEL] = SC_LIVE_ALL_SYSTEM,
        [SC_TIME_IO] = SC_LIVE_ALL_WAITING,
        [SC_TIME_SLEEP] = SC_LIVE_ALL_WAITING,
        [SC_TIME_OTHER_WAIT] = SC_LIVE_ALL_WAITING,
    };
    for (int i = 0; i < SC_TIME_COUNT_; i++) {
        row->numbers[kinds[i]] += time_of(time_s[i]);
        row->numbers[SC_LIVE_ALL] += time_of(time_s[i]);
    }
    row->numbers[SC_LIVE_ALL_GIL] += time_of(wait_s[SC_WAIT_GIL]);
}

static void add_cost(struct sc_live_row *row, const struct sc_cost *cost)
{
    add_times(row, cost->time_s, cost->wait_s);
    row->numbers[SC_LIVE_MEMORY_MB] += sc_clamp(cost->live_at_exit_mb, 0.0, MB_MAX);
    row->numbers[SC_LIVE_ALLOCATED_MB] += sc_clamp(cost->malloc_mb, 0.0, MB_MAX);
}

static bool costs(const struct sc_cost *cost)
{
    double sum_s = 0.0;
    for (int i = 0; i < SC_TIME_COUNT_; i++)
        sum_s += time_of(cost->time_s[i]);
    return sum_s > 0.0 || cost->wait_s[SC_WAIT_GIL] > 0.0 || cost->malloc_mb > 0.0;
}

/* What the lines of a file have cost outside of functions. */
static void add_module(const struct sc_profile *profile, const struct sc_file *file,
                       struct found *found)
{
    struct sc_live_row lines = {0};
    struct sc_live_row functions = {0};
    for (size_t i = 0; i < file->lines.count; i++)
        add_cost(&lines, &file->lines.items[i].cost);
    for (size_t i = 0; i < file->functions.count; i++)
        add_cost(&functions, &file->functions.items[i].cost);
    for (int i = SC_LIVE_ALL; i < SC_LIVE_NUMBER_COUNT_; i++)
        lines.numbers[i] = fmax(lines.numbers[i] - functions.numbers[i], 0.0);
    if (lines.numbers[SC_LIVE_ALL] < ROUNDED && lines.numbers[SC_LIVE_ALLOCATED_MB] < ROUNDED)
        return;
    SC_AUTO_FREE char *key = sc_format("%s\n", file->name);
    struct sc_live_row *row =
        row_of(found, key, sc_strdup("<module>"), sc_shown_name(profile, file->name));
    memcpy(row->numbers, lines.numbers, sizeof(row->numbers));
}

static void find_functions(const struct sc_profile *profile, struct found *found)
{
    SC_EACH(const struct sc_file, file, &profile->files) {
        add_module(profile, file, found);
        SC_AUTO_FREE char *shown = sc_shown_name(profile, file->name);
        SC_EACH(const struct sc_function, function, &file->functions) {
            if (!costs(&function->cost))
                continue;
            SC_AUTO_FREE char *key =
                sc_format("%s\n%s\n%u", file->name, function->name, function->lineno);
            add_cost(row_of(found, key, sc_strdup(function->name),
                            sc_format("%s:%u", shown, function->lineno)),
                     &function->cost);
        }
    }
}

/* The text of a line without the blanks around it. */
static char *text_of(const struct sc_line *line)
{
    const char *text = line->text != NULL ? line->text : "";
    text += strspn(text, " \t");
    size_t length = strcspn(text, "\r\n");
    return sc_strndup(text, length);
}

static void find_lines(const struct sc_profile *profile, struct found *found)
{
    SC_EACH(const struct sc_file, file, &profile->files) {
        SC_AUTO_FREE char *shown = sc_shown_name(profile, file->name);
        SC_EACH(const struct sc_line, line, &file->lines) {
            if (!costs(&line->cost))
                continue;
            SC_AUTO_FREE char *key = sc_format("%s\n%u", file->name, line->lineno);
            add_cost(row_of(found, key, sc_format("%s:%u", shown, line->lineno), text_of(line)),
                     &line->cost);
        }
    }
}

/* A thread's own time is what it was on a CPU, or ready for one, and what it waited. */
static void add_thread(struct sc_live_row *row, const struct sc_thread *thread)
{
    double time_s[SC_TIME_COUNT_];
    for (int i = 0; i < SC_TIME_COUNT_; i++)
        time_s[i] = sc_time_is_waiting((enum sc_time)i) ? 0.0 : thread->time_s[i];
    for (int i = 0; i < SC_WAIT_COUNT_; i++)
        time_s[SC_TIME_OTHER_WAIT] += time_of(thread->wait_s[i]);
    add_times(row, time_s, thread->wait_s);
}

static void find_threads(const struct sc_profile *profile, struct found *found)
{
    bool has_processes = profile->processes.count > 1;
    SC_EACH(const struct sc_thread, thread, &profile->threads) {
        bool is_named = thread->name != NULL && thread->name[0] != '\0';
        SC_AUTO_FREE char *key = sc_format("%llu %llu", (unsigned long long)thread->pid,
                                           (unsigned long long)thread->tid);
        char *place = has_processes ? sc_format("process %llu", (unsigned long long)thread->pid)
                                    : sc_strdup(thread->has_python ? "" : "native");
        char *name = sc_format("%llu %s", (unsigned long long)thread->tid,
                               is_named ? thread->name : "(no name)");
        add_thread(row_of(found, key, name, place), thread);
    }
}

static char *state_of(const struct sc_process_cost *process)
{
    const char *kind = process->exit_kind != NULL ? process->exit_kind : "end not seen";
    if (sc_is_among(kind, "exit signal"))
        return sc_format("%s %d", kind, process->exit_value);
    return sc_strdup(strcmp(kind, "exec") == 0 ? "became another program" : kind);
}

static void find_processes(const struct sc_profile *profile, struct found *found)
{
    SC_EACH(const struct sc_process_cost, process, &profile->processes) {
        SC_AUTO_FREE char *key = sc_format("%llu", (unsigned long long)process->pid);
        struct sc_live_row *row = row_of(
            found, key, sc_format("%s %s", key, process->command != NULL ? process->command : ""),
            state_of(process));
        row->numbers[SC_LIVE_ALL] += time_of(process->cpu_s);
        row->numbers[SC_LIVE_MEMORY_MB] = sc_clamp(process->max_rss_mb, 0.0, MB_MAX);
    }
}

/* A task's time is that it waited. */
static void find_tasks(const struct sc_profile *profile, struct found *found)
{
    SC_EACH(const struct sc_task_waits, task, &profile->task_lanes) {
        const struct sc_task_place *at = NULL;
        double wait_s = 0.0;
        SC_EACH(const struct sc_task_run, run, &task->runs) {
            wait_s += time_of(run->length_s);
            at = run->place >= 1 && run->place <= profile->task_places.count
                     ? &profile->task_places.items[run->place - 1]
                     : NULL;
        }
        SC_AUTO_FREE char *key = sc_format("%llu %s", (unsigned long long)task->pid, task->name);
        SC_AUTO_FREE char *shown =
            at != NULL && at->file != NULL ? sc_shown_name(profile, at->file) : NULL;
        char *place = shown != NULL ? sc_format("%s:%u %s", shown, at->lineno,
                                                at->function != NULL ? at->function : "")
                                    : sc_strdup("");
        row_of(found, key, sc_strdup(task->name), place)->numbers[SC_LIVE_ALL] += wait_s;
    }
}

static void find(const struct sc_profile *profile, enum sc_live_view view, struct found *found)
{
    static void (*const finders[SC_LIVE_VIEW_COUNT_])(const struct sc_profile *, struct found *) = {
        [SC_LIVE_FUNCTIONS] = find_functions, [SC_LIVE_LINES] = find_lines,
        [SC_LIVE_THREADS] = find_threads,     [SC_LIVE_PROCESSES] = find_processes,
        [SC_LIVE_TASKS] = find_tasks,
    };
    finders[view](profile, found);
}

static void found_done(struct found *found)
{
    sc_live_rows_done(&found->rows);
    sc_intern_done(&found->keys);
}

static void row_done(struct sc_live_row *row)
{
    free(row->name);
    free(row->place);
}

void sc_live_rows_done(struct sc_live_rows *rows)
{
    sc_vec_done_each(rows, row_done);
}

/* All rows that have cost something, in the order of the profile. before: NULL: none, and the
 * interval is the run so far. */
static void find_rows(const struct sc_profile *profile, const struct sc_profile *before,
                      enum sc_live_view view, struct sc_live_rows *ret_rows)
{
    struct found now = {0};
    struct found old = {0};
    find(profile, view, &now);
    if (before != NULL)
        find(before, view, &old);
    for (uint32_t i = 0; i < now.rows.count; i++) {
        struct sc_live_row *row = &now.rows.items[i];
        uint32_t id =
            sc_intern_find(&old.keys, sc_intern_text(&now.keys, i), sc_intern_length(&now.keys, i));
        const struct sc_live_row *same = id < old.rows.count ? &old.rows.items[id] : NULL;
        for (int k = SC_LIVE_NOW; k < SC_LIVE_ALL; k++) {
            double old_s = same != NULL ? same->numbers[k + TO_ALL] : 0.0;
            row->numbers[k] = sc_clamp(row->numbers[k + TO_ALL] - old_s, 0.0, TIME_MAX_S);
        }
    }
    *ret_rows = now.rows;
    now.rows = (struct sc_live_rows){0};
    found_done(&now);
    found_done(&old);
}

/* -------- what is shown -------- */

const char *const sc_live_view_words[SC_LIVE_VIEW_COUNT_] = {
#define X_WORD(name, word, heading) [SC_LIVE_##name] = (word),
    SC_LIVE_VIEWS(X_WORD)
#undef X_WORD
};

/* Seconds beyond are no measurement. */
#define TIME_MAX_S 1e9

#define INVALID_BYTE 0x110000U /* above all letters */

static bool has_measured(const struct sc_profile *profile)
{
    return profile->elapsed_s > 0.0;
}

void sc_live_take(struct sc_live *live, struct sc_profile *profile)
{
    if (live->has_profile && !has_measured(profile)) {
        sc_profile_done(profile);
        return;
    }
    if (live->has_before)
        sc_profile_done(&live->before);
    live->has_before = live->has_profile && has_measured(&live->profile);
    if (live->has_before)
        live->before = live->profile;
    else if (live->has_profile)
        sc_profile_done(&live->profile);
    live->profile = *profile;
    live->has_profile = true;
    *profile = (struct sc_profile){0};
}

void sc_live_done(struct sc_live *live)
{
    if (live->has_profile)
        sc_profile_done(&live->profile);
    if (live->has_before)
        sc_profile_done(&live->before);
    *live = (struct sc_live){0};
}

static double gil_s(const struct sc_profile *profile)
{
    double sum_s = 0.0;
    for (size_t i = 0; i < profile->threads.count; i++)
        sum_s += sc_clamp(profile->threads.items[i].wait_s[SC_WAIT_GIL], 0.0, TIME_MAX_S);
    return sum_s;
}

static char *command_of(const struct sc_profile *profile)
{
    struct sc_str text = {0};
    for (size_t i = 0; i < profile->args.count; i++)
        sc_str_add_format(&text, "%s%s", i > 0 ? " " : "", profile->args.items[i]);
    if (profile->args.count == 0 && profile->program != NULL)
        sc_str_add(&text, profile->program);
    return sc_str_take(&text);
}

static size_t count_running(const struct sc_profile *profile)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->processes.count; i++) {
        const char *kind = profile->processes.items[i].exit_kind;
        count += kind != NULL && strcmp(kind, "running") == 0 ? 1 : 0;
    }
    return count;
}

struct sc_live_head sc_live_head_of(const struct sc_live *live)
{
    const struct sc_profile *profile = &live->profile;
    const struct sc_profile *before = &live->before;
    struct sc_live_head head = {0};
    if (!live->has_profile)
        return head;
    head.command = command_of(profile);
    head.pid = profile->processes.count > 0 ? profile->processes.items[0].pid : 0;
    head.elapsed_s = sc_clamp(profile->elapsed_s, 0.0, TIME_MAX_S);
    head.interval_s = sc_clamp(head.elapsed_s - before->elapsed_s, 0.0, TIME_MAX_S);
    if (head.interval_s > 0.0) {
        double cpu_s = profile->target_cpu_s - before->target_cpu_s;
        head.cores = sc_clamp(cpu_s / head.interval_s, 0.0, 1e5);
        double wait_s = gil_s(profile) - gil_s(before);
        head.gil_percent = sc_clamp(100.0 * wait_s / head.interval_s, 0.0, 1e6);
    }
    if (profile->rss.count > 0)
        head.memory_mb = profile->rss.items[profile->rss.count - 1].mb;
    head.peak_mb = profile->max_rss_mb;
    head.threads = profile->threads.count - (profile->threads_ended < profile->threads.count
                                                 ? (size_t)profile->threads_ended
                                                 : profile->threads.count);
    head.processes = count_running(profile);
    head.is_over = profile->exit_kind != NULL;
    head.ending = sc_profile_ending(profile);
    return head;
}

void sc_live_head_done(struct sc_live_head *head)
{
    free(head->command);
    free(head->ending);
    *head = (struct sc_live_head){0};
}

bool sc_live_has(const struct sc_live *live, enum sc_live_view view, enum sc_live_number number)
{
    bool is_code = view == SC_LIVE_FUNCTIONS || view == SC_LIVE_LINES;
    switch (number) {
    case SC_LIVE_NOW:
    case SC_LIVE_ALL:
        return true;
    case SC_LIVE_MEMORY_MB:
        return view == SC_LIVE_PROCESSES || (live->profile.memory && is_code);
    case SC_LIVE_ALLOCATED_MB:
        return live->profile.memory && is_code;
    default:
        return is_code || view == SC_LIVE_THREADS;
    }
}

/* Equal rows by what they cost in all, then by name: they do not change places from one profile to
 * the next. */
SC_ORDERED_BY(compare_rows, struct sc_live_row, SC_FALLING(rank), SC_FALLING(numbers[SC_LIVE_ALL]),
              SC_FALLING(numbers[SC_LIVE_MEMORY_MB]), strcmp(a->name, b->name),
              strcmp(a->place, b->place));

/* The letter that begins here, as a small one, and where the next begins. Bytes that are no UTF-8
 * are like themselves alone. */
static wint_t next_letter(const char **text)
{
    unsigned char first = (unsigned char)**text;
    uint32_t letter;
    size_t length = sc_utf8_read(*text, strnlen(*text, 4), &letter);
    *text += length > 0 ? length : 1;
    return length > 0 ? towlower(letter) : INVALID_BYTE + first;
}

/* As strcasestr, which knows only the case of ASCII. */
static bool has_part(const char *text, const char *part)
{
    while (*text != '\0') {
        const char *at = text;
        const char *wanted = part;
        bool is_same = true;
        while (is_same && *wanted != '\0')
            is_same = *at != '\0' && next_letter(&at) == next_letter(&wanted);
        if (is_same)
            return true;
        (void)next_letter(&text);
    }
    return false;
}

static bool is_wanted(const struct sc_live_row *row, const char *filter)
{
    return filter == NULL || filter[0] == '\0' || has_part(row->name, filter) ||
           has_part(row->place, filter);
}

void sc_live_list(const struct sc_live *live, enum sc_live_view view, enum sc_live_number by,
                  const char *filter, struct sc_live_rows *ret_rows)
{
    struct sc_live_rows all = {0};
    if (!live->has_profile)
        return;
    find_rows(&live->profile, live->has_before ? &live->before : NULL, view, &all);
    for (size_t i = 0; i < all.count; i++) {
        all.items[i].rank = all.items[i].numbers[by];
        if (is_wanted(&all.items[i], filter))
            sc_vec_push(ret_rows, all.items[i]);
        else
            row_done(&all.items[i]);
    }
    sc_vec_done(&all);
    sc_vec_sort(ret_rows, compare_rows);
}
