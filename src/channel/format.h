/*
 * channel/format.h - the records that the agent sends to the observer, in one shared segment per
 * process.
 *
 * The agent makes a memfd that holds struct sc_segment and hands it to the observer over a Unix
 * socket (struct sc_hello). From then on the agent only writes records into the ring, and the
 * observer only reads them; both are built from one tree, so structures are shared as they are,
 * guarded by a version and static assertions. Whatever the target does, the observer keeps the
 * segment.
 *
 * A record is a multiple of 8 bytes and never wraps: a PAD fills the end of the ring. Its header
 * word is written last, with release order; a zero header means that the writer has not finished.
 * The reader zeroes what it has consumed before it frees the space, which it does in large pieces.
 *
 * Raise SC_CHANNEL_VERSION with every change of this file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <assert.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>

#include "channel/pace.h"

#define SC_CHANNEL_MAGIC   0x3143656e656c6163U /* "caleneC1" */
#define SC_CHANNEL_VERSION 38

/* An import writes 30 MB/s, and an observer on a busy machine may not run for a third of a second.
 * The memory of what was read is given back, so that only unread records take any. */
#define SC_RING_BYTES (1U << 23)

/* Seals of the segment's file: its size cannot change, so that no access of ours raises SIGBUS. */
#define SC_SEGMENT_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* Name of the variable by which a starting process learns where the observer listens:
 * "<abstract socket name>:<interval in ns>:<flags>:<allocation window in bytes, 0 for no memory>:
 * <when the run began, of struct sc_pace>". */
#define SC_RENDEZVOUS_VARIABLE      "SCALENE_RENDEZVOUS"
#define SC_RENDEZVOUS_ALLOW_UNKNOWN 1U  /* try a CPython that is newer than all known ones */
#define SC_RENDEZVOUS_PAUSED        2U  /* begin with profiling switched off */
#define SC_RENDEZVOUS_NO_STACKS     4U  /* read only the native frames that kinds of time need */
#define SC_RENDEZVOUS_GUEST         8U  /* the observer did not start the program */
#define SC_RENDEZVOUS_GPU_TRACE     16U /* trace what the program's GPUs do, if CUPTI is there */
#define SC_RENDEZVOUS_SWITCHES      32U /* signals switch profiling on and off (agent/switches.h) */

#define SC_FRAMES_MAX        16384U
#define SC_KEPT_STACKS       8U /* threads of whose stacks only changed frames are sent */
#define SC_KEPT_NOWHERE      UINT32_MAX
#define SC_MEMORY_FRAMES_MAX 256U    /* frames kept of the stack of an allocation */
#define SC_BLOCK_SLOTS       131072U /* sampled blocks alive at once */
#define SC_NO_SLOT           UINT32_MAX
#define SC_ADDRESSES_MAX     128U
#define SC_TEXT_MAX          2048U   /* bytes kept of a file name or a qualified name */
#define SC_LABEL_MAX         256U    /* bytes kept of the name of a unit of work */
#define SC_LINE_TABLE_MAX    262144U /* a longer line table is not sent: the observer reads it */
#define SC_LARGE_TABLE_MAX   (16U << 20)

/* Reasons why a sample or a part of it was lost; the agent counts each. */
#define SC_AGENT_LOSSES(X)                                                                         \
    X(RING_FULL)                                                                                   \
    X(NESTED)                                                                                      \
    X(BUSY)                                                                                        \
    X(BAD_FRAME)                                                                                   \
    X(TOO_DEEP)                                                                                    \
    X(UNKNOWN_CODE)                                                                                \
    X(NO_TIMER)                                                                                    \
    X(NO_SLOT)                                                                                     \
    X(MEMORY_RING_FULL)                                                                            \
    X(MEMORY_BUSY)                                                                                 \
    X(MEMORY_TABLE_FULL)                                                                           \
    X(NATIVE_CUT)                                                                                  \
    X(GPU_UNKNOWN)                                                                                 \
    X(GPU_LOST)                                                                                    \
    X(LABEL_LOST)

#define X_ENUM(name) SC_AGENT_LOSS_##name,
enum sc_agent_loss { SC_AGENT_LOSSES(X_ENUM) SC_AGENT_LOSS_COUNT_ };
#undef X_ENUM

/* All records: kind, name of the struct (sc_record_*), fields with times (CLOCK_MONOTONIC), and the
 * field with the thread's number; "header" stands for a field that the record does not have. */
#define SC_RECORDS(X)                                                                              \
    X(SAMPLE, sample, time_ns, header, tid)                                                        \
    X(CODE, code, header, header, header)                                                          \
    X(THREAD_START, thread_start, time_ns, header, tid)                                            \
    X(THREAD_END, thread_end, time_ns, header, tid)                                                \
    X(STACK, stack, header, header, header)                                                        \
    X(ALLOCATION, allocation, time_ns, header, header)                                             \
    X(FREE, free, time_ns, header, header)                                                         \
    X(CUT, cut, time_ns, header, header)                                                           \
    X(COPY, copy, time_ns, header, header)                                                         \
    X(PROCESS_END, process_end, time_ns, header, header)                                           \
    X(MARK, mark, header, header, header)                                                          \
    X(CHILD_END, child_end, time_ns, header, header)                                               \
    X(EXEC, exec, header, header, header)                                                          \
    X(GPU_STATE, gpu_state, time_ns, header, header)                                               \
    X(GPU_WORK, gpu_work, header, header, header)                                                  \
    X(GPU_SPAN, gpu_span, from_ns, to_ns, header)                                                  \
    X(GPU_ALLOCATION, gpu_allocation, time_ns, header, header)                                     \
    X(GPU_FREE, gpu_free, time_ns, header, header)                                                 \
    X(DIRECTORY, directory, header, header, header)                                                \
    X(LABEL, label, time_ns, header, tid)

#define X_ENUM(kind, name, time, other_time, tid) SC_RECORD_##kind,
enum sc_record_kind {
    SC_RECORD_NONE, /* not written yet */
    SC_RECORD_PAD,
    SC_RECORDS(X_ENUM)
};
#undef X_ENUM

/* kind in the upper 8 bits, size in bytes in the lower 24; 4 bytes unused. */
struct sc_record_header {
    _Atomic uint32_t word;
    uint32_t unused;
};

enum sc_sample_flags {
    SC_SAMPLE_IN_SYSTEM_CALL = 1,
    SC_SAMPLE_REACHED_EVAL = 2, /* an address lies in the evaluation loop: the last, or marked */
    SC_SAMPLE_HAS_CODE_UNIT = 4,
    SC_SAMPLE_COLLECTING = 8, /* a garbage collection was running */
    SC_SAMPLE_CUT = 16,       /* the stack continues further out */
    SC_SAMPLE_BROKEN = 32,    /* the stack ended at a frame that could not be read */
    SC_SAMPLE_WHOLE = 64,     /* the addresses reach the thread's outermost function */
    SC_SAMPLE_FINE = 128,     /* taken by a perf event, which samples only user code */
    SC_SAMPLE_ENDING = 256,   /* no frames: the thread was ending the interpreter */
    SC_SAMPLE_WAITED = 512,   /* the thread has waited since its last sample; this one stands for at
                               * most `ticks` jiffies of its CPU time */
};

/* Set in an address that lies in the evaluation loop; no address of a process has this bit itself.
 * Used where the stack is read beyond the innermost loop. */
#define SC_ADDRESS_IN_LOOP (UINT64_C(1) << 63)

enum sc_frame_flags {
    SC_FRAME_CALLS_C = 1, /* struct sc_py_frame's calls_through_c */
};

/* Followed by frame_count struct sc_sample_frame, innermost first, and address_count uint64_t. */
struct sc_record_sample {
    struct sc_record_header header;
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    uint64_t cpu_ns;  /* CLOCK_THREAD_CPUTIME_ID */
    uint32_t tid;
    uint16_t flags;
    uint16_t code_unit;
    uint32_t frame_count;
    uint32_t address_count;
    /* kept_count more frames follow further out: the outermost frames of the stack that the
     * previous sample, number kept_number - 1, has stored in kept_place. This sample's whole stack
     * is then stored there. */
    uint32_t
        kept_place; /* below SC_KEPT_STACKS; SC_KEPT_NOWHERE: all frames are here, none is stored */
    uint32_t kept_count;
    uint32_t kept_number;
    uint32_t ticks; /* since the thread's previous sample, this one included: of a fine sample those
                     * of the perf event, of one with SC_SAMPLE_WAITED the kernel's that have hit
                     * the thread, at most */
    uint64_t late_ns; /* in a system call: time since the tick that the sample is dated to, on both
                       * clocks */
};

struct sc_sample_frame {
    uint64_t code_key;
    int32_t instruction; /* bytes */
    uint32_t flags;      /* enum sc_frame_flags */
};

/* Names a code_key, always before the first sample that uses it. Followed by file, name and line
 * table, one after the other, padded to 8. */
struct sc_record_code {
    struct sc_record_header header;
    uint64_t code_key;
    uint32_t first_line;
    uint32_t file_length;
    uint32_t name_length;
    uint32_t line_table_length;
    uint64_t large_code; /* address of the code object whose table is longer; 0: it is here */
};

struct sc_record_thread_start {
    struct sc_record_header header;
    uint64_t time_ns;
    uint64_t pthread_self;
    uint32_t tid;
    uint16_t is_main;
    uint16_t is_pythons;  /* its first function is Python's, and its timer has just been started */
    uint32_t creator_tid; /* of the thread that created it, 0 when not known */
    uint32_t unused;
    char name[64]; /* threading.Thread.name, "" when not known */
};

struct sc_record_thread_end {
    struct sc_record_header header;
    uint64_t time_ns;
    uint64_t cpu_ns;
    uint32_t tid;
    uint32_t unused;
};

/* The program has marked a function with @profile. */
struct sc_record_mark {
    struct sc_record_header header;
    uint64_t code_key;
};

#define SC_STATUS_UNKNOWN INT32_MIN

/* The process is about to end. */
struct sc_record_process_end {
    struct sc_record_header header;
    uint64_t time_ns;
    uint64_t cpu_ns;     /* of all its threads, ended ones included */
    uint64_t max_rss_kb; /* 0: not known */
    int32_t status;      /* as given to exit, or SC_STATUS_UNKNOWN */
    uint32_t is_least; /* cpu_ns is that of the thread that ends it, as was known without a clock */
};

/* The process has waited for a child of its own, which has ended. */
struct sc_record_child_end {
    struct sc_record_header header;
    uint64_t time_ns; /* when the wait returned */
    uint32_t pid;
    int32_t status; /* as in wait(2) */
};

/* The process, or a child of it that shares its memory, tries to execute a file. Followed by the
 * file's name, made absolute unless it is searched in PATH, padded to 8. */
struct sc_record_exec {
    struct sc_record_header header;
    uint32_t length;
    uint32_t is_searched; /* along PATH when the name has no slash */
    uint32_t pid; /* of the process that executes it; 0 when a new process is created for it */
    uint32_t is_out_of_reach; /* it cannot load this library: another user's rights, another root
                               * directory, no room on a stack for what it needs for that */
};

/* The process has changed its working directory. Followed by its path, padded to 8. */
struct sc_record_directory {
    struct sc_record_header header;
    uint32_t length;
    uint32_t unused;
};

/* Names a stack_key, always before the first record that uses it. Followed by frames and
 * addresses, as in struct sc_record_sample. */
struct sc_record_stack {
    struct sc_record_header header;
    uint64_t stack_key;
    uint32_t frame_count;
    uint16_t address_count;
    uint16_t flags; /* enum sc_sample_flags */
};

enum sc_allocation_flags {
    SC_ALLOCATION_PYTHON = 1,  /* through one of Python's own allocators */
    SC_ALLOCATION_EXACT = 2,   /* stands for itself alone: its weight is its size */
    SC_ALLOCATION_FILLED = 4,  /* may hold data already, as a block resized from another one */
    SC_ALLOCATION_SHARED = 8,  /* shared with the children of the process */
    SC_ALLOCATION_COPIED = 16, /* old_bytes were copied, and no record says so */
};

/* A block that holds a sampled byte; agent/memory/stream.h computes its weight. */
struct sc_record_allocation {
    struct sc_record_header header;
    uint64_t time_ns;   /* CLOCK_MONOTONIC */
    uint64_t stack_key; /* 0: no Python frame */
    uint64_t address;
    uint64_t size_bytes;
    uint64_t old_bytes; /* of size_bytes, the block had these before it was resized */
    uint64_t weight_bytes;
    uint32_t slot;   /* names the block until it is freed; SC_NO_SLOT: its free is not reported */
    uint16_t flags;  /* enum sc_allocation_flags */
    uint16_t points; /* sample points (agent/memory/stream.h) in the block; 0: it stands for itself
                      * alone */
    uint32_t tid;    /* 0: of a thread that is not followed */
    uint32_t unused;
};

struct sc_record_free {
    struct sc_record_header header;
    uint64_t time_ns;
    uint32_t slot;
    uint32_t unused;
};

/* A part of a block is split off or freed, as when one end of a mapping is unmapped. */
struct sc_record_cut {
    struct sc_record_header header;
    uint64_t time_ns;
    uint64_t address; /* of the part, which is the start or the end of the block */
    uint64_t bytes;   /* of the part */
    uint32_t slot;
    uint32_t part_slot; /* names the part from now on; SC_NO_SLOT: it is freed */
};

struct sc_record_copy {
    struct sc_record_header header;
    uint64_t time_ns;
    uint64_t stack_key;
    uint64_t weight_bytes;
    uint32_t points; /* as in struct sc_record_allocation */
    uint32_t tid;
};

/* The program enters or leaves a unit of work (scalene_profiler.label). Followed by its name when
 * it is entered, padded to 8. */
struct sc_record_label {
    struct sc_record_header header;
    uint64_t time_ns;
    uint64_t cpu_ns; /* the thread's CPU clock; 0 when another thread leaves it */
    uint64_t span;   /* names this entering until it is left */
    uint32_t tid;    /* of the thread that has entered it */
    uint16_t length;
    uint16_t is_left;
};

enum sc_gpu_state {
    SC_GPU_TRACING,  /* tracing begins; detail: version of CUPTI, as 12090 */
    SC_GPU_NO_CUPTI, /* the program uses CUDA, but no libcupti was found */
    SC_GPU_REFUSED,  /* CUPTI refused; detail: its error, or 0 if no thread could be started */
    SC_GPU_TAKEN,    /* tracing ends: the program, or another profiler in it, uses CUPTI itself from
                      * now on */
    SC_GPU_NOT_LOADED, /* the program had begun to use CUDA before the agent, and without CUPTI */
    SC_GPU_STATE_COUNT_
};

/* Whether the process's use of GPUs is traced. */
struct sc_record_gpu_state {
    struct sc_record_header header;
    uint64_t time_ns; /* CLOCK_MONOTONIC, as all times of these records */
    uint32_t state;   /* enum sc_gpu_state */
    uint32_t detail;
};

enum sc_gpu_work {
    SC_GPU_KERNEL,
    SC_GPU_COPY_TO_DEVICE,
    SC_GPU_COPY_FROM_DEVICE,
    SC_GPU_COPY_OTHER, /* within a device or between two */
    SC_GPU_SET,
    SC_GPU_WORK_COUNT_
};

/* Work that devices have done, summed up per stack that launched it. */
struct sc_record_gpu_work {
    struct sc_record_header header;
    uint64_t stack_key; /* as in struct sc_record_allocation */
    uint64_t busy_ns;   /* sum of their durations */
    uint64_t bytes;     /* copied or set */
    uint32_t kind;      /* enum sc_gpu_work */
    uint32_t count;
};

/* A device was busy for this process all that time. The spans of a device come nearly in order. */
struct sc_record_gpu_span {
    struct sc_record_header header;
    uint64_t from_ns;
    uint64_t to_ns;
    uint32_t device; /* CUDA's device number in this process */
    uint32_t unused;
};

/* Device memory was allocated or freed; every call is reported. An address that is allocated again
 * without a free before it was freed unseen. */
struct sc_record_gpu_allocation {
    struct sc_record_header header;
    uint64_t time_ns;
    uint64_t stack_key;
    uint64_t address; /* or a handle, of memory that the program maps itself */
    uint64_t size_bytes;
    uint64_t context; /* of CUDA; the memory ends with it; 0: with none */
};

struct sc_record_gpu_free {
    struct sc_record_header header;
    uint64_t time_ns;
    uint64_t address;
    uint64_t context; /* not 0: it has ended, with all its memory; address is 0 then */
};

/* Addresses of code, [start, end). */
struct sc_code_range {
    uint64_t start;
    uint64_t end;
};

/* Enough for the parts that compilers split the evaluation loop into. Where each opcode has a
 * function of its own there are more, and none is reported. */
#define SC_EVAL_RANGES_SENT 8

/* The head of _PyRuntime that holds _Py_DebugOffsets: 888 bytes in 3.15. */
#define SC_RUNTIME_HEAD_BYTES 1024

/* Only interpreters that were built with their own compiler (3.13 and later) export it
 * (Python/optimizer.c, v3.13.0 to v3.15.0). */
#define SC_JIT_SYMBOL "_PyOptimizer_Optimize"

/* What is known of an interpreter: addresses in the target, 0 where not known. From the fourth on
 * they are addresses of functions. The observer needs to know no more, so a process whose memory it
 * may not read is profiled, too. */
#define SC_INTERPRETER_WORDS(X)                                                                    \
    X(runtime)           /* _PyRuntime */                                                          \
    X(runtime_size)      /* of it, in bytes */                                                     \
    X(code_type)         /* PyCode_Type */                                                         \
    X(eval_function)     /* _PyEval_EvalFrameDefault */                                            \
    X(type_call)         /* PyType_Type.tp_call */                                                 \
    X(object_new)        /* PyBaseObject_Type.tp_new */                                            \
    X(object_init)       /* PyBaseObject_Type.tp_init */                                           \
    X(object_new_method) /* the function of the method object.__new__ */                           \
    X(generic_alloc)     /* PyType_GenericAlloc */                                                 \
    X(function_call)     /* PyFunction_Type.tp_call */                                             \
    X(method_call)       /* PyMethod_Type.tp_call */                                               \
    X(heap_init)         /* slot_tp_init: of a class with __init__ in Python */                    \
    X(heap_new)          /* slot_tp_new: of a class with __new__ in Python */                      \
    X(heap_call)         /* slot_tp_call: of a class with __call__ in Python */                    \
    X(heap_dealloc)      /* subtype_dealloc: of a Python class */                                  \
    X(frame_dealloc)     /* PyFrame_Type.tp_dealloc */

#define X_MEMBER(name) uint64_t name;
struct sc_interpreter_facts {
    SC_INTERPRETER_WORDS(X_MEMBER)
    uint32_t version_hex; /* PY_VERSION_HEX */
    uint32_t free_threaded;
    uint32_t eval_range_count; /* 0: not known, or there are more than fit here */
    uint16_t version;          /* 0x030b; the reader sets it */
    uint16_t has_jit;          /* its own compiler of machine code is on */
    struct sc_code_range eval_ranges[SC_EVAL_RANGES_SENT];
};
#undef X_MEMBER

struct sc_segment_facts {
    struct sc_interpreter_facts interpreter;
    unsigned char runtime_head[SC_RUNTIME_HEAD_BYTES]; /* zero after its end */
};

/* What a signal has asked for. */
enum sc_switched { SC_SWITCHED_NOT, SC_SWITCHED_ON, SC_SWITCHED_OFF };

struct sc_segment {
    uint64_t magic;
    uint32_t version;
    uint32_t size_bytes;
    uint32_t pid;
    uint32_t parent_pid;
    struct sc_pace pace;
    uint32_t is_forked; /* from a Python process that had started, without an exec since */
    _Alignas(64) _Atomic uint64_t head; /* bytes ever reserved by writers */
    _Alignas(64) _Atomic uint64_t tail; /* bytes ever freed by the reader */
    _Alignas(64) struct sc_segment_facts facts;

    /* 0 until user code is about to run; the CPU time and the monotonic time of that moment */
    _Atomic uint64_t program_started_ns;
    _Atomic uint64_t program_started_cpu_ns; /* of the main thread */

    _Atomic uint32_t paused;  /* set by the observer: take no samples, count no blocks */
    _Atomic uint32_t round;   /* set by the observer: names sent in earlier rounds are sent again */
    _Atomic uint32_t own_tid; /* the agent's own thread (cuda/flush.c); 0: none */
    _Atomic uint32_t memory_is_over; /* the agent sends no more frees */
    _Atomic uint32_t switched;       /* enum sc_switched: set by a signal, taken by the observer */
    _Atomic uint32_t unloads;        /* libraries that the program has unloaded; seen when it looks
                                      * up a function of another one */

    /* CLOCK_MONOTONIC, when the program began to restrict its own system calls: the agent sends
     * nothing any more; 0 before */
    _Atomic uint64_t sealed_ns;

    _Atomic uint64_t attempts; /* signals that requested a sample */
    _Atomic uint64_t samples;  /* records written */
    _Atomic uint64_t handler_cpu_ns;
    _Atomic uint64_t losses[SC_AGENT_LOSS_COUNT_];
    _Atomic uint64_t memory_lost_bytes; /* weight of allocations that were lost */

    _Alignas(4096) unsigned char ring[SC_RING_BYTES]; /* whole pages can be given back */
};

static_assert(sizeof(struct sc_record_header) == 8, "records are multiples of 8 bytes");
static_assert(sizeof(struct sc_record_sample) == 64, "no padding that nobody knows of");
static_assert(sizeof(struct sc_sample_frame) == 16, "no padding that nobody knows of");
static_assert(sizeof(struct sc_record_code) == 40, "no padding that nobody knows of");
static_assert(sizeof(struct sc_record_thread_start) == 104, "no padding that nobody knows of");
static_assert(sizeof(struct sc_record_thread_end) == 32, "no padding that nobody knows of");
static_assert(sizeof(struct sc_record_mark) == 16, "no padding that nobody knows of");
static_assert(sizeof(struct sc_record_process_end) == 40, "no padding that nobody knows of");
static_assert(sizeof(struct sc_record_child_end) == 24, "no padding that nobody knows of");
static_assert(sizeof(struct sc_record_exec) == 24, "no padding that nobody knows of");
static_assert(sizeof(struct sc_record_stack) == 24, "no padding that nobody knows of");
static_assert(sizeof(struct sc_record_allocation) == 72, "no padding that nobody knows of");
static_assert(sizeof(struct sc_record_free) == 24, "no padding that nobody knows of");
static_assert(sizeof(struct sc_record_cut) == 40, "no padding that nobody knows of");
static_assert(sizeof(struct sc_record_copy) == 40, "no padding that nobody knows of");
static_assert(sizeof(struct sc_record_gpu_state) == 24, "no padding that nobody knows of");
static_assert(sizeof(struct sc_record_gpu_work) == 40, "no padding that nobody knows of");
static_assert(sizeof(struct sc_record_gpu_span) == 32, "no padding that nobody knows of");
static_assert(sizeof(struct sc_record_gpu_allocation) == 48, "no padding that nobody knows of");
static_assert(sizeof(struct sc_record_gpu_free) == 32, "no padding that nobody knows of");
static_assert(sizeof(struct sc_record_directory) == 16, "no padding that nobody knows of");
static_assert(sizeof(struct sc_record_label) == 40, "no padding that nobody knows of");
static_assert((SC_RING_BYTES & (SC_RING_BYTES - 1)) == 0, "positions are masked");

enum sc_hello_status {
    SC_HELLO_OK,      /* a descriptor of the segment comes with the message */
    SC_HELLO_TOO_OLD, /* this and the next two: see cpython/layout.h */
    SC_HELLO_UNKNOWN,
    SC_HELLO_UNREADABLE,
    SC_HELLO_NO_SYMBOLS, /* a CPython that does not export all symbols that we need */
    SC_HELLO_NO_MEMORY,  /* the segment could not be made */
    SC_HELLO_TOO_MANY,   /* the segment could not be sent: see unix(7), ETOOMANYREFS */
    SC_HELLO_EXECUTES, /* sent by a process that is not a CPython: the name of the file it executes
                        * follows the message, with a slash unless it is searched in PATH */
    SC_HELLO_OTHER_USER, /* never sent: the observer's word for a client of another user, which it
                          * does not listen to */
};

/* The message has this structure, then the name of the executable, where it is known, unless the
 * process was forked from one that has sent that name. */
struct sc_hello {
    uint64_t magic;
    uint32_t version;
    uint32_t status; /* enum sc_hello_status */
    uint32_t pid;
    uint32_t version_hex; /* PY_VERSION_HEX, 0 when not known */
};
