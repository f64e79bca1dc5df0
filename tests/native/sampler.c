/*
 * tests/native/sampler.c - samples the main thread of a Python that loads it through ctypes.
 *
 * A small stand-in for the agent: the same unwinder, readers and walker, but it keeps every sample
 * in full, with the phase of the program it fell into, and writes them to a file at the end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "agent/safe_read.h"
#include "cpython/find_layout.h"
#include "cpython/walk.h"
#include "samples.h"

#ifndef sigev_notify_thread_id /* glibc before 2.38 has the member without its documented name */
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* Called from Python. */
#define EXPORT __attribute__((visibility("default")))
EXPORT int sampler_start(void *with_init, void *with_new, void *with_call, long interval_ns);
EXPORT void sampler_phase(int phase);
EXPORT int sampler_count(void);
EXPORT int sampler_stop(const char *path);
EXPORT size_t sampler_ranges(uint64_t *ret_pairs, size_t capacity);
EXPORT int sampler_unwind_cost(long rounds, double *ret_ns_per_hop, double *ret_hops);

static struct samples_head head;
static struct sample samples[SAMPLES_MAX];
static struct sc_layout layout;
static void *(*thread_state)(void);
static timer_t timer;
static volatile uint32_t phase;

static bool read_self(void *context, uint64_t address, void *bytes, size_t length)
{
    return sc_safe_read(context, address, bytes, length);
}

static uint64_t now_ns(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static void take_python(struct sample *sample, const struct sc_target *target)
{
    struct sc_walk walk;
    struct sc_py_frame frame;
    void *state = thread_state();
    if (state == NULL)
        return;
    sc_walk_begin(&walk, &layout, target, head.facts.code_type, (uint64_t)(uintptr_t)state);
    if (!sc_walk_next(&walk, &frame))
        return;
    sample->has_python_frame = true;
    sample->has_code_unit = sc_frame_opcode(&layout, target, &frame, &sample->code_unit);
}

static void on_tick(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number;
    (void)info;
    int saved_errno = errno;
    uint32_t index = head.sample_count;
    if (index < SAMPLES_MAX) {
        struct sc_safe_reader reader = {0};
        struct sc_target target = {.read = read_self, .context = &reader};
        struct sample *sample = &samples[index];
        size_t count = 0;
        sample->phase = phase;
        take_python(sample, &target);
        sample->in_system_call = sc_context_in_system_call(context, &target);
        uint64_t before = now_ns(CLOCK_MONOTONIC);
        sample->end =
            sc_unwind(context, &target, &head.ranges, sample->addresses, SAMPLE_ADDRESSES, &count);
        sample->handler_ns = (uint32_t)(now_ns(CLOCK_MONOTONIC) - before);
        sample->count = (uint32_t)count;
        head.sample_count = index + 1;
    }
    errno = saved_errno;
}

static uint64_t address_of(const char *name)
{
    return (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, name);
}

static uint64_t slot(const void *type, int32_t offset)
{
    uint64_t value = 0;
    if (type != NULL && offset >= 0)
        memcpy(&value, (const char *)type + offset, sizeof(value));
    return value;
}

static uint64_t slot_of(const char *name, int32_t offset)
{
    return slot(dlsym(RTLD_DEFAULT, name), offset);
}

/* As the agent finds it (src/agent/python.c). */
static uint64_t object_new_method(void)
{
    void *(*get_attribute)(void *, const char *);
    void *symbol = dlsym(RTLD_DEFAULT, "PyObject_GetAttrString");
    memcpy(&get_attribute, &symbol, sizeof(symbol));
    void *base = dlsym(RTLD_DEFAULT, "PyBaseObject_Type");
    const unsigned char *method = get_attribute(base, "__new__"); /* kept for ever */
    uint64_t function = 0;
    if (method != NULL && slot(method, layout.ob_type) == address_of("PyCFunction_Type")) {
        uint64_t definition = slot(method, layout.ob_type + (int32_t)sizeof(void *));
        memcpy(&function, (const char *)definition + sizeof(void *), sizeof(function));
    }
    return function;
}

/* The classes are Python's, with __init__, __new__ and __call__ written in Python. */
static void fill_facts(const void *with_init, const void *with_new, const void *with_call)
{
    struct sc_interpreter_facts *facts = &head.facts;
    facts->runtime = address_of("_PyRuntime");
    facts->code_type = address_of("PyCode_Type");
    facts->eval_function = address_of("_PyEval_EvalFrameDefault");
    facts->generic_alloc = address_of("PyType_GenericAlloc");
    facts->type_call = slot_of("PyType_Type", layout.tp_call);
    facts->object_new = slot_of("PyBaseObject_Type", layout.tp_new_);
    facts->object_init = slot_of("PyBaseObject_Type", layout.tp_init);
    facts->object_new_method = object_new_method();
    facts->function_call = slot_of("PyFunction_Type", layout.tp_call);
    facts->method_call = slot_of("PyMethod_Type", layout.tp_call);
    facts->frame_dealloc = slot_of("PyFrame_Type", layout.tp_dealloc);
    facts->heap_init = slot(with_init, layout.tp_init);
    facts->heap_new = slot(with_new, layout.tp_new_);
    facts->heap_call = slot(with_call, layout.tp_call);
    facts->heap_dealloc = slot(with_init, layout.tp_dealloc);
}

static bool find_python(void)
{
    const char *(*get_version)(void);
    void *symbol = dlsym(RTLD_DEFAULT, "Py_GetVersion");
    memcpy(&get_version, &symbol, sizeof(symbol));
    unsigned minor = 0;
    if (symbol == NULL || sscanf(get_version(), "3.%u", &minor) != 1)
        return false;
    const char *name = minor >= 13   ? "PyThreadState_GetUnchecked"
                       : minor == 12 ? "_PyThreadState_UncheckedGet"
                                     : "PyGILState_GetThisThreadState";
    symbol = dlsym(RTLD_DEFAULT, name);
    memcpy(&thread_state, &symbol, sizeof(symbol));
    uint64_t runtime_head[3] = {0};
    memcpy(runtime_head, dlsym(RTLD_DEFAULT, "_PyRuntime"), sizeof(runtime_head));
    head.facts.version = (uint16_t)(0x0300 | minor);
    head.facts.free_threaded = memcmp(runtime_head, "xdebugpy", 8) == 0 && runtime_head[2] == 1;
    struct sc_safe_reader reader = {0};
    struct sc_target target = {.read = read_self, .context = &reader};
    return symbol != NULL &&
           sc_layout_init(&layout, head.facts.version, head.facts.free_threaded, &target,
                          address_of("_PyRuntime"), false) == SC_LAYOUT_OK;
}

#define EXPORT __attribute__((visibility("default")))
EXPORT int sampler_start(void *with_init, void *with_new, void *with_call, long interval_ns)
{
    if (!find_python())
        return 1;
    fill_facts(with_init, with_new, with_call);
    void *eval = dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault");
    struct sc_safe_reader reader = {0};
    struct sc_target target = {.read = read_self, .context = &reader};
    sc_eval_ranges_find(&head.ranges, &target, (uint64_t)(uintptr_t)eval, 0);
    struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    struct itimerspec interval = {.it_interval.tv_nsec = interval_ns,
                                  .it_value.tv_nsec = interval_ns};
    if (sigaction(SIGPROF, &action, NULL) != 0 ||
        timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0 ||
        timer_settime(timer, 0, &interval, NULL) != 0)
        return 2;
    return 0;
}

void sampler_phase(int number)
{
    phase = (uint32_t)number;
}

int sampler_count(void)
{
    return (int)head.sample_count;
}

int sampler_stop(const char *path)
{
    if (timer_delete(timer) != 0 || signal(SIGPROF, SIG_IGN) == SIG_ERR)
        return 1;
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return 2;
    bool written =
        fwrite(&head, sizeof(head), 1, file) == 1 &&
        fwrite(samples, sizeof(samples[0]), head.sample_count, file) == head.sample_count;
    return fclose(file) == 0 && written ? 0 : 3;
}

size_t sampler_ranges(uint64_t *ret_pairs, size_t capacity)
{
    for (size_t i = 0; i < head.ranges.count && i < capacity; i++) {
        ret_pairs[2 * i] = head.ranges.ranges[i].start;
        ret_pairs[2 * i + 1] = head.ranges.ranges[i].end;
    }
    return head.ranges.count;
}

/* The time of unwinding from here to the evaluation loop, everything warm. */
int sampler_unwind_cost(long rounds, double *ret_ns_per_hop, double *ret_hops)
{
    ucontext_t context;
    if (getcontext(&context) != 0 || rounds <= 0)
        return 1;
    size_t count = 0;
    uint64_t addresses[SAMPLE_ADDRESSES];
    enum sc_unwind_end end = SC_UNWIND_LOST;
    uint64_t before = now_ns(CLOCK_THREAD_CPUTIME_ID);
    for (long i = 0; i < rounds; i++) {
        struct sc_safe_reader reader = {0};
        struct sc_target target = {.read = read_self, .context = &reader};
        end = sc_unwind(&context, &target, &head.ranges, addresses, SAMPLE_ADDRESSES, &count);
    }
    *ret_hops = (double)(count - 1);
    *ret_ns_per_hop =
        (double)(now_ns(CLOCK_THREAD_CPUTIME_ID) - before) / (double)rounds / *ret_hops;
    return end == SC_UNWIND_EVAL ? 0 : 2;
}
