/* costs/sequence.c - see sequence.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/sequence.h"

#define PAIRS_MAX 65536U

/* The pair, added if new; NULL when there are too many. */
static struct sc_sequence_pair *find_pair(struct sc_sequence *sequence, uint32_t from, uint32_t to)
{
    uint64_t key = sc_mix(from, to);
    struct sc_sequence_pair *pairs = sequence->pairs.items;
    uint32_t at;
    sc_map_find(&at, &sequence->index, &key, pairs[at].from == from && pairs[at].to == to);
    if (at != SC_NONE)
        return &pairs[at];
    if (sequence->pairs.count >= PAIRS_MAX)
        return NULL;
    sc_map_put(&sequence->index, key, (uint32_t)sequence->pairs.count);
    sc_vec_push(&sequence->pairs, (struct sc_sequence_pair){.from = from, .to = to});
    return &sequence->pairs.items[sequence->pairs.count - 1];
}

void sc_sequence_add(struct sc_sequence *sequence, struct sc_sequence_thread *thread, uint32_t node,
                     double ns)
{
    double square = ns * ns;
    sequence->all_squares += square;
    for (unsigned lag = 0; lag < SC_SEQUENCE_LAGS; lag++) {
        if (thread->nodes[lag] == 0)
            continue;
        struct sc_sequence_pair *pair = find_pair(sequence, thread->nodes[lag], node);
        if (pair != NULL)
            pair->squares[lag] += square;
        else
            sequence->left_out_squares[lag] += square;
    }
    thread->nodes[1] = thread->nodes[0];
    thread->nodes[0] = node;
}

void sc_sequence_done(struct sc_sequence *sequence)
{
    sc_vec_done(&sequence->pairs);
    sc_map_done(&sequence->index);
    *sequence = (struct sc_sequence){0};
}

double sc_sequence_scale(const struct sc_sequence *sequence, unsigned lag)
{
    double kept = sequence->all_squares - sequence->left_out_squares[lag];
    return kept > 0 ? sequence->all_squares / kept : 1;
}
