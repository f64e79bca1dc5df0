/*
 * build/plumbing.c - which native functions only pass a call on.
 *
 * Names of CPython 3.8 to 3.15 (Objects/call.c, Objects/descrobject.c, Objects/methodobject.c,
 * Objects/typeobject.c, Modules/main.c, Modules/_threadmodule.c, Python/ceval.c, Python/getargs.c,
 * Python/pythonrun.c, Python/thread_pthread.h) and of glibc.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "build/plumbing.h"

#include <string.h>

#include "base/libraries.h"
#include "base/str.h"

/* Names with blanks between them, and how the names of others begin. */
static const char interpreter_names[] =
    "_start Py_BytesMain Py_Main Py_RunMain builtin_exec_impl call_method callmethod "
    "function_code_fastcall method_call object_vacall pythread_wrapper run_eval_code_obj run_mod "
    "thread_run type_call wrapper_call wrapperdescr_call";
static const char interpreter_beginnings[] =
    "PyArg_ PyCFunction_Call PyEval_Call PyEval_EvalCode PyObject_Call PyObject_Vectorcall "
    "PyRun_ PyVectorcall_ _PyArg_ _PyCFunction_ _PyEval_ _PyFunction_Vectorcall "
    "_PyMethodDef_RawFastCall _PyMethodDescr_Vectorcall _PyObject_Call _PyObject_FastCall "
    "_PyObject_MakeTpCall _PyObject_Vectorcall _PyRun_ _PyVectorcall_ cfunction_call "
    "cfunction_vectorcall method_vectorcall pymain_ pyrun_ slot_am_ slot_mp_ slot_nb_ slot_sq_ "
    "slot_tp_ vectorcall_ vgetargskeywords wrap_";
static const char libc_names[] = "_start clone clone3 start_thread";
static const char libc_beginnings[] = "__clone __libc_start_";

/* What a compiler adds behind a dot is not part of a name. */
static bool is_one_of(const char *name, const char *names, const char *beginnings)
{
    return sc_starts_with_any(name, beginnings) || sc_is_one_of(name, strcspn(name, "."), names);
}

bool sc_plumbing_is(const char *module, const char *name)
{
    const char *file = sc_after_last(module, '/');
    if (sc_is_interpreter_file(module))
        return is_one_of(name, interpreter_names, interpreter_beginnings);
    if (sc_starts_with_any(file, "libc. libc- libpthread"))
        return is_one_of(name, libc_names, libc_beginnings);
    return strcmp(name, "_start") == 0;
}
