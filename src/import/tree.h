/*
 * import/tree.h - what all readers of other profilers' files fill: stacks with their costs, from
 * which a profile is built as from those of a run.
 *
 * Names and numbers come from files, so everything is checked and bounded here: a reader passes on
 * what it finds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/err.h"
#include "costs/collect.h"
#include "import/places.h"

struct sc_profile;

/* A deeper stack is refused; Python's own limit is 1,000 calls. */
#define SC_IMPORT_DEPTH_MAX 10000U

/* Further different stacks are cut to their innermost frame, and counted. */
#define SC_IMPORT_NODES_MAX ((size_t)1 << 19U)

/* Longer tables of frames are refused; of a text, more different ones are not kept apart. */
#define SC_IMPORT_FRAMES_MAX (1U << 20U)

/* Longer names of functions and files are cut: a file may refer to one long text a million times.
 */
#define SC_IMPORT_NAME_MAX ((size_t)4096)

/* The last of so many threads stands for all further ones, as of sc_collect_thread. */
#define SC_IMPORT_THREADS_MAX 1000U

/* What a count of samples stands for where neither the file nor the user says so: py-spy's 100
 * samples a second. */
#define SC_IMPORT_INTERVAL_S 0.01

/* Code and the line in it that a frame is at; line 0: not known; code SC_NONE: no frame at all. */
struct sc_import_frame {
    uint32_t code;
    uint32_t line;
};

/* Memory that was allocated on a stack. */
struct sc_import_memory {
    uint32_t node;
    uint64_t bytes;
    uint64_t blocks; /* 0: not known */
    bool is_alive;   /* when the program had most of it */
    bool is_part;    /* with is_alive: its bytes are among those of the stack that are not alive */
};

/* Initialised by sc_import_tree_init. */
struct sc_import_tree {
    struct sc_collect collect;
    struct sc_import_places places;
    struct sc_intern natives; /* names of native functions; their ids are offsets of the collect */
    struct sc_intern spelt;   /* frames as a text has them, see sc_import_spelt */
    SC_VEC(struct sc_import_frame) spelt_frames;
    struct sc_intern threads; /* process, file and number of each; ids are the collect's tids */
    SC_VEC(struct sc_import_memory) memory; /* all of a node in one, or two: alive or not */
    struct sc_map memory_index;
    SC_VEC(char *) notes;
    uint64_t time_ns; /* of everything so far */
    uint64_t bytes;
    uint64_t blocks;
    uint64_t samples;
    uint64_t files;    /* read before this one: its process, where it names none */
    uint64_t pid;      /* of files that name no process; 0: each is one of its own */
    bool is_continued; /* what is in use at the end of what is read now is in a later file, too */
    bool names_processes;
    double interval_s; /* the user's, or 0 */
    double assumed_s;  /* what was taken in place of that, or 0 */
    double elapsed_s;  /* as files say; 0: they do not */
};

void sc_import_tree_init(struct sc_import_tree *tree);
void sc_import_tree_done(struct sc_import_tree *tree);

/* The frame of a function. An empty file: a name is all that is known. line: where it was, or 0;
 * first_line: where the function begins, or 0. The texts need no final NUL. */
struct sc_import_frame sc_import_frame_of(struct sc_import_tree *tree, struct sc_import_text name,
                                          struct sc_import_text file, uint64_t line,
                                          uint64_t first_line);

/* The frame that a text of one of the usual forms names: "name (file:line)", "name (file)",
 * "file:name:line", "name". */
struct sc_import_frame sc_import_spelt(struct sc_import_tree *tree, struct sc_import_text text);

/* Cuts a number off the beginning of a text; false where there is none or it is 2^63 or more. */
bool sc_import_take_number(struct sc_import_text *text, uint64_t *ret_number);

/* The node of a frame called from parent (0: from nothing). */
uint32_t sc_import_call(struct sc_import_tree *tree, uint32_t parent, struct sc_import_frame frame);

/* The index of a thread. name may be NULL; is_main: it is known to be the first. */
uint32_t sc_import_thread(struct sc_import_tree *tree, uint64_t pid, uint64_t tid, const char *name,
                          bool is_main);

/* Time that a thread has spent on a stack. */
struct sc_import_time {
    uint32_t thread;
    uint32_t node;
    double seconds;
    uint64_t samples; /* 0: it was not sampled */
    bool is_idle;     /* the thread is known not to have run */
    bool has_start;
    double start_s; /* since the first moment of the file */
};
bool sc_import_add_time(struct sc_import_tree *tree, const struct sc_import_time *time,
                        struct sc_err *err);

/* Bytes of an unknown number of blocks are one. */
bool sc_import_add_memory(struct sc_import_tree *tree, const struct sc_import_memory *memory,
                          struct sc_err *err);

/* Takes ownership of the text, and leaves out one that is there already. */
void sc_import_note(struct sc_import_tree *tree, char *text);

/* What one sample stands for in a file that has counts alone: what the user says, else the usual
 * interval of the tool, which is noted. */
double sc_import_interval_s(struct sc_import_tree *tree, double usual_s);

/* Fills a profile. changed_ns: since the epoch, when the newest of the files was written: sources
 * that are newer are not what ran. */
void sc_import_build(struct sc_import_tree *tree, const char *program, uint64_t changed_ns,
                     struct sc_profile *ret_profile);
