/*
 * tools/task_probe.c - prints where CPython keeps what we need to find and follow asyncio's tasks,
 * locks and variables.
 *
 * tools/gen_tasks.py compiles and runs it once per version. Every line is "kind name number":
 * "field" is an entry of SC_TASK_FIELDS of src/cpython/task_layout.h, "flag" another member of
 * struct sc_task_layout. The structures of Modules/_asynciomodule.c and, before 3.11, of
 * Objects/dict-common.h are in no header: their shapes are written down here, and
 * tests/layout/test_tasks.py holds them against every interpreter found.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe.h"

#if PY_VERSION_HEX >= 0x030b0000
#include "internal/pycore_dict.h"
#include "internal/pycore_object.h"
#endif
#if PY_VERSION_HEX >= 0x030e0000
#include "internal/pycore_frame.h"
#include "internal/pycore_genobject.h"
#include "internal/pycore_tstate.h"
#endif

/* FutureObj_HEAD: loop, callback0, context0, callbacks, exception, result, source_tb; 3.9 adds
 * cancel_msg, 3.10 exception_tb, 3.11 cancelled_exc, 3.14 awaited_by. */
#if PY_VERSION_HEX < 0x03090000
#define FUTURE_POINTERS 7
#elif PY_VERSION_HEX < 0x030a0000
#define FUTURE_POINTERS 8
#elif PY_VERSION_HEX < 0x030d0000
#define FUTURE_POINTERS 9
#elif PY_VERSION_HEX < 0x030e0000
#define FUTURE_POINTERS 10
#else
#define FUTURE_POINTERS 11
#endif

struct future {
    PyObject ob_base;
    PyObject *pointers[FUTURE_POINTERS];
    int state;
#if PY_VERSION_HEX < 0x030d0000
    int log_tb;
    int blocking;
    PyObject *dict;
    PyObject *weakreflist;
#if PY_VERSION_HEX >= 0x030b0000
    PyObject *cancelled_exc;
#elif PY_VERSION_HEX >= 0x03090000
    _PyErr_StackItem cancelled_exc_state;
#endif
#else
    int bits; /* log_tb, blocking; 3.14: is_task, awaited_by_is_set before them */
#endif
};

struct task {
    struct future future;
#if PY_VERSION_HEX >= 0x030d0000
    int bits; /* must_cancel, log_destroy_pending */
    int cancels;
#endif
    PyObject *waiter;
    PyObject *coro;
    PyObject *name;
    PyObject *context;
#if PY_VERSION_HEX >= 0x030e0000
    void *node[2]; /* struct llist_node */
#ifdef Py_GIL_DISABLED
    uintptr_t tid;
#endif
#elif PY_VERSION_HEX < 0x030d0000
    int must_cancel;
    int log_destroy_pending;
#if PY_VERSION_HEX >= 0x030b0000
    int cancels;
#endif
#endif
};

static void print_tasks(void)
{
    FIELD(fu_state, struct future, state);
    VALUE(fu_size, sizeof(struct future));
    FIELD(tk_waiter, struct task, waiter);
    FIELD(tk_coro, struct task, coro);
    FIELD(tk_name, struct task, name);
    VALUE(tk_size, sizeof(struct task));
#if PY_VERSION_HEX >= 0x030e0000
    FIELD(tk_node, struct task, node);
    FIELD(is_tasks_head, PyInterpreterState, asyncio_tasks_head);
    FIELD(ts_tasks_head, _PyThreadStateImpl, asyncio_tasks_head);
#endif
}

static void print_generators(void)
{
#if PY_VERSION_HEX >= 0x030b0000
    FIELD(ge_iframe, PyGenObject, gi_iframe);
    FIELD(ge_state, PyGenObject, gi_frame_state);
    VALUE(ge_size,
          offsetof(PyGenObject, gi_iframe) + offsetof(struct _PyInterpreterFrame, localsplus));
    FLAG(suspended_first, FRAME_SUSPENDED);
#else
    FIELD(ge_frame, PyGenObject, gi_frame);
    VALUE(ge_size, sizeof(PyGenObject));
#endif
#if PY_VERSION_HEX >= 0x030f0000
    FLAG(suspended_last, FRAME_SUSPENDED_YIELD_FROM_LOCKED);
#elif PY_VERSION_HEX >= 0x030d0000
    FLAG(suspended_last, FRAME_SUSPENDED_YIELD_FROM);
#elif PY_VERSION_HEX >= 0x030b0000
    FLAG(suspended_last, FRAME_SUSPENDED);
#endif
#if PY_VERSION_HEX >= 0x030d0000
    FLAG(awaiting_first, FRAME_SUSPENDED_YIELD_FROM);
#endif
    /* 3.15: SEND keeps two slots, the iterator and what it sends to it (Python/bytecodes.c) */
    FLAG(await_depth, PY_VERSION_HEX >= 0x030f0000 ? 2 : 1);
}

static void print_frames(void)
{
#if PY_VERSION_HEX >= 0x030e0000
    FIELD(fr_stack_top, struct _PyInterpreterFrame, stackpointer);
#elif PY_VERSION_HEX >= 0x030b0000
    FIELD(fr_stack_depth, struct _PyInterpreterFrame, stacktop);
#elif PY_VERSION_HEX >= 0x030a0000
    FIELD(fr_state, PyFrameObject, f_state);
    FIELD(fr_value_stack, PyFrameObject, f_valuestack);
    FIELD(fr_stack_depth, PyFrameObject, f_stackdepth);
    FLAG(suspended_first, FRAME_SUSPENDED);
    FLAG(suspended_last, FRAME_SUSPENDED);
#else
    FIELD(fr_executing, PyFrameObject, f_executing);
    FIELD(fr_stack_top, PyFrameObject, f_stacktop);
#endif
}

#if PY_VERSION_HEX < 0x030b0000
struct keys { /* struct _dictkeysobject of Objects/dict-common.h */
    Py_ssize_t dk_refcnt;
    Py_ssize_t dk_size;
    void *dk_lookup;
    Py_ssize_t dk_usable;
    Py_ssize_t dk_nentries;
    char dk_indices[];
};
#else
typedef struct _dictkeysobject keys_object;
#endif

static void print_dicts(void)
{
    FIELD(di_used, PyDictObject, ma_used);
    FIELD(di_keys, PyDictObject, ma_keys);
    FIELD(di_values, PyDictObject, ma_values);
#if PY_VERSION_HEX < 0x030b0000
    FIELD(dk_size, struct keys, dk_size);
    FIELD(dk_count, struct keys, dk_nentries);
    FIELD(dk_indices, struct keys, dk_indices);
    VALUE(dv_values, 0);
#else
    FIELD(dk_log2_bytes, keys_object, dk_log2_index_bytes);
    FIELD(dk_kind, keys_object, dk_kind);
    FIELD(dk_count, keys_object, dk_nentries);
    FIELD(dk_indices, keys_object, dk_indices);
    FIELD(dv_values, struct _dictvalues, values);
#endif
    /* where an instance has its attributes (Objects/object.c, _PyObject_GetDictPtr) */
#if PY_VERSION_HEX >= 0x030d0000
    VALUE(in_dict_before, -MANAGED_DICT_OFFSET);
    FLAG(instance_kind, 3);
#elif PY_VERSION_HEX >= 0x030c0000
    VALUE(in_dict_before, 24);
    FLAG(instance_kind, 2);
#elif PY_VERSION_HEX >= 0x030b0000
    VALUE(in_dict_before, 24);
    VALUE(in_values_before, 32);
    FLAG(instance_kind, 1);
#else
    FLAG(instance_kind, 0);
#endif
}

/* Who holds the interpreter lock: up to 3.11 the thread state that is current holds it. */
static void print_lock(void)
{
#if PY_VERSION_HEX >= 0x030c0000
    FIELD(is_gil, PyInterpreterState, ceval.gil);
    FIELD(gl_holder, struct _gil_runtime_state, last_holder);
    FIELD(gl_locked, struct _gil_runtime_state, locked);
    FIELD(gl_switches, struct _gil_runtime_state, switch_number);
#else
    FIELD(rt_current, _PyRuntimeState, gilstate.tstate_current);
    FIELD(rt_switches, _PyRuntimeState, ceval.gil.switch_number);
#endif
}

static void print_code(void)
{
    FIELD(co_names, PyCodeObject, co_names);
#if PY_VERSION_HEX >= 0x030b0000
    FIELD(co_variables, PyCodeObject, co_localsplusnames);
    FIELD(co_exceptions, PyCodeObject, co_exceptiontable);
#else
    FIELD(co_variables, PyCodeObject, co_varnames);
    FIELD(co_cells, PyCodeObject, co_cellvars);
    FIELD(co_free, PyCodeObject, co_freevars);
    FIELD(fr_stack_base, PyFrameObject, f_valuestack);
    FIELD(fr_blocks, PyFrameObject, f_blockstack);
    FIELD(fr_block_count, PyFrameObject, f_iblock);
#endif
}

/* Its lists of objects, which a free-threaded build does not use. */
static void print_collector(void)
{
#ifndef Py_GIL_DISABLED
    typedef struct _gc_runtime_state state;
    VALUE(gc_lists, offsetof(state, collecting) - offsetof(state, generations));
    VALUE(gc_permanent, offsetof(state, collecting) - offsetof(state, permanent_generation));
#endif
}

static void print_objects(void)
{
    FIELD(tp_name, PyTypeObject, tp_name);
    FIELD(tp_basicsize, PyTypeObject, tp_basicsize);
    FIELD(tp_flags, PyTypeObject, tp_flags);
    FIELD(tp_dictoffset, PyTypeObject, tp_dictoffset);
    FIELD(tp_base, PyTypeObject, tp_base);
    FIELD(tp_cached_keys, PyHeapTypeObject, ht_cached_keys);
    VALUE(ob_size, sizeof(PyObject));
    FIELD(se_used, PySetObject, used);
    FIELD(se_mask, PySetObject, mask);
    FIELD(se_table, PySetObject, table);
    FIELD(wr_object, PyWeakReference, wr_object);
#if PY_VERSION_HEX >= 0x030c0000
    FIELD(lo_tag, PyLongObject, long_value.lv_tag);
    FIELD(lo_digits, PyLongObject, long_value.ob_digit);
#else
    FIELD(lo_digits, PyLongObject, ob_digit);
#endif
}

int main(void)
{
    print_python();
#if PY_VERSION_HEX >= 0x030c0000
    FIELD(is_modules, PyInterpreterState, imports.modules);
#else
    FIELD(is_modules, PyInterpreterState, modules);
#endif
#if PY_VERSION_HEX >= 0x030d0000
    FLAG(published_modules, offsetof(_Py_DebugOffsets, interpreter_state.imports_modules));
#endif
    print_tasks();
    print_generators();
    print_frames();
    print_dicts();
    print_lock();
    print_code();
    print_objects();
    print_collector();
    return 0;
}
