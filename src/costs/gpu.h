/*
 * costs/gpu.h - what GPUs did during a run, by line and by function.
 *
 * Two kinds of numbers that do not depend on one another: what the devices did while the program
 * was at a place (load, memory, idle time), and what a place has launched (device time, copies,
 * device memory). The peak of the device memory that a line allocates must be followed in order of
 * time, so the scope is applied during the run, as in ledger.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/vec.h"
#include "costs/curve.h"
#include "costs/places.h"

struct sc_gpu_account {
    uint32_t node; /* a node of this line or function */
    /* while the program was here */
    double watched_ns; /* time that readings of the driver cover */
    double load_ns;    /* integral of the load, 0..1 */
    double used_byte_ns;
    uint64_t used_peak_bytes;
    double busy_ns; /* the devices were traced and had something to do */
    double idle_ns; /* the devices were traced and had nothing to do */
    /* launched here */
    uint64_t launched_ns; /* of kernels, copies and sets */
    uint64_t kernels;
    uint64_t to_device_bytes;
    uint64_t from_device_bytes;
    uint64_t allocated_bytes; /* device memory */
    uint64_t live_bytes;
    uint64_t live_peak_bytes;
};

struct sc_gpu_accounts SC_VEC_OF(struct sc_gpu_account);

struct sc_gpu {
    struct sc_places places;
    struct sc_gpu_accounts lines; /* indexed by the numbers of places */
    struct sc_gpu_accounts functions;
    uint64_t kernel_ns;
    uint64_t copy_ns; /* of copies and sets */
    double busy_ns;   /* traced: some device had something to do */
    double idle_ns;   /* traced: no device had */
    uint64_t used_peak_bytes;
    struct sc_curve load; /* thousandths of a percent */
    struct sc_curve used; /* bytes */
};

/* What devices have done for one stack. */
struct sc_gpu_work_done {
    bool is_kernel;
    uint32_t count;
    uint64_t busy_ns;
    uint64_t to_device_bytes;
    uint64_t from_device_bytes;
};

/* owners, of the run, is not owned and outlives it. */
void sc_gpu_init(struct sc_gpu *gpu, struct sc_owners *owners);
void sc_gpu_done(struct sc_gpu *gpu);

/* The line and function that costs at a node of the collect are charged to. Their accounts are
 * added if they are missing. */
struct sc_place sc_gpu_place(struct sc_gpu *gpu, uint32_t node);

/* The program was at node for ns, while its devices had this load (0..1) and held used_bytes. */
void sc_gpu_add_load(struct sc_gpu *gpu, uint32_t node, double ns, double load,
                     uint64_t used_bytes);

/* Adds the same reading for the whole program. */
void sc_gpu_add_reading(struct sc_gpu *gpu, uint64_t time_ns, double load, uint64_t used_bytes);

/* The program was at node for so long while devices were traced and had something to do, or
 * nothing. Below 0: less than was added before. node SC_NONE: the place is not known. */
void sc_gpu_add_traced(struct sc_gpu *gpu, uint32_t node, double busy_ns, double idle_ns);

void sc_gpu_add_work(struct sc_gpu *gpu, uint32_t node, const struct sc_gpu_work_done *work);

/* Records that device memory was allocated at node, or that memory allocated at the place was
 * freed. */
struct sc_place sc_gpu_allocate(struct sc_gpu *gpu, uint32_t node, uint64_t bytes);
void sc_gpu_deallocate(struct sc_gpu *gpu, struct sc_place place, uint64_t bytes);
