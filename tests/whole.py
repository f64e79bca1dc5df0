# tests/whole.py - profiles as tests read them: with a record for every line of a file.
#
# A profile has a file's source and records of those lines that cost something (docs/json.md).
#
# SPDX-License-Identifier: Apache-2.0
"""complete(profile): adds the records of lines that cost nothing."""

import json

ZEROS = (
    "n_async_await_percent", "n_async_concurrency_mean", "n_async_concurrency_peak", "n_avg_mb", "n_copy_mb_s", "n_core_utilization",
    "n_cpu_percent_c", "n_cpu_percent_python", "n_gpu_avg_memory_mb", "n_gpu_peak_memory_mb", "n_gpu_percent", "n_growth_mb", "n_malloc_mb",
    "n_mallocs", "n_peak_mb", "n_python_fraction", "n_sys_percent", "n_usage_fraction",
)  # fmt: skip
LISTS = ("async_task_names", "cpu_samples_list", "memory_samples")
PLACES = ("start_region_line", "end_region_line", "start_outermost_loop", "end_outermost_loop")


def plain_line(number, text):
    """As the writer has it, but for the region, which only the tool knows."""
    line = {"lineno": number, "line": text, "is_coroutine": False, "start_function_line": 0, "end_function_line": 0}
    line.update({key: 0 for key in ZEROS})
    line.update({key: [] for key in LISTS})
    line.update({key: number for key in PLACES})
    return line


def complete(profile):
    for file in profile.get("files", {}).values():
        if not isinstance(file, dict) or "source" not in file:
            continue
        profiled = {line["lineno"]: line for line in file["lines"]}
        texts = file["source"].split("\n")[:-1]
        assert len(profiled) == len(file["lines"]) and set(profiled) <= set(range(1, len(texts) + 1)), sorted(profiled)
        file["lines"] = [profiled.get(number) or plain_line(number, text + "\n") for number, text in enumerate(texts, 1)]
    return profile


def load(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return complete(json.load(file))
