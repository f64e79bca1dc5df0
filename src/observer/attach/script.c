/* observer/attach/script.c - see script.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/attach/script.h"

#include <string.h>
#include <sys/uio.h>

#include "cpython/layout_data.h"
#include "cpython/load.h"
#include "observer/system/remote.h"

#define PATH_BYTES   512U        /* _Py_MAX_SCRIPT_PATH_SIZE */
#define OFFSET_LIMIT (64U << 20) /* no structure is so large */

/* Bit of the eval breaker, a word of the thread state, that makes a thread handle pending events:
 * _PY_EVAL_PLEASE_STOP_BIT. */
#define PLEASE_STOP 32U

/* struct _debugger_support, which is the last of _Py_DebugOffsets. */
struct support {
    uint64_t eval_breaker;   /* offset in the thread state */
    uint64_t remote_support; /* the same, of _PyRemoteDebuggerSupport */
    uint64_t is_enabled;     /* offset in the interpreter state */
    uint64_t pending_call;   /* offsets in _PyRemoteDebuggerSupport */
    uint64_t path;
    uint64_t path_bytes;
};

static uint64_t published_bytes(uint16_t version)
{
    for (size_t i = 0; i < sc_debug_positions_count; i++) {
        if (sc_debug_positions[i].python == version)
            return (uint64_t)sc_debug_positions[i].debug_size;
    }
    return 0;
}

static bool read_support(const struct sc_target *target, const struct sc_interpreter_facts *facts,
                         struct support *ret)
{
    uint64_t size = published_bytes(facts->version);
    return size >= sizeof(*ret) &&
           sc_target_read(target, facts->runtime + size - sizeof(*ret), ret, sizeof(*ret)) &&
           ret->eval_breaker < OFFSET_LIMIT && ret->eval_breaker % sizeof(uint64_t) == 0 &&
           ret->remote_support < OFFSET_LIMIT && ret->is_enabled < OFFSET_LIMIT &&
           ret->pending_call < OFFSET_LIMIT && ret->path < OFFSET_LIMIT &&
           ret->path_bytes == PATH_BYTES;
}

static bool write_memory(const struct sc_remote *remote, uint64_t address, const void *bytes,
                         size_t length)
{
    struct iovec from = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = length};
    struct iovec to = {.iov_base = (void *)(uintptr_t)address, .iov_len = length};
    return process_vm_writev(remote->pid, &from, 1, &to, 1, 0) == (ssize_t)length;
}

/* What is known of a thread's interpreter. */
static enum sc_script_answer check(struct sc_remote *remote,
                                   const struct sc_interpreter_facts *facts,
                                   const struct sc_layout *layout, uint64_t thread_state,
                                   struct support *ret_at)
{
    const struct sc_target target = {.read = sc_remote_read, .context = remote};
    uint64_t interpreter = 0;
    int32_t is_enabled = 0;
    if (facts->version < SC_SCRIPT_FIRST_VERSION)
        return SC_SCRIPT_UNKNOWN;
    sc_remote_forget(remote);
    if (!read_support(&target, facts, ret_at) ||
        !sc_read_u64(&target, thread_state, layout->ts_interp, &interpreter) ||
        !sc_target_read(&target, interpreter + ret_at->is_enabled, &is_enabled, sizeof(is_enabled)))
        return SC_SCRIPT_UNKNOWN;
    return is_enabled == 1 ? SC_SCRIPT_POSTED : SC_SCRIPT_DISABLED;
}

enum sc_script_answer sc_script_post(struct sc_remote *remote,
                                     const struct sc_interpreter_facts *facts,
                                     const struct sc_layout *layout, uint64_t thread_state,
                                     const char *path)
{
    const struct sc_target target = {.read = sc_remote_read, .context = remote};
    struct support at;
    const int32_t is_pending = 1;
    unsigned char breaker = 0;
    char text[PATH_BYTES] = {0};
    enum sc_script_answer answer = check(remote, facts, layout, thread_state, &at);
    if (answer != SC_SCRIPT_POSTED)
        return answer;
    if (strlen(path) >= sizeof(text))
        return SC_SCRIPT_UNKNOWN;
    memcpy(text, path, strlen(path) + 1);
    uint64_t support = thread_state + at.remote_support;
    /* the flag comes after the path, and the eval breaker last */
    if (!write_memory(remote, support + at.path, text, sizeof(text)) ||
        !write_memory(remote, support + at.pending_call, &is_pending, sizeof(is_pending)))
        return SC_SCRIPT_FORBIDDEN;
    sc_remote_forget(remote);
    if (!sc_target_read(&target, thread_state + at.eval_breaker, &breaker, sizeof(breaker)))
        return SC_SCRIPT_FORBIDDEN;
    /* only the byte with our bit: the rest of the word is a number that its thread may change */
    breaker |= PLEASE_STOP;
    return write_memory(remote, thread_state + at.eval_breaker, &breaker, sizeof(breaker))
               ? SC_SCRIPT_POSTED
               : SC_SCRIPT_FORBIDDEN;
}

bool sc_script_cancel(struct sc_remote *remote, const struct sc_interpreter_facts *facts,
                      const struct sc_layout *layout, uint64_t thread_state)
{
    const struct sc_target target = {.read = sc_remote_read, .context = remote};
    struct support at;
    int32_t is_pending = 0;
    const int32_t none = 0;
    if (check(remote, facts, layout, thread_state, &at) != SC_SCRIPT_POSTED)
        return false;
    uint64_t flag = thread_state + at.remote_support + at.pending_call;
    if (!sc_target_read(&target, flag, &is_pending, sizeof(is_pending)))
        return false;
    return is_pending == 0 || !write_memory(remote, flag, &none, sizeof(none));
}
