/*
 * agent/cuda/state.c - what the files of this folder share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/cuda/state.h"

struct sc_cuda *sc_cuda;
