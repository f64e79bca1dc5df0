/*
 * accelerator/table.c - the kinds of devices that can be measured, in the order they are tried.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "accelerator/accelerator.h"
#include "accelerator/neuron.h"
#include "accelerator/nvidia.h"

const struct sc_accelerator *const sc_accelerator_table[] = {&sc_nvidia, &sc_neuron, NULL};
