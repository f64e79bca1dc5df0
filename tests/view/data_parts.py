# tests/view/data_parts.py - what the made-up profiles of tests/view/data are put together from.
#
# SPDX-License-Identifier: Apache-2.0
"""Records of lines, functions, files, threads and processes, with the keys of docs/json.md."""

import math
import os

LINE = {
    **{"async_task_names": [], "cpu_samples_list": [], "is_coroutine": False, "memory_samples": [], "n_mallocs": 0},
    **dict.fromkeys(("n_async_await_percent", "n_async_concurrency_mean", "n_async_concurrency_peak", "n_avg_mb", "n_copy_mb_s"), 0.0),
    **dict.fromkeys(("n_core_utilization", "n_cpu_percent_c", "n_cpu_percent_python", "n_gpu_avg_memory_mb", "n_gpu_peak_memory_mb"), 0.0),
    **dict.fromkeys(("n_gpu_percent", "n_growth_mb", "n_malloc_mb", "n_peak_mb", "n_python_fraction", "n_sys_percent", "n_usage_fraction"), 0.0),
}

SHORT = {
    "python": "n_cpu_percent_python", "native": "n_cpu_percent_c", "system": "n_sys_percent", "gpu": "n_gpu_percent",
    "waiting": "n_async_await_percent", "memory_python": "n_python_fraction", "peak": "n_peak_mb", "usage": "n_usage_fraction",
    "copy": "n_copy_mb_s", "curve": "memory_samples", "with_calls": "n_cumulative_percent", "error": "n_error_percent",
    "gpu_mb": "n_gpu_peak_memory_mb", "device_s": "n_gpu_s", "idle_s": "n_gpu_idle_s", "launches": "n_gpu_launches",
    "to_mb": "n_gpu_to_device_mb", "from_mb": "n_gpu_from_device_mb", "given_mb": "n_gpu_malloc_mb", "held_mb": "n_gpu_live_peak_mb",
}


def record(lineno, text, costs):
    made = dict(LINE, lineno=lineno, line=text)
    for name, value in costs.items():
        made[SHORT.get(name, name)] = value
    return made


def file(source, costs, functions=(), loops=(), **more):
    """costs: line number -> values by short name; functions: (name, line, values); loops: (first, last)."""
    lines = []
    for lineno, text in enumerate(source.lstrip("\n").splitlines(keepends=True), 1):
        made = record(lineno, text, costs.get(lineno, {}))
        inside = [loop for loop in loops if loop[0] <= lineno <= loop[1]] or [(lineno, lineno)]
        made["start_region_line"], made["end_region_line"] = inside[-1]
        made["start_outermost_loop"], made["end_outermost_loop"] = inside[0]
        made["start_function_line"] = made["end_function_line"] = 0
        lines.append(made)
    total = math.fsum(
        line["n_cpu_percent_python"] + line["n_cpu_percent_c"] + line["n_sys_percent"] for line in lines
    )
    made = {
        "functions": [record(line, name, values) for name, line, values in functions], "imports": [], "leaks": {}, "lines": lines,
        "percent_cpu_time": total,
    }
    made.update(more)
    return made


def profile(program, elapsed_s, files, own=None, **more):
    made = {
        "alloc_samples": 0, "args": [program], "async_profile": True, "combined_stacks": [], "combined_stacks_timeline": [],
        "elapsed_time_sec": elapsed_s, "entrypoint_dir": os.path.dirname(program), "filename": os.path.dirname(program), "files": files,
        "gpu": False, "gpu_device": "", "growth_rate": 0.0, "main_thread_id": 139872313245504, "max_footprint_fname": None,
        "max_footprint_lineno": None, "max_footprint_mb": 0.0, "max_footprint_python_fraction": 0, "memory": False, "memory_stacks": [],
        "native_allocations_mb": 0.0, "program": program, "samples": [], "stacks": [], "start_time_absolute": 1790000000.5,
        "start_time_perf": 1000.25,
    }
    made.update(more)
    if own is not None:
        made["scalene_c"] = own
    return made


def thread(name, cpu_s, tid, python=True, main=False, pid=4242, **waits):
    return {
        "cpu_s": cpu_s, "has_python": python, "is_main": main, "name": name, "pid": pid,
        "python_ident": 140000000000000 + tid if python else 0, "samples": int(cpu_s * 100), "tid": tid, "time_s": {}, "wait_s": waits,
    }


def process(pid, parent_pid, command, cpu_s, max_rss_mb, exit_kind, exit_value):
    return {
        "command": command, "cpu_s": cpu_s, "exit_kind": exit_kind, "exit_value": exit_value, "max_rss_mb": max_rss_mb,
        "parent_pid": parent_pid, "pid": pid,
    }


def unit(name, count, total_s, p50_s, p99_s, cpu_s, peak_mb, **more):
    return {
        "count": count, "cpu_s": cpu_s, "lines": [], "max_s": p99_s, "min_s": 0.001, "name": name, "p50_s": p50_s, "p99_s": p99_s,
        "peak_mb": peak_mb, "total_s": total_s, **more,
    }


def own_part(cpu_s, time_s, wait_s, **more):
    made = {
        "gc_s": 0.0, "handler_cpu_s": 0.012, "hidden_files": [], "interval_s": 0.01, "losses": {}, "mode": "wall",
        "native_threads_cpu_s": 0.0, "notes": [], "observer_cpu_s": 0.031, "python_version": "3.12.1", "samples_taken": int(cpu_s * 100),
        "samples_waiting": 0, "target_cpu_s": cpu_s, "threads": [thread("MainThread", cpu_s, 4242, main=True)], "threads_ended": 0,
        "time_s": time_s, "wait_s": wait_s,
    }
    made.update(more)
    return made
