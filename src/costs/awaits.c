/* costs/awaits.c - see awaits.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/awaits.h"

#include <string.h>

void sc_awaits_init(struct sc_awaits *awaits, struct sc_owners *owners)
{
    *awaits = (struct sc_awaits){.lines = {0}};
    sc_places_init(&awaits->places, owners);
}

static void accounts_done(struct sc_await_accounts *accounts)
{
    for (size_t i = 0; i < accounts->count; i++)
        sc_vec_done(&accounts->items[i].names);
    sc_vec_done(accounts);
}

void sc_awaits_done(struct sc_awaits *awaits)
{
    sc_places_done(&awaits->places);
    accounts_done(&awaits->lines);
    accounts_done(&awaits->functions);
    sc_intern_done(&awaits->names);
    sc_task_lanes_done(&awaits->lanes);
}

static void make_account(struct sc_await_accounts *accounts, uint32_t number, uint32_t node)
{
    if (accounts->count == number)
        sc_vec_push(accounts, (struct sc_await_account){.node = node});
}

struct sc_place sc_awaits_place(struct sc_awaits *awaits, uint32_t node)
{
    struct sc_place place = sc_place_of(&awaits->places, node);
    if (place.line != SC_NONE) {
        make_account(&awaits->lines, place.line, place.node);
        make_account(&awaits->functions, place.function, place.node);
    }
    return place;
}

bool sc_awaits_wants_name(const struct sc_awaits *awaits, struct sc_place place)
{
    return place.line != SC_NONE &&
           awaits->lines.items[place.line].names.count < SC_AWAIT_NAMES_MAX;
}

static void add_name(struct sc_await_account *account, uint32_t name)
{
    for (size_t i = 0; i < account->names.count; i++) {
        if (account->names.items[i] == name)
            return;
    }
    if (account->names.count < SC_AWAIT_NAMES_MAX)
        sc_vec_push(&account->names, name);
}

void sc_awaits_name(struct sc_awaits *awaits, struct sc_place place, const char *name)
{
    uint32_t id = sc_intern_add(&awaits->names, name, strlen(name));
    add_name(&awaits->lines.items[place.line], id);
    add_name(&awaits->functions.items[place.function], id);
}

static void begin(struct sc_await_counts *counts)
{
    for (size_t i = 0; i < counts->all.count; i++)
        counts->places.items[counts->all.items[i].account] = 0;
    counts->all.count = 0;
}

void sc_awaits_begin(struct sc_await_look *look)
{
    begin(&look->lines);
    begin(&look->functions);
}

static void count_task(struct sc_await_counts *counts, uint32_t account)
{
    while (counts->places.count <= account)
        sc_vec_push(&counts->places, 0);
    if (counts->places.items[account] == 0) {
        sc_vec_push(&counts->all, (struct sc_await_count){.account = account});
        counts->places.items[account] = (uint32_t)counts->all.count;
    }
    counts->all.items[counts->places.items[account] - 1].tasks++;
}

void sc_awaits_count(struct sc_await_look *look, struct sc_place place)
{
    if (place.line == SC_NONE)
        return;
    count_task(&look->lines, place.line);
    count_task(&look->functions, place.function);
}

static void finish(struct sc_await_accounts *accounts, struct sc_await_counts *counts, double scale)
{
    SC_EACH(struct sc_await_count, count, &counts->all) {
        struct sc_await_account *account = &accounts->items[count->account];
        count->tasks = (uint32_t)((double)count->tasks * scale + 0.5);
        account->peak = count->tasks > account->peak ? count->tasks : account->peak;
    }
}

void sc_awaits_finish(struct sc_awaits *awaits, struct sc_await_look *look, double scale)
{
    finish(&awaits->lines, &look->lines, scale);
    finish(&awaits->functions, &look->functions, scale);
}

static void charge(struct sc_await_accounts *accounts, const struct sc_await_counts *counts,
                   uint64_t ns)
{
    SC_EACH(const struct sc_await_count, count, &counts->all) {
        struct sc_await_account *account = &accounts->items[count->account];
        account->await_ns += (double)ns * count->tasks;
        account->occupied_ns += ns;
    }
}

void sc_awaits_charge(struct sc_awaits *awaits, const struct sc_await_look *before,
                      const struct sc_await_look *after, uint64_t ns)
{
    charge(&awaits->lines, &before->lines, ns / 2);
    charge(&awaits->functions, &before->functions, ns / 2);
    charge(&awaits->lines, &after->lines, ns - ns / 2);
    charge(&awaits->functions, &after->functions, ns - ns / 2);
}

void sc_await_look_done(struct sc_await_look *look)
{
    sc_vec_done(&look->lines.all);
    sc_vec_done(&look->lines.places);
    sc_vec_done(&look->functions.all);
    sc_vec_done(&look->functions.places);
}
