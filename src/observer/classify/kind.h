/*
 * observer/classify/kind.h - the kinds of samples.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

enum sc_sample_kind {
    SC_SAMPLE_PYTHON,
    SC_SAMPLE_NATIVE,
    SC_SAMPLE_KERNEL,
};
