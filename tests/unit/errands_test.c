/*
 * tests/unit/errands_test.c - work beside: done in order, given up when it does not come back,
 * ended by a fault of a file that has become shorter.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/errands.h"

#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sc_test.h"

#define LONG_NS  UINT64_C(20000000000)
#define SHORT_NS UINT64_C(20000000)

struct counting {
    struct sc_errand errand;
    unsigned *count;
    unsigned found;
};

static void count(struct sc_errand *errand)
{
    struct counting *counting = (struct counting *)errand;
    counting->found = (*counting->count)++;
}

static int gate[2]; /* a pipe that nothing is written into until the test's end */

static void wait_for_ever(struct sc_errand *errand)
{
    char byte;
    (void)errand;
    (void)!read(gate[0], &byte, 1);
}

/* Waits until the thread has the errand in hand: on a busy machine that takes a while. */
static enum sc_errand_state begun(struct sc_errands *errands, struct sc_errand *errand)
{
    enum sc_errand_state state;
    while ((state = sc_errands_wait(errands, errand, 0)) == SC_ERRAND_WAITING)
        (void)poll(NULL, 0, 1);
    return state;
}

static void errands_are_done_once_and_in_order(void **state)
{
    (void)state;
    struct sc_errands *errands = sc_errands_new();
    struct counting all[20];
    unsigned counted = 0;
    for (unsigned i = 0; i < 20; i++) {
        all[i] = (struct counting){.errand.work = count, .count = &counted};
        sc_errands_ask(errands, &all[i].errand);
        sc_errands_ask(errands, &all[i].errand);
    }
    for (unsigned i = 20; i-- > 0;) {
        assert_int_equal(sc_errands_wait(errands, &all[i].errand, LONG_NS), SC_ERRAND_DONE);
        assert_int_equal(all[i].found, i);
    }
    assert_int_equal(counted, 20);
    assert_true(sc_errands_free(errands));
    assert_true(sc_errands_free(NULL));
}

static void one_that_does_not_come_back_costs_itself(void **state)
{
    (void)state;
    static struct sc_errand stuck[2] = {{.work = wait_for_ever}, {.work = wait_for_ever}};
    static struct counting after[2];
    static unsigned counted;
    assert_int_equal(pipe(gate), 0);
    struct sc_errands *errands = sc_errands_new();
    for (unsigned i = 0; i < 2; i++) {
        after[i] = (struct counting){.errand.work = count, .count = &counted};
        sc_errands_ask(errands, &stuck[i]);
        sc_errands_ask(errands, &after[i].errand);
        assert_int_equal(begun(errands, &stuck[i]), SC_ERRAND_RUNNING);
        assert_int_equal(sc_errands_wait(errands, &after[i].errand, SHORT_NS), SC_ERRAND_WAITING);
        sc_errands_give_up(errands);
        assert_int_equal(sc_errands_wait(errands, &stuck[i], 0), SC_ERRAND_LOST);
        assert_int_equal(sc_errands_wait(errands, &after[i].errand, LONG_NS), SC_ERRAND_DONE);
    }
    assert_int_equal(close(gate[1]), 0); /* they come back, and nobody minds */
    assert_int_equal(sc_errands_wait(errands, &stuck[0], 0), SC_ERRAND_LOST);
    assert_false(sc_errands_free(errands));
    assert_int_equal(close(gate[0]), 0);
}

static void after_many_of_those_all_are_lost(void **state)
{
    (void)state;
    static struct sc_errand stuck[6];
    assert_int_equal(pipe(gate), 0);
    struct sc_errands *errands = sc_errands_new();
    for (unsigned i = 0; i < 6; i++) {
        stuck[i] = (struct sc_errand){.work = wait_for_ever};
        sc_errands_ask(errands, &stuck[i]);
        if (begun(errands, &stuck[i]) != SC_ERRAND_LOST)
            sc_errands_give_up(errands);
        assert_int_equal(sc_errands_wait(errands, &stuck[i], 0), SC_ERRAND_LOST);
    }
    assert_int_equal(close(gate[1]), 0);
    assert_false(sc_errands_free(errands));
    assert_int_equal(close(gate[0]), 0);
}

static const volatile char *cut; /* a mapping whose file has become shorter */

static void read_what_is_gone(struct sc_errand *errand)
{
    (void)errand;
    (void)cut[0];
}

static void a_file_that_is_cut_short_costs_its_errand(void **state)
{
    (void)state;
    long page = sysconf(_SC_PAGESIZE);
    char path[] = "/tmp/sc_errands_XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(ftruncate(fd, page), 0);
    void *mapped = mmap(NULL, (size_t)page, PROT_READ, MAP_PRIVATE, fd, 0);
    assert_ptr_not_equal(mapped, MAP_FAILED);
    cut = mapped;
    assert_int_equal(ftruncate(fd, 0), 0);
    struct sc_errands *errands = sc_errands_new();
    struct sc_errand reading[2] = {{.work = read_what_is_gone}, {.work = read_what_is_gone}};
    unsigned counted = 0;
    struct counting after = {.errand.work = count, .count = &counted};
    for (unsigned i = 0; i < 2; i++) {
        sc_errands_ask(errands, &reading[i]);
        assert_int_equal(sc_errands_wait(errands, &reading[i], LONG_NS), SC_ERRAND_LOST);
    }
    sc_errands_ask(errands, &after.errand);
    assert_int_equal(sc_errands_wait(errands, &after.errand, LONG_NS), SC_ERRAND_DONE);
    assert_int_equal(munmap(mapped, (size_t)page), 0); /* as where a number in it leads nowhere */
    struct sc_errand astray = {.work = read_what_is_gone};
    sc_errands_ask(errands, &astray);
    assert_int_equal(sc_errands_wait(errands, &astray, LONG_NS), SC_ERRAND_LOST);
    assert_false(sc_errands_free(errands));
    (void)close(fd);
    (void)unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errands_are_done_once_and_in_order),
        cmocka_unit_test(one_that_does_not_come_back_costs_itself),
        cmocka_unit_test(after_many_of_those_all_are_lost),
        cmocka_unit_test(a_file_that_is_cut_short_costs_its_errand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
