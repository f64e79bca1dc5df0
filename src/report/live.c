/* report/live.c - see live.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/live.h"

#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "base/sort.h"
#include "base/utf8.h"
#include "report/number.h"

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
    sc_live_find_rows(&live->profile, live->has_before ? &live->before : NULL, view, &all);
    for (size_t i = 0; i < all.count; i++) {
        all.items[i].rank = all.items[i].numbers[by];
        if (is_wanted(&all.items[i], filter))
            sc_vec_push(ret_rows, all.items[i]);
        else
            sc_live_row_done(&all.items[i]);
    }
    sc_vec_done(&all);
    sc_vec_sort(ret_rows, compare_rows);
}
