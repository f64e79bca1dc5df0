/* costs/succession.c - see succession.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/succession.h"

#include <stddef.h>

struct sc_sampled_bytes *sc_succession_at(struct sc_succession *succession, uint64_t number)
{
    if (number >= succession->count || number + SC_SUCCESSION_KEPT < succession->count)
        return NULL;
    return &succession->kept[number % SC_SUCCESSION_KEPT];
}

void sc_succession_before(struct sc_succession *succession, uint64_t number, uint64_t ret_before[2])
{
    const struct sc_sampled_bytes *last =
        number > 0 ? sc_succession_at(succession, number - 1) : NULL;
    ret_before[0] = last != NULL ? number - 1 : UINT64_MAX;
    ret_before[1] = ret_before[0];
    if (last != NULL && last->points == 1)
        ret_before[1] = number > 1 ? number - 2 : UINT64_MAX;
}

void sc_succession_count_same(uint32_t points, const bool is_same[2], uint32_t ret_same[2])
{
    ret_same[0] = points - 1 + is_same[0];
    ret_same[1] = is_same[1];
    if (points >= 2)
        ret_same[1] += points - 2 + is_same[0];
}

void sc_succession_relate(struct sc_succession *succession, uint64_t number)
{
    struct sc_sampled_bytes *sample = sc_succession_at(succession, number);
    uint64_t numbers[2];
    bool is_line[2];
    bool is_function[2];
    if (sample == NULL)
        return;
    sc_succession_before(succession, number, numbers);
    for (int i = 0; i < 2; i++) {
        const struct sc_sampled_bytes *before = sc_succession_at(succession, numbers[i]);
        bool is_there = before != NULL && !before->is_gone;
        is_line[i] = is_there && before->line == sample->line;
        is_function[i] = is_there && before->function == sample->function;
    }
    sample->first[0] = number == 0;
    sample->first[1] =
        number == 0 ? 1 + (sample->points > 1) : number == 1 && numbers[1] == UINT64_MAX;
    sc_succession_count_same(sample->points, is_line, sample->same_lines);
    sc_succession_count_same(sample->points, is_function, sample->same_functions);
}

uint64_t sc_succession_add(struct sc_succession *succession, const struct sc_sampled_bytes *sample)
{
    uint64_t number = succession->count++;
    succession->kept[number % SC_SUCCESSION_KEPT] = *sample;
    sc_succession_relate(succession, number);
    return number;
}

void sc_succession_count(struct sc_scatter *scatter, const struct sc_sampled_bytes *sample,
                         const uint32_t same[2], double times)
{
    scatter->samples += times * sample->points;
    scatter->squares += times * sample->points * sample->square;
    for (int i = 0; i < 2; i++) {
        scatter->same_squares[i] += times * same[i] * sample->square;
        scatter->first_squares[i] += times * sample->first[i] * sample->square;
    }
}
