/*
 * cpython/task_layout_data.c - generated numbers: where CPython keeps asyncio's tasks, per version.
 *
 * Written by "tools/gen_tasks.py INCLUDE..." from the headers of CPython
 * 3.8.18, 3.9.18, 3.10.13, 3.11.7, 3.12.1, 3.13.0, 3.13.5t, 3.14.10, 3.14.10t, 3.15.2, 3.15.2t
 * (t: free-threaded), compiled for x86_64. Do not edit.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/task_layout.h"

/* One name per line would be 500 lines. */
/* clang-format off */

const struct sc_task_layout sc_task_layouts[] = {
    /* CPython 3.8.18 */
    {.version = 0x0308, .free_threaded = false, .instance_kind = SC_INSTANCE_DICT, .await_depth = 1,
     .awaiting_first = 127, .published_modules = 0, .suspended_first = 0, .suspended_last = 0,
     .is_modules = 56, .is_tasks_head = -1, .ts_tasks_head = -1, .tp_name = 24, .tp_basicsize = 32,
     .tp_dictoffset = 288, .tp_base = 256, .tp_cached_keys = 872, .ob_size = 16, .fu_state = 72,
     .fu_size = 104, .tk_waiter = 104, .tk_coro = 112, .tk_name = 120, .tk_node = -1,
     .tk_size = 144, .ge_frame = 16, .ge_iframe = -1, .ge_state = -1, .ge_size = 96,
     .fr_executing = 116, .fr_state = -1, .fr_stack_top = 72, .fr_value_stack = -1,
     .fr_stack_depth = -1, .in_dict_before = -1, .in_values_before = -1, .di_used = 16,
     .di_keys = 32, .di_values = 40, .dk_size = 8, .dk_log2_bytes = -1, .dk_kind = -1,
     .dk_count = 32, .dk_indices = 40, .dv_values = 0, .se_used = 24, .se_mask = 32, .se_table = 40,
     .wr_object = 16, .lo_tag = -1, .lo_digits = 24},
    /* CPython 3.9.18 */
    {.version = 0x0309, .free_threaded = false, .instance_kind = SC_INSTANCE_DICT, .await_depth = 1,
     .awaiting_first = 127, .published_modules = 0, .suspended_first = 0, .suspended_last = 0,
     .is_modules = 856, .is_tasks_head = -1, .ts_tasks_head = -1, .tp_name = 24, .tp_basicsize = 32,
     .tp_dictoffset = 288, .tp_base = 256, .tp_cached_keys = 864, .ob_size = 16, .fu_state = 80,
     .fu_size = 144, .tk_waiter = 144, .tk_coro = 152, .tk_name = 160, .tk_node = -1,
     .tk_size = 184, .ge_frame = 16, .ge_iframe = -1, .ge_state = -1, .ge_size = 96,
     .fr_executing = 116, .fr_state = -1, .fr_stack_top = 72, .fr_value_stack = -1,
     .fr_stack_depth = -1, .in_dict_before = -1, .in_values_before = -1, .di_used = 16,
     .di_keys = 32, .di_values = 40, .dk_size = 8, .dk_log2_bytes = -1, .dk_kind = -1,
     .dk_count = 32, .dk_indices = 40, .dv_values = 0, .se_used = 24, .se_mask = 32, .se_table = 40,
     .wr_object = 16, .lo_tag = -1, .lo_digits = 24},
    /* CPython 3.10.13 */
    {.version = 0x030a, .free_threaded = false, .instance_kind = SC_INSTANCE_DICT, .await_depth = 1,
     .awaiting_first = 127, .published_modules = 0, .suspended_first = -1, .suspended_last = -1,
     .is_modules = 856, .is_tasks_head = -1, .ts_tasks_head = -1, .tp_name = 24, .tp_basicsize = 32,
     .tp_dictoffset = 288, .tp_base = 256, .tp_cached_keys = 872, .ob_size = 16, .fu_state = 88,
     .fu_size = 152, .tk_waiter = 152, .tk_coro = 160, .tk_name = 168, .tk_node = -1,
     .tk_size = 192, .ge_frame = 16, .ge_iframe = -1, .ge_state = -1, .ge_size = 88,
     .fr_executing = -1, .fr_state = 108, .fr_stack_top = -1, .fr_value_stack = 64,
     .fr_stack_depth = 80, .in_dict_before = -1, .in_values_before = -1, .di_used = 16,
     .di_keys = 32, .di_values = 40, .dk_size = 8, .dk_log2_bytes = -1, .dk_kind = -1,
     .dk_count = 32, .dk_indices = 40, .dv_values = 0, .se_used = 24, .se_mask = 32, .se_table = 40,
     .wr_object = 16, .lo_tag = -1, .lo_digits = 24},
    /* CPython 3.11.7 */
    {.version = 0x030b, .free_threaded = false, .instance_kind = SC_INSTANCE_BESIDE,
     .await_depth = 1, .awaiting_first = 127, .published_modules = 0, .suspended_first = -1,
     .suspended_last = -1, .is_modules = 888, .is_tasks_head = -1, .ts_tasks_head = -1,
     .tp_name = 24, .tp_basicsize = 32, .tp_dictoffset = 288, .tp_base = 256, .tp_cached_keys = 872,
     .ob_size = 16, .fu_state = 88, .fu_size = 128, .tk_waiter = 128, .tk_coro = 136,
     .tk_name = 144, .tk_node = -1, .tk_size = 176, .ge_frame = -1, .ge_iframe = 80, .ge_state = 75,
     .ge_size = 152, .fr_executing = -1, .fr_state = -1, .fr_stack_top = -1, .fr_value_stack = -1,
     .fr_stack_depth = 64, .in_dict_before = 24, .in_values_before = 32, .di_used = 16,
     .di_keys = 32, .di_values = 40, .dk_size = -1, .dk_log2_bytes = 9, .dk_kind = 10,
     .dk_count = 24, .dk_indices = 32, .dv_values = 0, .se_used = 24, .se_mask = 32, .se_table = 40,
     .wr_object = 16, .lo_tag = -1, .lo_digits = 24},
    /* CPython 3.12.1 */
    {.version = 0x030c, .free_threaded = false, .instance_kind = SC_INSTANCE_TAGGED,
     .await_depth = 1, .awaiting_first = 127, .published_modules = 0, .suspended_first = -1,
     .suspended_last = -1, .is_modules = 944, .is_tasks_head = -1, .ts_tasks_head = -1,
     .tp_name = 24, .tp_basicsize = 32, .tp_dictoffset = 288, .tp_base = 256, .tp_cached_keys = 880,
     .ob_size = 16, .fu_state = 88, .fu_size = 128, .tk_waiter = 128, .tk_coro = 136,
     .tk_name = 144, .tk_node = -1, .tk_size = 176, .ge_frame = -1, .ge_iframe = 72, .ge_state = 67,
     .ge_size = 144, .fr_executing = -1, .fr_state = -1, .fr_stack_top = -1, .fr_value_stack = -1,
     .fr_stack_depth = 64, .in_dict_before = 24, .in_values_before = -1, .di_used = 16,
     .di_keys = 32, .di_values = 40, .dk_size = -1, .dk_log2_bytes = 9, .dk_kind = 10,
     .dk_count = 24, .dk_indices = 32, .dv_values = 0, .se_used = 24, .se_mask = 32, .se_table = 40,
     .wr_object = 16, .lo_tag = 16, .lo_digits = 24},
    /* CPython 3.13.0 */
    {.version = 0x030d, .free_threaded = false, .instance_kind = SC_INSTANCE_INLINE,
     .await_depth = 1, .awaiting_first = -1, .published_modules = 88, .suspended_first = -2,
     .suspended_last = -1, .is_modules = 7656, .is_tasks_head = -1, .ts_tasks_head = -1,
     .tp_name = 24, .tp_basicsize = 32, .tp_dictoffset = 288, .tp_base = 256, .tp_cached_keys = 880,
     .ob_size = 16, .fu_state = 96, .fu_size = 104, .tk_waiter = 112, .tk_coro = 120,
     .tk_name = 128, .tk_node = -1, .tk_size = 144, .ge_frame = -1, .ge_iframe = 72, .ge_state = 67,
     .ge_size = 144, .fr_executing = -1, .fr_state = -1, .fr_stack_top = -1, .fr_value_stack = -1,
     .fr_stack_depth = 64, .in_dict_before = 24, .in_values_before = -1, .di_used = 16,
     .di_keys = 32, .di_values = 40, .dk_size = -1, .dk_log2_bytes = 9, .dk_kind = 10,
     .dk_count = 24, .dk_indices = 32, .dv_values = 8, .se_used = 24, .se_mask = 32, .se_table = 40,
     .wr_object = 16, .lo_tag = 16, .lo_digits = 24},
    /* CPython 3.13.5 */
    {.version = 0x030d, .free_threaded = true, .instance_kind = SC_INSTANCE_INLINE,
     .await_depth = 1, .awaiting_first = -1, .published_modules = 88, .suspended_first = -2,
     .suspended_last = -1, .is_modules = 7664, .is_tasks_head = -1, .ts_tasks_head = -1,
     .tp_name = 40, .tp_basicsize = 48, .tp_dictoffset = 304, .tp_base = 272, .tp_cached_keys = 896,
     .ob_size = 32, .fu_state = 112, .fu_size = 120, .tk_waiter = 128, .tk_coro = 136,
     .tk_name = 144, .tk_node = -1, .tk_size = 160, .ge_frame = -1, .ge_iframe = 88, .ge_state = 83,
     .ge_size = 160, .fr_executing = -1, .fr_state = -1, .fr_stack_top = -1, .fr_value_stack = -1,
     .fr_stack_depth = 64, .in_dict_before = 8, .in_values_before = -1, .di_used = 32,
     .di_keys = 48, .di_values = 56, .dk_size = -1, .dk_log2_bytes = 9, .dk_kind = 10,
     .dk_count = 24, .dk_indices = 32, .dv_values = 8, .se_used = 40, .se_mask = 48, .se_table = 56,
     .wr_object = 32, .lo_tag = 32, .lo_digits = 40},
    /* CPython 3.14.10 */
    {.version = 0x030e, .free_threaded = false, .instance_kind = SC_INSTANCE_INLINE,
     .await_depth = 1, .awaiting_first = -1, .published_modules = 96, .suspended_first = -2,
     .suspended_last = -1, .is_modules = 7688, .is_tasks_head = 10880, .ts_tasks_head = 880,
     .tp_name = 24, .tp_basicsize = 32, .tp_dictoffset = 288, .tp_base = 256, .tp_cached_keys = 880,
     .ob_size = 16, .fu_state = 104, .fu_size = 112, .tk_waiter = 120, .tk_coro = 128,
     .tk_name = 136, .tk_node = 152, .tk_size = 168, .ge_frame = -1, .ge_iframe = 72,
     .ge_state = 67, .ge_size = 152, .fr_executing = -1, .fr_state = -1, .fr_stack_top = 64,
     .fr_value_stack = -1, .fr_stack_depth = -1, .in_dict_before = 24, .in_values_before = -1,
     .di_used = 16, .di_keys = 32, .di_values = 40, .dk_size = -1, .dk_log2_bytes = 9,
     .dk_kind = 10, .dk_count = 24, .dk_indices = 32, .dv_values = 8, .se_used = 24, .se_mask = 32,
     .se_table = 40, .wr_object = 16, .lo_tag = 16, .lo_digits = 24},
    /* CPython 3.14.10 */
    {.version = 0x030e, .free_threaded = true, .instance_kind = SC_INSTANCE_INLINE,
     .await_depth = 1, .awaiting_first = -1, .published_modules = 96, .suspended_first = -2,
     .suspended_last = -1, .is_modules = 7712, .is_tasks_head = 17304, .ts_tasks_head = 880,
     .tp_name = 40, .tp_basicsize = 48, .tp_dictoffset = 304, .tp_base = 272, .tp_cached_keys = 896,
     .ob_size = 32, .fu_state = 120, .fu_size = 128, .tk_waiter = 136, .tk_coro = 144,
     .tk_name = 152, .tk_node = 168, .tk_size = 192, .ge_frame = -1, .ge_iframe = 88,
     .ge_state = 83, .ge_size = 168, .fr_executing = -1, .fr_state = -1, .fr_stack_top = 64,
     .fr_value_stack = -1, .fr_stack_depth = -1, .in_dict_before = 8, .in_values_before = -1,
     .di_used = 32, .di_keys = 48, .di_values = 56, .dk_size = -1, .dk_log2_bytes = 9,
     .dk_kind = 10, .dk_count = 24, .dk_indices = 32, .dv_values = 8, .se_used = 40, .se_mask = 48,
     .se_table = 56, .wr_object = 32, .lo_tag = 32, .lo_digits = 40},
    /* CPython 3.15.2 */
    {.version = 0x030f, .free_threaded = false, .instance_kind = SC_INSTANCE_INLINE,
     .await_depth = 2, .awaiting_first = 2, .published_modules = 96, .suspended_first = 1,
     .suspended_last = 3, .is_modules = 7592, .is_tasks_head = 10856, .ts_tasks_head = 1048,
     .tp_name = 24, .tp_basicsize = 32, .tp_dictoffset = 288, .tp_base = 256, .tp_cached_keys = 888,
     .ob_size = 16, .fu_state = 104, .fu_size = 112, .tk_waiter = 120, .tk_coro = 128,
     .tk_name = 136, .tk_node = 152, .tk_size = 168, .ge_frame = -1, .ge_iframe = 72,
     .ge_state = 67, .ge_size = 152, .fr_executing = -1, .fr_state = -1, .fr_stack_top = 64,
     .fr_value_stack = -1, .fr_stack_depth = -1, .in_dict_before = 24, .in_values_before = -1,
     .di_used = 16, .di_keys = 32, .di_values = 40, .dk_size = -1, .dk_log2_bytes = 9,
     .dk_kind = 10, .dk_count = 24, .dk_indices = 32, .dv_values = 8, .se_used = 24, .se_mask = 32,
     .se_table = 40, .wr_object = 16, .lo_tag = 16, .lo_digits = 24},
    /* CPython 3.15.2 */
    {.version = 0x030f, .free_threaded = true, .instance_kind = SC_INSTANCE_INLINE,
     .await_depth = 2, .awaiting_first = 2, .published_modules = 96, .suspended_first = 1,
     .suspended_last = 3, .is_modules = 7592, .is_tasks_head = 17256, .ts_tasks_head = 1048,
     .tp_name = 40, .tp_basicsize = 48, .tp_dictoffset = 304, .tp_base = 272, .tp_cached_keys = 904,
     .ob_size = 32, .fu_state = 120, .fu_size = 128, .tk_waiter = 136, .tk_coro = 144,
     .tk_name = 152, .tk_node = 168, .tk_size = 192, .ge_frame = -1, .ge_iframe = 88,
     .ge_state = 83, .ge_size = 168, .fr_executing = -1, .fr_state = -1, .fr_stack_top = 64,
     .fr_value_stack = -1, .fr_stack_depth = -1, .in_dict_before = 8, .in_values_before = -1,
     .di_used = 32, .di_keys = 48, .di_values = 56, .dk_size = -1, .dk_log2_bytes = 9,
     .dk_kind = 10, .dk_count = 24, .dk_indices = 32, .dv_values = 8, .se_used = 40, .se_mask = 48,
     .se_table = 56, .wr_object = 32, .lo_tag = 32, .lo_digits = 40},
};

const size_t sc_task_layouts_count =
    sizeof(sc_task_layouts) / sizeof(sc_task_layouts[0]);
