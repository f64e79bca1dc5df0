/* push/push.c - see push.h. SPDX-License-Identifier: Apache-2.0 */
#include "push/push.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "assist/curl.h"
#include "base/mem.h"
#include "export/deltas.h"
#include "push/requests.h"
#include "push/sender.h"
#include "push/target.h"

struct sc_push {
    struct sc_push_target target;
    char *service; /* NULL: the program's name */
    struct sc_sender *sender;
    struct sc_export_deltas deltas;
    double taken_s; /* since 1970, when the last one was taken; 0: none yet */
    unsigned count;
};

struct sc_push *sc_push_new(const char *address, const char *service, const char *token_file,
                            struct sc_err *err)
{
    struct sc_push_target target;
    if (!sc_push_target_init(&target, address, token_file, err))
        return NULL;
    const struct sc_curl *curl = sc_curl_load(err);
    if (curl == NULL) {
        sc_push_target_done(&target);
        return NULL;
    }
    struct sc_push *push = sc_alloc(1, sizeof(*push));
    push->target = target;
    push->service = service != NULL ? sc_strdup(service) : NULL;
    push->sender = sc_sender_new(curl, &push->target);
    return push;
}

bool sc_push_has_room(void *context)
{
    const struct sc_push *push = context;
    return sc_sender_has_room(push->sender);
}

static double now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void sc_push_take(void *context, const struct sc_profile *profile)
{
    struct sc_push *push = context;
    SC_AUTO(sc_export_samples_done) struct sc_export_samples samples = {0};
    SC_AUTO_FREE struct sc_push_requests requests = {0};
    double begin_s = push->taken_s > 0 ? push->taken_s : profile->start_time_absolute_s;
    sc_export_samples_init(&samples, profile);
    sc_export_deltas_take(&push->deltas, &samples);
    push->taken_s = now_s();
    samples.begin_s = begin_s;
    samples.span_s = push->taken_s > begin_s ? push->taken_s - begin_s : 0;
    if (push->service != NULL)
        samples.service = push->service;
    sc_push_requests_make(&push->target, &samples, &requests);
    for (size_t i = 0; i < requests.count; i++) {
        requests.items[i].push = push->count;
        requests.items[i].span_s = samples.span_s;
        sc_sender_add(push->sender, &requests.items[i]);
    }
    push->count += requests.count > 0;
}

char *sc_push_end(void *context, const struct sc_profile *profile)
{
    struct sc_push *push = context;
    struct sc_push_losses losses;
    sc_push_take(push, profile);
    sc_sender_end(push->sender, &losses);
    if (losses.pushes == 0)
        return NULL;
    return sc_format("%u of %u pushes to %s %s lost, %.1f s of the run, which only this profile "
                     "has%s%s",
                     losses.pushes, push->count, push->target.shown,
                     losses.pushes == 1 ? "was" : "were", losses.span_s,
                     losses.why[0] != '\0' ? ": " : "", losses.why);
}

int sc_push_leave(int status)
{
    if (sc_sender_is_left()) {
        (void)fflush(NULL);
        _exit(status);
    }
    return status;
}

void sc_push_free(struct sc_push *push)
{
    if (push == NULL)
        return;
    sc_sender_free(push->sender);
    sc_push_target_done(&push->target);
    sc_export_deltas_done(&push->deltas);
    free(push->service);
    free(push);
}
