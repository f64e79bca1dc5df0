/*
 * agent/python_api.h - the functions of CPython's C API that we call, looked up by name.
 *
 * No Python header is used: functions are looked up at run time, and only those are used whose
 * signature is unchanged since 3.8. They are called with the GIL held, in normal context, never in
 * a handler.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

typedef void sc_object;
typedef sc_object *sc_c_function(sc_object *self, sc_object *argument);
typedef int sc_audit_hook(const char *event, sc_object *arguments, void *user_data);

/* PyMethodDef and these are part of the stable ABI (Include/methodobject.h). */
#define SC_METH_NOARGS 0x0004
#define SC_METH_O      0x0008

struct sc_method_definition {
    const char *name;
    sc_c_function *function;
    int flags;
    const char *doc;
};

/* A member is NULL when the interpreter has no such function.
 *   result, member, name, parameters */
#define SC_PYTHON_FUNCTIONS(X)                                                                     \
    X(int, add_audit_hook, PySys_AddAuditHook, (sc_audit_hook *, void *))                          \
    X(int, is_initialized, Py_IsInitialized, (void))                                               \
    X(void *, current_frame, PyEval_GetFrame, (void))                                              \
    X(sc_object *, tuple_item, PyTuple_GetItem, (sc_object *, ssize_t))                            \
    X(int, gil_is_ours, PyGILState_Check, (void))                                                  \
    X(sc_object *, module_dict, PyImport_GetModuleDict, (void))                                    \
    X(sc_object *, dict_get, PyDict_GetItemString, (sc_object *, const char *))                    \
    X(sc_object *, get_attribute, PyObject_GetAttrString, (sc_object *, const char *))             \
    X(sc_object *, generic_get_attribute, PyObject_GenericGetAttr, (sc_object *, sc_object *))     \
    X(sc_object *, call, PyObject_CallObject, (sc_object *, sc_object *))                          \
    X(int, is_true, PyObject_IsTrue, (sc_object *))                                                \
    X(sc_object *, string_new, PyUnicode_FromString, (const char *))                               \
    X(const char *, string_utf8, PyUnicode_AsUTF8, (sc_object *))                                  \
    X(sc_object *, builtins, PyEval_GetBuiltins, (void))                                           \
    X(int, dict_set, PyDict_SetItemString, (sc_object *, const char *, sc_object *))               \
    X(sc_object *, c_function_new, PyCFunction_NewEx, (void *, sc_object *, sc_object *))          \
    X(sc_object *, module_new, PyModule_New, (const char *))                                       \
    X(sc_object *, number_new, PyLong_FromUnsignedLongLong, (unsigned long long))                  \
    X(unsigned long long, number_value, PyLong_AsUnsignedLongLong, (sc_object *))                  \
    X(void, retain, Py_IncRef, (sc_object *))                                                      \
    X(void, release, Py_DecRef, (sc_object *))                                                     \
    X(sc_object *, error_occurred, PyErr_Occurred, (void))                                         \
    X(void, error_clear, PyErr_Clear, (void))

struct sc_python_api {
#define X_MEMBER(result, member, name, parameters) result(*member) parameters;
    SC_PYTHON_FUNCTIONS(X_MEMBER)
#undef X_MEMBER
    bool is_complete; /* every member is set */
};

extern struct sc_python_api sc_python_api __attribute__((visibility("hidden")));

/* Looks all of them up. */
void sc_python_api_init(void);
