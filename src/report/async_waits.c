/*
 * report/async_waits.c - the functions and lines at which tasks wait.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "report/async.h"
#include "report/number.h"

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

void sc_async_find_waits(struct sc_async *async, const struct sc_report *report)
{
    double all_s = sc_clamp(report->profile->await_s, 0.0, 1e12);
    for (size_t i = 0; i < report->profile->files.count; i++)
        add_file(async, &report->profile->files.items[i]);
    sc_vec_sort(&async->waits, compare_waits);
    for (size_t i = 0; i < async->waits.count; i++)
        complete(&async->waits.items[i], all_s);
}
