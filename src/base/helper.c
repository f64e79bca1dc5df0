/* base/helper.c - see helper.h. SPDX-License-Identifier: Apache-2.0 */
#include "base/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/child.h"
#include "base/io.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

#define CHILDREN_MAX   8U
#define TIMEOUT_MIN_NS 200000000U /* enough to read a file on a busy machine */
#define KEPT_MAX       256U
#define RESOLVED_MAX   65536U
#define END_LIMIT_MS   50
#define LATE_PART      8 /* of the timeout, for what was posted long ago */
#define RECEIVED_BYTES ((size_t)1 << 16)

struct asked {
    char *path;            /* owned */
    struct sc_str message; /* with its header */
    sc_helper_take *take;
    void *context;
    uint32_t number;
};

struct sc_helper {
    int root_fd;      /* of another process, or -1 */
    int namespace_fd; /* that its mounts are in: without a user they would go */
    int fd;
    pid_t pid;
    unsigned begun; /* children started so far */
    int refusal;    /* errno, why none could be started */
    uint64_t timeout_ns;
    SC_VEC(struct asked) unanswered; /* in their order */
    size_t sent;                     /* messages of those, and bytes of the next */
    size_t sent_bytes;
    struct sc_str received;
    uint64_t lost;
    char *first_lost;
    SC_VEC(char *) silent;   /* folders that did not answer in time */
    struct sc_intern asked;  /* paths that were resolved */
    SC_VEC(char *) resolved; /* by id in asked: what the path resolves to, or NULL */
};

static void begin(struct sc_helper *helper)
{
    int ends[2];
    sigset_t all;
    sigset_t before;
    helper->begun++;
    helper->fd = -1;
    helper->pid = -1;
    if (helper->begun > CHILDREN_MAX)
        return;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        helper->refusal = errno;
        return;
    }
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    helper->pid = fork();
    helper->refusal = helper->pid < 0 ? errno : 0;
    if (helper->pid == 0) {
        (void)close(ends[0]);
        sc_helper_serve(ends[1], helper->root_fd);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    (void)close(ends[1]);
    if (helper->pid < 0)
        (void)close(ends[0]);
    else
        helper->fd = ends[0];
}

/* A child that is blocked in the kernel stays our child until we end. */
static void end(struct sc_helper *helper, unsigned limit_ms)
{
    sc_close(&helper->fd);
    if (helper->pid <= 0)
        return;
    (void)kill(helper->pid, SIGKILL);
    if (sc_child_await(helper->pid, limit_ms))
        (void)sc_child_reap(helper->pid, NULL);
    helper->pid = -1;
}

static struct sc_helper *new_with(int root_fd, int namespace_fd, uint64_t timeout_ns)
{
    struct sc_helper *helper = sc_alloc(1, sizeof(*helper));
    helper->root_fd = root_fd;
    helper->namespace_fd = namespace_fd;
    helper->timeout_ns = timeout_ns;
    begin(helper);
    return helper;
}

struct sc_helper *sc_helper_new(uint64_t timeout_ns)
{
    return new_with(-1, -1, timeout_ns);
}

struct sc_helper *sc_helper_new_for(pid_t pid, uint64_t timeout_ns)
{
    SC_AUTO_FREE char *root = sc_format("/proc/%d/root", (int)pid);
    SC_AUTO_FREE char *mounts = sc_format("/proc/%d/ns/mnt", (int)pid);
    return new_with(open(root, O_PATH | O_CLOEXEC), open(mounts, O_RDONLY | O_CLOEXEC), timeout_ns);
}

static void free_asked(struct asked *asked)
{
    free(asked->path);
    sc_str_done(&asked->message);
}

static void forget_silent(struct sc_helper *helper)
{
    for (size_t i = 0; i < helper->silent.count; i++)
        free(helper->silent.items[i]);
    helper->silent.count = 0;
}

void sc_helper_free(struct sc_helper *helper)
{
    if (helper == NULL)
        return;
    end(helper, END_LIMIT_MS);
    if (helper->root_fd >= 0)
        (void)close(helper->root_fd);
    if (helper->namespace_fd >= 0)
        (void)close(helper->namespace_fd);
    sc_vec_done_each(&helper->unanswered, free_asked);
    sc_str_done(&helper->received);
    forget_silent(helper);
    sc_vec_done(&helper->silent);
    sc_vec_free(&helper->resolved);
    sc_intern_done(&helper->asked);
    free(helper->first_lost);
    free(helper);
}

void sc_helper_set_timeout(struct sc_helper *helper, uint64_t timeout_ns)
{
    if (helper == NULL)
        return;
    helper->timeout_ns = timeout_ns;
    forget_silent(helper);
}

uint64_t sc_helper_lost(const struct sc_helper *helper, const char **ret_path)
{
    *ret_path = helper != NULL ? helper->first_lost : NULL;
    return helper != NULL ? helper->lost : 0;
}

int sc_helper_refusal(const struct sc_helper *helper)
{
    return helper != NULL ? helper->refusal : 0;
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

static bool is_silent(const struct sc_helper *helper, const char *path)
{
    const char *own = as_ours(path);
    for (size_t i = 0; i < helper->silent.count; i++) {
        size_t length = strlen(helper->silent.items[i]);
        if (strncmp(own, helper->silent.items[i], length) == 0 &&
            (own[length] == '/' || own[length] == '\0'))
            return true;
    }
    return false;
}

static bool is_hopeless(const struct sc_helper *helper, const char *path)
{
    return helper->fd < 0 || is_silent(helper, path);
}

/* Takes a question out of those without an answer. */
static struct asked take_out(struct sc_helper *helper, size_t at)
{
    struct asked asked = helper->unanswered.items[at];
    struct asked *place = &helper->unanswered.items[at];
    memmove(place, place + 1, (--helper->unanswered.count - at) * sizeof(*place));
    if (at < helper->sent)
        helper->sent--;
    return asked;
}

static void lose(struct sc_helper *helper, size_t at)
{
    struct asked asked = take_out(helper, at);
    helper->lost++;
    if (helper->first_lost == NULL)
        helper->first_lost = sc_strdup(asked.path);
    asked.take(asked.context, asked.number, NULL, 0);
    free_asked(&asked);
}

static uint64_t at_least_min(uint64_t timeout_ns)
{
    return timeout_ns > TIMEOUT_MIN_NS ? timeout_ns : TIMEOUT_MIN_NS;
}

/* All questions go to another child. */
static void replace(struct sc_helper *helper)
{
    end(helper, 1);
    begin(helper);
    helper->sent = helper->sent_bytes = 0;
    sc_str_clear(&helper->received);
    for (size_t i = helper->unanswered.count; i-- > 0;) {
        if (is_hopeless(helper, helper->unanswered.items[i].path))
            lose(helper, i);
    }
}

/* The first question has no answer in time, or its file has ended the child. */
static void lose_first(struct sc_helper *helper, bool is_late)
{
    const char *path = as_ours(helper->unanswered.items[0].path);
    const char *slash = is_late ? strrchr(path, '/') : NULL;
    bool has_folder = slash != NULL && slash > path;
    sc_vec_push(&helper->silent,
                sc_strndup(path, has_folder ? (size_t)(slash - path) : strlen(path)));
    if (is_late)
        helper->timeout_ns = at_least_min(helper->timeout_ns / 2);
    replace(helper);
}

/* False when the child is gone. */
static bool send_some(struct sc_helper *helper)
{
    while (helper->sent < helper->unanswered.count) {
        const struct sc_str *message = &helper->unanswered.items[helper->sent].message;
        ssize_t sent = send(helper->fd, message->data + helper->sent_bytes,
                            message->length - helper->sent_bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return errno == EAGAIN;
        helper->sent_bytes += (size_t)sent;
        if (helper->sent_bytes == message->length) {
            helper->sent++;
            helper->sent_bytes = 0;
        }
    }
    return true;
}

static void take_answers(struct sc_helper *helper)
{
    struct sc_str *received = &helper->received;
    size_t length;
    while (received->length >= sizeof(length) && helper->sent > 0) {
        memcpy(&length, received->data, sizeof(length));
        if (received->length - sizeof(length) < length)
            return;
        struct asked asked = take_out(helper, 0);
        asked.take(asked.context, asked.number, received->data + sizeof(length), length);
        free_asked(&asked);
        received->length -= sizeof(length) + length;
        memmove(received->data, received->data + sizeof(length) + length, received->length);
    }
}

/* False when the child is gone. */
static bool receive_some(struct sc_helper *helper)
{
    struct sc_str *received = &helper->received;
    for (;;) {
        sc_str_reserve(received, RECEIVED_BYTES);
        ssize_t got =
            recv(helper->fd, received->data + received->length, RECEIVED_BYTES, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 && errno == EAGAIN;
        received->length += (size_t)got;
        take_answers(helper);
    }
}

/* Waits until no more than that many questions are without an answer; false when they still are at
 * until_ns. */
static bool wait_for(struct sc_helper *helper, size_t left, uint64_t until_ns)
{
    while (helper->unanswered.count > left) {
        bool is_sent = send_some(helper);
        bool is_there = receive_some(helper) && is_sent;
        uint64_t now_ns = sc_now_ns();
        if (helper->unanswered.count <= left)
            return true;
        if (!is_there && helper->sent + helper->sent_bytes == 0) /* no question has ended it */
            replace(helper);
        else if (!is_there)
            lose_first(helper, false);
        if (!is_there)
            continue;
        if (now_ns >= until_ns)
            return false;
        bool has_more = helper->sent < helper->unanswered.count;
        struct timespec timeout = sc_timespec(until_ns - now_ns);
        struct pollfd event = {.fd = helper->fd, .events = POLLIN};
        event.events |= has_more ? POLLOUT : 0;
        (void)ppoll(&event, 1, &timeout, NULL);
    }
    return true;
}

void sc_helper_post(struct sc_helper *helper, const char *path, sc_helper_work *work,
                    const char *question, size_t length, sc_helper_take *take, void *context,
                    uint32_t number)
{
    if (helper == NULL) {
        SC_AUTO(sc_str_done) struct sc_str answer = {0};
        work(question, length, &answer);
        take(context, number, sc_str_text(&answer), answer.length);
        return;
    }
    struct asked asked = {sc_strdup(path), {0}, take, context, number};
    struct sc_helper_head head = {work, length};
    sc_str_add_bytes(&asked.message, (const char *)&head, sizeof(head));
    sc_str_add_bytes(&asked.message, question, length);
    sc_vec_push(&helper->unanswered, asked);
    if (is_hopeless(helper, path))
        lose(helper, helper->unanswered.count - 1);
    else
        (void)wait_for(helper, 0, 0);
}

bool sc_helper_wait(struct sc_helper *helper, uint64_t wait_ns)
{
    return helper == NULL || helper->unanswered.count == 0 ||
           wait_for(helper, 0, sc_now_ns() + wait_ns);
}

struct reply {
    struct sc_str *answer;
    bool is_there;
};

static void take_reply(void *context, uint32_t number, const char *answer, size_t length)
{
    struct reply *reply = context;
    (void)number;
    reply->is_there = answer != NULL;
    if (answer != NULL)
        sc_str_add_bytes(reply->answer, answer, length);
}

/* Waits for each question without an answer, and gives up those that are late. */
static void settle(struct sc_helper *helper, uint64_t timeout_ns)
{
    while (helper->unanswered.count > 0) {
        if (!wait_for(helper, helper->unanswered.count - 1, sc_now_ns() + timeout_ns))
            lose_first(helper, true);
    }
}

bool sc_helper_ask(struct sc_helper *helper, const char *path, sc_helper_work *work,
                   const char *question, size_t length, struct sc_str *ret_answer)
{
    struct reply reply = {.answer = ret_answer};
    if (helper != NULL)
        settle(helper, at_least_min(helper->timeout_ns / LATE_PART));
    sc_helper_post(helper, path, work, question, length, take_reply, &reply, 0);
    if (helper != NULL)
        settle(helper, helper->timeout_ns);
    return reply.is_there;
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

static char *ask_to_resolve(struct sc_helper *helper, const char *path)
{
    SC_AUTO(sc_str_done) struct sc_str answer = {0};
    bool is_there = sc_helper_ask(helper, path, resolve, path, strlen(path), &answer);
    return is_there && answer.length > 0 ? sc_strdup(sc_str_text(&answer)) : NULL;
}

char *sc_helper_resolve(struct sc_helper *helper, const char *path)
{
    if (helper == NULL)
        return ask_to_resolve(NULL, path);
    uint32_t at = sc_intern_find(&helper->asked, path, strlen(path));
    if (at == SC_NONE && helper->resolved.count >= RESOLVED_MAX)
        return ask_to_resolve(helper, path);
    if (at == SC_NONE) {
        at = sc_intern_add(&helper->asked, path, strlen(path));
        sc_vec_push(&helper->resolved, ask_to_resolve(helper, path));
    }
    const char *resolved = helper->resolved.items[at];
    return resolved != NULL ? sc_strdup(resolved) : NULL;
}

static void look(const char *question, size_t length, struct sc_str *ret_answer)
{
    struct stat facts;
    (void)length;
    if (stat(question, &facts) == 0)
        sc_str_add_bytes(ret_answer, (const char *)&facts, sizeof(facts));
}

int sc_helper_stat(struct sc_helper *helper, const char *path, struct stat *ret_facts)
{
    SC_AUTO(sc_str_done) struct sc_str answer = {0};
    int code = -1;
    if (sc_helper_ask(helper, path, look, path, strlen(path), &answer) &&
        answer.length == sizeof(*ret_facts)) {
        memcpy(ret_facts, sc_str_text(&answer), sizeof(*ret_facts));
        code = 0;
    }
    return code;
}

/* Files of which a part was requested stay open: a file may be named by a process's root
 * (/proc/PID/root), and that process may have ended when the next part is requested. */
static struct {
    unsigned next;
    struct {
        char *path;
        int fd;
    } files[KEPT_MAX];
} kept;

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
    SC_AUTO_CLOSE int own = sc_helper_is_child() ? -1 : sc_open_regular(path);
    int fd = sc_helper_is_child() ? open_kept(path, asked->offset == 0) : own;
    if (fd < 0 || fstat(fd, ret_facts) != 0)
        return false;
    SC_AUTO_FREE char *bytes = sc_alloc(asked->length, 1);
    if (!sc_read_part(fd, asked->offset, bytes, asked->length))
        return false;
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

static const char *read_below;

void sc_helper_read_below(const char *folder)
{
    read_below = folder;
}

static bool may_be_read(const char *path)
{
    if (read_below == NULL)
        return true;
    SC_AUTO_FREE char *real = realpath(path, NULL);
    size_t length = strcmp(read_below, "/") == 0 ? 0 : strlen(read_below);
    return real != NULL && strncmp(real, read_below, length) == 0 && real[length] == '/';
}

static void read_bytes(const char *question, size_t length, struct sc_str *ret_answer)
{
    struct bytes asked;
    struct stat facts;
    SC_AUTO(sc_str_done) struct sc_str bytes = {0};
    (void)length;
    const char *path = question + sizeof(asked);
    memcpy(&asked, question, sizeof(asked));
    if (!may_be_read(path))
        return;
    bool is_read = asked.is_part ? add_part(path, &asked, &facts, &bytes)
                                 : add_whole(path, asked.length, &facts, &bytes);
    if (is_read) {
        sc_str_add_bytes(ret_answer, (const char *)&facts, sizeof(facts));
        sc_str_add_bytes(ret_answer, sc_str_text(&bytes), bytes.length);
    }
}

static bool ask_for_bytes(struct sc_helper *helper, const char *path, struct bytes asked,
                          struct sc_str *ret_answer)
{
    SC_AUTO(sc_str_done) struct sc_str question = {0};
    sc_str_add_bytes(&question, (const char *)&asked, sizeof(asked));
    sc_str_add(&question, path);
    return sc_helper_ask(helper, path, read_bytes, sc_str_text(&question), question.length,
                         ret_answer);
}

enum sc_helper_read sc_helper_read(struct sc_helper *helper, const char *path, size_t limit_bytes,
                                   struct stat *ret_facts, struct sc_str *ret_bytes)
{
    SC_AUTO(sc_str_done) struct sc_str answer = {0};
    enum sc_helper_read result = SC_HELPER_SILENT;
    if (ask_for_bytes(helper, path, (struct bytes){.length = limit_bytes}, &answer))
        result = answer.length < sizeof(*ret_facts) ? SC_HELPER_UNREADABLE : SC_HELPER_READ;
    if (result == SC_HELPER_READ) {
        memcpy(ret_facts, sc_str_text(&answer), sizeof(*ret_facts));
        sc_str_add_bytes(ret_bytes, sc_str_text(&answer) + sizeof(*ret_facts),
                         answer.length - sizeof(*ret_facts));
    }
    return result;
}

bool sc_helper_read_part(struct sc_helper *helper, const char *path, uint64_t offset, void *bytes,
                         size_t length, struct stat *ret_facts)
{
    SC_AUTO(sc_str_done) struct sc_str answer = {0};
    struct bytes asked = {.offset = offset, .length = length, .is_part = true};
    bool is_read =
        ask_for_bytes(helper, path, asked, &answer) && answer.length == sizeof(*ret_facts) + length;
    if (is_read) {
        memcpy(ret_facts, sc_str_text(&answer), sizeof(*ret_facts));
        memcpy(bytes, sc_str_text(&answer) + sizeof(*ret_facts), length);
    }
    return is_read;
}
