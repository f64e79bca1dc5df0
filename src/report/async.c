/* report/async.c - see async.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/async.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "report/number.h"

/* -------- the functions and lines at which tasks wait -------- */

/* A reader needs no more to know which tasks they are. */
#define WORDS_SHOWN 5U

/* The profile has no more names of a line. */
#define NAMES_KEPT 100U

/* A name as its beginning and the number at its end: "Task-", 12. */
struct numbered {
    const char *name;
    size_t length;    /* of the beginning */
    uint32_t number;  /* SC_NONE: it has none */
    bool is_asyncios; /* the program has given no name */
};

static struct numbered numbered_of(const char *name)
{
    struct numbered one = {.name = name, .length = strlen(name), .number = SC_NONE};
    size_t digits = 0;
    while (digits < one.length && strchr("0123456789", name[one.length - digits - 1]) != NULL)
        digits++;
    if (digits == 0 || digits > 9)
        return one;
    one.length -= digits;
    one.number = (uint32_t)strtoul(name + one.length, NULL, 10);
    one.is_asyncios = one.length == 5 && sc_starts_with(name, "Task-");
    return one;
}

static bool is_one_kind(const struct numbered *a, const struct numbered *b)
{
    return a->number != SC_NONE && b->number != SC_NONE && a->length == b->length &&
           strncmp(a->name, b->name, a->length) == 0;
}

/* Names that the program has given first, numbers in order. */
SC_ORDERED_BY(compare_names, struct numbered, SC_RISING(is_asyncios),
              strncmp(a->name, b->name, a->length < b->length ? a->length : b->length),
              SC_RISING(length), SC_RISING(number));

/* "fetch", "Task-2 to Task-9", "3 of Task-2 to Task-9" */
static void add_word(struct sc_str *words, const struct numbered *names, size_t count)
{
    const struct numbered *last = &names[count - 1];
    bool has_gaps = last->number - names[0].number + 1 != count;
    if (words->length > 0)
        sc_str_add(words, ", ");
    if (count > 1 && has_gaps)
        sc_str_add_format(words, "%zu of ", count);
    sc_str_add(words, names[0].name);
    if (count > 1)
        sc_str_add_format(words, " to %s", last->name);
}

char *sc_async_task_words(char *const *names, size_t count)
{
    struct sc_str words = {0};
    struct numbered *all = sc_alloc(count + 1, sizeof(*all));
    size_t at = 0;
    for (size_t i = 0; i < count; i++)
        all[i] = numbered_of(names[i]);
    if (count > 1)
        qsort(all, count, sizeof(*all), compare_names);
    for (unsigned shown = 0; at < count && shown < WORDS_SHOWN; shown++) {
        size_t end = at + 1;
        while (end < count && is_one_kind(&all[at], &all[end]))
            end++;
        add_word(&words, &all[at], end - at);
        at = end;
    }
    if (at < count)
        sc_str_add_format(&words, " and %zu more", count - at);
    else if (count >= NAMES_KEPT)
        sc_str_add(&words, " and perhaps more");
    free(all);
    sc_str_add(&words, "");
    return sc_str_take(&words);
}

static double percent_of(const struct sc_cost *cost)
{
    return sc_clamp(cost->async_await_percent, 0.0, 100.0);
}

static char *tasks_of(const struct sc_cost *cost)
{
    return sc_async_task_words(cost->async_task_names.items, cost->async_task_names.count);
}

/* The file's wait of a function (NULL: of lines outside of functions), added where it is missing.
 * first: the waits of the file begin there. */
static struct sc_async_wait *wait_of(struct sc_async *async, size_t first,
                                     const struct sc_file *file, const struct sc_function *function)
{
    uint32_t lineno = function != NULL ? function->lineno : 0;
    for (size_t i = first; i < async->waits.count; i++) {
        if (async->waits.items[i].lineno == lineno)
            return &async->waits.items[i];
    }
    struct sc_async_wait wait = {.file = file,
                                 .name = function != NULL ? function->name : "",
                                 .lineno = lineno,
                                 .cost = NULL};
    if (function != NULL && percent_of(&function->cost) > 0.0) {
        wait.cost = &function->cost;
        wait.percent = percent_of(wait.cost);
    }
    wait.tasks = wait.cost != NULL ? tasks_of(wait.cost) : sc_strdup("");
    sc_vec_push(&async->waits, wait);
    return &async->waits.items[async->waits.count - 1];
}

static void add_file(struct sc_async *async, const struct sc_file *file)
{
    size_t first = async->waits.count;
    for (size_t i = 0; i < file->functions.count; i++) {
        if (percent_of(&file->functions.items[i].cost) > 0.0)
            (void)wait_of(async, first, file, &file->functions.items[i]);
    }
    SC_EACH(const struct sc_line, line, &file->lines) {
        double percent = percent_of(&line->cost);
        if (percent <= 0.0)
            continue;
        const struct sc_function *function = sc_function_around(file, line->lineno, "");
        struct sc_async_wait *wait = wait_of(async, first, file, function);
        if (wait->cost == NULL)
            wait->percent += percent;
        sc_vec_push(&wait->lines, (struct sc_async_wait_line){.line = line,
                                                              .percent = percent,
                                                              .tasks = tasks_of(&line->cost)});
    }
}

SC_ORDERED_BY(compare_waits, struct sc_async_wait, SC_FALLING(percent),
              strcmp(a->file->name, b->file->name), SC_RISING(lineno));

SC_ORDERED_BY(compare_lines, struct sc_async_wait_line, SC_FALLING(percent),
              SC_RISING(line->lineno));

/* Sets the seconds, and the order of the lines. */
static void complete(struct sc_async_wait *wait, double all_s)
{
    wait->seconds = wait->percent / 100.0 * all_s;
    for (size_t i = 0; i < wait->lines.count; i++)
        wait->lines.items[i].seconds = wait->lines.items[i].percent / 100.0 * all_s;
    sc_vec_sort(&wait->lines, compare_lines);
}

static void find_waits(struct sc_async *async, const struct sc_report *report)
{
    double all_s = sc_clamp(report->profile->await_s, 0.0, 1e12);
    for (size_t i = 0; i < report->profile->files.count; i++)
        add_file(async, &report->profile->files.items[i]);
    sc_vec_sort(&async->waits, compare_waits);
    for (size_t i = 0; i < async->waits.count; i++)
        complete(&async->waits.items[i], all_s);
}

/* -------- when single tasks waited -------- */

/* A profile of ours has 200 lanes of at most 256 runs; others may have anything. */
#define LANES_MAX  1000U
#define RUNS_MAX   1000U
#define PLACES_MAX 5000U

/* Seconds beyond are no measurement. */
#define TIME_MAX_S 1e9

static const struct sc_file *file_named(const struct sc_profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->files.count; i++) {
        if (strcmp(profile->files.items[i].name, name) == 0)
            return &profile->files.items[i];
    }
    return NULL;
}

static double time_of(double seconds)
{
    return seconds > 0 && seconds <= TIME_MAX_S ? seconds : 0;
}

static void add_runs(struct sc_async_lane *lane, const struct sc_task_waits *waits, size_t places)
{
    double end_s = 0;
    for (size_t i = 0; i < waits->runs.count && lane->runs.count < RUNS_MAX; i++) {
        const struct sc_task_run *from = &waits->runs.items[i];
        struct sc_async_run run = {.begin_s = time_of(from->start_s),
                                   .duration_s = time_of(from->length_s),
                                   .place = SC_NONE};
        if (from->place >= 1 && from->place <= places)
            run.place = from->place - 1;
        if (run.begin_s < end_s || run.duration_s <= 0)
            continue;
        end_s = run.begin_s + run.duration_s - 1e-5; /* both are rounded */
        lane->wait_s += run.duration_s;
        sc_vec_push(&lane->runs, run);
    }
}

static void find_lanes(struct sc_async *async, const struct sc_report *report)
{
    const struct sc_profile *profile = report->profile;
    for (size_t i = 0; i < profile->task_places.count && i < PLACES_MAX; i++) {
        const struct sc_task_place *from = &profile->task_places.items[i];
        struct sc_async_place place = {.file = file_named(profile, from->file),
                                       .name = from->function,
                                       .lineno = from->lineno};
        sc_vec_push(&async->places, place);
    }
    for (size_t i = 0; i < profile->task_lanes.count && i < LANES_MAX; i++) {
        const struct sc_task_waits *waits = &profile->task_lanes.items[i];
        struct sc_async_lane lane = {.name = waits->name, .pid = waits->pid};
        add_runs(&lane, waits, async->places.count);
        sc_vec_push(&async->lanes, lane);
    }
}

/* -------- all -------- */

/* "Event loops took 2.00 s of the run: 80% in functions of the program, 20% waiting for events." */
static char *loop_text(const struct sc_async *async, const struct sc_report *report)
{
    static const char *const words[SC_LOOP_PART_COUNT_] = {
        [SC_LOOP_OWN] = "in functions of the program",
        [SC_LOOP_LIBRARY] = "in libraries that none of these called",
        [SC_LOOP_ITSELF] = "choosing what to run next",
        [SC_LOOP_IDLE] = "waiting for events",
    };
    struct sc_str text = {0};
    if (async->loop_percent <= 0.0)
        return NULL;
    double seconds = async->loop_percent / 100.0 * report->overview.total_s;
    sc_str_add_format(&text, "Event loops took %s of the run", sc_number_duration(seconds).text);
    const char *separator = ":";
    for (int i = SC_LOOP_OWN; i < SC_LOOP_PART_COUNT_; i++) {
        double percent = 100.0 * async->parts[i] / async->loop_percent;
        if (percent < 0.5)
            continue;
        sc_str_add_format(&text, "%s %s %s", separator, sc_number_percent(percent).text, words[i]);
        separator = ",";
    }
    sc_str_add(&text, ".");
    return sc_str_take(&text);
}

void sc_async_init(struct sc_async *async, const struct sc_report *report,
                   const struct sc_stacks *stacks)
{
    *async = (struct sc_async){0};
    find_waits(async, report);
    find_lanes(async, report);
    sc_async_find_blocks(async, report, stacks);
    async->loop_text = loop_text(async, report);
}

static void wait_done(struct sc_async_wait *wait)
{
    for (size_t i = 0; i < wait->lines.count; i++)
        free(wait->lines.items[i].tasks);
    sc_vec_done(&wait->lines);
    free(wait->tasks);
}

static void block_done(struct sc_async_block *block)
{
    for (size_t i = 0; i < block->lines.count; i++)
        free(block->lines.items[i].call);
    sc_vec_done(&block->lines);
    free(block->place);
    free(block->name);
    free(block->coroutine);
}

void sc_async_done(struct sc_async *async)
{
    sc_vec_done_each(&async->waits, wait_done);
    for (size_t i = 0; i < async->lanes.count; i++)
        sc_vec_done(&async->lanes.items[i].runs);
    sc_vec_done(&async->places);
    sc_vec_done(&async->lanes);
    sc_vec_done_each(&async->blocks, block_done);
    sc_hots_done(&async->block_lines);
    free(async->loop_text);
}
