/*
 * report/track_curves.c - the tracks that a profile itself has, and their part in spans of time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "report/timeline.h"

/* Ours have 1,024. */
#define SLOTS_MAX 100000U

/* No run is longer than a century. */
#define TIME_MAX_S 3e9

#define X_ID(name, id, title)    id,
#define X_TITLE(name, id, title) title,
const char *const sc_track_ids[SC_TRACK_COUNT_] = {SC_TRACKS(X_ID)};
const char *const sc_track_titles[SC_TRACK_COUNT_] = {SC_TRACKS(X_TITLE)};
#undef X_ID
#undef X_TITLE

/* The track with that id; SC_TRACK_COUNT_ when it is not known. */
static int track_of(const char *id)
{
    int track = 0;
    while (track < SC_TRACK_COUNT_ && strcmp(id, sc_track_ids[track]) != 0)
        track++;
    return track;
}

void sc_track_curves_init(struct sc_track_curve *curves, const struct sc_profile *profile)
{
    SC_EACH(const struct sc_profile_track, from, &profile->tracks) {
        int track = track_of(from->id);
        if (track == SC_TRACK_COUNT_ || curves[track].is_there || from->begin_s < 0 ||
            from->begin_s > TIME_MAX_S || from->slot_s <= 0 || from->slot_s > TIME_MAX_S)
            continue;
        struct sc_track_curve *curve = &curves[track];
        *curve = (struct sc_track_curve){true, from->begin_s, from->slot_s, {0}};
        for (size_t k = 0; k < from->shares.count && k < SLOTS_MAX; k++)
            sc_vec_push(&curve->shares, (float)fmin(fmax(from->shares.items[k], 0), 1));
    }
}

void sc_track_curves_done(struct sc_track_curve *curves)
{
    for (int track = 0; track < SC_TRACK_COUNT_; track++)
        sc_vec_done(&curves[track].shares);
}

void sc_track_curve_bins(const struct sc_track_curve *curve, double from_s, double to_s,
                         size_t bins, float *ret_shares)
{
    double grain_s = (to_s - from_s) / (double)bins;
    double end_s = curve->begin_s + (double)curve->shares.count * curve->slot_s;
    for (size_t i = 0; i < bins; i++) {
        double first_s = from_s + (double)i * grain_s;
        double last_s = fmin(first_s + grain_s, end_s);
        double sum_s = 0;
        double at_s = fmax(first_s, curve->begin_s);
        while (at_s < last_s) {
            size_t slot = (size_t)((at_s - curve->begin_s) / curve->slot_s);
            if (slot >= curve->shares.count)
                break;
            double next_s = fmin(curve->begin_s + (double)(slot + 1) * curve->slot_s, last_s);
            if (!(next_s > at_s)) /* too small a step for a double */
                next_s = nextafter(at_s, INFINITY);
            sum_s += (double)curve->shares.items[slot] * (next_s - at_s);
            at_s = next_s;
        }
        ret_shares[i] = (float)fmin(1, sum_s / grain_s);
    }
}
