/*
 * tools/layout_probe.c - prints where CPython's fields are, as its own headers have them.
 *
 * tools/gen_layout.py compiles and runs it once per version. Every line is "kind name number":
 * "field" is an entry of SC_LAYOUT_FIELDS of src/cpython/layout.h, "flag" another member of struct
 * sc_layout, "debug" the position of a field inside _Py_DebugOffsets (3.13 and later).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "probe.h"

#if PY_VERSION_HEX >= 0x030c0000
#include <opcode.h>

#include "internal/pycore_code.h"
#endif
#if PY_VERSION_HEX >= 0x030e0000
#include "internal/pycore_instruments.h"
#endif

static void print_runtime(void)
{
    FIELD(rt_interpreters_head, _PyRuntimeState, interpreters.head);
    FIELD(is_next, PyInterpreterState, next);
#if PY_VERSION_HEX >= 0x030b0000
    FIELD(is_threads_head, PyInterpreterState, threads.head);
#else
    FIELD(is_threads_head, PyInterpreterState, tstate_head);
#endif
#if PY_VERSION_HEX >= 0x03090000
    FIELD(is_gc_collecting, PyInterpreterState, gc.collecting);
    FIELD(rt_finalizing, _PyRuntimeState, _finalizing);
#else
    FIELD(rt_finalizing, _PyRuntimeState, finalizing);
    FIELD(rt_gc_collecting, _PyRuntimeState, gc.collecting);
#endif
#if PY_VERSION_HEX >= 0x030c0000
    FIELD(is_id, PyInterpreterState, id);
#endif
    FIELD(ts_next, PyThreadState, next);
    FIELD(ts_interp, PyThreadState, interp);
    FIELD(ts_thread_id, PyThreadState, thread_id);
#if PY_VERSION_HEX >= 0x030b0000
    FIELD(ts_native_thread_id, PyThreadState, native_thread_id);
#endif
#if PY_VERSION_HEX >= 0x030d0000
    FIELD(ts_frame, PyThreadState, current_frame);
#elif PY_VERSION_HEX >= 0x030b0000
    FIELD(ts_cframe, PyThreadState, cframe);
    FIELD(cf_current_frame, _PyCFrame, current_frame);
    FIELD(cf_previous, _PyCFrame, previous);
#else
    FIELD(ts_frame, PyThreadState, frame);
#endif
}

static void print_frame(void)
{
#if PY_VERSION_HEX >= 0x030b0000
    typedef struct _PyInterpreterFrame frame;
    FIELD(fr_back, frame, previous);
    FIELD(fr_owner, frame, owner);
    FIELD(fr_localsplus, frame, localsplus);
#if PY_VERSION_HEX < 0x030c0000
    FIELD(fr_is_entry, frame, is_entry);
#endif
#if PY_VERSION_HEX >= 0x030d0000
    FIELD(fr_code, frame, f_executable);
    FIELD(fr_instruction, frame, instr_ptr);
#else
    FIELD(fr_code, frame, f_code);
    FIELD(fr_instruction, frame, prev_instr);
#endif
    FLAG(generator_owner, FRAME_OWNED_BY_GENERATOR);
#if PY_VERSION_HEX >= 0x030e0000
    FLAG(first_c_owner, FRAME_OWNED_BY_INTERPRETER);
#elif PY_VERSION_HEX >= 0x030c0000
    FLAG(first_c_owner, FRAME_OWNED_BY_CSTACK);
#else
    FLAG(first_c_owner, 255);
#endif
#else
    typedef PyFrameObject frame;
    FIELD(fr_code, frame, f_code);
    FIELD(fr_back, frame, f_back);
    FIELD(fr_instruction, frame, f_lasti);
    FIELD(fr_localsplus, frame, f_localsplus);
    FLAG(first_c_owner, 255);
    FLAG(generator_owner, 255);
#endif
#if PY_VERSION_HEX >= 0x030e0000 && defined(Py_GIL_DISABLED)
    FIELD(fr_tlbc_index, frame, tlbc_index);
    FIELD(co_tlbc, PyCodeObject, co_tlbc);
#endif
}

static void print_code(void)
{
    FIELD(co_filename, PyCodeObject, co_filename);
    FIELD(co_name, PyCodeObject, co_name);
    FIELD(co_first_line, PyCodeObject, co_firstlineno);
#if PY_VERSION_HEX >= 0x030a0000
    FIELD(co_line_table, PyCodeObject, co_linetable);
#else
    FIELD(co_line_table, PyCodeObject, co_lnotab);
#endif
#if PY_VERSION_HEX >= 0x030b0000
    FIELD(co_qualname, PyCodeObject, co_qualname);
    FIELD(co_code_adaptive, PyCodeObject, co_code_adaptive);
#if PY_VERSION_HEX >= 0x030c0000
    FIELD(co_version, PyCodeObject, co_version);
    FIELD(co_monitoring, PyCodeObject, _co_monitoring);
    FIELD(mo_lines, _PyCoMonitoringData, lines);
    FIELD(mo_instructions, _PyCoMonitoringData, per_instruction_opcodes);
    FLAG(line_opcode, INSTRUMENTED_LINE);
    FLAG(watched_opcode, INSTRUMENTED_INSTRUCTION);
#endif
#else
    FIELD(co_code_object, PyCodeObject, co_code);
#endif
}

/* Bit fields have no offset: the bit of each is found by setting it. */
static int first_bit(const void *state)
{
    unsigned int word = 0;
    int bit = 0;
    memcpy(&word, state, sizeof(word));
    while (bit < 32 && !((word >> bit) & 1))
        bit++;
    return bit;
}

static void print_objects(void)
{
    PyASCIIObject text;
    FIELD(ob_type, PyObject, ob_type);
    FIELD(ob_var_size, PyVarObject, ob_size);
    FIELD(tp_dealloc, PyTypeObject, tp_dealloc);
    FIELD(tp_call, PyTypeObject, tp_call);
    FIELD(tp_init, PyTypeObject, tp_init);
    FIELD(tp_alloc, PyTypeObject, tp_alloc);
    FIELD(tp_new_, PyTypeObject, tp_new);
    FIELD(by_size, PyVarObject, ob_size);
    FIELD(by_data, PyBytesObject, ob_sval);
    FIELD(us_length, PyASCIIObject, length);
    FIELD(us_state, PyASCIIObject, state);
    VALUE(us_ascii_data, sizeof(PyASCIIObject));
    VALUE(us_compact_data, sizeof(PyCompactUnicodeObject));
    memset(&text, 0, sizeof(text));
    text.state.kind = 1;
    FLAG(str_kind_bit, first_bit(&text.state));
    memset(&text, 0, sizeof(text));
    text.state.compact = 1;
    FLAG(str_compact_bit, first_bit(&text.state));
    memset(&text, 0, sizeof(text));
    text.state.ascii = 1;
    FLAG(str_ascii_bit, first_bit(&text.state));
}

static void print_debug_offsets(void)
{
#if PY_VERSION_HEX >= 0x030d0000
    DEBUG(version, version);
    DEBUG(free_threaded, free_threaded);
    DEBUG(rt_struct, runtime_state.size);
    DEBUG(rt_interpreters_head, runtime_state.interpreters_head);
    DEBUG(rt_finalizing, runtime_state.finalizing);
    DEBUG(is_struct, interpreter_state.size);
    DEBUG(is_next, interpreter_state.next);
    DEBUG(is_id, interpreter_state.id);
    DEBUG(is_threads_head, interpreter_state.threads_head);
    DEBUG(is_gc, interpreter_state.gc);
    DEBUG(ts_struct, thread_state.size);
    DEBUG(ts_next, thread_state.next);
    DEBUG(ts_interp, thread_state.interp);
    DEBUG(ts_frame, thread_state.current_frame);
    DEBUG(ts_thread_id, thread_state.thread_id);
    DEBUG(ts_native_thread_id, thread_state.native_thread_id);
    DEBUG(fr_struct, interpreter_frame.size);
    DEBUG(fr_code, interpreter_frame.executable);
    DEBUG(fr_back, interpreter_frame.previous);
    DEBUG(fr_instruction, interpreter_frame.instr_ptr);
    DEBUG(fr_owner, interpreter_frame.owner);
    DEBUG(fr_localsplus, interpreter_frame.localsplus);
    DEBUG(co_struct, code_object.size);
    DEBUG(co_filename, code_object.filename);
    DEBUG(co_name, code_object.name);
    DEBUG(co_qualname, code_object.qualname);
    DEBUG(co_first_line, code_object.firstlineno);
    DEBUG(co_line_table, code_object.linetable);
    DEBUG(co_code_adaptive, code_object.co_code_adaptive);
    DEBUG(ob_struct, pyobject.size);
    DEBUG(ob_type, pyobject.ob_type);
    DEBUG(by_struct, bytes_object.size);
    DEBUG(by_size, bytes_object.ob_size);
    DEBUG(by_data, bytes_object.ob_sval);
    DEBUG(us_struct, unicode_object.size);
    DEBUG(us_length, unicode_object.length);
    DEBUG(us_state, unicode_object.state);
    DEBUG(us_ascii_data, unicode_object.asciiobject_size);
    DEBUG(gc_struct, gc.size);
    DEBUG(gc_collecting, gc.collecting);
#if PY_VERSION_HEX >= 0x030e0000
    DEBUG(fr_tlbc_index, interpreter_frame.tlbc_index);
    DEBUG(co_tlbc, code_object.co_tlbc);
#endif
#if PY_VERSION_HEX >= 0x030f0000
    DEBUG(us_compact_data, unicode_object.compactunicodeobject_size);
#endif
    printf("debug debug_size %zu\n", sizeof(_Py_DebugOffsets));
#endif
}

int main(void)
{
    print_python();
    /* _PyStackRef of 3.14 and later keeps tags in the two low bits (pycore_stackref.h) */
    FLAG(code_tag_mask, PY_VERSION_HEX >= 0x030e0000 ? 3 : 0);
    FLAG(instruction_may_lag, PY_VERSION_HEX >= 0x030e0000);
    print_runtime();
    print_frame();
    print_code();
    print_objects();
    print_debug_offsets();
    return 0;
}
