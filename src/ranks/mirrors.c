/* ranks/mirrors.c - see mirrors.h. SPDX-License-Identifier: Apache-2.0 */
#include "ranks/mirrors.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "compare/statistics.h"

/* Allowed from one rank to the next, as in a comparison of two runs (compare/compared.h): the
 * standard deviation as a part of the time. */
#define NOISE 0.02

/* Errors as normal ones: their spread from the median distance, and from the median's own error. */
#define DEVIATION_OF_DISTANCE 1.4826
#define VARIANCE_OF_MEDIAN    1.5708

/* So many spreads of the others away, a rank is none of them (Iglewicz and Hoaglin, How to Detect
 * and Handle Outliers, 1993). */
#define FAR_SPREADS 3.5

#define Z95 1.959963984540054

/* Parts of names of functions that wait for other ranks: MPI, torch.distributed, CUDA. */
static const char blocking_names[] = "barrier reduce bcast broadcast gather scatter alltoall "
                                     "all_to_all recv wait synchronize";

static bool names_wait(const char *name, size_t length)
{
    char lower[64];
    size_t size = length < sizeof(lower) - 1 ? length : sizeof(lower) - 1;
    for (size_t i = 0; i < size; i++)
        lower[i] = (char)tolower((unsigned char)name[i]);
    lower[size] = '\0';
    size_t word_length = 0;
    for (const char *word = sc_next_word(blocking_names, &word_length); word != NULL;
         word = sc_next_word(word + word_length, &word_length)) {
        if (memmem(lower, size, word, word_length) != NULL)
            return true;
    }
    return false;
}

/* Whether a line calls a function of such a name. */
static bool has_waiting_call(const char *text)
{
    for (const char *bracket = strchr(text, '('); bracket != NULL;
         bracket = strchr(bracket + 1, '(')) {
        const char *name = bracket;
        while (name > text && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
            name--;
        if (names_wait(name, (size_t)(bracket - name)))
            return true;
    }
    return false;
}

void sc_rank_row_init(struct sc_rank_row *row, const struct sc_ranks *ranks,
                      const struct sc_ranked_line *line)
{
    size_t count = ranks->items.count;
    double sum_s = 0.0;
    double blocked_s = 0.0;
    *row = (struct sc_rank_row){.line = line, .ranks = ranks->items.items, .count = count};
    row->time_s = sc_alloc(count + 1, sizeof(*row->time_s));
    row->variance = sc_alloc(count + 1, sizeof(*row->variance));
    SC_EACH(const struct sc_rank_time, time, &line->times) {
        row->time_s[time->rank] = time->time_s;
        row->variance[time->rank] = time->variance;
        sum_s += time->time_s;
        blocked_s += time->blocked_s;
        if (time->time_s > row->most_s) {
            row->most_s = time->time_s;
            row->most = time->rank;
        }
    }
    row->mean_s = sum_s / fmax(1.0, (double)sc_ranks_with_data(ranks));
    row->calls_wait = has_waiting_call(line->text);
    row->is_blocking = row->calls_wait || blocked_s > sum_s / 2.0;
}

void sc_rank_row_done(struct sc_rank_row *row)
{
    free(row->time_s);
    free(row->variance);
    *row = (struct sc_rank_row){0};
}

struct sc_rank_gap sc_rank_gap_of(const struct sc_rank_row *row, uint32_t rank)
{
    struct sc_rank_gap gap = {.time_s = row->time_s[rank]};
    size_t others = 0;
    double variance = 0.0;
    SC_AUTO_FREE double *values = sc_alloc(row->count, sizeof(*values));
    for (uint32_t i = 0; i < row->count; i++) {
        if (i == rank || row->ranks[i].is_empty)
            continue;
        values[others++] = row->time_s[i];
        variance += row->variance[i];
    }
    if (others == 0)
        return gap;
    gap.others_s = sc_median(values, others);
    gap.more_s = gap.time_s - gap.others_s;
    for (size_t i = 0; i < others; i++)
        values[i] = fabs(values[i] - gap.others_s);
    if (others >= 3)
        gap.spread_s = DEVIATION_OF_DISTANCE * sc_median(values, others);
    double of_median = VARIANCE_OF_MEDIAN * variance / ((double)others * (double)others);
    double noise = NOISE * NOISE * (gap.time_s * gap.time_s + gap.others_s * gap.others_s);
    double deviation = sqrt(row->variance[rank] + of_median + noise);
    gap.error_s = Z95 * deviation;
    gap.p = deviation > 0.0 ? sc_student_p(gap.more_s / deviation, INFINITY) : 1.0;
    return gap;
}

bool sc_rank_gap_is_certain(const struct sc_rank_gap *gap, size_t looks)
{
    return gap->p * (double)looks < SC_COMPARE_ALPHA &&
           fabs(gap->more_s) > FAR_SPREADS * gap->spread_s;
}
