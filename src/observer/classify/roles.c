/*
 * observer/classify/roles.c - what functions of the interpreter do for a call.
 *
 * Names of CPython 3.8 to 3.15: Objects/call.c, Objects/typeobject.c, Objects/classobject.c,
 * Objects/frameobject.c, Objects/methodobject.c, Python/ceval.c, Python/ceval_gil.c, Python/gc.c,
 * Python/frame.c and Python/pystate.c at the tags v3.8.18, v3.9.18, v3.10.13, v3.11.7, v3.12.1,
 * v3.13.0, v3.14.0. Static ones are found only where the build kept its symbols; the rule does not
 * depend on them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/classify/roles.h"

#include <stddef.h>
#include <string.h>

#include "base/str.h"

/* Names with blanks between them. */
static const struct {
    enum sc_role role;
    const char *names;
} table[] = {
    {SC_ROLE_PLUMBING,
     "PyObject_Call PyObject_CallFunctionObjArgs PyObject_CallNoArgs PyObject_CallObject "
     "PyObject_CallOneArg PyObject_Vectorcall PyObject_VectorcallDict PyObject_VectorcallMethod "
     "PyVectorcall_Call PyVectorcall_Function _PyObject_Call _PyObject_CallFunctionVa "
     "_PyObject_CallNoArgs _PyObject_Call_Prepend _PyObject_FastCallDict "
     "_PyObject_FastCallDictTstate _PyObject_FastCall_Prepend _PyObject_MakeTpCall "
     "_PyObject_Vectorcall _PyObject_VectorcallDictTstate _PyObject_VectorcallTstate "
     "_PyObject_VectorcallPrepend _PyStack_AsDict _PyStack_UnpackDict _PyStack_UnpackDict_Free "
     "_PyVectorcall_Call _Py_CheckFunctionResult _Py_CheckRecursiveCall _Py_EnterRecursiveCall "
     "_Py_LeaveRecursiveCall _Py_VectorCall_StackRefSteal "
     "_Py_VectorCallInstrumentation_StackRefSteal call_attribute call_function call_method "
     "call_unbound call_unbound_noarg do_call_core lookup_maybe_method lookup_method "
     "trace_call_function vectorcall_method vectorcall_unbound"},
    {SC_ROLE_PYTHON_CALL,
     "PyCoro_New PyEval_EvalCodeEx PyEval_EvalFrame PyEval_EvalFrameEx PyFrame_New "
     "PyGen_NewWithQualName _PyEvalFrameClearAndPop _PyEvalFramePushAndInit "
     "_PyEvalFramePushAndInit_Ex _PyEval_EvalCode _PyEval_EvalCodeWithName _PyEval_EvalFrame "
     "_PyEval_FrameClearAndPop _PyEval_MakeFrameVector _PyEval_Vector _PyFrame_Clear "
     "_PyFrame_ClearExceptCode _PyFrame_ClearLocals _PyFrame_New_NoTrack _PyFrame_Push "
     "_PyFunction_FastCallDict _PyFunction_Vectorcall _PyThreadState_BumpFramePointerSlow "
     "_PyThreadState_PopFrame _PyThreadState_PushFrame _Py_MakeCoro clear_gen_frame "
     "clear_thread_frame eval_frame_handle_pending frame_alloc frame_dealloc function_call "
     "function_code_fastcall gen_iternext gen_send_ex gen_send_ex2 initialize_locals make_coro "
     "make_gen method_call method_vectorcall push_chunk slot_tp_call"},
    {SC_ROLE_TYPE_CALL, "type_call type_vectorcall"},
    {SC_ROLE_CREATION, "object_init object_new slot_tp_init slot_tp_new super_init super_init_impl "
                       "super_init_without_args super_vectorcall tp_new_wrapper wrap_init"},
    {SC_ROLE_ALLOCATION,
     "PyType_GenericAlloc PyType_GenericNew _PyObject_InitInlineValues _PyObject_InitializeDict "
     "_PyType_AllocNoTrack _PyType_NewManagedObject excess_args"},
    {SC_ROLE_DEALLOC, "_Py_Dealloc _Py_DecRefShared _Py_MergeZeroLocalRefcount subtype_dealloc"},
    /* comparing, hashing and looking up are here because calls do them for keywords and methods,
     * and reach functions of other types by that */
    {SC_ROLE_CHORES,
     "PyObject_GetAttr PyObject_Hash PyObject_RichCompare PyObject_RichCompareBool "
     "Py_MakePendingCalls _PyErr_CheckSignalsTstate _PyEval_MakePendingCalls "
     "_PyEval_StartTheWorld _PyEval_StopTheWorld _PyThreadState_Attach _PyThreadState_Suspend "
     "_PyType_Lookup _Py_HandlePending _Py_RunGC drop_gil make_pending_calls take_gil"},
};

void sc_role_names_init(struct sc_intern *ret_names)
{
    *ret_names = (struct sc_intern){0};
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        size_t length = 0;
        for (const char *word = table[i].names; (word = sc_next_word(word, &length)) != NULL;
             word += length)
            (void)sc_intern_add(ret_names, word, length);
    }
}

enum sc_role sc_role_of_name(const struct sc_intern *names, const char *name)
{
    size_t length = strcspn(name, ".");
    if (sc_intern_find(names, name, length) == SC_NONE)
        return SC_ROLE_OTHER;
    size_t list = 0;
    while (!sc_is_one_of(name, length, table[list].names))
        list++;
    return table[list].role;
}
