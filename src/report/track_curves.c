/*
 * report/track_curves.c - the tracks that a profile itself has, and their part in spans of time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "profile/json_pull.h"
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

static void read_shares(struct sc_json_pull *pull, struct sc_track_curve *ret_curve)
{
    for (bool more = sc_json_pull_list(pull); more; more = sc_json_pull_item(pull)) {
        double share = sc_json_pull_number(pull);
        if (ret_curve->shares.count < SLOTS_MAX)
            sc_vec_push(&ret_curve->shares, (float)(share > 0 ? fmin(share, 1) : 0));
    }
}

/* The track whose id comes next; SC_TRACK_COUNT_ when that is not known. */
static int read_track(struct sc_json_pull *pull)
{
    struct sc_str id = {0};
    int track = 0;
    if (!sc_json_pull_string(pull, &id))
        track = SC_TRACK_COUNT_;
    while (track < SC_TRACK_COUNT_ && strcmp(sc_str_text(&id), sc_track_ids[track]) != 0)
        track++;
    sc_str_done(&id);
    return track;
}

static void read_curve(struct sc_json_pull *pull, struct sc_track_curve *curves)
{
    struct sc_track_curve curve = {.is_there = true};
    struct sc_json_name key;
    int track = SC_TRACK_COUNT_;
    for (bool on = sc_json_pull_object(pull, &key); on; on = sc_json_pull_key(pull, &key)) {
        if (sc_json_name_is(&key, "begin_s"))
            curve.begin_s = sc_json_pull_number(pull);
        else if (sc_json_name_is(&key, "slot_s"))
            curve.slot_s = sc_json_pull_number(pull);
        else if (sc_json_name_is(&key, "shares") && curve.shares.count == 0)
            read_shares(pull, &curve);
        else if (sc_json_name_is(&key, "id"))
            track = read_track(pull);
        else
            sc_json_pull_skip(pull);
    }
    bool is_good = !pull->failed && track < SC_TRACK_COUNT_ && !curves[track].is_there &&
                   curve.begin_s >= 0 && curve.begin_s <= TIME_MAX_S && curve.slot_s > 0 &&
                   curve.slot_s <= TIME_MAX_S;
    if (is_good)
        curves[track] = curve;
    else
        sc_vec_done(&curve.shares);
}

void sc_track_curves_read(const char *text, struct sc_track_curve *ret_curves)
{
    struct sc_json_pull pull = sc_json_pull_of(text, strlen(text));
    for (bool more = sc_json_pull_list(&pull); more; more = sc_json_pull_item(&pull)) {
        if (sc_json_pull_peek(&pull) == '{')
            read_curve(&pull, ret_curves);
        else
            sc_json_pull_skip(&pull);
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
