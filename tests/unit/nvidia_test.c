/*
 * tests/unit/nvidia_test.c - what of a GPU is said to be the program's, with stand-ins for NVIDIA's
 * library (tests/gpu/standin/nvml.c) and for /proc.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "accelerator/nvidia.h"

#include <dirent.h>
#include <ftw.h>

#include "accelerator/nvidia_modes.h"
#include "accelerator/open_files.h"
#include "sc_test.h"

#define MB (1U << 20)

static char place[PATH_MAX / 4];
static struct sc_str notes;

static void write_script(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void write_script(const char *format, ...)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/script", place);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    va_list arguments;
    va_start(arguments, format);
    (void)vfprintf(file, format, arguments);
    va_end(arguments);
    assert_int_equal(fclose(file), 0);
}

static void make_link(const char *path, const char *target)
{
    char whole[PATH_MAX];
    (void)snprintf(whole, sizeof(whole), "%s/%s", place, path);
    (void)unlink(whole);
    for (char *slash = whole + strlen(place) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        (void)mkdir(whole, 0700);
        *slash = '/';
    }
    assert_int_equal(symlink(target, whole), 0);
}

static int set_up(void **state)
{
    char path[PATH_MAX];
    (void)snprintf(place, sizeof(place), "/tmp/nvidia-test-XXXXXX");
    assert_non_null(mkdtemp(place));
    (void)snprintf(path, sizeof(path), "%s/script", place);
    (void)setenv("SC_STANDIN_NVML", path, 1);
    make_link("self/ns/pid", "pid:[4026531836]");
    return 0;
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    return remove(path);
}

static void *nvidia;

static void close_library(void)
{
    if (nvidia != NULL)
        sc_nvidia.close(nvidia);
    nvidia = NULL;
}

static int tear_down(void **state)
{
    close_library();
    sc_str_done(&notes);
    return nftw(place, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void *open_library(const char *name)
{
    char path[PATH_MAX];
    const char *folder = getenv("SC_STANDINS");
    assert_non_null(folder);
    (void)snprintf(path, sizeof(path), "%s/nvml-%s.so", folder, name);
    sc_str_clear(&notes);
    close_library();
    return nvidia = sc_nvidia_open_at(path, place, &notes);
}

static struct sc_device_state states[SC_DEVICES_MAX];

/* One reading, in which the processes 100 and 101 count. */
static void read_all(void)
{
    const pid_t pids[] = {100, 101};
    const struct sc_watched watched = {.pids = pids, .count = 2};
    memset(states, 0, sizeof(states));
    sc_nvidia.read(nvidia, &watched, states, SC_DEVICES_MAX, &notes);
}

/* What the script says is read. */
#define READS(...)                                                                                 \
    do {                                                                                           \
        write_script(__VA_ARGS__); /* NOLINT(clang-diagnostic-format-nonliteral) */                \
        read_all();                                                                                \
    } while (0)

/* By a library that is opened then. */
#define OPENS(library, ...)                                                                        \
    do {                                                                                           \
        write_script(__VA_ARGS__); /* NOLINT(clang-diagnostic-format-nonliteral) */                \
        assert_non_null(open_library(library));                                                    \
        read_all();                                                                                \
    } while (0)

static void check(size_t i, bool is_used, unsigned percent, unsigned mb)
{
    assert_int_equal(states[i].is_used, is_used);
    assert_int_equal((unsigned)(states[i].load * 100 + 0.5), percent);
    assert_int_equal(states[i].used_bytes, (uint64_t)mb * MB);
}

static void check_note(const char *text)
{
    if (strstr(sc_str_text(&notes), text) == NULL)
        fail_msg("'%s' is not in '%s'", text, sc_str_text(&notes));
}

static void check_no_note(void)
{
    assert_string_equal(sc_str_text(&notes), "");
}

TEST_WITHIN(no_library_is_silent_unless_the_driver_runs, set_up, tear_down)
{
    assert_null(sc_nvidia_open_at("/nowhere/libnvidia-ml.so.1", place, &notes));
    check_no_note();
    make_link("driver/nvidia/version", "/dev/null");
    assert_null(sc_nvidia_open_at("/nowhere/libnvidia-ml.so.1", place, &notes));
    check_note("libnvidia-ml.so.1 is not here");
}

TEST_WITHIN(a_driver_that_does_not_work_is_said_in_a_sentence, set_up, tear_down)
{
    write_script("init 9 0\n");
    assert_null(open_library("now"));
    check_no_note();
    write_script("init 18 0\n");
    assert_null(open_library("now"));
    check_note("different versions");
    write_script("init 4 0\n");
    assert_null(open_library("now"));
    check_note("may not open");
    write_script("init 999 0\n");
    assert_null(open_library("now"));
    check_note("GPUs are not measured: NVIDIA's driver says \"Unknown Error\"");
    assert_null(strchr(sc_str_text(&notes), '\n'));
    write_script("device\n");
    assert_null(open_library("old"));
    check_note("too old");
    write_script("init 0 0\n");
    assert_null(open_library("now"));
    check_no_note();
}

TEST_WITHIN(devices_are_listed, set_up, tear_down)
{
    write_script("device name=NVIDIA_H200 uuid=GPU-1 total_mb=80000\n"
                 "device open=4\n"
                 "device name=NVIDIA_T4 uuid=GPU-3 total_mb=16000\n");
    (void)open_library("now");
    struct sc_device devices[8];
    memset(devices, 0, sizeof(devices));
    assert_int_equal(sc_nvidia.devices(nvidia, devices, 8), 2);
    assert_string_equal(devices[0].name, "NVIDIA H200");
    assert_string_equal(devices[0].uuid, "GPU-1");
    assert_int_equal(devices[0].total_bytes, (uint64_t)80000 * MB);
    assert_string_equal(devices[1].name, "NVIDIA T4");
    assert_int_equal(devices[1].index, 2);
    assert_string_equal(sc_str_text(&notes), "GPU 1 is not measured: NVIDIA's driver says "
                                             "\"Insufficient Permissions\"");
    assert_int_equal(sc_nvidia.devices(nvidia, devices, 1), 1);
}

static void only_the_programs_processes_count(const char *library)
{
    static const char devices[] = "tick %d\n"
                                  "device used_mb=5000 rate=90\n"
                                  "process pid=77 mb=3000 sm=60\n"
                                  "process pid=100 mb=300 sm=20\n"
                                  "process pid=101 mb=50 sm=10 list=both\n"
                                  "device used_mb=4000 rate=100\n"
                                  "process pid=77 mb=3000 sm=100\n"
                                  "device used_mb=200\n"
                                  "process pid=101 mb=200 sm=5 list=mps\n";
    OPENS(library, devices, 1);
    READS(devices, 2);
    check(0, true, 30, 350);
    check(1, false, 0, 0);
    check(2, true, 5, 200);
    assert_false(states[0].is_shared_load || states[0].is_shared_memory);
    check_no_note();
}

TEST_WITHIN(of_all_versions_only_the_programs_processes_count, set_up, tear_down)
{
    only_the_programs_processes_count("now");
    only_the_programs_processes_count("v1");
    only_the_programs_processes_count("v2");
    only_the_programs_processes_count("v535");
}

TEST_WITHIN(long_lists_are_read_to_the_end, set_up, tear_down)
{
    char script[16384] = "tick 1\ndevice\n";
    for (unsigned i = 0; i < 199; i++) {
        size_t length = strlen(script);
        (void)snprintf(script + length, sizeof(script) - length, "process pid=%u mb=1 sm=0\n",
                       1000 + i);
    }
    OPENS("now", "%sprocess pid=100 mb=7 sm=0\n", script);
    script[5] = '2';
    READS("%sprocess pid=100 mb=7 sm=42\n", script);
    check(0, true, 42, 7);
}

TEST_WITHIN(samples_hold_until_there_is_a_newer_one, set_up, tear_down)
{
    OPENS("now",
          "tick 1\ndevice rate=90\nprocess pid=100 mb=1 sm=90\n"); /* the sample is from before */
    check(0, true, 0, 1);
    READS("tick 2\ndevice rate=80\nprocess pid=100 mb=1 sm=80\n");
    check(0, true, 80, 1);
    read_all();
    check(0, true, 80, 1);
    /* no newer sample, and the device does nothing */
    READS("tick 2\ndevice rate=0\nprocess pid=100 mb=1 sm=80\n");
    check(0, true, 0, 1);
    READS("tick 2.5\ndevice rate=80\nprocess pid=100 mb=1 sm=50\n");
    check(0, true, 50, 1);
    /* others have newer ones, the program has none: it did nothing */
    READS("tick 3\ndevice rate=70\nprocess pid=100 mb=1 sm=-1\nprocess pid=7 sm=70\n");
    check(0, true, 0, 1);
    /* a number that some drivers give */
    READS("tick 4\ndevice rate=70\nprocess pid=100 mb=1 sm=4000000\n");
    check(0, true, 0, 1);
    READS("tick 5\ndevice rate=70\nprocess pid=100 mb=1 sm=30\n");
    check(0, true, 30, 1);
    check_no_note();
}

TEST_WITHIN(a_process_that_ends_counts_until_then, set_up, tear_down)
{
    OPENS("now", "tick 1\ndevice rate=90\nprocess pid=100 mb=30 sm=90\nprocess pid=7 mb=1\n");
    READS(
        "tick 2\ndevice rate=90\nprocess pid=100 sm=60 list=none\nprocess pid=7 mb=1\n"); /* it did
                                                                                             something
                                                                                             since
                                                                                             the
                                                                                             last
                                                                                             reading
                                                                                           */
    check(0, true, 60, 30);
    assert_false(states[0].is_shared_load || states[0].is_shared_memory);
    read_all();
    check(0, false, 0, 0);
    check_no_note();
}

TEST_WITHIN(a_sample_is_worth_a_second_at_most, set_up, tear_down)
{
    OPENS("now", "tick 1\ndevice rate=90\nprocess pid=100 mb=1 sm=90\n");
    READS("tick 2\ndevice rate=90\nprocess pid=100 mb=1 sm=90\n");
    check(0, true, 90, 1);
    (void)usleep(1010000);
    read_all();
    check(0, true, 0, 1);
}

TEST_WITHIN(without_samples_the_load_is_the_devices, set_up, tear_down)
{
    OPENS("whole", "device rate=75\nprocess pid=100 mb=10 sm=-1\nprocess pid=7 mb=1\n"
                   "device rate=50\nprocess pid=7 mb=1\n");
    check(0, true, 75, 10);
    assert_true(states[0].is_shared_load);
    assert_false(states[0].is_shared_memory);
    check(1, false, 0, 0);
    assert_string_equal(sc_str_text(&notes), "NVIDIA's driver reports the load of GPU 0 as a whole "
                                             "only, so that of other programs is in it");

    /* a driver that has the function, and never a sample */
    (void)open_library("now");
    read_all();
    read_all();
    check(0, true, 0, 10);
    (void)usleep(2010000);
    read_all();
    check(0, true, 75, 10);
    assert_true(states[0].is_shared_load);
}

TEST_WITHIN(what_is_done_through_a_server_may_be_counted_as_the_servers, set_up, tear_down)
{
    static const char devices[] = "tick %d\ndevice rate=75\nprocess pid=7 mb=9 sm=75\n"
                                  "process pid=100 mb=10 sm=%d list=mps\n";
    OPENS("now", devices, 1, -1);
    READS(devices, 2, -1);
    check(0, true, 75, 10);
    assert_true(states[0].is_shared_load);
    READS(devices, 3, 20);
    check(0, true, 20, 10);
    assert_false(states[0].is_shared_load);
    READS(devices, 4, -1);
    check(0, true, 0, 10);
}

TEST_WITHIN(accounting_shows_what_samples_do_not, set_up, tear_down)
{
    OPENS("accounts", "device rate=75 accounting=0\nprocess pid=100 mb=10\n");
    check(0, true, 75, 10);
    check_note("'scalene set-nvidia-gpu-modes' makes it report it by process");

    OPENS("accounts", "device rate=75 accounting=1\nprocess pid=100 mb=10 samples=600 sum=1200000\n"
                      "process pid=7 samples=600 sum=6000000\n");
    check(0, true, 0, 10); /* the account is from before */
    /* ten samples of 40 % more */
    READS("device rate=75 accounting=1\nprocess pid=100 mb=10 samples=610 sum=1240000\n"
          "process pid=7 samples=610 sum=6100000\n");
    check(0, true, 40, 10);
    read_all();
    check(0, true, 40, 10);
    assert_false(states[0].is_shared_load);
    check_no_note();
}

TEST_WITHIN(memory_that_is_not_reported_is_what_was_added, set_up, tear_down)
{
    OPENS("now", "device used_mb=1000\nprocess pid=7 mb=-1\n");
    check(0, false, 0, 0);
    READS("device used_mb=1600\nprocess pid=7 mb=-1\nprocess pid=100 mb=-1\n");
    check(0, true, 0, 600);
    assert_true(states[0].is_shared_memory);
    assert_false(states[0].is_shared_load);
    check_note("does not report the memory of single processes");
    READS("device used_mb=900\nprocess pid=100 mb=-1\n");
    check(0, true, 0, 0);
}

TEST_WITHIN(in_a_container_open_files_tell, set_up, tear_down)
{
    static const char devices[] = "device minor=3 used_mb=%d rate=75\nprocess pid=4711 mb=900 "
                                  "sm=75\ndevice minor=4 used_mb=500 rate=20\n";
    make_link("self/ns/pid", "pid:[4026532178]");
    make_link("100/fd/0", "/dev/pts/0");
    make_link("100/fd/3", "/dev/nvidiactl");
    make_link("100/fd/4", "/dev/nvidia3");
    make_link("100/fd/5", "/dev/nvidia-uvm-tools");
    OPENS("now", devices, 1000); /* it only asks about devices */
    check(0, false, 0, 0);
    check(1, false, 0, 0);
    make_link("100/fd/6", "/dev/nvidia-uvm");
    READS(devices, 1900);
    check(0, true, 75, 900);
    assert_true(states[0].is_shared_load && states[0].is_shared_memory);
    check(1, false, 0, 0);
    assert_string_equal(sc_str_text(&notes),
                        "NVIDIA's driver does not report which processes here use GPU 0 (this is a "
                        "container), so its load and memory are those of the whole device");
}

TEST_WITHIN(only_a_driver_makes_a_device, set_up, tear_down)
{
    assert_false(sc_has_nvidia_devices(place));
    make_link("dev/nvidiactl", "/dev/null"); /* the libraries make it, whatever is there */
    assert_false(sc_has_nvidia_devices(place));
    make_link("proc/driver/nvidia/version", "/dev/null");
    assert_true(sc_has_nvidia_devices(place));
}

TEST_WITHIN(outside_of_one_open_files_show_nothing, set_up, tear_down)
{
    make_link("100/fd/4", "/dev/nvidia0");
    make_link("100/fd/6", "/dev/nvidia-uvm");
    OPENS("now", "device used_mb=900 rate=75\nprocess pid=4711 mb=900 sm=75\n");
    check(0, false, 0, 0);
    check_no_note();
    /* unless the driver has no list */
    READS("device used_mb=900 rate=75\n"
          "error nvmlDeviceGetComputeRunningProcesses_v3 4\n"
          "error nvmlDeviceGetGraphicsRunningProcesses_v3 4\n");
    check(0, true, 75, 0);
    assert_true(states[0].is_shared_load && states[0].is_shared_memory);
    check_note("does not report which processes here use GPU 0, so");
}

TEST_WITHIN(a_container_whose_numbers_the_driver_knows, set_up, tear_down)
{
    make_link("self/ns/pid", "pid:[4026532178]");
    make_link("100/fd/3", "/dev/nvidia0");
    make_link("100/fd/4", "/dev/nvidia1");
    make_link("100/fd/5", "/dev/nvidia-uvm");
    OPENS("now", "tick 1\ndevice minor=0 rate=75\nprocess pid=100 mb=30 sm=35\n"
                 "device minor=1 rate=50\nprocess pid=7 mb=30 sm=50\n");
    READS("tick 2\ndevice minor=0 rate=75\nprocess pid=100 mb=30 sm=35\n"
          "device minor=1 rate=50\nprocess pid=7 mb=30 sm=50\n");
    check(0, true, 35, 30);
    check(1, false, 0, 0);
    check_no_note();
}

TEST_WITHIN(instances_are_devices_and_their_gpu_is_not, set_up, tear_down)
{
    write_script("device name=A100 uuid=GPU-1 total_mb=40000 mig=1 rate=90\n"
                 "instance name=A100_MIG_1g.5gb uuid=MIG-1 total_mb=5000\n"
                 "process pid=100 mb=400\n"
                 "instance name=A100_MIG_2g.10gb uuid=MIG-2 total_mb=10000\n"
                 "process pid=7 mb=4000\n"
                 "device mig=1\n");
    (void)open_library("now");
    struct sc_device devices[4];
    memset(devices, 0, sizeof(devices));
    assert_int_equal(sc_nvidia.devices(nvidia, devices, 4), 2);
    assert_string_equal(devices[0].name, "A100 MIG 1g.5gb");
    assert_string_equal(devices[1].uuid, "MIG-2");
    assert_int_equal(devices[1].index, 0);
    check_note("GPU 1 is not measured: it is in MIG mode, without an instance");
    read_all();
    check(0, true, 0, 400);
    check(1, false, 0, 0);
    assert_false(states[0].is_shared_load || states[0].is_shared_memory);
    check_note("does not report the load of GPU 0, since it is divided into instances (MIG)");
}

TEST_WITHIN(a_device_that_vanishes_ends_its_own_numbers_only, set_up, tear_down)
{
    OPENS("now", "tick 1\ndevice name=H200\nprocess pid=100 mb=40 sm=1\n"
                 "device\nprocess pid=100 mb=50 sm=1\n");
    check(0, true, 0, 40);
    READS("tick 2\ndevice name=H200\nprocess pid=100 mb=40 sm=50\n"
          "device\nprocess pid=100 mb=50 sm=50\n"
          "error nvmlDeviceGetComputeRunningProcesses_v3 15 0\n");
    check(0, false, 0, 0);
    assert_true(states[0].is_gone && !states[1].is_gone);
    check(1, true, 50, 50);
    assert_string_equal(sc_str_text(&notes),
                        "GPU 0 (H200) has gone while the program ran, so it is measured up to "
                        "there only: NVIDIA's driver says \"GPU is lost\"");
    read_all();
    check(0, false, 0, 0);
}

TEST(modes_of_a_driver_that_was_not_opened_are_closed)
{
    struct sc_nvidia_modes modes = {0};
    sc_nvidia_modes_close(&modes);
    sc_nvidia_modes_close(&modes);
}
