/* agent/cuda/cuda.c - see cuda.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/cuda/cuda.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/clock.h"
#include "agent/cuda/cupti_find.h"
#include "agent/cuda/state.h"
#include "agent/rules.h"
#include "agent/state.h"
#include "channel/writer.h"

/* How long the end of the process waits for CUPTI, on a normal exit. */
#define END_WAIT_NS 2000000000U

static const uint32_t kinds[] = {SC_CUPTI_CONCURRENT_KERNEL, SC_CUPTI_MEMCPY, SC_CUPTI_MEMCPY2,
                                 SC_CUPTI_MEMSET};
#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

static bool is_to_be_followed(void)
{
    return sc_agent_is_active() && sc_agent.traces_gpu && getpid() == sc_agent.pid;
}

static void send_state(enum sc_gpu_state state, uint32_t detail)
{
    if (!sc_agent_is_active())
        return;
    struct sc_record_gpu_state *record = sc_ring_reserve(sc_agent.segment, sizeof(*record));
    if (record == NULL) {
        sc_agent_lose(SC_AGENT_LOSS_GPU_LOST);
        return;
    }
    record->time_ns = sc_clock_ns(CLOCK_MONOTONIC);
    record->state = state;
    record->detail = detail;
    sc_ring_commit(record, SC_RECORD_GPU_STATE, sizeof(*record));
}

char *sc_cuda_injection(char *set)
{
    Dl_info self;
    int saved_errno = errno;
    char *path = set;
    if (is_to_be_followed() && set != NULL)
        send_state(SC_GPU_REFUSED, SC_CUPTI_HAS_SUBSCRIBER);
    else if (is_to_be_followed() && dladdr(&sc_cuda, &self) != 0 && self.dli_fname[0] == '/')
        path = (char *)(uintptr_t)self.dli_fname; /* stays valid as long as the library is loaded */
    errno = saved_errno;
    return path;
}

/* CUPTI's version in CUDA's numbering (12090 is 12.9): cupti_version.h has the list. */
static uint32_t version_of_cuda(void)
{
    static const uint16_t versions[] = {11000, 11010, 11020, 11050, 11060, 11080, 12000, 12020,
                                        12030, 12040, 12050, 12060, 12060, 12080, 12090, 12090};
    const uint32_t first = 13;
    const uint32_t count = sizeof(versions) / sizeof(versions[0]);
    uint32_t version = 0;
    if (sc_cuda->cupti.version(&version) != SC_CUPTI_SUCCESS || version < first)
        return 10000;      /* the oldest that we support */
    if (version >= 130000) /* 130500 is 13.5 */
        return version / 10000 * 1000 + version % 10000 / 100 * 10;
    return versions[version - first < count ? version - first : count - 1];
}

/* Once per process; the state is empty in its children, however they are created. */
static bool make_state(void)
{
    if (sc_cuda != NULL)
        return true;
    void *page = mmap(NULL, sizeof(struct sc_cuda), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (page == MAP_FAILED)
        return false;
    if (madvise(page, sizeof(struct sc_cuda), MADV_WIPEONFORK) != 0) {
        (void)munmap(page, sizeof(struct sc_cuda));
        return false;
    }
    sc_cuda = page;
    return true;
}

static void find_finalizing(void)
{
    void *found = dlsym(RTLD_DEFAULT, "Py_IsFinalizing"); /* 3.13 and later */
    if (found == NULL)
        found = dlsym(RTLD_DEFAULT, "_Py_IsFinalizing");
    __builtin_memcpy(&sc_cuda->is_finalizing, &found, sizeof(found));
}

/* CUPTI's error, or 0. */
static int begin_activities(void)
{
    const struct sc_cupti *cupti = &sc_cuda->cupti;
    int error = cupti->register_buffers(sc_cuda_wants_buffer, sc_cuda_gives_buffer);
    for (size_t i = 0; i < KIND_COUNT && error == SC_CUPTI_SUCCESS; i++)
        error = cupti->enable(kinds[i]);
    return error;
}

static void end_activities(void)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        (void)sc_cuda->cupti.disable(kinds[i]);
    (void)sc_cuda->cupti.flush_all(SC_CUPTI_FLUSH_FORCED);
    sc_cuda_follow_calls(0);
    (void)sc_cuda->cupti.unsubscribe(sc_cuda->subscriber);
}

static void at_exit(void)
{
    sc_cuda_end(END_WAIT_NS);
}

/* CUPTI's error, or 0. */
static int subscribe(void)
{
    static bool has_handler;
    int error = sc_cuda->cupti.subscribe(&sc_cuda->subscriber, sc_cuda_called, NULL);
    if (error != SC_CUPTI_SUCCESS)
        return error;
    find_finalizing();
    sc_cuda_follow_calls(1);
    error = begin_activities();
    /* only now: CUPTI may call itself through the functions that we hook */
    atomic_store(&sc_cuda->stage, SC_CUDA_TRACING);
    if (error != SC_CUPTI_SUCCESS || !sc_cuda_start_flushing()) {
        atomic_store(&sc_cuda->stage, SC_CUDA_LEAVING);
        end_activities();
        return error;
    }
    if (!has_handler) /* registered after CUPTI's own handler, so it runs before that */
        has_handler = atexit(at_exit) == 0;
    return SC_CUPTI_SUCCESS;
}

/* A device list that is empty or starts with a negative number hides all devices: then cuInit
 * fails, and there is nothing to trace. */
static bool hides_devices(void)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    return visible != NULL && (visible[0] == '\0' || visible[0] == '-');
}

void sc_cuda_begin(bool only_loaded, void (*found)(void))
{
    uint32_t stage = SC_CUDA_NONE;
    if (!is_to_be_followed() || hides_devices() || !make_state())
        return;
    if (!atomic_compare_exchange_strong(&sc_cuda->stage, &stage, SC_CUDA_BEGINNING)) {
        if (stage == SC_CUDA_OVER) /* in an earlier profile */
            send_state(SC_GPU_TAKEN, 0);
        return;
    }
    if (!sc_cupti_find(&sc_cuda->cupti, only_loaded)) {
        if (!only_loaded || sc_cupti_driver_is_used())
            send_state(only_loaded ? SC_GPU_NOT_LOADED : SC_GPU_NO_CUPTI, 0);
        atomic_store(&sc_cuda->stage, SC_CUDA_NONE);
        return;
    }
    found();
    int error = subscribe();
    if (atomic_load(&sc_cuda->stage) == SC_CUDA_TRACING) {
        send_state(SC_GPU_TRACING, version_of_cuda());
    } else {
        send_state(SC_GPU_REFUSED, (uint32_t)error);
        atomic_store(&sc_cuda->stage, SC_CUDA_NONE);
    }
}

/* Ends the tracing; true when it was active. */
static bool leave(void)
{
    uint32_t tracing = SC_CUDA_TRACING;
    if (sc_cuda == NULL ||
        !atomic_compare_exchange_strong(&sc_cuda->stage, &tracing, SC_CUDA_LEAVING))
        return false;
    end_activities();
    return true;
}

void sc_cuda_stop(void)
{
    if (!leave())
        return;
    sc_cuda_wait_for_flushing(END_WAIT_NS); /* the next profile starts a flush thread of its own */
    atomic_store(&sc_cuda->stage, SC_CUDA_NONE);
}

void sc_cuda_yield_cupti(void)
{
    int saved_errno = errno;
    if (leave()) {
        send_state(SC_GPU_TAKEN, 0);
        atomic_store(&sc_cuda->stage, SC_CUDA_OVER);
    }
    errno = saved_errno;
}
