/*
 * observer/process/examiner.c - looks at the files that a program executes, in a thread of its own.
 *
 * The thread is detached and shares one object with its owner, counted by references; the last one
 * frees it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/process/examiner.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/thread.h"
#include "base/vec.h"
#include "observer/system/executable.h"

#define PATIENCE_NS 250000000U

struct question {
    char *name;
    struct sc_examined answer; /* owned */
};

struct sc_examiner {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned owners;
    bool has_thread;
    bool is_closed;
    SC_VEC(struct question) questions;
    size_t answered; /* the first so many */
    char *folders;   /* a copy of PATH, or NULL */
};

struct sc_examiner *sc_examiner_new(void)
{
    struct sc_examiner *examiner = sc_alloc(1, sizeof(*examiner));
    const char *folders = getenv("PATH");
    (void)pthread_mutex_init(&examiner->lock, NULL);
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&examiner->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    examiner->owners = 1;
    examiner->folders = folders != NULL ? sc_strdup(folders) : NULL;
    return examiner;
}

static void release(struct sc_examiner *examiner)
{
    (void)pthread_mutex_lock(&examiner->lock);
    bool is_last = --examiner->owners == 0;
    (void)pthread_mutex_unlock(&examiner->lock);
    if (!is_last)
        return;
    for (size_t i = 0; i < examiner->questions.count; i++) {
        free(examiner->questions.items[i].name);
        free(examiner->questions.items[i].answer.path);
    }
    sc_vec_done(&examiner->questions);
    (void)pthread_cond_destroy(&examiner->changed);
    (void)pthread_mutex_destroy(&examiner->lock);
    free(examiner->folders);
    free(examiner);
}

/* The file that a name stands for, NULL when there is none. */
static char *find(const struct sc_examiner *examiner, const char *name)
{
    if (strchr(name, '/') != NULL)
        return sc_strdup(name);
    for (const char *folder = examiner->folders; folder != NULL && *folder != '\0';) {
        int length = (int)strcspn(folder, ":");
        char *path = sc_format("%.*s/%s", length, folder, name);
        if (length > 0 && access(path, X_OK) == 0)
            return path;
        free(path);
        folder += length;
        folder += *folder == ':';
    }
    return NULL;
}

static void *examine(void *argument)
{
    struct sc_examiner *examiner = argument;
    (void)pthread_mutex_lock(&examiner->lock);
    while (!examiner->is_closed) {
        if (examiner->answered == examiner->questions.count) {
            (void)pthread_cond_wait(&examiner->changed, &examiner->lock);
            continue;
        }
        char *name = sc_strdup(examiner->questions.items[examiner->answered].name);
        (void)pthread_mutex_unlock(&examiner->lock);
        struct sc_examined answer = {.path = find(examiner, name)};
        if (answer.path != NULL)
            answer.obstacle = sc_executable_obstacle(answer.path);
        free(name);
        (void)pthread_mutex_lock(&examiner->lock);
        examiner->questions.items[examiner->answered++].answer = answer;
        (void)pthread_cond_broadcast(&examiner->changed);
    }
    (void)pthread_mutex_unlock(&examiner->lock);
    release(examiner);
    return NULL;
}

/* The lock is held. */
static void begin(struct sc_examiner *examiner)
{
    examiner->has_thread = sc_thread_start(examine, examiner);
    if (examiner->has_thread)
        examiner->owners++;
}

uint32_t sc_examiner_ask(struct sc_examiner *examiner, const char *name)
{
    (void)pthread_mutex_lock(&examiner->lock);
    uint32_t number = (uint32_t)examiner->questions.count;
    sc_vec_push(&examiner->questions, (struct question){.name = sc_strdup(name)});
    if (!examiner->has_thread)
        begin(examiner);
    (void)pthread_cond_broadcast(&examiner->changed);
    (void)pthread_mutex_unlock(&examiner->lock);
    return number;
}

void sc_examiner_wait(struct sc_examiner *examiner)
{
    struct timespec until = sc_timespec(sc_now_ns() + PATIENCE_NS);
    int code = 0;
    (void)pthread_mutex_lock(&examiner->lock);
    while (examiner->has_thread && examiner->answered < examiner->questions.count && code == 0)
        code = pthread_cond_timedwait(&examiner->changed, &examiner->lock, &until);
    (void)pthread_mutex_unlock(&examiner->lock);
}

struct sc_examined sc_examiner_answer(struct sc_examiner *examiner, uint32_t number)
{
    struct sc_examined answer = {0};
    (void)pthread_mutex_lock(&examiner->lock);
    if (number < examiner->answered)
        answer = examiner->questions.items[number].answer;
    if (answer.path != NULL)
        answer.path = sc_strdup(answer.path);
    (void)pthread_mutex_unlock(&examiner->lock);
    return answer;
}

void sc_examiner_free(struct sc_examiner *examiner)
{
    if (examiner == NULL)
        return;
    (void)pthread_mutex_lock(&examiner->lock);
    examiner->is_closed = true;
    (void)pthread_cond_broadcast(&examiner->changed);
    (void)pthread_mutex_unlock(&examiner->lock);
    release(examiner);
}
