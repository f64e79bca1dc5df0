/*
 * accelerator/neuron.h - AWS Neuron devices (Inferentia and Trainium), by the tools that come with
 * their driver.
 *
 * neuron-ls says whether there are devices, neuron-monitor how busy they are and what memory is
 * taken, by process, once a second. There is no library to ask instead.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "accelerator/accelerator.h"

extern const struct sc_accelerator sc_neuron;
