# tests/robust/test_embedding.py - a program in C that loads Python as a library and gives it work.
#
# Truth: sizes that the Python code asks for. The program is measured from the first thing on that it asks of Python, so what
# the interpreter did to get ready is no part of it.
#
# SPDX-License-Identifier: Apache-2.0
"""Python embedded in another program."""

import os
import subprocess

import pytest

from conftest import Profile, execute, write_program

# The interface is declared here: an interpreter may come without its headers.
HOST = r"""
#include <stddef.h>
#include <stdio.h>
#include <string.h>
typedef struct object object;
void Py_Initialize(void);
void Py_Finalize(void);
void PyErr_Print(void);
int PyRun_SimpleFileExFlags(FILE *file, const char *name, int close, void *flags);
int PyRun_SimpleStringFlags(const char *text, void *flags);
object *PyImport_ImportModule(const char *name);
object *PyImport_AddModule(const char *name);
object *PyModule_GetDict(object *module);
object *Py_CompileString(const char *text, const char *name, int start);
object *PyEval_EvalCode(object *code, object *globals, object *locals);
object *PyObject_CallMethod(object *object, const char *name, const char *format, ...);

static const char starter[] =
    "import os, sys\nsys.path.insert(0, os.getcwd())\nimport embedded\nembedded.work()\n";

static int give_work(const char *way)
{
    object *done = NULL;
    if (strcmp(way, "file") == 0)
        return PyRun_SimpleFileExFlags(fopen("start.py", "r"), "start.py", 1, NULL);
    if (strcmp(way, "string") == 0)
        return PyRun_SimpleStringFlags(starter, NULL);
    if (strcmp(way, "code") == 0) {
        object *globals = PyModule_GetDict(PyImport_AddModule("__main__"));
        object *code = Py_CompileString(starter, "start.py", 257); /* Py_file_input */
        done = code != NULL ? PyEval_EvalCode(code, globals, globals) : NULL;
    } else { /* PYTHONPATH leads to it */
        object *module = PyImport_ImportModule("embedded");
        done = module != NULL ? PyObject_CallMethod(module, "work", NULL) : NULL;
    }
    if (done == NULL)
        PyErr_Print();
    return done == NULL;
}

static volatile unsigned long sink;

__attribute__((noinline)) void work_afterwards(void)
{
    for (unsigned long i = 0; i < 100000000; i++)
        sink += i;
}

int main(int count, char **words)
{
    int code = 0;
    for (int i = 1; i < count && code == 0; i++) { /* an interpreter for each */
        Py_Initialize();
        code = give_work(words[i]);
        Py_Finalize();
        work_afterwards();
    }
    return code;
}
"""

GIVES_OBJECTS_TO_RELEASE = """
kept = []


def work():
    kept.extend([i] for i in range(700000))
"""

EMBEDDED = """
kept = []


def work():
    for _ in range(20):
        kept.append(bytearray(3 << 20))  #: kept
    for _ in range(10):
        block = bytes(5 << 20)  #: again
    total = 0
    for i in range(1000000):
        total += i
"""

LIBRARY = """
import os, sys, sysconfig
name = sysconfig.get_config_var("INSTSONAME") or ""
folders = [sysconfig.get_config_var("LIBDIR") or "", os.path.join(sys.base_prefix, "lib")]
folders += [os.path.join(folder, sysconfig.get_config_var("MULTIARCH") or "") for folder in folders]
found = [os.path.join(folder, name) for folder in folders if ".so" in name and os.path.exists(os.path.join(folder, name))]
print(sys.base_prefix)
print(found[0] if found else "")
"""


@pytest.fixture
def embed(python, scalene, tmp_path):
    """Builds the program and runs it under the profiler, in the given ways."""
    printed = subprocess.run([python.path, "-c", LIBRARY], capture_output=True, text=True, check=True).stdout
    prefix, library = printed.split("\n")[:2]
    if not library:
        pytest.skip("%s has no shared library" % python.id)
    (tmp_path / "host.c").write_text(HOST)
    built = subprocess.run(
        ["cc", "-o", "host", "host.c", library, "-Wl,-rpath," + os.path.dirname(library)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if built.returncode != 0:
        pytest.skip("no program can be linked to %s: %s" % (library, built.stderr.strip()[-200:]))
    write_program(tmp_path, "import embedded\nembedded.work()\n", "start.py")

    def run(*ways, program=EMBEDDED):
        path, text = write_program(tmp_path, program, "embedded.py")
        command = [scalene, "run", "-o", "profile.json", "--malloc-threshold", "0", "--", "./host", *ways]
        environment = {"PYTHONHOME": prefix, "PYTHONPATH": str(tmp_path)}
        execute(command, cwd=tmp_path, env=environment).expect(0)
        return Profile.read(tmp_path / "profile.json", path, text)

    return run


def check(found, ways):
    """All blocks are so large that none is sampled. What was not touched yet when it was looked at last is allocated, and no more."""
    found = found.exact
    kept, again = found.record("kept"), found.record("again")
    at_end = kept.get("n_live_at_exit_allocated_mb", kept["n_live_at_exit_mb"])
    assert abs(kept["n_malloc_mb"] - 60) < 2 and abs(at_end - 60) < 2, (ways, kept)
    assert kept["n_mallocs"] >= 20 and kept["n_python_fraction"] >= 0.98, (ways, kept)
    assert abs(again["n_malloc_mb"] - 50) < 2 and abs(again.get("n_peak_allocated_mb", again["n_peak_mb"]) - 10) < 2, (ways, again)
    assert abs(found.own.get("max_footprint_allocated_mb", found.data["max_footprint_mb"]) - 70) < 3, (ways, found.own)


@pytest.mark.by_version
@pytest.mark.few_pythons
def test_memory_is_followed(embed):
    """Whichever way the program gives Python its work, and however short the run is. Of two interpreters, one after the other, the first counts."""
    for ways in (["file"], ["string"], ["code"], ["import"], ["string", "import"]):
        check(embed(*ways), ways)


@pytest.mark.by_version
@pytest.mark.few_pythons
def test_what_follows_the_end_of_python_is_the_programs(embed):
    """Only what Python itself does to end has that name: not what the program does then, nor a second interpreter."""
    found = embed("code", "import", program=GIVES_OBJECTS_TO_RELEASE)
    names = [[frame["display_name"] for frame in stack] for stack, _ in found.data["combined_stacks"]]
    assert any(stack[0] == "[ending the interpreter]" for stack in names), names
    assert any("work_afterwards" in stack for stack in names), names
    assert not [stack for stack in names if "work_afterwards" in stack and "[ending the interpreter]" in stack]
