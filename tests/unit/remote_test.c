/*
 * tests/unit/remote_test.c - memory of another process, page by page and reading ahead: across the
 * ends of pages, with holes, at the ends of memory, and what is kept of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/system/remote.h"

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "base/mem.h"
#include "sc_test.h"

#define PAGE  ((size_t)4096)
#define PAGES ((size_t)32) /* four blocks */
#define HOLE  ((size_t)11) /* pages of them that cannot be read */
#define HOLES ((size_t)2)

#define BLOCK_BYTES  (8 * PAGE) /* are read at once */
#define BLOCKS_APART (8 * 256 * PAGE)

/* What both readers read: memory of a child that sleeps, whose words are their own numbers. */
struct world {
    pid_t child;
    uint64_t start; /* of a block */
    unsigned char *here;
    struct sc_remote remotes[2]; /* the second one reads ahead */
};

static pid_t start_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            (void)pause();
    }
    return child;
}

static void end_child(pid_t child)
{
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
}

static void world_init(struct world *world)
{
    size_t length = PAGES * PAGE;
    unsigned char *room = mmap(NULL, length + BLOCK_BYTES, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(room, MAP_FAILED);
    size_t beyond = (uintptr_t)room % BLOCK_BYTES;
    *world = (struct world){.here = room + (BLOCK_BYTES - beyond)};
    world->start = (uintptr_t)world->here;
    for (size_t i = 0; i < length; i += 8) {
        uint64_t number = i / 8;
        memcpy(world->here + i, &number, 8);
    }
    assert_int_equal(munmap(world->here + HOLE * PAGE, HOLES * PAGE), 0);
    world->child = start_child();
    world->remotes[0] = (struct sc_remote){.pid = world->child};
    world->remotes[1] = (struct sc_remote){.pid = world->child, .reads_ahead = true};
    /* from now on the child's is another than ours */
    memset(world->here, 0xff, HOLE * PAGE);
}

static void world_done(struct world *world)
{
    end_child(world->child);
    for (size_t i = 0; i < 2; i++)
        sc_remote_done(&world->remotes[i]);
    (void)munmap(world->here, PAGES * PAGE);
}

struct row {
    const char *name;
    uint64_t at; /* from the start on */
    size_t length;
    bool is_read;
};

static const struct row rows[] = {
    {"a word", 16, 8, true},
    {"a byte", 9, 1, true},
    {"nothing", 16, 0, true},
    {"nothing, where nothing is", HOLE *PAGE, 0, true},
    {"across the end of a page", PAGE - 3, 8, true},
    {"across the end of a block", BLOCK_BYTES - 5, 21, true},
    {"several pages", 100, 3 * PAGE, true},
    {"more than a block", 3, BLOCK_BYTES + 100, true},
    {"up to a hole", HOLE *PAGE - 8, 8, true},
    {"into a hole", HOLE *PAGE - 4, 8, false},
    {"in a hole", (HOLE + 1) * PAGE, 8, false},
    {"out of a hole", (HOLE + HOLES) * PAGE - 4, 8, false},
    {"behind a hole, in the same block", (HOLE + HOLES) * PAGE, 8, true},
    {"over a hole", (HOLE - 1) * PAGE, 4 * PAGE, false},
    {"at the end of all memory", UINT64_MAX - 8, 16, false},
    {"its last byte", UINT64_MAX, 1, false},
};

static void assert_bytes(const unsigned char *bytes, uint64_t at, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        uint64_t number = (at + i) / 8;
        assert_int_equal(bytes[i], (unsigned char)(number >> (at + i) % 8 * 8));
    }
}

TEST(pages_are_joined)
{
    WORLD(world);
    SC_AUTO_FREE unsigned char *bytes = sc_alloc(PAGES * PAGE, 1);
    for (size_t i = 0; i < 4; i++) { /* the second time much of it is known */
        FOR_EACH_ROW(row, rows) {
            bool is_far = row->at > PAGES * PAGE;
            bool is_read =
                sc_remote_read(&world.remotes[i % 2], is_far ? row->at : world.start + row->at,
                               bytes, row->length);
            assert_int_equal(is_read, row->is_read);
            if (is_read)
                assert_bytes(bytes, row->at, row->length);
        }
        assert_false(world.remotes[i % 2].forbidden);
    }
}

/* A word of our own, which we can change while it is kept. */
TEST(what_was_read_is_kept_until_it_is_forgotten)
{
    static _Alignas(8) volatile uint64_t word;
    for (int i = 0; i < 2; i++) {
        struct sc_remote remote = {.pid = getpid(), .reads_ahead = i == 1};
        uint64_t found = 0;
        word = 1;
        assert_true(sc_remote_read(&remote, (uintptr_t)&word, &found, 8));
        assert_int_equal(found, 1);
        word = 2;
        assert_true(sc_remote_read(&remote, (uintptr_t)&word, &found, 8));
        assert_int_equal(found, 1);
        sc_remote_forget(&remote);
        assert_true(sc_remote_read(&remote, (uintptr_t)&word, &found, 8));
        assert_int_equal(found, 2);
        sc_remote_done(&remote);
        word = 3;
        assert_true(sc_remote_read(&remote, (uintptr_t)&word, &found, 8)); /* again */
        assert_int_equal(found, 3);
        sc_remote_done(&remote);
        sc_remote_forget(&remote);
    }
}

TEST(pages_of_one_process_are_not_anothers)
{
    static _Alignas(8) volatile uint64_t word;
    OWN(sc_remote, remote) = {.reads_ahead = true};
    uint64_t found = 0;
    word = 1;
    pid_t child = start_child();
    word = 2;
    sc_remote_use(&remote, child);
    assert_true(sc_remote_read(&remote, (uintptr_t)&word, &found, 8));
    assert_int_equal(found, 1);
    remote.forbidden = true;
    sc_remote_use(&remote, child); /* the same one */
    assert_true(remote.forbidden);
    sc_remote_use(&remote, getpid());
    assert_false(remote.forbidden);
    assert_true(sc_remote_read(&remote, (uintptr_t)&word, &found, 8));
    assert_int_equal(found, 2);
    end_child(child);
}

/* Addresses whose pages share a place in what is kept. */
TEST(what_shares_a_place_is_distinguished)
{
    unsigned char *room = mmap(NULL, BLOCKS_APART + PAGE, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const size_t apart[] = {256 * PAGE, BLOCKS_APART};
    struct sc_remote remotes[] = {{.pid = getpid()}, {.pid = getpid(), .reads_ahead = true}};
    assert_ptr_not_equal(room, MAP_FAILED);
    room[0] = 1;
    for (size_t i = 0; i < 2; i++)
        room[apart[i]] = (unsigned char)(2 + i);
    for (size_t turn = 0; turn < 8; turn++) {
        for (size_t i = 0; i < 2; i++) {
            size_t at = turn % 4 < 2 ? 0 : apart[i];
            unsigned char byte = 0;
            assert_true(sc_remote_read(&remotes[turn % 2], (uintptr_t)(room + at), &byte, 1));
            assert_int_equal(byte, room[at]);
        }
    }
    for (size_t i = 0; i < 2; i++)
        sc_remote_done(&remotes[i]);
    (void)munmap(room, BLOCKS_APART + PAGE);
}

TEST(a_page_that_went_is_not_read_from_what_is_kept)
{
    uint64_t word = 0;
    WORLD(world);
    struct sc_remote *remote = &world.remotes[0];
    assert_true(sc_remote_read(remote, world.start, &word, 8));
    end_child(world.child);
    assert_false(sc_remote_read(remote, world.start + 5 * PAGE, &word, 8));
    sc_remote_forget(remote);
    for (size_t i = 0; i < 2; i++) {
        assert_false(sc_remote_read(&world.remotes[i], world.start, &word, 8));
        assert_false(world.remotes[i].forbidden); /* it is gone, which is another matter */
    }
    world.child = start_child();
}

TEST(many_words_are_read_at_once_or_none_are)
{
    enum { WORDS = 1000 };
    struct sc_remote_word words[WORDS];
    WORLD(world);
    for (size_t i = 0; i < WORDS; i++)
        words[i] = (struct sc_remote_word){.address = world.start + 24 * i, .length = 1 + i % 16};
    assert_true(sc_remote_words(&world.remotes[1], words, WORDS));
    for (size_t i = 0; i < WORDS; i++)
        assert_bytes(words[i].bytes, 24 * i, 1 + i % 16);
    for (size_t i = 0; i < WORDS; i += 333) {
        uint64_t address = words[i].address;
        words[i].address = world.start + HOLE * PAGE;
        assert_false(sc_remote_words(&world.remotes[1], words, WORDS));
        words[i].address = address;
    }
    assert_true(sc_remote_words(&world.remotes[1], words, 0));
}

/* An ordinary user, for whom a filter refuses process_vm_readv. */
static bool become_restricted(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
    return (geteuid() != 0 || setresuid(65534, 65534, 65534) == 0) &&
           prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static bool reads_word(pid_t pid, bool *ret_forbidden)
{
    static uint64_t word = 7;
    struct sc_remote remote = {.pid = pid};
    uint64_t found = 0;
    bool is_read = sc_remote_read(&remote, (uint64_t)(uintptr_t)&word, &found, sizeof(found));
    *ret_forbidden = remote.forbidden;
    sc_remote_done(&remote);
    return is_read && found == 7;
}

/* 0 when all is as it should be, else what is not. */
static int try_restricted(void)
{
    bool is_forbidden = false;
    siginfo_t info;
    if (!become_restricted())
        return 1;
    pid_t child = fork();
    while (child == 0)
        (void)pause();
    if (!reads_word(child, &is_forbidden) || is_forbidden)
        return 2;
    (void)kill(child, SIGKILL);
    (void)waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    bool is_read = reads_word(child, &is_forbidden);
    (void)waitpid(child, NULL, 0);
    return is_read ? 3 : is_forbidden ? 4 : 0;
}

TEST(where_a_filter_refuses_the_call_the_file_is_read_and_an_end_is_no_ban)
{
    int status = 0;
    pid_t tester = fork();
    if (tester == 0)
        _exit(try_restricted());
    assert_int_equal(waitpid(tester, &status, 0), tester);
    assert_int_equal(WEXITSTATUS(status), 0);
}
