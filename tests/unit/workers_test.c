/*
 * tests/unit/workers_test.c - where the costs of a worker go whose stack has no frame in scope.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/sample/workers.h"

#include "watched_process.h"

enum { LINE = 10, LATER = 11, LIBRARY = 3 };

struct crew {
    struct watched *watched;
    struct sc_scope scope;
    struct sc_owners owners;
    uint32_t waits;   /* of the main thread, in a library that line LINE has called */
    uint32_t line;    /* LINE */
    uint32_t later;   /* LATER */
    uint32_t library; /* of the worker */
};

static uint32_t frame_of(struct crew *crew, uint32_t parent, const char *file, const char *name,
                         uint32_t line)
{
    struct sc_collect *collect = &crew->watched->collect;
    return sc_collect_frame(collect, parent, sc_collect_code(collect, file, name, 1), line);
}

static uint32_t frame(struct crew *crew, uint32_t parent, const char *file, uint32_t line)
{
    return frame_of(crew, parent, file, "f", line);
}

static struct sc_charge_thread *thread(struct crew *crew, size_t i)
{
    return &crew->watched->process.threads.items[i].charge;
}

static void begin(struct crew *crew)
{
    *crew = (struct crew){.watched = watched_new(), .scope = {.root_dir = "/w"}};
    sc_owners_init(&crew->owners, &crew->watched->collect, &crew->scope);
    crew->watched->process.owners = &crew->owners;
    (void)watched_thread(crew->watched, 100);
    (void)watched_thread(crew->watched, 101);
    sc_map_put(&crew->watched->process.threads.index, 100, 0);
    *thread(crew, 0) = (struct sc_charge_thread){.id = 100, .is_main = true};
    *thread(crew, 1) = (struct sc_charge_thread){.id = 101, .creator_id = 100};
    crew->line = frame(crew, 0, "/w/a.py", LINE);
    crew->later = frame(crew, 0, "/w/a.py", LATER);
    crew->waits = frame(crew, crew->line, "/lib/wait.py", LIBRARY);
    crew->library = frame(crew, 0, "/lib/json.py", LIBRARY);
}

static void end(struct crew *crew)
{
    sc_workers_end(&crew->watched->process);
    sc_owners_done(&crew->owners);
    sc_map_done(&crew->watched->process.threads.index);
    watched_free(crew->watched);
}

static void main_waits_at(struct crew *crew, uint32_t node)
{
    thread(crew, 0)->blocked = node != 0;
    thread(crew, 0)->blocked_node = node;
    thread(crew, 0)->blocked_line = SC_NONE;
    thread(crew, 0)->blocked_cause = SC_WAIT_LOCK;
}

static uint32_t of_worker(struct crew *crew, uint32_t node)
{
    return sc_workers_node(&crew->watched->process, &crew->watched->process.threads.items[1], node);
}

static uint64_t *time_at(struct crew *crew, uint32_t node)
{
    return &sc_collect_cost(&crew->watched->collect, node)->time_ns[SC_TIME_NATIVE];
}

static uint32_t below(struct crew *crew, uint32_t line)
{
    return sc_collect_worker(&crew->watched->collect, line, 0, crew->library);
}

TEST(a_workers_stack_is_below_the_line_that_waits)
{
    struct crew crew;
    begin(&crew);
    main_waits_at(&crew, crew.waits);
    assert_int_equal(of_worker(&crew, crew.library), below(&crew, crew.line));
    assert_int_equal(sc_owner_of(&crew.owners, below(&crew, crew.line)), crew.line);
    /* where the creator waits itself, others are not looked at: there may be thousands */
    *thread(&crew, 1) = (struct sc_charge_thread){
        .blocked = true, .blocked_node = crew.library, .blocked_line = SC_NONE, .creator_id = 100};
    assert_int_equal(of_worker(&crew, crew.library), below(&crew, crew.line));
    assert_int_equal(thread(&crew, 1)->blocked_line, SC_NONE);
    end(&crew);
}

TEST(what_has_a_line_or_no_frame_stays)
{
    struct crew crew;
    begin(&crew);
    struct sc_process *process = &crew.watched->process;
    main_waits_at(&crew, crew.waits);
    assert_int_equal(of_worker(&crew, crew.later), crew.later);
    assert_true(thread(&crew, 1)->has_line);
    assert_int_equal(of_worker(&crew, 0), 0);
    assert_int_equal(sc_workers_node(process, &process->threads.items[0], crew.library),
                     crew.library);
    process->owners = NULL;
    assert_int_equal(of_worker(&crew, crew.library), crew.library);
    end(&crew);
}

TEST(while_no_line_waits_the_costs_are_held)
{
    struct crew crew;
    begin(&crew);
    struct sc_process *process = &crew.watched->process;
    uint32_t held = of_worker(&crew, crew.library);
    assert_int_not_equal(held, crew.library);
    assert_int_equal(sc_owner_of(&crew.owners, held), SC_NONE);
    assert_int_equal(of_worker(&crew, crew.library), held);
    *time_at(&crew, held) += 7;
    thread(&crew, 1)->sampled_node = held;
    sc_recent_note(
        &thread(&crew, 1)->recent,
        &(struct sc_recent_part){.node = held, .time = SC_TIME_PREEMPTED_NATIVE, .ns = MS});
    sc_workers_assign_costs(process, NOW + 10 * MS);
    assert_int_equal(*time_at(&crew, held), 7);
    main_waits_at(&crew, crew.later);
    sc_workers_assign_costs(process, NOW + 20 * MS);
    assert_int_equal(*time_at(&crew, held), 0);
    assert_int_equal(*time_at(&crew, below(&crew, crew.later)), 7);
    /* and what comes there later, too */
    assert_int_equal(thread(&crew, 1)->sampled_node, below(&crew, crew.later));
    assert_int_equal(thread(&crew, 1)->recent.parts[0].node, below(&crew, crew.later));
    end(&crew);
}

/* However often they are moved: a server may start threads for days. */
TEST(samples_of_lives_go_with_the_costs)
{
    struct crew crew;
    struct sc_charge_young young = {0};
    begin(&crew);
    crew.watched->process.young = &young;
    thread(&crew, 1)->life = SC_LIFE_OF_THREAD;
    const struct sc_young_lives *lives = &young.lives[SC_LIFE_OF_THREAD];
    for (unsigned i = 1; i <= 3; i++) {
        const struct sc_charges charges = {.charge = {.node = of_worker(&crew, crew.library),
                                                      .to = SC_CHARGE_BOTH,
                                                      .time = SC_TIME_NATIVE,
                                                      .ns = MS}};
        sc_charge_met(&young, thread(&crew, 1), &charges, MS);
        main_waits_at(&crew, crew.waits);
        sc_workers_assign_costs(&crew.watched->process, NOW + i * MS);
        main_waits_at(&crew, 0);
    }
    assert_int_equal(lives->places.count, 2);
    assert_int_equal(lives->places.items[0].charged_ns, 0);
    assert_int_equal(lives->places.items[1].node, below(&crew, crew.line));
    assert_int_equal(lives->places.items[1].charged_ns, 3 * MS);
    sc_charge_young_done(&young);
    end(&crew);
}

/* Blocked on the interpreter's lock, or on another. */
TEST(who_starts_a_thread_does_not_wait_for_its_work)
{
    static const struct {
        const char *first, *second; /* functions of threading.py, the inner one second */
        bool waits;
    } cases[] = {
        {"Condition.wait", "Condition.__exit__", true}, {"Thread.join", "Thread._wait", true},
        {"Thread.start", "Event.wait", false},          {"start", "wait", false}, /* before 3.11 */
        {"Event.wait", "Thread.start", false},
    };
    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        struct crew crew;
        begin(&crew);
        uint32_t outer =
            frame_of(&crew, crew.line, "/lib/threading.py", cases[i / 2].first, LIBRARY);
        uint32_t inner = frame_of(&crew, outer, "/lib/threading.py", cases[i / 2].second, LIBRARY);
        main_waits_at(&crew, inner);
        thread(&crew, 0)->blocked_cause = i % 2 == 0 ? SC_WAIT_GIL : SC_WAIT_LOCK;
        assert_int_equal(of_worker(&crew, crew.library) == below(&crew, crew.line),
                         cases[i / 2].waits);
        end(&crew);
    }
}

TEST(but_not_for_ever)
{
    struct crew crew;
    begin(&crew);
    uint32_t held = of_worker(&crew, crew.library);
    *time_at(&crew, held) += 7;
    sc_workers_assign_costs(&crew.watched->process, NOW + 6000 * MS);
    assert_int_equal(*time_at(&crew, held), 0);
    assert_int_equal(*time_at(&crew, crew.library), 7);
    end(&crew);
}

TEST(at_the_end_the_line_that_waited_last_has_it)
{
    struct crew crew;
    begin(&crew);
    main_waits_at(&crew, crew.waits);
    *time_at(&crew, of_worker(&crew, crew.library)) += 5;
    main_waits_at(&crew, 0);
    *time_at(&crew, of_worker(&crew, crew.library)) += 7;
    sc_workers_end(&crew.watched->process);
    assert_int_equal(*time_at(&crew, below(&crew, crew.line)), 12);
    end(&crew);
}
