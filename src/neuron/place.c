/* neuron/place.c - see place.h. SPDX-License-Identifier: Apache-2.0 */
#include "neuron/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/sort.h"
#include "base/vec.h"

#define NOWHERE SIZE_MAX

/* Of each call: its file's position, or NOWHERE. */
struct homes {
    const struct sc_neuron_calls *calls;
    size_t *files;
};

/* How many whole names two paths have in common at their ends. */
static size_t common_names(const char *left, const char *right)
{
    size_t a = strlen(left);
    size_t b = strlen(right);
    size_t names = 0;
    while (a > 0 && b > 0 && left[a - 1] == right[b - 1]) {
        a--;
        b--;
        names += left[a] == '/';
    }
    /* the name that a path begins with has no '/' in front of it */
    bool is_whole = (a == 0 || left[a - 1] == '/') && (b == 0 || right[b - 1] == '/');
    return names + (is_whole && left[a] != '/' ? 1 : 0);
}

/* The file whose path has most names in common with that of the call, counted from the end. */
static size_t find_home(const json_t *files, const struct sc_neuron_call *call)
{
    size_t best = 0;
    size_t home = NOWHERE;
    size_t position = 0;
    const char *name;
    json_t *file;
    json_object_foreach((json_t *)files, name, file)
    {
        size_t common = common_names(name, call->source);
        if (common > best && call->lineno > 0) {
            best = common;
            home = position;
        }
        position++;
    }
    return home;
}

static void place(const struct homes *homes, size_t index, const struct sc_neuron_event *event,
                  struct sc_neuron_places *places)
{
    if (index < homes->calls->count && homes->files[index] != NOWHERE)
        sc_vec_push(places, (struct sc_neuron_place){.file = homes->files[index],
                                                     .lineno = homes->calls->items[index].lineno,
                                                     .event = event,
                                                     .call = &homes->calls->items[index]});
}

/* Events lie in their array in the order of time. */
SC_ORDERED_BY(by_place, struct sc_neuron_place, SC_RISING(file), SC_RISING(lineno),
              SC_RISING(event));

static void sort_places(struct sc_neuron_places *places)
{
    sc_vec_sort(places, by_place);
}

static void place_runs(const struct homes *homes, const struct sc_neuron_trace *trace,
                       struct sc_neuron_places *ret_runs)
{
    SC_AUTO(sc_intern_done) struct sc_intern ids = {0};
    SC_AUTO(sc_map_done) struct sc_map execution_of = {0};
    for (size_t i = 0; i < trace->starts.count && i < trace->executions.count; i++) {
        SC_AUTO_FREE char *id = sc_neuron_event_id(&trace->starts.items[i]);
        if (id[0] != '\0')
            sc_map_put(&execution_of, sc_intern_add(&ids, id, strlen(id)), (uint32_t)i);
    }
    for (size_t i = 0; i < trace->runs.count; i++) {
        SC_AUTO_FREE char *id = sc_neuron_event_id(&trace->runs.items[i]);
        uint32_t known = sc_intern_find(&ids, id, strlen(id));
        uint32_t execution = known == SC_NONE ? SC_NONE : sc_map_get(&execution_of, known);
        if (execution != SC_NONE)
            place(homes, execution, &trace->runs.items[i], ret_runs);
    }
}

void sc_neuron_place(const json_t *files, const struct sc_neuron_calls *calls,
                     const struct sc_neuron_trace *trace, struct sc_neuron_places *ret_executions,
                     struct sc_neuron_places *ret_runs)
{
    struct homes homes = {.calls = calls, .files = sc_alloc(calls->count + 1, sizeof(size_t))};
    for (size_t i = 0; i < calls->count; i++)
        homes.files[i] = find_home(files, &calls->items[i]);
    for (size_t i = 0; i < trace->executions.count; i++)
        place(&homes, i, &trace->executions.items[i], ret_executions);
    place_runs(&homes, trace, ret_runs);
    sort_places(ret_executions);
    sort_places(ret_runs);
    free(homes.files);
}

const struct sc_neuron_place *sc_neuron_places_of(const struct sc_neuron_places *places,
                                                  size_t file, uint32_t lineno, size_t *ret_count)
{
    size_t low;
    sc_find_first(&low, places->count, i,
                  places->items[i].file < file ||
                      (places->items[i].file == file && places->items[i].lineno < lineno));
    size_t end = low;
    while (end < places->count && places->items[end].file == file &&
           places->items[end].lineno == lineno)
        end++;
    *ret_count = end - low;
    return places->count > 0 ? places->items + low : NULL;
}
