/* agent/cuda/state.c - see state.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/cuda/state.h"

struct sc_cuda *sc_cuda;
