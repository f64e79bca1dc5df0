# tests/run/cases_memory_in_c.py - allocation where only C code comes: handlers of signals, threads without Python, libraries
# that come and go.
#
# SPDX-License-Identifier: Apache-2.0
"""Memory of the program, used by libraries that are made here."""

from case import Case

OPEN = """
import ctypes, os, sys
folder = os.path.dirname(os.path.abspath(sys.argv[0]))
def library(name):
    return ctypes.CDLL(os.path.join(folder, name))
"""

# What a handler of a signal may do at any moment: map, copy, unmap.
MAPPING_HANDLER = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
static volatile long ticks, wrong;
static unsigned char from[1 << 20];
/* Once each time: on a slow machine a timer that repeats would leave the program no time. */
static struct itimerval timer;
static void on_alarm(int number)
{
    unsigned char *room = mmap(NULL, sizeof(from), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(room, from, sizeof(from));
    memmove(room + 1, room, sizeof(from) - 1);
    if (room[0] != 1 || room[sizeof(from) - 1] != 1)
        wrong++;
    munmap(room, sizeof(from));
    ticks++;
    setitimer(ITIMER_REAL, &timer, NULL);
}
void begin(long interval_us)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    timer.it_value.tv_usec = interval_us;
    memset(from, 1, sizeof(from));
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}
long count(void) { return ticks; }
long end(void)
{
    signal(SIGALRM, SIG_IGN);
    return wrong;
}
"""

# malloc in a handler is right where the program itself is not inside it.
ALLOCATING_HANDLER = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
static volatile long ticks, failed;
static const struct itimerval timer = {{0, 0}, {0, 500}};
static void on_alarm(int number)
{
    char *blocks[20];
    for (int i = 0; i < 20; i++)
        blocks[i] = i % 3 == 0 ? malloc(100000) : i % 3 == 1 ? calloc(300, 100) : aligned_alloc(64, 6400);
    blocks[0] = realloc(blocks[0], 500000);
    memcpy(blocks[0] + 100000, blocks[0], 100000);
    if (malloc((size_t)1 << 62) != NULL)
        failed++;
    for (int i = 0; i < 20; i++)
        free(blocks[i]);
    ticks++;
    setitimer(ITIMER_REAL, &timer, NULL);
}
long handle(long count)
{
    struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    while (ticks < count)
        ;
    signal(SIGALRM, SIG_IGN);
    return failed;
}
"""

CHURN = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#define KEPT 50
static volatile int stopped;
static pthread_t threads[64];
static int running;
static pthread_key_t key;
static volatile int destroyed;
long churn_once(long rounds)
{
    char *kept[KEPT] = {0};
    for (long i = 0; i < rounds; i++) {
        long at = i % KEPT;
        size_t size = (size_t)(i * 7919 % 40000 + 1);
        if (i % 5 == 0) {
            kept[at] = realloc(kept[at], size);
        } else {
            free(kept[at]);
            kept[at] = malloc(size);
        }
        memcpy(kept[at], &at, 1);
    }
    for (long i = 0; i < KEPT; i++)
        free(kept[i]);
    return rounds;
}
static void *churn(void *unused)
{
    while (!stopped)
        churn_once(1000);
    return NULL;
}
void start(int count)
{
    for (running = 0; running < count; running++)
        pthread_create(&threads[running], NULL, churn, NULL);
}
void stop(void)
{
    stopped = 1;
    for (int i = 0; i < running; i++)
        pthread_join(threads[i], NULL);
}
static void destroy(void *block)
{
    free(block);
    char *more = malloc(70000);
    memset(more, 1, 70000);
    free(more);
    if (__atomic_fetch_add(&destroyed, 1, __ATOMIC_RELAXED) % 2 == 0)
        pthread_setspecific(key, malloc(30000)); /* once more, after all others */
}
static void *end_with_memory(void *unused)
{
    pthread_setspecific(key, malloc(50000));
    return NULL;
}
int end_threads(int count)
{
    pthread_key_create(&key, destroy);
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, end_with_memory, NULL);
        pthread_join(thread, NULL);
    }
    return destroyed;
}
"""

# Works when it is loaded, when it is used and when it is unloaded.
LOADED = r"""
#include <stdlib.h>
#include <string.h>
static char *kept;
static volatile double sink;
__attribute__((constructor)) static void loaded(void)
{
    kept = malloc(300000);
    memset(kept, 5, 300000);
    char *copy = malloc(300000);
    memcpy(copy, kept, 300000);
    free(copy);
}
__attribute__((destructor)) static void unloaded(void) { free(kept); }
int work(long rounds)
{
    double sum = 0;
    for (long i = 0; i < rounds; i++)
        sum = sum * 0.5 + (double)i;
    sink = sum;
    char *block = realloc(malloc(200000), 250000);
    memcpy(block, kept, 250000);
    int last = block[249999];
    free(block);
    return last;
}
"""

# A front of the program's own, as many have it: it finds the real ones by dlsym, at its first call.
FRONT = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
static char first[65536];
static size_t used;
static int looking;
static long calls;
long front_calls(void) { return calls; }
static int is_first(const void *block) { return (const char *)block >= first && (const char *)block < first + sizeof(first); }
static void *take_first(size_t size)
{
    size_t at = used;
    used += (size + 15) / 16 * 16;
    return used <= sizeof(first) ? first + at : NULL;
}
#define FIND(name) (looking = 1, real = dlsym(RTLD_NEXT, name), looking = 0)
void *calloc(size_t count, size_t size)
{
    static void *(*real)(size_t, size_t);
    if (real == NULL && looking)
        return take_first(count * size);
    if (real == NULL)
        FIND("calloc");
    calls++;
    return real(count, size);
}
void *malloc(size_t size)
{
    static void *(*real)(size_t);
    if (real == NULL && looking)
        return take_first(size);
    if (real == NULL)
        FIND("malloc");
    calls++;
    return real(size);
}
void free(void *block)
{
    static void (*real)(void *);
    if (block == NULL || is_first(block))
        return;
    if (real == NULL)
        FIND("free");
    calls++;
    real(block);
}
"""

# The same of mappings, as libraries for fast networks have it: they must see every one that goes.
MAPPING_FRONT = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <sys/types.h>
static long maps, unmaps;
long map_calls(void) { return maps; }
long unmap_calls(void) { return unmaps; }
void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    void *(*real)(void *, size_t, int, int, int, off_t) = dlsym(RTLD_NEXT, "mmap");
    maps++;
    return real(address, size, protection, flags, fd, offset);
}
int munmap(void *block, size_t size)
{
    int (*real)(void *, size_t) = dlsym(RTLD_NEXT, "munmap");
    unmaps++;
    return real(block, size);
}
"""

MAPPING = r"""
#include <sys/mman.h>
int map_some(int count)
{
    for (int i = 0; i < count; i++) {
        void *block = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED || munmap(block, 1 << 20) != 0)
            return i;
    }
    return count;
}
"""

# Names that are not there make dlsym allocate the text of its error, for each thread anew.
MISSING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
static volatile int failure_count;
static void *look(void *unused)
{
    for (int i = 0; i < 20; i++) {
        if (dlsym(RTLD_DEFAULT, "no_function_has_this_name") == NULL && dlerror() != NULL)
            __atomic_fetch_add(&failure_count, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}
int look_in_threads(int count)
{
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, look, NULL);
        pthread_join(thread, NULL);
    }
    return failure_count;
}
"""

# A little of the thread-local memory that the loader has left when it starts the program.
STATIC_TLS = r"""
static __thread char room[16] __attribute__((tls_model("initial-exec"), aligned(16)));
char *get(void) { return room; }
"""

CASES = [
    Case(
        "handler_in_c_that_maps_and_copies",
        OPEN + """
import threading
handler = library("handler.so")
stop = False
def churn():
    while not stop:
        kept = [bytearray(size * 37) for size in range(300)]
        kept = [{number: str(number)} for number in range(300)]
threads = [threading.Thread(target=churn) for _ in range(2)]
for thread in threads:
    thread.start()
handler.begin(1000)
while handler.count() < 300:
    kept = [bytes(bytearray(size * 53)) for size in range(200)]
print(handler.end())
stop = True
for thread in threads:
    thread.join()
""",
        libraries={"handler.so": MAPPING_HANDLER},
    ),
    Case("handler_in_c_that_allocates", OPEN + "print(library('handler.so').handle(300))\n", libraries={"handler.so": ALLOCATING_HANDLER}),
    Case(
        "fork_while_native_threads_allocate",
        OPEN + """
churn = library("churn.so")
churn.start(4)
codes = []
for i in range(40):
    pid = os.fork()
    if pid == 0:
        kept = [bytearray(20000) for _ in range(100)]
        os._exit(churn.churn_once(2000) == 2000 and len(kept) == 100)
    codes.append(os.waitpid(pid, 0)[1] >> 8)
churn.stop()
print(set(codes))
""",
        libraries={"churn.so": CHURN},
    ),
    Case(
        "program_that_ends_while_native_threads_allocate",
        OPEN + "churn = library('churn.so')\nchurn.start(4)\nchurn.churn_once(20000)\nprint('over')\n",
        libraries={"churn.so": CHURN},
    ),
    Case(
        "threads_that_allocate_after_their_end",
        OPEN + """
import threading
churn = library("churn.so")
print(churn.end_threads(200))
thread = threading.Thread(target=churn.end_threads, args=(50,))
thread.start()
thread.join()
""",
        libraries={"churn.so": CHURN},
    ),
    Case(
        "one_hundred_libraries",
        # copies are libraries of their own for the loader; half of them leave again, and others take their place
        OPEN + """
import shutil, _ctypes
loaded = []
for number in range(100):
    name = "library%d.so" % number
    shutil.copy(os.path.join(folder, "library.so"), os.path.join(folder, name))
    loaded.append(library(name))
    assert loaded[-1].work(20000) == 5
print(len({one._handle for one in loaded}))
for _ in range(3):
    for number in range(0, 100, 2):
        _ctypes.dlclose(loaded[number]._handle)
    for number in range(98, -2, -2):
        loaded[number] = library("library%d.so" % number)
        assert loaded[number].work(20000) == 5
print(sum(one.work(20000) for one in loaded))
for number in range(100):
    os.unlink(os.path.join(folder, "library%d.so" % number))
""",
        libraries={"library.so": LOADED},
    ),
    Case(
        "front_of_malloc_that_looks_for_calloc",
        OPEN + """
import threading
front = ctypes.CDLL(None)
front.front_calls.restype = ctypes.c_long
kept = [bytearray(100000) for _ in range(100)]
thread = threading.Thread(target=lambda: kept.extend(bytearray(3000) for _ in range(1000)))
thread.start()
thread.join()
print(front.front_calls() > 100, len(kept))
""",
        libraries={"front.so": FRONT},
        env={"LD_PRELOAD": "{dir}/front.so"},
    ),
    Case(
        "front_of_mmap_that_counts",
        OPEN + """
front, mapping = ctypes.CDLL(None), library("mapping.so")
maps, unmaps = front.map_calls(), front.unmap_calls()
print(mapping.map_some(50), front.map_calls() - maps >= 50, front.unmap_calls() - unmaps >= 50)
""",
        libraries={"front.so": MAPPING_FRONT, "mapping.so": MAPPING},
        env={"LD_PRELOAD": "{dir}/front.so"},
    ),
    Case(
        "dlsym_that_allocates",
        OPEN + """
print(library("missing.so").look_in_threads(100))
try:
    ctypes.CDLL(None).no_function_has_this_name
except AttributeError as error:
    print(str(error).rsplit(":", 1)[-1])
""",
        libraries={"missing.so": MISSING},
    ),
    Case(
        "static_tls_used_up",
        # not one library less fits than without us, and what comes after that works
        OPEN + """
import shutil, subprocess, threading, warnings
rooms = []
try:
    while len(rooms) < 1000:
        name = "room%d.so" % len(rooms)
        shutil.copy(os.path.join(folder, "room.so"), os.path.join(folder, name))
        rooms.append(library(name))
except OSError as error:
    print(len(rooms), str(error).rsplit(": ", 1)[-1])
os.unlink(os.path.join(folder, name))
for number, room in enumerate(rooms):
    room.get.restype = ctypes.c_void_p
    os.unlink(os.path.join(folder, "room%d.so" % number))
def places():
    found.append(len({room.get() for room in rooms}) == len(rooms))
    churn.churn_once(5000)
found = []
churn = library("churn.so")
threads = [threading.Thread(target=places) for _ in range(10)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
places()
warnings.simplefilter("ignore")  # from 3.12 on, of a fork while one of the threads is still there for the kernel
pid = os.fork()
if pid == 0:
    places()
    os._exit(len(found))
print(os.waitpid(pid, 0)[1] >> 8, set(found))
print(subprocess.check_output([sys.executable, "-c", "print(len([bytearray(5000) for _ in range(1000)]))"]))
""",
        libraries={"room.so": STATIC_TLS, "churn.so": CHURN},
    ),
]
