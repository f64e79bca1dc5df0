/*
 * base/beside.c - a child process that answers questions about files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/io.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

#define CHILDREN_MAX    8U
#define PATIENCE_MIN_NS 200000000U /* enough to read a file on a busy machine */
#define KEPT_MAX        256U
#define RESOLVED_MAX    65536U
#define SOCKET_FD       3
#define END_LOOKS       50
#define END_LOOK_NS     1000000

struct sc_beside {
    int fd;
    pid_t pid;
    unsigned begun; /* children started so far */
    uint64_t patience_ns;
    uint64_t lost;
    char *first_lost;
    SC_VEC(char *) silent;   /* folders that did not answer in time */
    struct sc_intern asked;  /* paths that were resolved */
    SC_VEC(char *) resolved; /* by id in asked: what the path resolves to, or NULL */
};

/* The header of a message; both ends are the same program, so its layout is the same. */
struct head {
    sc_beside_work *work;
    size_t length;
};

/* -------- the child -------- */

/* Files of which a part was requested stay open: a file may be named by a process's root
 * (/proc/PID/root), and that process may have ended when the next part is requested. */
static struct {
    bool is_ours; /* this is the child */
    unsigned next;
    struct {
        char *path;
        int fd;
    } files[KEPT_MAX];
} kept;

static bool take(int fd, void *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = read(fd, (char *)bytes + done, length - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static bool put(int fd, const void *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t sent = send(fd, (const char *)bytes + done, length - done, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        done += (size_t)sent;
    }
    return true;
}

/* The child may live long: it keeps no inherited descriptor open, as others may wait until it is
 * closed, and is in no process group that a terminal or another process signals. */
static void let_go_of_all(int fd)
{
    /* the socket may be descriptor 0, 1 or 2 if this process was started without those */
    fd = fcntl(fd, F_DUPFD_CLOEXEC, SOCKET_FD + 1);
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)setsid();
    for (int i = 0; nowhere >= 0 && i < SOCKET_FD; i++)
        (void)dup2(nowhere, i);
    (void)dup2(fd, SOCKET_FD);
    if (syscall(SYS_close_range, SOCKET_FD + 1U, ~0U, 0U) == 0)
        return;
    for (int i = SOCKET_FD + 1; i < (int)sysconf(_SC_OPEN_MAX); i++)
        (void)close(i);
}

static void answer_all(void)
{
    struct head head;
    struct sc_str answer = {0};
    kept.is_ours = true;
    while (take(SOCKET_FD, &head, sizeof(head))) {
        char *question = sc_alloc(head.length + 1, 1);
        sc_str_clear(&answer);
        if (!take(SOCKET_FD, question, head.length))
            break;
        head.work(question, head.length, &answer);
        free(question);
        if (!put(SOCKET_FD, &answer.length, sizeof(answer.length)) ||
            !put(SOCKET_FD, sc_str_text(&answer), answer.length))
            break;
    }
    _exit(0);
}

/* -------- its owner -------- */

static void begin(struct sc_beside *beside)
{
    int ends[2];
    sigset_t all;
    sigset_t before;
    beside->begun++;
    beside->fd = -1;
    beside->pid = -1;
    if (beside->begun > CHILDREN_MAX ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    beside->pid = fork();
    if (beside->pid == 0) {
        (void)close(ends[0]);
        let_go_of_all(ends[1]);
        answer_all();
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    (void)close(ends[1]);
    if (beside->pid < 0)
        (void)close(ends[0]);
    else
        beside->fd = ends[0];
}

/* A child that is blocked in the kernel stays our child until we end. */
static void end(struct sc_beside *beside, int looks)
{
    const struct timespec pause = {.tv_nsec = END_LOOK_NS};
    if (beside->fd >= 0)
        (void)close(beside->fd);
    beside->fd = -1;
    if (beside->pid <= 0)
        return;
    (void)kill(beside->pid, SIGKILL);
    for (int i = 0; i < looks && waitpid(beside->pid, NULL, WNOHANG) == 0; i++)
        (void)nanosleep(&pause, NULL);
    beside->pid = -1;
}

struct sc_beside *sc_beside_new(uint64_t patience_ns)
{
    struct sc_beside *beside = sc_alloc(1, sizeof(*beside));
    beside->patience_ns = patience_ns;
    begin(beside);
    return beside;
}

static void forget_silent(struct sc_beside *beside)
{
    for (size_t i = 0; i < beside->silent.count; i++)
        free(beside->silent.items[i]);
    beside->silent.count = 0;
}

void sc_beside_free(struct sc_beside *beside)
{
    if (beside == NULL)
        return;
    end(beside, END_LOOKS);
    forget_silent(beside);
    sc_vec_done(&beside->silent);
    for (size_t i = 0; i < beside->resolved.count; i++)
        free(beside->resolved.items[i]);
    sc_vec_done(&beside->resolved);
    sc_intern_done(&beside->asked);
    free(beside->first_lost);
    free(beside);
}

void sc_beside_set_patience(struct sc_beside *beside, uint64_t patience_ns)
{
    if (beside == NULL)
        return;
    beside->patience_ns = patience_ns;
    forget_silent(beside);
}

uint64_t sc_beside_lost(const struct sc_beside *beside, const char **ret_path)
{
    *ret_path = beside != NULL ? beside->first_lost : NULL;
    return beside != NULL ? beside->lost : 0;
}

/* The path without /proc/PID/root, by which files are named as a process sees them. */
static const char *as_ours(const char *path)
{
    static const char proc[] = "/proc/";
    static const char root[] = "/root/";
    if (!sc_starts_with(path, proc))
        return path;
    const char *rest = path + sizeof(proc) - 1;
    rest += strspn(rest, "0123456789");
    return sc_starts_with(rest, root) ? rest + sizeof(root) - 2 : path;
}

static bool is_silent(const struct sc_beside *beside, const char *path)
{
    const char *own = as_ours(path);
    for (size_t i = 0; i < beside->silent.count; i++) {
        size_t length = strlen(beside->silent.items[i]);
        if (strncmp(own, beside->silent.items[i], length) == 0 &&
            (own[length] == '/' || own[length] == '\0'))
            return true;
    }
    return false;
}

/* Counts a question without an answer. Always returns false. */
static bool lose(struct sc_beside *beside, const char *path)
{
    beside->lost++;
    if (beside->first_lost == NULL)
        beside->first_lost = sc_strdup(path);
    return false;
}

static void give_up(struct sc_beside *beside, const char *path)
{
    const char *own = as_ours(path);
    const char *slash = strrchr(own, '/');
    bool has_folder = slash != NULL && slash > own;
    sc_vec_push(&beside->silent, sc_strndup(own, has_folder ? (size_t)(slash - own) : strlen(own)));
    beside->patience_ns = beside->patience_ns / 2;
    if (beside->patience_ns < PATIENCE_MIN_NS)
        beside->patience_ns = PATIENCE_MIN_NS;
    end(beside, 1);
    begin(beside);
}

/* Sends or receives all bytes before until_ns; false when that is not possible in time. */
static bool pass(int fd, short event, void *bytes, size_t length, uint64_t until_ns)
{
    for (size_t done = 0; done < length;) {
        ssize_t moved =
            event == POLLOUT
                ? send(fd, (char *)bytes + done, length - done, MSG_DONTWAIT | MSG_NOSIGNAL)
                : recv(fd, (char *)bytes + done, length - done, MSG_DONTWAIT);
        if (moved > 0) {
            done += (size_t)moved;
            continue;
        }
        uint64_t now_ns = sc_now_ns();
        if (moved == 0 || (errno != EAGAIN && errno != EINTR) || now_ns >= until_ns)
            return false;
        struct timespec timeout = sc_timespec(until_ns - now_ns);
        (void)ppoll(&(struct pollfd){.fd = fd, .events = event}, 1, &timeout, NULL);
    }
    return true;
}

static bool exchange(const struct sc_beside *beside, struct head *head, const char *question,
                     struct sc_str *ret_answer)
{
    uint64_t until_ns = sc_now_ns() + beside->patience_ns;
    size_t length = 0;
    SC_AUTO_FREE char *copy = sc_strndup(question, head->length);
    if (!pass(beside->fd, POLLOUT, head, sizeof(*head), until_ns) ||
        !pass(beside->fd, POLLOUT, copy, head->length, until_ns) ||
        !pass(beside->fd, POLLIN, &length, sizeof(length), until_ns))
        return false;
    SC_AUTO_FREE char *answer = sc_alloc(length + 1, 1);
    if (!pass(beside->fd, POLLIN, answer, length, until_ns))
        return false;
    sc_str_add_bytes(ret_answer, answer, length);
    return true;
}

bool sc_beside_ask(struct sc_beside *beside, const char *path, sc_beside_work *work,
                   const char *question, size_t length, struct sc_str *ret_answer)
{
    struct head head = {work, length};
    if (beside == NULL) {
        work(question, length, ret_answer);
        return true;
    }
    if (beside->fd < 0 || is_silent(beside, path))
        return lose(beside, path);
    if (exchange(beside, &head, question, ret_answer))
        return true;
    give_up(beside, path);
    return lose(beside, path);
}

/* -------- questions -------- */

static void resolve(const char *question, size_t length, struct sc_str *ret_answer)
{
    (void)length;
    const char *member = NULL;
    SC_AUTO_FREE char *resolved = realpath(question, NULL);
    if (resolved != NULL)
        sc_str_add(ret_answer, resolved);
    if (resolved != NULL || errno != ENOTDIR)
        return;
    SC_AUTO_FREE char *archive = sc_archive_of(question, &member);
    SC_AUTO_FREE char *resolved_archive = archive != NULL ? realpath(archive, NULL) : NULL;
    if (resolved_archive == NULL)
        return;
    sc_str_add(ret_answer, resolved_archive);
    sc_str_add_char(ret_answer, '/');
    sc_str_add(ret_answer, member);
}

static char *ask_to_resolve(struct sc_beside *beside, const char *path)
{
    struct sc_str answer = {0};
    bool is_there = sc_beside_ask(beside, path, resolve, path, strlen(path), &answer);
    char *resolved = is_there && answer.length > 0 ? sc_strdup(sc_str_text(&answer)) : NULL;
    sc_str_done(&answer);
    return resolved;
}

char *sc_beside_resolve(struct sc_beside *beside, const char *path)
{
    if (beside == NULL)
        return ask_to_resolve(NULL, path);
    uint32_t at = sc_intern_find(&beside->asked, path, strlen(path));
    if (at == SC_NONE && beside->resolved.count >= RESOLVED_MAX)
        return ask_to_resolve(beside, path);
    if (at == SC_NONE) {
        at = sc_intern_add(&beside->asked, path, strlen(path));
        sc_vec_push(&beside->resolved, ask_to_resolve(beside, path));
    }
    const char *resolved = beside->resolved.items[at];
    return resolved != NULL ? sc_strdup(resolved) : NULL;
}

static void look(const char *question, size_t length, struct sc_str *ret_answer)
{
    struct stat facts;
    (void)length;
    if (stat(question, &facts) == 0)
        sc_str_add_bytes(ret_answer, (const char *)&facts, sizeof(facts));
}

int sc_beside_stat(struct sc_beside *beside, const char *path, struct stat *ret_facts)
{
    struct sc_str answer = {0};
    int code = -1;
    if (sc_beside_ask(beside, path, look, path, strlen(path), &answer) &&
        answer.length == sizeof(*ret_facts)) {
        memcpy(ret_facts, sc_str_text(&answer), sizeof(*ret_facts));
        code = 0;
    }
    sc_str_done(&answer);
    return code;
}

/* A question for bytes of a file, whose name follows this in the question. */
struct bytes {
    uint64_t offset;
    uint64_t length; /* of a part, or the limit of a whole */
    bool is_part;
};

/* A file is opened again when it is read from its beginning. */
static int open_kept(const char *path, bool is_new)
{
    for (unsigned i = 0; i < KEPT_MAX && !is_new; i++) {
        if (kept.files[i].path != NULL && strcmp(kept.files[i].path, path) == 0)
            return kept.files[i].fd;
    }
    int fd = sc_open_regular(path);
    if (fd < 0)
        return -1;
    unsigned at = 0;
    while (at < KEPT_MAX && (kept.files[at].path == NULL || strcmp(kept.files[at].path, path) != 0))
        at++;
    if (at == KEPT_MAX)
        at = kept.next++ % KEPT_MAX;
    if (kept.files[at].path != NULL)
        (void)close(kept.files[at].fd);
    free(kept.files[at].path);
    kept.files[at].path = sc_strdup(path);
    kept.files[at].fd = fd;
    return fd;
}

static bool add_part(const char *path, const struct bytes *asked, struct stat *ret_facts,
                     struct sc_str *ret_bytes)
{
    SC_AUTO_CLOSE int own = kept.is_ours ? -1 : sc_open_regular(path);
    int fd = kept.is_ours ? open_kept(path, asked->offset == 0) : own;
    if (fd < 0 || fstat(fd, ret_facts) != 0)
        return false;
    SC_AUTO_FREE char *bytes = sc_alloc(asked->length, 1);
    for (uint64_t done = 0; done < asked->length;) {
        ssize_t got = pread(fd, bytes + done, asked->length - done, (off_t)(asked->offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (uint64_t)got;
    }
    sc_str_add_bytes(ret_bytes, bytes, asked->length);
    return true;
}

static bool add_whole(const char *path, size_t limit_bytes, struct stat *ret_facts,
                      struct sc_str *ret_bytes)
{
    const char *member = NULL;
    if (stat(path, ret_facts) == 0)
        return sc_read_regular_file(path, limit_bytes, ret_bytes, NULL);
    SC_AUTO_FREE char *archive = errno == ENOTDIR ? sc_archive_of(path, &member) : NULL;
    return archive != NULL && stat(archive, ret_facts) == 0 &&
           sc_archive_read(archive, member, limit_bytes, ret_bytes);
}

static void read_bytes(const char *question, size_t length, struct sc_str *ret_answer)
{
    struct bytes asked;
    struct stat facts;
    struct sc_str bytes = {0};
    (void)length;
    const char *path = question + sizeof(asked);
    memcpy(&asked, question, sizeof(asked));
    bool is_read = asked.is_part ? add_part(path, &asked, &facts, &bytes)
                                 : add_whole(path, asked.length, &facts, &bytes);
    if (is_read) {
        sc_str_add_bytes(ret_answer, (const char *)&facts, sizeof(facts));
        sc_str_add_bytes(ret_answer, sc_str_text(&bytes), bytes.length);
    }
    sc_str_done(&bytes);
}

static bool ask_for_bytes(struct sc_beside *beside, const char *path, struct bytes asked,
                          struct sc_str *ret_answer)
{
    struct sc_str question = {0};
    sc_str_add_bytes(&question, (const char *)&asked, sizeof(asked));
    sc_str_add(&question, path);
    bool is_there = sc_beside_ask(beside, path, read_bytes, sc_str_text(&question), question.length,
                                  ret_answer);
    sc_str_done(&question);
    return is_there;
}

enum sc_beside_read sc_beside_read(struct sc_beside *beside, const char *path, size_t limit_bytes,
                                   struct stat *ret_facts, struct sc_str *ret_bytes)
{
    struct sc_str answer = {0};
    enum sc_beside_read result = SC_BESIDE_SILENT;
    if (ask_for_bytes(beside, path, (struct bytes){.length = limit_bytes}, &answer))
        result = answer.length < sizeof(*ret_facts) ? SC_BESIDE_UNREADABLE : SC_BESIDE_READ;
    if (result == SC_BESIDE_READ) {
        memcpy(ret_facts, sc_str_text(&answer), sizeof(*ret_facts));
        sc_str_add_bytes(ret_bytes, sc_str_text(&answer) + sizeof(*ret_facts),
                         answer.length - sizeof(*ret_facts));
    }
    sc_str_done(&answer);
    return result;
}

bool sc_beside_read_part(struct sc_beside *beside, const char *path, uint64_t offset, void *bytes,
                         size_t length, struct stat *ret_facts)
{
    struct sc_str answer = {0};
    struct bytes asked = {.offset = offset, .length = length, .is_part = true};
    bool is_read =
        ask_for_bytes(beside, path, asked, &answer) && answer.length == sizeof(*ret_facts) + length;
    if (is_read) {
        memcpy(ret_facts, sc_str_text(&answer), sizeof(*ret_facts));
        memcpy(bytes, sc_str_text(&answer) + sizeof(*ret_facts), length);
    }
    sc_str_done(&answer);
    return is_read;
}
