/* ranks/ranks.c - see ranks.h. SPDX-License-Identifier: Apache-2.0 */
#include "ranks/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "profile/labels.h"
#include "report/name.h"

/* z of the 95 % half widths that profiles state. */
#define Z95 1.959963984540054

/* A wait is seen from poll to poll. */
#define POLL_S 0.01

/* Less time at a line is not kept: of a thousand ranks there would be too much of it. */
#define LEAST_S 0.001

#define LINES_MAX 200000U

/* More are not named one by one. */
#define NAMED_MAX 12U

static double left_out(const double time_s[SC_TIME_COUNT_])
{
    return time_s[SC_TIME_PREEMPTED_PYTHON] + time_s[SC_TIME_PREEMPTED_NATIVE] +
           time_s[SC_TIME_PREEMPTED_KERNEL];
}

static struct sc_ranked_line *line_of(struct sc_ranks *ranks, const char *file,
                                      const struct sc_line *line)
{
    uint64_t key = sc_mix((uintptr_t)file, line->lineno);
    uint32_t at = sc_map_get(&ranks->index, key);
    if (at != SC_NONE)
        return &ranks->lines.items[at];
    if (ranks->lines.count >= LINES_MAX)
        return NULL;
    sc_map_put(&ranks->index, key, (uint32_t)ranks->lines.count);
    sc_vec_push(&ranks->lines, (struct sc_ranked_line){.file = file,
                                                       .lineno = line->lineno,
                                                       .text = sc_strdup(line->text)});
    return &ranks->lines.items[ranks->lines.count - 1];
}

/* Of the line's time, as its profile states it, less the part of that without a free CPU; where it
 * does not, as if each sample were taken by itself. A wait is off by a poll. */
static double variance_of(const struct sc_profile *profile, const struct sc_cost *cost)
{
    double waiting_s = sc_time_waiting(cost->time_s);
    double on_cpu_s = sc_time_sum(cost->time_s) - waiting_s - left_out(cost->time_s);
    double ready_s = sc_time_sum(profile->time_s) - sc_time_waiting(profile->time_s);
    double kept = ready_s > 0.0 ? 1.0 - left_out(profile->time_s) / ready_s : 1.0;
    double error_s = cost->cpu_share_error / 100.0 * sc_time_sum(profile->time_s) * kept / Z95;
    double sampled = error_s > 0.0 ? error_s * error_s : profile->interval_s * on_cpu_s;
    return sampled + (waiting_s > 0.0 ? POLL_S * POLL_S : 0.0);
}

static void add_line(struct sc_ranks *ranks, uint32_t rank, const struct sc_profile *profile,
                     const char *file, const struct sc_line *line)
{
    const double *time_s = line->cost.time_s;
    double seconds = sc_time_sum(time_s) - left_out(time_s);
    struct sc_ranked_line *to = seconds >= LEAST_S ? line_of(ranks, file, line) : NULL;
    if (to == NULL)
        return;
    size_t at = to->times.count;
    while (at > 0 && to->times.items[at - 1].rank != rank)
        at--;
    if (at == 0) {
        sc_vec_push(&to->times, (struct sc_rank_time){.rank = rank});
        at = to->times.count;
    }
    struct sc_rank_time *time = &to->times.items[at - 1];
    time->time_s += seconds;
    time->blocked_s += time_s[SC_TIME_IO] + time_s[SC_TIME_OTHER_WAIT];
    if (strstr(line->text, "sleep(") == NULL) /* a library that looks again and again */
        time->blocked_s += time_s[SC_TIME_SLEEP];
    time->variance += variance_of(profile, &line->cost);
}

static void add_times(struct sc_ranks *ranks, uint32_t at, const struct sc_profile *profile)
{
    struct sc_one_rank *rank = &ranks->items.items[at];
    double left_out_s = left_out(profile->time_s);
    double waiting_s = sc_time_waiting(profile->time_s);
    rank->is_empty = rank->is_empty && sc_profile_is_empty(profile);
    rank->elapsed_s += profile->elapsed_s;
    rank->left_out_s += left_out_s;
    rank->waiting_s += waiting_s;
    rank->busy_s += sc_time_sum(profile->time_s) - waiting_s - left_out_s;
    SC_EACH(const struct sc_file, file, &profile->files) {
        SC_AUTO_FREE char *shown = sc_shown_name(profile, file->name);
        const char *name = sc_intern_keep(&ranks->texts, shown);
        for (size_t l = 0; l < file->lines.count; l++)
            add_line(ranks, at, profile, name, &file->lines.items[l]);
    }
}

/* How many ranks the launcher has started. */
static void note_size(struct sc_ranks *ranks, const struct sc_profile *profile)
{
    const char *text = sc_label_of(&profile->labels, SC_LABEL_WORLD_SIZE);
    uint64_t size = text != NULL && sc_label_is_number(text) ? strtoull(text, NULL, 10) : 0;
    ranks->sizes_differ |= size != 0 && ranks->world_size != 0 && size != ranks->world_size;
    if (size > ranks->world_size)
        ranks->world_size = size;
}

bool sc_ranks_add(struct sc_ranks *ranks, const struct sc_profile *profile, const char *file,
                  struct sc_err *err)
{
    const char *name = ranks->by != NULL ? sc_label_of(&profile->labels, ranks->by) : file;
    if (name == NULL)
        return sc_fail(err, SC_ERR_FAILED,
                       "merge: '%.200s' has no label '%.64s'; --by file tells profiles apart by "
                       "their files",
                       file, ranks->by);
    uint32_t known = ranks->names.count;
    uint32_t at = sc_intern_add(&ranks->names, name, strlen(name));
    bool is_rank = ranks->by != NULL && strcmp(ranks->by, SC_LABEL_RANK) == 0;
    if (at < known && (is_rank || ranks->by == NULL))
        return sc_fail(err, SC_ERR_FAILED,
                       "merge: '%.150s' and '%.150s' are both %s%.64s; name the profiles of one "
                       "run, each once",
                       ranks->items.items[at].file, file, is_rank ? "of rank " : "", name);
    if (at == known)
        sc_vec_push(&ranks->items, (struct sc_one_rank){.name = sc_strdup(name),
                                                        .file = sc_strdup(file),
                                                        .is_empty = true});
    ranks->items.items[at].profiles++;
    if (is_rank)
        note_size(ranks, profile);
    add_times(ranks, at, profile);
    return true;
}

/* Names that are numbers first, by their value. */
static int by_name(const void *left, const void *right)
{
    const char *one = ((const struct sc_one_rank *)left)->name;
    const char *other = ((const struct sc_one_rank *)right)->name;
    bool are_numbers[2] = {sc_label_is_number(one), sc_label_is_number(other)};
    if (are_numbers[0] != are_numbers[1])
        return are_numbers[0] ? -1 : 1;
    long difference = are_numbers[0] ? strtol(one, NULL, 10) - strtol(other, NULL, 10) : 0;
    return difference != 0 ? (difference < 0 ? -1 : 1) : strcmp(one, other);
}

SC_ORDERED_BY(by_rank, struct sc_rank_time, SC_RISING(rank));

void sc_ranks_finish(struct sc_ranks *ranks)
{
    size_t count = ranks->items.count;
    SC_AUTO_FREE uint32_t *moved = sc_alloc(count + 1, sizeof(*moved));
    sc_vec_sort(&ranks->items, by_name);
    for (uint32_t i = 0; i < count; i++) {
        struct sc_one_rank *rank = &ranks->items.items[i];
        moved[sc_intern_find(&ranks->names, rank->name, strlen(rank->name))] = i;
        rank->elapsed_s /= rank->profiles;
        rank->busy_s /= rank->profiles;
        rank->waiting_s /= rank->profiles;
        rank->left_out_s /= rank->profiles;
    }
    SC_EACH(struct sc_ranked_line, line, &ranks->lines) {
        SC_EACH(struct sc_rank_time, time, &line->times) {
            time->rank = moved[time->rank];
            double profiles = ranks->items.items[time->rank].profiles;
            time->time_s /= profiles;
            time->blocked_s /= profiles;
            time->variance /= profiles * profiles;
        }
        sc_vec_sort(&line->times, by_rank);
    }
}

size_t sc_ranks_missing(const struct sc_ranks *ranks, struct sc_str *ret_text)
{
    size_t missing = (size_t)ranks->world_size;
    size_t named = 0;
    SC_EACH(const struct sc_one_rank, rank, &ranks->items) {
        if (missing > 0 && sc_label_is_number(rank->name))
            missing -= strtoull(rank->name, NULL, 10) < ranks->world_size;
    }
    for (uint64_t i = 0; i < ranks->world_size && named < missing && named < NAMED_MAX; i++) {
        SC_AUTO_FREE char *name = sc_format("%llu", (unsigned long long)i);
        if (sc_intern_find(&ranks->names, name, strlen(name)) != SC_NONE)
            continue;
        named++;
        const char *mark = named == 1 ? "" : named == missing ? " and " : ", ";
        sc_str_add_format(ret_text, "%s%s", mark, name);
    }
    if (named < missing)
        sc_str_add_format(ret_text, " and %zu more", missing - named);
    return missing;
}

size_t sc_ranks_with_data(const struct sc_ranks *ranks)
{
    size_t count = 0;
    for (size_t i = 0; i < ranks->items.count; i++)
        count += !ranks->items.items[i].is_empty;
    return count;
}

void sc_ranks_done(struct sc_ranks *ranks)
{
    for (size_t i = 0; i < ranks->items.count; i++) {
        free(ranks->items.items[i].name);
        free(ranks->items.items[i].file);
    }
    for (size_t i = 0; i < ranks->lines.count; i++) {
        free(ranks->lines.items[i].text);
        sc_vec_done(&ranks->lines.items[i].times);
    }
    sc_vec_done(&ranks->items);
    sc_vec_done(&ranks->lines);
    sc_intern_done(&ranks->names);
    sc_intern_done(&ranks->texts);
    sc_map_done(&ranks->index);
}
