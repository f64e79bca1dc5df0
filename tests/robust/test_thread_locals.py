# tests/robust/test_thread_locals.py - libraries with thread-local variables, loaded while threads allocate.
#
# A thread that asks the loader for such a variable then calls realloc, which must not happen in a tick: the thread may be
# in malloc. An interpreter in a shared library keeps its thread state in such a variable from 3.12 on.
#
# SPDX-License-Identifier: Apache-2.0
"""Threads of a library that go on allocating after the program has loaded forty others."""

import shutil
import subprocess

import pytest

THREADS = """
#include <pthread.h>
#include <stdlib.h>

volatile long done[2];

static void *work(void *count)
{
    void *blocks[64] = {0};
    for (unsigned i = 1; ++*(volatile long *)count != 0;) {
        i = i * 1103515245 + 12345;
        free(blocks[(i >> 16) % 64]);
        blocks[(i >> 16) % 64] = malloc(2000 + (i >> 8) % 30000);
    }
    return NULL;
}

void start(void)
{
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, (void *)&done[i]);
        pthread_detach(thread);
    }
}
"""

PROGRAM = """
import ctypes, os, time

library = ctypes.CDLL("./threads.so")
done = (ctypes.c_long * 2).in_dll(library, "done")
library.start()
while min(done) < 1000:
    time.sleep(0.01)
loaded = [ctypes.CDLL("./local%d.so" % i) for i in range(40)]
for _ in range(30):
    before = list(done)
    time.sleep(0.01)
    while not all(now > old for now, old in zip(done, before)):
        time.sleep(0.01)
os.write(1, b"went on\\n")
os._exit(3)
"""


@pytest.mark.every_python
def test_threads_that_allocate_go_on(profile, python, tmp_path):
    compiler = shutil.which("cc") or pytest.skip("no C compiler")
    (tmp_path / "threads.c").write_text(THREADS)
    (tmp_path / "local.c").write_text("__thread int own;\n")
    shared = [compiler, "-shared", "-fPIC", "-pthread", "-o"]
    subprocess.run([*shared, "threads.so", "threads.c"], cwd=tmp_path, check=True)
    subprocess.run([*shared, "local0.so", "local.c"], cwd=tmp_path, check=True)
    for i in range(1, 40):
        shutil.copy(tmp_path / "local0.so", tmp_path / ("local%d.so" % i))
    ended = profile(PROGRAM, python, env={"MALLOC_ARENA_MAX": "1"}).expect(3)
    assert ended.stdout == "went on\n"
