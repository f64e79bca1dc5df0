/*
 * agent/cuda/functions.h - which calls of CUDA we subscribe to, by CUPTI's numbers.
 *
 * Ranges, from and to, both included (CUpti_driver_api_trace_cbid, CUpti_runtime_api_trace_cbid). A
 * number never changes its meaning, and CUPTI refuses numbers that it does not know.
 * tools/check_cupti.py compares them with headers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#include "agent/cuda/cupti_abi.h"

/* Functions of the driver that launch work on a device. */
static const uint16_t sc_cuda_launches[][2] = {
    {115, 117}, /* cuLaunch, cuLaunchGrid, cuLaunchGridAsync */
    {216, 227}, /* cuMemsetD8Async ... cuMemsetD2D32Async */
    {249, 254}, /* cuMemsetD8_v2 ... cuMemsetD2D32_v2 */
    {276, 293}, /* cuMemcpyHtoD_v2 ... cuMemcpyHtoAAsync_v2 */
    {305, 307}, /* cuMemcpy, cuMemcpyAsync, cuLaunchKernel */
    {318, 321}, /* cuMemcpyPeer ... cuMemcpy3DPeerAsync */
    {397, 416}, /* cuMemcpyHtoD_v2_ptds ... cuMemsetD2D32_v2_ptds */
    {418, 433}, /* cuMemcpyAsync_ptsz ... cuMemsetD2D32Async_ptsz */
    {442, 442}, /* cuLaunchKernel_ptsz */
    {477, 478}, /* cuLaunchCooperativeKernel, and _ptsz */
    {480, 480}, /* cuLaunchCooperativeKernelMultiDevice */
    {514, 515}, /* cuGraphLaunch, and _ptsz */
    {652, 653}, /* cuLaunchKernelEx, and _ptsz */
    {776, 779}, /* cuMemcpyBatchAsync, cuMemcpy3DBatchAsync, and _ptsz */
    {796, 799}, /* their _v2, and _ptsz */
    {837, 840}, /* cuMemcpyWithAttributesAsync, cuMemcpy3DWithAttributesAsync, and _ptsz */
};

/* Functions of the driver that allocate or free device memory. */
static const uint16_t sc_cuda_memory[][2] = {
    {SC_CUPTI_MEM_ALLOC, SC_CUPTI_MEM_FREE},
    {SC_CUPTI_MEM_ALLOC_MANAGED, SC_CUPTI_MEM_ALLOC_MANAGED},
    {SC_CUPTI_MEM_CREATE, SC_CUPTI_MEM_RELEASE},
    {SC_CUPTI_MEM_ALLOC_ASYNC, SC_CUPTI_MEM_FREE_ASYNC_PTSZ},
    {SC_CUPTI_MEM_ALLOC_FROM_POOL_ASYNC, SC_CUPTI_MEM_ALLOC_FROM_POOL_ASYNC_PTSZ},
};

/* The same for the runtime library. */
static const uint16_t sc_cudart_launches[][2] = {
    {13, 13},   /* cudaLaunch */
    {31, 52},   /* cudaMemcpy ... cudaMemset2DAsync */
    {142, 145}, /* cudaMemset3D ... cudaMemcpy3DAsync */
    {160, 163}, /* cudaMemcpyPeer ... cudaMemcpy3DPeerAsync */
    {211, 211}, /* cudaLaunchKernel */
    {213, 236}, /* cudaLaunch_ptsz ... cudaMemset2DAsync_ptsz */
    {243, 246}, /* cudaMemset3D_ptds ... cudaMemcpy3DAsync_ptsz */
    {249, 250}, /* cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeerAsync_ptsz */
    {269, 270}, /* cudaLaunchCooperativeKernel, and _ptsz */
    {272, 272}, /* cudaLaunchCooperativeKernelMultiDevice */
    {311, 312}, /* cudaGraphLaunch, and _ptsz */
    {430, 431}, /* cudaLaunchKernelExC, and _ptsz */
    {482, 485}, /* cudaMemcpyBatchAsync, cudaMemcpy3DBatchAsync, and _ptsz */
    {505, 506}, /* __cudaLaunchKernel, and _ptsz: what a compiled <<<>>> calls since 13.0 */
    {509, 512}, /* cudaMemcpyBatchAsync, cudaMemcpy3DBatchAsync of 13.0, and _ptsz */
    {554, 557}, /* cudaMemcpyWithAttributesAsync, cudaMemcpy3DWithAttributesAsync, and _ptsz */
};

static const uint16_t sc_cudart_memory[][2] = {
    {SC_CUPTI_CUDA_MALLOC, SC_CUPTI_CUDA_FREE},
    {SC_CUPTI_CUDA_MALLOC_MANAGED, SC_CUPTI_CUDA_MALLOC_MANAGED},
    {SC_CUPTI_CUDA_MALLOC_ASYNC, SC_CUPTI_CUDA_FREE_ASYNC_PTSZ},
    {SC_CUPTI_CUDA_MALLOC_FROM_POOL_ASYNC, SC_CUPTI_CUDA_MALLOC_FROM_POOL_ASYNC_PTSZ},
};
