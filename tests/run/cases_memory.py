# tests/run/cases_memory.py - allocation at its edges: failures, limits, forks, other allocators.
#
# SPDX-License-Identifier: Apache-2.0
"""Memory of the program."""

import shutil

import allocators
from case import Case



def with_lock(reason):
    """For `unless`: the free-threaded builds' allocator is another one."""
    return lambda python: reason if python.free_threaded else None


LIBC = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for name in ("malloc", "calloc", "realloc", "aligned_alloc", "memalign", "reallocarray", "valloc"):
    getattr(libc, name).restype = ctypes.c_void_p
    getattr(libc, name).argtypes = [ctypes.c_size_t] * (1 if name in ("malloc", "valloc") else 2)
libc.realloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.reallocarray.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
"""

POOL = allocators.HEAD + """
static struct allocator old;
static char pool[256 << 20] __attribute__((aligned(16)));
static size_t used;
static int is_ours(char *block) { return block >= pool && block < pool + sizeof(pool); }
static void *take(void *context, size_t size)
{
    size_t at = __atomic_fetch_add(&used, (size + 31) & ~(size_t)15, __ATOMIC_SEQ_CST);
    (void)context;
    if (at + size + 32 > sizeof(pool))
        return old.malloc(old.context, size);
    *(size_t *)(pool + at) = size;
    return pool + at + 16;
}
static void *take_zeros(void *context, size_t count, size_t size)
{
    void *block = take(context, count * size);
    return block != NULL ? memset(block, 0, count * size) : NULL;
}
static void give_back(void *context, void *block)
{
    (void)context;
    if (block != NULL && !is_ours(block))
        old.free(old.context, block);
}
static void *change(void *context, void *block, size_t size)
{
    if (block == NULL)
        return take(context, size);
    if (!is_ours(block))
        return old.realloc(old.context, block, size);
    size_t had = ((size_t *)block)[-2];
    void *moved = take(context, size);
    return moved != NULL ? memcpy(moved, block, had < size ? had : size) : NULL;
}
void begin(void)
{
    struct allocator own = {NULL, take, take_zeros, change, give_back};
    PyMem_GetAllocator(0, &old);
    PyMem_SetAllocator(0, &own);
}
"""

CASES = [
    Case(
        "allocation_that_fails",
        """
for size in (1 << 46, (1 << 62), (1 << 63) - 100):
    try:
        bytearray(size)
    except (MemoryError, OverflowError) as error:
        print(type(error).__name__, error)
kept = [bytes(100)]
try:
    [0] * (1 << 59)
except MemoryError:
    print("memory")
print(len(kept[0]))
""",
        unless=with_lock("mimalloc takes minutes to find that there is no room"),
    ),
    Case(
        "address_space_limit",
        """
import resource
size = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (size + (200 << 20), size + (200 << 20)))
kept = []
try:
    while True:
        kept.append(bytearray(50 << 20))
except MemoryError:
    print("full", len(kept) in (3, 4))
del kept
print(len(bytearray(100 << 20)))
""",
    ),
    Case(
        "edges_of_the_c_functions",
        LIBC + """
import errno
print(bool(libc.malloc(0)))
block = libc.malloc(100)
print(libc.realloc(block, 0))
print(bool(libc.realloc(None, 50)))
print(libc.malloc((1 << 64) - 1), ctypes.get_errno() == errno.ENOMEM)
print(libc.calloc(1 << 33, 1 << 33), ctypes.get_errno() == errno.ENOMEM)
print(libc.reallocarray(None, 1 << 33, 1 << 33), ctypes.get_errno() == errno.ENOMEM)
for alignment in (64, 4096, 1 << 20):
    block = libc.aligned_alloc(alignment, alignment * 3)
    print(block % alignment)
    block = libc.realloc(block, 100000)
    libc.free(block)
    block = libc.memalign(alignment, 100)
    print(block % alignment)
    libc.free(block)
out = ctypes.c_void_p()
print(libc.posix_memalign(ctypes.byref(out), 3, 100), libc.posix_memalign(ctypes.byref(out), 64, 100))
libc.free(out)
libc.free(None)
big = libc.malloc(1 << 20)
for i in range(1, 200):
    big = libc.realloc(big, (i * 7919) % 300000 + 1)
libc.free(big)
ctypes.set_errno(7)
for i in range(1000):
    libc.free(libc.malloc(100000))
print(ctypes.get_errno())
""",
    ),
    Case(
        "copies_that_overlap",
        LIBC + """
libc.memmove.restype = libc.memcpy.restype = libc.strcpy.restype = libc.stpcpy.restype = ctypes.c_void_p
libc.strncpy.restype = libc.mempcpy.restype = ctypes.c_void_p
for f in (libc.memmove, libc.memcpy, libc.strncpy, libc.mempcpy):
    f.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
libc.strcpy.argtypes = libc.stpcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
data = ctypes.create_string_buffer(bytes(range(1, 100)), 200)
at = ctypes.addressof(data)
libc.memmove(at + 5, at, 50)
libc.memmove(at, at + 3, 50)
print(data.raw[:70])
print(libc.mempcpy(at + 100, at, 10) - at, libc.strcpy(at + 150, at + 60) - at, libc.stpcpy(at + 150, at + 90) - at)
libc.strncpy(at + 120, at + 90, 20)
print(data.raw)
total = bytearray()
for i in range(3000):
    total += bytes(1000)
print(len(total), len(bytes(total)))
""",
    ),
    Case(
        "fork_while_others_allocate",
        """
import os, threading
stop = False
def churn():
    while not stop:
        [bytearray(3000) for _ in range(100)]
threads = [threading.Thread(target=churn) for _ in range(3)]
for thread in threads:
    thread.start()
codes = []
for i in range(30):
    pid = os.fork()
    if pid == 0:
        kept = [bytearray(20000) for _ in range(300)]
        os._exit(len(kept) % 256)
    codes.append(os.waitpid(pid, 0)[1] >> 8)
stop = True
for thread in threads:
    thread.join()
print(set(codes))
""",
    ),
    Case(
        "vfork_children",
        """
import subprocess, sys
for i in range(20):
    kept = [bytearray(20000) for _ in range(50)]
    print(subprocess.check_output(["echo", str(i)], close_fds=i % 2 == 0))
""",
    ),
    Case(
        "allocation_in_a_signal_handler",
        """
import signal
count = 0
def handler(number, frame):
    global count
    count += 1
    [bytearray(5000) for _ in range(20)]
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
while count < 100:
    [bytearray(3000) for _ in range(100)]
signal.setitimer(signal.ITIMER_REAL, 0)
print("done")
""",
    ),
    Case(
        "two_hundred_threads_churn",
        """
import threading
done = []
def churn(number):
    kept = []
    for i in range(200):
        kept.append([bytearray(1000 + number)] * 3)
        if i % 3 == 0:
            kept.pop(0)
    done.append(len(kept))
threads = [threading.Thread(target=churn, args=(number,)) for number in range(200)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(done), set(done))
""",
    ),
    Case(
        "many_libraries",
        """
import ctypes, glob, os
loaded = 0
for path in sorted(glob.glob("/usr/lib/*-linux-gnu/lib[a-z]*.so.[0-9]"))[:100]:
    name = os.path.basename(path)
    if any(word in name for word in ("asan", "tsan", "lsan", "ubsan", "libhwasan", "malloc", "memusage", "SegFault", "pthread", "pcprofile")):
        continue
    try:
        ctypes.CDLL(path)
        loaded += 1
    except OSError:
        pass
print(loaded > 10)
""",
    ),
    Case(
        "pythons_malloc",
        "kept = [bytearray(i) for i in range(3000)]\nkept = {i: str(i) for i in range(5000)}\nprint(len(kept))\n",
        env={"PYTHONMALLOC": "malloc"},
        unless=with_lock("PYTHONMALLOC=malloc is refused"),
    ),
    Case(
        "pythons_malloc_debug",
        "kept = [bytearray(i) for i in range(3000)]\nkept = {i: str(i) for i in range(5000)}\nprint(len(kept))\n",
        env={"PYTHONMALLOC": "debug"},
    ),
    Case(
        "blocks_of_pythons_allocators",
        # a small block that is sampled is another than it would be: what it holds, and how many there are, must not matter
        """
import ctypes, random, sys
api = ctypes.pythonapi
DOMAINS = []
for name in ("PyObject", "PyMem"):
    functions = [getattr(api, name + way) for way in ("_Malloc", "_Calloc", "_Realloc", "_Free")]
    for function, kinds in zip(functions, ([ctypes.c_size_t], [ctypes.c_size_t] * 2, [ctypes.c_void_p, ctypes.c_size_t], [ctypes.c_void_p])):
        function.argtypes = kinds
        function.restype = ctypes.c_void_p if len(kinds) > 1 or kinds[0] is ctypes.c_size_t else None
    DOMAINS.append(functions)
draw = random.Random(5)
def size():
    return draw.choice((draw.randrange(1, 64), draw.randrange(1, 520), draw.randrange(1, 520), draw.randrange(500, 9000)))
def bytes_of(number, count):
    return bytes((number * 7 + i) % 251 for i in range(count))
kept = [None] * 300
def work(rounds):
    wrong = 0
    for number in range(rounds):
        place = draw.randrange(len(kept))
        if kept[place] is None:
            malloc, calloc, realloc, free = functions = draw.choice(DOMAINS)
            count = size()
            if draw.random() < 0.5:
                block = malloc(count)
            else:
                block = calloc(1, count)
                wrong += ctypes.string_at(block, count) != bytes(count)
            ctypes.memmove(block, bytes_of(number, count), count)
            kept[place] = (block, count, number, functions)
            continue
        block, count, filled, functions = kept[place]
        wrong += ctypes.string_at(block, count) != bytes_of(filled, count)
        if draw.random() < 0.5:
            functions[3](block)
            kept[place] = None
            continue
        more = size()
        block = functions[2](block, more)
        both = min(count, more)
        wrong += ctypes.string_at(block, both) != bytes_of(filled, both)
        ctypes.memmove(block, bytes_of(number, more), more)
        kept[place] = (block, more, number, functions)
    for place, one in enumerate(kept):
        if one is not None:
            one[3][3](one[0])
            kept[place] = None
    return wrong
work(1000)
before = sys.getallocatedblocks()
strings = ["x%d" % i for i in range(50000)]
more = sys.getallocatedblocks() - before
del strings
wrong = work(8000)
print(wrong, abs(more - 50000) < 50, abs(sys.getallocatedblocks() - before) < 50)
""",
    ),
    Case(
        "pythons_own_free",
        # most of what a program frees is small: without a look at each, it costs what it does without us
        """
import ctypes
class Allocator(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("context", "malloc", "calloc", "realloc", "free")]
def file_of(address):
    with open("/proc/self/maps") as maps:
        for line in maps:
            start, end = (int(number, 16) for number in line.split()[0].split("-"))
            if start <= address < end:
                return line.split()[-1]
for domain in (1, 2):
    found = Allocator()
    ctypes.pythonapi.PyMem_GetAllocator(domain, ctypes.byref(found))
    print(file_of(found.free))
""",
        unless=with_lock("mimalloc has no blocks from malloc"),
    ),
    Case(
        "an_allocator_of_ones_own",
        # in front of malloc, put there when the program runs already: it gets back what it has given out, and nothing else does
        """
import ctypes, sys
pool = ctypes.PyDLL(sys.argv[1])
pool.begin()
for _ in range(3):
    objects = [object() for _ in range(100000)]
    texts = [str(i) * 5 for i in range(100000)]
print(len(objects), texts[-1])
""",
        what=("{program}", "{dir}/pool.so"),
        libraries={"pool.so": POOL},
    ),
    Case(
        "allocated_late_and_freed_after_the_end",
        """
import atexit, weakref
class Kept:
    def __del__(self):
        [bytearray(5000) for _ in range(100)]
kept = [Kept() for _ in range(10)]
atexit.register(lambda: print(len([bytearray(30000) for _ in range(100)])))
""",
    ),
    Case(
        "thread_local_memory_of_libraries",
        # the loader has a little room for thread-local memory of libraries that come late: none of it is ours
        """
import ctypes, os, subprocess, tempfile, threading
SOURCE = "static __thread char room[%d] __attribute__((tls_model(\\"initial-exec\\")));\\nchar *get(void) { return room; }\\n"
with tempfile.TemporaryDirectory() as folder:
    for size in (16, 64, 128, 256, 1024, 65536):
        name = os.path.join(folder, "lib%d.so" % size)
        with open(name[:-2] + "c", "w") as out:
            out.write(SOURCE % size)
        subprocess.run(["cc", "-shared", "-fPIC", name[:-2] + "c", "-o", name], check=True)
        try:
            library = ctypes.CDLL(name)
        except OSError as error:
            print(size, str(error).rsplit(": ", 1)[-1])
            continue
        library.get.restype = ctypes.c_void_p
        found = set()
        for _ in range(3):
            thread = threading.Thread(target=lambda: found.add(library.get() != 0))
            thread.start()
            thread.join()
        print(size, found)
""",
        unless=lambda python: None if shutil.which("cc") else "no C compiler",
    ),
]
