/*
 * tests/unit/accelerator_test.c - the thread that asks, its queue and its sums, with made-up
 * devices.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "accelerator/accelerator.h"

#include <stdatomic.h>
#include <time.h>

#include "accelerator/poll.h"
#include "accelerator/readings.h"
#include "base/io.h"
#include "sc_test.h"

#define SECOND 1000000000U

/* What the made-up driver does and what it has seen. */
static struct {
    atomic_bool opens, blocks_in_open, blocks_in_read, signals_were_open;
    atomic_uint opened, reads, closed, pids;
} driver;

static void set_up(void)
{
    memset(&driver, 0, sizeof(driver));
    driver.opens = true;
}

static void wait_while(atomic_bool *what)
{
    while (atomic_load(what))
        (void)usleep(1000);
}

static void wait_for(atomic_uint *what, unsigned count)
{
    for (int i = 0; atomic_load(what) < count; i++) {
        assert_true(i < 20000);
        (void)usleep(1000);
    }
}

static void *open_fake(struct sc_str *notes)
{
    sigset_t blocked;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    driver.signals_were_open = !sigismember(&blocked, SIGINT) || !sigismember(&blocked, SIGCHLD);
    driver.opened++;
    wait_while(&driver.blocks_in_open);
    sc_accelerator_note(notes, "a note");
    return driver.opens ? &driver : NULL;
}

static size_t devices_of_fake(void *state, struct sc_device *ret, size_t limit)
{
    assert_ptr_equal(state, &driver);
    assert_true(limit >= 2);
    ret[0] = (struct sc_device){.name = "first", .index = 4, .total_bytes = 100};
    ret[1] = (struct sc_device){.name = "second", .index = 7, .total_bytes = 200};
    return 2;
}

static void read_fake(void *state, const struct sc_watched *watched, struct sc_device_state *ret,
                      size_t count, struct sc_str *notes)
{
    assert_ptr_equal(state, &driver);
    assert_int_equal(count, 2);
    wait_while(&driver.blocks_in_read);
    sc_accelerator_note(notes, "another note");
    ret[1] = (struct sc_device_state){.is_used = true, .load = 0.25, .used_bytes = 50};
    driver.pids = (unsigned)watched->count;
    driver.reads++;
}

static void close_fake(void *state)
{
    assert_ptr_equal(state, &driver);
    driver.closed++;
}

static void *open_nothing(struct sc_str *notes)
{
    sc_accelerator_note(notes, "nothing here");
    return NULL;
}

static const struct sc_accelerator nothing = {.kind = "Nothing", .open = open_nothing};
static const struct sc_accelerator fake = {.kind = "Fake",
                                           .open = open_fake,
                                           .devices = devices_of_fake,
                                           .read = read_fake,
                                           .close = close_fake};
static const struct sc_accelerator *const table[] = {&nothing, &fake, NULL};
static const struct sc_accelerator *const empty_table[] = {&nothing, NULL};

TEST(the_first_that_opens_is_read)
{
    set_up();
    struct sc_accelerators *accelerators = sc_accelerators_start_with(table);
    const pid_t pids[] = {1, 2, 3};
    sc_accelerators_watch(accelerators, pids, 3);
    wait_for(&driver.reads, 3);
    assert_string_equal(sc_accelerators_kind(accelerators), "Fake");
    sc_accelerators_finish(accelerators);
    assert_int_equal(driver.pids, 3);
    assert_false(driver.signals_were_open);

    struct sc_device_reading readings[8];
    size_t count = sc_accelerators_take(accelerators, readings, 8);
    assert_in_range(count, 2, 8);
    double load_s = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(readings[i].from_ns < readings[i].to_ns);
        assert_true(i == 0 || readings[i].from_ns == readings[i - 1].to_ns);
        assert_true(readings[i].load == 0.25);
        assert_int_equal(readings[i].used_bytes, 50);
        load_s += 0.25 * (double)(readings[i].to_ns - readings[i].from_ns) / SECOND;
    }
    assert_int_equal(sc_accelerators_take(accelerators, readings, 8), 0);

    struct sc_device devices[4];
    assert_int_equal(sc_accelerators_devices(accelerators, devices, 1), 1);
    assert_int_equal(sc_accelerators_devices(accelerators, devices, 4), 2);
    assert_string_equal(devices[0].name, "first");
    assert_true(devices[0].load_s == 0 && devices[0].peak_bytes == 0);
    assert_int_equal(devices[1].index, 7);
    assert_int_equal(devices[1].peak_bytes, 50);
    assert_true(devices[1].load_s > load_s - 1e-9 && devices[1].load_s < load_s + 1e-9);

    char *notes = sc_accelerators_notes(accelerators);
    assert_string_equal(notes, "nothing here\na note\nanother note");
    free(notes);
    sc_accelerators_free(accelerators);
    wait_for(&driver.closed, 1);
}

TEST(nothing_is_found)
{
    set_up();
    struct sc_device device;
    struct sc_device_reading reading;
    struct sc_accelerators *accelerators = sc_accelerators_start_with(empty_table);
    sc_accelerators_finish(accelerators);
    assert_string_equal(sc_accelerators_kind(accelerators), "");
    assert_int_equal(sc_accelerators_devices(accelerators, &device, 1), 0);
    assert_int_equal(sc_accelerators_take(accelerators, &reading, 1), 0);
    char *notes = sc_accelerators_notes(accelerators);
    assert_string_equal(notes, "nothing here");
    free(notes);
    sc_accelerators_free(accelerators);
}

TEST(after_the_last_reading_nothing_changes)
{
    set_up();
    struct sc_accelerators *accelerators = sc_accelerators_start_with(table);
    wait_for(&driver.reads, 1);
    sc_accelerators_finish(accelerators);
    unsigned reads = driver.reads;
    assert_true(reads >= 2);
    (void)usleep(250000);
    assert_int_equal(driver.reads, reads);
    sc_accelerators_finish(accelerators);
    assert_int_equal(driver.reads, reads);
    sc_accelerators_free(accelerators);
}

TEST(a_driver_that_never_opens_delays_nobody)
{
    set_up();
    driver.blocks_in_open = true;
    struct sc_accelerators *accelerators = sc_accelerators_start_with(table);
    wait_for(&driver.opened, 1);
    sc_accelerators_finish(accelerators);
    assert_string_equal(sc_accelerators_kind(accelerators), "");
    sc_accelerators_free(accelerators);
    assert_int_equal(driver.closed, 0);
    driver.blocks_in_open = false; /* it returns after everything that waited for it has ended */
    wait_for(&driver.closed, 1);
    assert_int_equal(driver.reads, 0);
}

TEST(a_driver_that_never_answers_delays_nobody)
{
    set_up();
    struct sc_accelerators *accelerators = sc_accelerators_start_with(table);
    wait_for(&driver.reads, 2);
    driver.blocks_in_read = true;
    sc_accelerators_finish(accelerators);
    struct sc_device_reading readings[8];
    size_t before = sc_accelerators_take(accelerators, readings, 8);
    char *notes = sc_accelerators_notes(accelerators);
    assert_non_null(strstr(notes, "the driver of the Fakes no longer answers"));
    free(notes);
    driver.blocks_in_read = false;
    wait_for(&driver.closed, 1);
    assert_true(before >= 1);
    assert_int_equal(sc_accelerators_take(accelerators, readings, 8), 0);
    sc_accelerators_free(accelerators);
}

TEST(freed_at_once)
{
    for (int i = 0; i < 20; i++) {
        set_up();
        sc_accelerators_free(sc_accelerators_start_with(table));
        wait_for(&driver.closed, driver.opened);
    }
    sc_accelerators_free(NULL);
}

static atomic_uint costly_reads;

/* Takes 10 ms of CPU time. */
static void read_at_a_cost(void *state, const struct sc_watched *watched,
                           struct sc_device_state *ret, size_t count, struct sc_str *notes)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    long end_ns = now.tv_nsec + 10000000;
    time_t second = now.tv_sec;
    do
        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - second) * 1000000000L + now.tv_nsec < end_ns);
    costly_reads++;
}

static void close_nothing(void *state)
{
}

TEST(a_costly_driver_is_asked_less_often)
{
    static const struct sc_accelerator costly = {.kind = "Costly",
                                                 .open = open_fake,
                                                 .devices = devices_of_fake,
                                                 .read = read_at_a_cost,
                                                 .close = close_nothing};
    static const struct sc_accelerator *const costly_table[] = {&costly, NULL};
    set_up();
    costly_reads = 0;
    struct sc_accelerators *cheap = sc_accelerators_start_with(table);
    struct sc_accelerators *expensive = sc_accelerators_start_with(costly_table);
    wait_for(&costly_reads, 1);
    driver.reads = 0;
    wait_for(&driver.reads, 8);
    assert_true(costly_reads <= 4);
    sc_accelerators_free(expensive);
    sc_accelerators_free(cheap);
    wait_for(&driver.closed, 1);
}

TEST(readings_without_room_become_one)
{
    static struct sc_readings readings;
    const struct sc_device devices[2] = {{.index = 0}, {.index = 1}};
    sc_readings_begin(&readings, devices, 2);
    for (uint64_t i = 0; i < SC_READINGS_MAX; i++) {
        const struct sc_device_state states[2] = {
            {.is_used = true, .load = 1, .used_bytes = 10, .is_shared_load = i == 5},
            {.is_used = true, .load = 0.5, .used_bytes = 5 * i}};
        sc_readings_add(&readings, i * SECOND, (i + 1) * SECOND, SECOND, states);
    }
    const struct sc_device_state idle[2] = {{0}, {0}};
    uint64_t end = SC_READINGS_MAX;
    sc_readings_add(&readings, end * SECOND, (end + 2) * SECOND, 2 * (uint64_t)SECOND, idle);

    static struct sc_device_reading taken[SC_READINGS_MAX + 1];
    assert_int_equal(sc_readings_take(&readings, taken, 10), 10);
    assert_int_equal(sc_readings_take(&readings, taken + 10, SC_READINGS_MAX), end - 10);
    for (uint64_t i = 0; i + 1 < end; i++) {
        assert_int_equal(taken[i].from_ns, i * SECOND);
        assert_true(taken[i].load == 0.75);
        assert_int_equal(taken[i].used_bytes, 10 + 5 * i);
    }
    const struct sc_device_reading *last = &taken[end - 1];
    assert_int_equal(last->from_ns, (end - 1) * SECOND);
    assert_int_equal(last->to_ns, (end + 2) * SECOND);
    assert_true(last->load == 0.25); /* 0.75 for one second, nothing for two */
    assert_int_equal(last->used_bytes, 0);
    assert_true(readings.devices[0].load_s == (double)end);
    assert_int_equal(readings.devices[1].peak_bytes, 5 * (end - 1));
    assert_true(readings.devices[0].is_shared_load);
    assert_false(readings.devices[1].is_shared_load);
}

TEST(an_unused_device_is_no_part_of_the_mean)
{
    static struct sc_readings readings;
    const struct sc_device devices[3] = {{.index = 0}, {.index = 1}, {.index = 2}};
    const struct sc_device_state states[3] = {
        {.load = 0.9, .used_bytes = 7}, {.is_used = true, .load = 0.4}, {.is_used = true}};
    struct sc_device_reading reading;
    sc_readings_begin(&readings, devices, 3);
    sc_readings_add(&readings, 5, 5, 0, states); /* no time has passed */
    sc_readings_add(&readings, 5, 6, 1, states);
    assert_int_equal(sc_readings_take(&readings, &reading, 1), 1);
    assert_true(reading.load == 0.2);
    assert_int_equal(reading.used_bytes, 0);
    assert_int_equal(sc_readings_take(&readings, &reading, 1), 0);
    assert_true(readings.devices[0].load_s == 0);
}

/* Its load is the mean until then. */
TEST(a_device_that_has_gone_is_not_measured)
{
    static struct sc_readings readings;
    const struct sc_device devices[2] = {{.index = 0}, {.index = 1}};
    const struct sc_device_state before[2] = {{.is_used = true, .load = 0.5}, {0}};
    const struct sc_device_state after[2] = {{.is_gone = true}, {0}};
    sc_readings_begin(&readings, devices, 2);
    sc_readings_add(&readings, 0, 2 * (uint64_t)SECOND, 2 * (uint64_t)SECOND, before);
    sc_readings_add(&readings, 2 * (uint64_t)SECOND, 9 * (uint64_t)SECOND, 7 * (uint64_t)SECOND,
                    after);
    assert_true(readings.devices[0].load_s == 1 && readings.devices[0].measured_s == 2);
    assert_true(readings.devices[1].measured_s == 9);
}

TEST(time_that_does_not_count_is_in_no_sum)
{
    static struct sc_readings readings;
    const struct sc_device device = {.index = 0};
    const struct sc_device_state busy = {.is_used = true, .load = 1, .used_bytes = 9};
    const struct sc_device_state unused = {0};
    struct sc_device_reading reading;
    sc_readings_begin(&readings, &device, 1);
    sc_readings_add(&readings, 0, 4 * (uint64_t)SECOND, SECOND, &busy);
    sc_readings_add(&readings, 4 * (uint64_t)SECOND, 6 * (uint64_t)SECOND, 0, &busy);
    sc_readings_add(&readings, 6 * (uint64_t)SECOND, 9 * (uint64_t)SECOND, 3 * (uint64_t)SECOND,
                    &unused);
    assert_int_equal(sc_readings_take(&readings, &reading, 1), 1);
    assert_int_equal(reading.to_ns, 4 * (uint64_t)SECOND);
    assert_int_equal(sc_readings_take(&readings, &reading, 1), 1);
    assert_int_equal(reading.from_ns, 6 * (uint64_t)SECOND);
    assert_true(readings.devices[0].load_s == 1);
    assert_true(readings.devices[0].measured_s == 4);
}

/* A driver that speaks when it likes: three readings at once, then nothing until asked again. */
static struct {
    atomic_uint waiting; /* readings */
    atomic_uint asked, read;
    atomic_bool has_seen_past;
} talker;

#define PAST 77

static unsigned news_of_talker(void *state, struct sc_str *notes)
{
    unsigned count = talker.asked == 0 ? 1 : atomic_exchange(&talker.waiting, 0);
    talker.asked++;
    return count;
}

static void read_talker(void *state, const struct sc_watched *watched, struct sc_device_state *ret,
                        size_t count, struct sc_str *notes)
{
    bool has_past = false;
    for (size_t i = 0; i < watched->count; i++)
        has_past = has_past || watched->pids[i] == PAST;
    talker.has_seen_past = has_past;
    ret[1] = (struct sc_device_state){.is_used = true, .load = talker.read == 1 ? 1 : 0.25};
    talker.read++;
}

static const struct sc_accelerator talking = {.kind = "Talking",
                                              .open = open_fake,
                                              .devices = devices_of_fake,
                                              .news = news_of_talker,
                                              .read = read_talker,
                                              .close = close_fake};
static const struct sc_accelerator *const talking_table[] = {&talking, NULL};

static struct sc_accelerators *start_talker(void)
{
    set_up();
    memset(&talker, 0, sizeof(talker));
    return sc_accelerators_start_with(talking_table);
}

/* The driver is asked again until a reading is complete. */
static void wait_for_readings(unsigned count)
{
    wait_for(&talker.read, count);
    wait_for(&talker.asked, talker.asked + 1);
}

TEST(readings_that_wait_share_the_time)
{
    struct sc_accelerators *accelerators = start_talker();
    wait_for_readings(1);
    talker.waiting = 3;
    wait_for_readings(4);
    sc_accelerators_finish(accelerators);
    struct sc_device_reading readings[8];
    assert_int_equal(sc_accelerators_take(accelerators, readings, 8), 3);
    uint64_t length_ns = readings[0].to_ns - readings[0].from_ns;
    for (size_t i = 0; i < 3; i++) {
        assert_true(readings[i].load == (i == 0 ? 1 : 0.25));
        assert_int_equal(readings[i].to_ns - readings[i].from_ns, length_ns);
        assert_true(i == 0 || readings[i].from_ns == readings[i - 1].to_ns);
    }
    sc_accelerators_free(accelerators);
    wait_for(&driver.closed, 1);
}

TEST(a_process_that_has_ended_counts_once_more)
{
    struct sc_accelerators *accelerators = start_talker();
    wait_for_readings(1);
    sc_accelerators_watch(accelerators, (const pid_t[]){5, PAST, 6}, 3);
    sc_accelerators_watch(accelerators, (const pid_t[]){5, 6}, 2);
    talker.waiting = 1;
    wait_for_readings(2);
    assert_true(talker.has_seen_past);
    talker.waiting = 1;
    wait_for_readings(3);
    assert_false(talker.has_seen_past);
    sc_accelerators_free(accelerators);
    wait_for(&driver.closed, 1);
}

TEST(what_is_read_of_a_pause_does_not_count)
{
    struct sc_accelerators *accelerators = start_talker();
    struct sc_device_reading readings[2];
    struct sc_device devices[2];
    sc_accelerators_pause(accelerators, true, 1);
    wait_for_readings(1);
    talker.waiting = 1;
    wait_for_readings(2); /* all of its time is paused */
    assert_int_equal(sc_accelerators_take(accelerators, readings, 2), 0);
    uint64_t before_ns = sc_now_ns();
    sc_accelerators_pause(accelerators, false, before_ns);
    talker.waiting = 1;
    wait_for_readings(3); /* this began in the pause, and the rest of it counts */
    assert_int_equal(sc_accelerators_take(accelerators, readings, 2), 1);
    assert_true(readings[0].from_ns < before_ns && readings[0].to_ns > before_ns);
    (void)sc_accelerators_devices(accelerators, devices, 2);
    double counted_s = (double)(readings[0].to_ns - before_ns) / SECOND;
    assert_true(devices[1].measured_s > counted_s - 1e-9);
    assert_true(devices[1].measured_s < counted_s + 1e-9);
    sc_accelerators_free(accelerators);
    wait_for(&driver.closed, 1);
}

TEST(a_note_is_said_once)
{
    OWN(sc_str, notes) = {0};
    sc_accelerator_note(&notes, "GPU %d is lost", 12);
    sc_accelerator_note(&notes, "GPU %d is lost", 1);
    sc_accelerator_note(&notes, "U 1 is lost");
    sc_accelerator_note(&notes, "GPU 1 is");
    sc_accelerator_note(&notes, "GPU 12 is lost");
    sc_accelerator_note(&notes, "GPU 1 is lost");
    assert_string_equal(sc_str_text(&notes),
                        "GPU 12 is lost\nGPU 1 is lost\nU 1 is lost\nGPU 1 is");
}
