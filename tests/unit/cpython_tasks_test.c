/*
 * tests/unit/cpython_tasks_test.c - asyncio's tasks in memory that no interpreter would make.
 *
 * That real ones are read rightly is tested by tests/layout/test_tasks.py.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/tasks.h"
#include "fake_python.h"
#include "sc_test.h"

enum { INTERPRETER_BYTES = 16384, LISTED_MAX = 16, READS_MAX = 100000 };

static struct fake_python python;
static struct sc_tasks tasks;
static struct sc_task task;
static uint64_t task_type;
static uint64_t future_type;

#define FOR_EACH_LAYOUT(layout)                                                                    \
    for (const struct sc_layout *layout = sc_layouts; layout < sc_layouts + sc_layouts_count;      \
         layout++)

static uint64_t make_type(const char *name, int32_t size_bytes)
{
    uint64_t type = fake_object(&python, python.type_type);
    uint64_t text = fake_room(&python.process, strlen(name) + 1);
    fake_write(&python.process, text, name, strlen(name) + 1);
    fake_put_u64(&python.process, type, tasks.at.tp_name, text);
    fake_put_u64(&python.process, type, tasks.at.tp_basicsize, (uint64_t)size_bytes);
    return type;
}

/* An interpreter with a home for tasks, in which there are none yet. */
static void start(const struct sc_layout *layout)
{
    fake_python_start(&python, layout);
    uint64_t runtime = fake_room(&python.process, 2048);
    uint64_t interpreter = fake_room(&python.process, INTERPRETER_BYTES);
    fake_put_u64(&python.process, runtime, layout->rt_interpreters_head, interpreter);
    for (size_t i = 0; i < sc_task_layouts_count; i++) {
        const struct sc_task_layout *at = &sc_task_layouts[i];
        if (at->version == layout->version && at->free_threaded == layout->free_threaded)
            fake_put_u64(&python.process, runtime, at->published_modules, (uint64_t)at->is_modules);
    }
    if (layout->version < 0x030d) /* position 0 was written to for want of a published one */
        fake_put_u64(&python.process, runtime, 0, 0);
    assert_true(sc_tasks_init(&tasks, layout, &python.process.target, runtime, python.code_type));
    task_type = make_type("_asyncio.Task", tasks.at.tk_size);
    future_type = make_type("_asyncio.Future", tasks.at.fu_size);
    tasks.home_count = 1;
    tasks.homes[0] = (struct sc_tasks_home){.interpreter = interpreter,
                                            .found = true,
                                            .task_type = task_type,
                                            .future_type = future_type};
    if (tasks.at.tk_node < 0)
        tasks.homes[0].all_tasks = fake_object(&python, python.type_type);
}

static uint64_t make_future(uint32_t state)
{
    uint64_t future = fake_object(&python, future_type);
    fake_put_u32(&python.process, future, tasks.at.fu_state, state);
    return future;
}

static uint64_t make_task(uint64_t coro, uint64_t waiter)
{
    uint64_t object = fake_object(&python, task_type);
    fake_put_u64(&python.process, object, tasks.at.tk_coro, coro);
    fake_put_u64(&python.process, object, tasks.at.tk_waiter, waiter);
    return object;
}

TEST(a_program_without_asyncio_costs_a_few_words)
{
    FOR_EACH_LAYOUT(layout)
    {
        start(layout);
        uint64_t interpreter = tasks.homes[0].interpreter;
        tasks.home_count = 0;
        uint64_t modules = fake_object(&python, make_type("dict", 64));
        uint64_t keys = fake_room(&python.process, 256);
        fake_put_u64(&python.process, interpreter, tasks.at.is_modules, modules);
        fake_put_u64(&python.process, modules, tasks.at.di_used, 1);
        fake_put_u64(&python.process, modules, tasks.at.di_keys, keys);
        fake_put_u64(&python.process, keys, tasks.at.dk_size, 8);
        assert_false(sc_tasks_find(&tasks));
        python.process.reads = 0;
        for (int i = 0; i < 10; i++)
            assert_false(sc_tasks_find(&tasks));
        assert_in_range(python.process.reads, 1, 10 * 6);
    }
}

TEST(what_has_happened_already_is_not_waited_for)
{
    FOR_EACH_LAYOUT(layout)
    {
        start(layout);
        uint64_t done = make_task(make_future(0), make_future(2));
        uint64_t without = make_task(make_future(0), 0);
        assert_int_equal(sc_task_read(&tasks, done, &task), SC_TASK_NOT_WAITING);
        assert_int_equal(sc_task_read(&tasks, without, &task), SC_TASK_NOT_WAITING);
    }
}

TEST(what_is_no_task_or_no_coroutine_is_refused)
{
    FOR_EACH_LAYOUT(layout)
    {
        start(layout);
        assert_int_equal(sc_task_read(&tasks, 0, &task), SC_TASK_UNREADABLE);
        assert_int_equal(sc_task_read(&tasks, 8, &task), SC_TASK_UNREADABLE);
        assert_int_equal(sc_task_read(&tasks, fake_base + FAKE_BYTES - 16, &task),
                         SC_TASK_UNREADABLE);
        assert_int_equal(sc_task_read(&tasks, make_future(0), &task), SC_TASK_UNREADABLE);
        uint64_t odd = make_task(make_future(0), make_future(0));
        assert_int_equal(sc_task_read(&tasks, odd, &task), SC_TASK_UNREADABLE);
        /* a class that calls itself coroutine, of another size */
        uint64_t other = fake_object(&python, make_type("coroutine", 4000));
        assert_int_equal(sc_task_read(&tasks, make_task(other, make_future(0)), &task),
                         SC_TASK_UNREADABLE);
    }
}

TEST(a_chain_that_leads_to_itself_ends)
{
    FOR_EACH_LAYOUT(layout)
    {
        start(layout);
        uint64_t wrapper = fake_object(&python, make_type("coroutine_wrapper", 24));
        fake_put_u64(&python.process, wrapper, tasks.at.ob_size, wrapper);
        python.process.reads = 0;
        assert_int_equal(sc_task_read(&tasks, make_task(wrapper, make_future(0)), &task),
                         SC_TASK_UNREADABLE);
        assert_in_range(python.process.reads, 1, READS_MAX);
    }
}

TEST(types_that_are_their_own_base_end)
{
    FOR_EACH_LAYOUT(layout)
    {
        start(layout);
        uint64_t type = make_type("circular", 100);
        fake_put_u64(&python.process, type, tasks.at.tp_base, type);
        uint64_t object = fake_object(&python, type);
        assert_int_equal(sc_task_read(&tasks, object, &task), SC_TASK_UNREADABLE);
    }
}

static void link_nodes(uint64_t node, uint64_t next, uint64_t before)
{
    fake_put_u64(&python.process, node, 0, next);
    fake_put_u64(&python.process, node, 8, before);
}

TEST(lists_are_followed_while_their_links_agree)
{
    uint64_t found[LISTED_MAX];
    FOR_EACH_LAYOUT(layout)
    {
        start(layout);
        if (tasks.at.tk_node < 0)
            continue;
        uint64_t head = tasks.homes[0].interpreter + (uint32_t)tasks.at.is_tasks_head;
        uint64_t nodes[3];
        for (size_t i = 0; i < 3; i++)
            nodes[i] = make_task(0, 0) + (uint32_t)tasks.at.tk_node;
        link_nodes(head, head, head);
        assert_int_equal(sc_tasks_list(&tasks, found, LISTED_MAX), 0);
        link_nodes(head, nodes[0], nodes[2]);
        link_nodes(nodes[0], nodes[1], head);
        link_nodes(nodes[1], nodes[2], nodes[0]);
        link_nodes(nodes[2], head, nodes[1]);
        assert_int_equal(sc_tasks_list(&tasks, found, LISTED_MAX), 3);
        assert_int_equal(found[1], nodes[1] - (uint32_t)tasks.at.tk_node);
        assert_int_equal(sc_tasks_list(&tasks, found, 2), 2);
        /* the third one has been given to another list meanwhile */
        link_nodes(nodes[2], head, nodes[0]);
        assert_int_equal(sc_tasks_list(&tasks, found, LISTED_MAX), 2);
        /* a ring that the head is no part of */
        link_nodes(nodes[1], nodes[0], nodes[0]);
        assert_int_equal(sc_tasks_list(&tasks, found, LISTED_MAX), 2);
    }
}

/* A page that was kept: the second node is as it was before the first one was put in front of it.
 */
static bool read_kept(void *context, uint64_t address, void *bytes, size_t length)
{
    const uint64_t *second = context;
    const struct sc_target *now = &python.process.target;
    bool is_read = sc_target_read(now, address, bytes, length);
    if (address == second[0] && is_read)
        memcpy((unsigned char *)bytes + 8, &second[1], 8);
    return is_read;
}

TEST(a_list_that_has_changed_is_read_anew)
{
    uint64_t found[LISTED_MAX];
    FOR_EACH_LAYOUT(layout)
    {
        start(layout);
        if (tasks.at.tk_node < 0)
            continue;
        uint64_t head = tasks.homes[0].interpreter + (uint32_t)tasks.at.is_tasks_head;
        uint64_t first = make_task(0, 0) + (uint32_t)tasks.at.tk_node;
        uint64_t second[2] = {make_task(0, 0) + (uint32_t)tasks.at.tk_node, head};
        const struct sc_target kept = {.read = read_kept, .context = second};
        link_nodes(head, first, second[0]);
        link_nodes(first, second[0], head);
        link_nodes(second[0], head, first);
        sc_tasks_read_by(&tasks, &kept, &python.process.target);
        assert_int_equal(sc_tasks_list(&tasks, found, LISTED_MAX), 2);
        sc_tasks_read_by(&tasks, &kept, &kept); /* it changes all the time */
        assert_int_equal(sc_tasks_list(&tasks, found, LISTED_MAX), 1);
    }
}

TEST(sets_are_read_as_far_as_they_make_sense)
{
    uint64_t found[LISTED_MAX];
    FOR_EACH_LAYOUT(layout)
    {
        start(layout);
        if (tasks.at.tk_node >= 0)
            continue;
        uint64_t set = tasks.homes[0].all_tasks;
        uint64_t table = fake_room(&python.process, (size_t)8 * 16);
        uint64_t reference = fake_object(&python, python.type_type);
        uint64_t object = make_task(0, 0);
        fake_put_u64(&python.process, reference, tasks.at.wr_object, object);
        fake_put_u64(&python.process, table, 2 * 16, task_type); /* given up */
        fake_put_u64(&python.process, table, 2 * 16 + 8, UINT64_MAX);
        fake_put_u64(&python.process, table, 3 * 16, reference);
        fake_put_u64(&python.process, table, 5 * 16, 12345); /* no object */
        fake_put_u64(&python.process, set, tasks.at.se_table, table);
        fake_put_u64(&python.process, set, tasks.at.se_mask, 7);
        assert_int_equal(sc_tasks_list(&tasks, found, LISTED_MAX), 0); /* it is empty */
        fake_put_u64(&python.process, set, tasks.at.se_used, 1);
        assert_int_equal(sc_tasks_list(&tasks, found, 1), 1); /* there is room for it alone */
        assert_int_equal(found[0], object);
        fake_put_u64(&python.process, set, tasks.at.se_mask, UINT64_MAX);
        python.process.reads = 0;
        assert_int_equal(sc_tasks_list(&tasks, found, LISTED_MAX), 0);
        assert_in_range(python.process.reads, 1, 10);
    }
}
