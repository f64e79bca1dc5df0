/*
 * accelerator/neuron.h - AWS Neuron devices (Inferentia and Trainium), measured with the tools that
 * come with their driver.
 *
 * neuron-ls lists the devices; neuron-monitor reports their load and memory per process, once a
 * second. There is no library for this.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "accelerator/accelerator.h"

extern const struct sc_accelerator sc_neuron;
