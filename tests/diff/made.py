# tests/diff/made.py - profiles made by hand, and `scalene diff` of them.
#
# A profile is made of a source text and of what its lines cost, in seconds and megabytes, by the texts of these lines. So a
# test says what moved where by the sources alone.
#
# SPDX-License-Identifier: Apache-2.0
"""Two versions of a program, and their comparison."""

import ast
import json
import os
import subprocess

from conftest import clean_environment

LINE = {
    **{"async_task_names": [], "cpu_samples_list": [], "is_coroutine": False, "memory_samples": [], "n_mallocs": 0},
    **dict.fromkeys(("n_async_await_percent", "n_async_concurrency_mean", "n_async_concurrency_peak", "n_avg_mb", "n_copy_mb_s"), 0.0),
    **dict.fromkeys(("n_core_utilization", "n_cpu_percent_c", "n_cpu_percent_python", "n_gpu_avg_memory_mb", "n_gpu_peak_memory_mb"), 0.0),
    **dict.fromkeys(("n_gpu_percent", "n_growth_mb", "n_malloc_mb", "n_peak_mb", "n_python_fraction", "n_sys_percent", "n_usage_fraction"), 0.0),
}
ROOT = "/home/ada/shop"
PROGRAM = ROOT + "/shop.py"


def definitions(source):
    """(qualified name, first line, last line, whether it is a function), outer ones first."""
    found = []

    def walk(node, names):
        for child in ast.iter_child_nodes(node):
            inner = names
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                inner = [*names, child.name]
                start = min([child.lineno, *(d.lineno for d in child.decorator_list)])
                found.append((".".join(inner), start, child.end_lineno, not isinstance(child, ast.ClassDef)))
                inner = inner if isinstance(child, ast.ClassDef) else [*inner, "<locals>"]
            walk(child, inner)

    walk(ast.parse(source), [])
    return found


def numbers(cost, total_s):
    """The keys of a cost: a number of seconds, or a dict."""
    cost = dict(cost) if isinstance(cost, dict) else {"s": cost}
    seconds = cost.pop("s", 0.0)
    error_s = cost.pop("error_s", None)
    made = {"n_cpu_percent_python": 100 * seconds / total_s, "time_s": {"python": seconds}}
    made["n_error_percent"] = 100 * (error_s if error_s is not None else 0.02 * seconds) / total_s
    if "wait_s" in cost:
        made["wait_s"] = {"io": cost.pop("wait_s")}
    return {**made, **cost}


def add(first, second):
    first, second = ({"s": cost} if not isinstance(cost, dict) else cost for cost in (first, second))
    return {key: first.get(key, 0.0) + second.get(key, 0.0) for key in {**first, **second}}


def file(source, costs, total_s):
    source = source.lstrip("\n")
    defined = definitions(source)
    lines, own = [], {}
    for lineno, text in enumerate(source.splitlines(keepends=True), 1):
        around = [d for d in defined if d[1] <= lineno <= d[2]]
        start, end = around[-1][1:3] if around else (0, 0)
        made = dict(LINE, lineno=lineno, line=text, start_region_line=lineno, end_region_line=lineno, start_outermost_loop=lineno)
        made.update(end_outermost_loop=lineno, start_function_line=start, end_function_line=end)
        for part, cost in costs.items():
            if part in text:
                made.update(numbers(cost, total_s))
                functions = [d for d in around if d[3]]
                if functions:
                    own[functions[-1]] = add(own.get(functions[-1], {}), cost)
        lines.append(made)
    return {
        "functions": [dict(LINE, line=name, lineno=d[1], **numbers(cost, total_s)) for d, cost in own.items() for name in [d[0]]],
        "imports": [], "leaks": {}, "lines": lines, "percent_cpu_time": sum(line["n_cpu_percent_python"] for line in lines),
    }


def tree(stacks):
    """call_frames and call_tree of (names of functions, outermost first; seconds)."""
    frames, nodes = [], []
    for names, seconds in stacks:
        parent = 0
        for name in names:
            frame = {"display_name": name, "filename_or_module": PROGRAM, "line": 1, "kind": "py", "ip": None, "offset": None}
            if frame not in frames:
                frames.append(frame)
            node = [parent, frames.index(frame), 0, 0]
            nodes.append(node)
            parent = len(nodes)
        nodes[-1][2] = seconds
    return {"call_frames": frames, "call_tree": nodes, "call_tree_percent": 100.0}


def profile(source, costs, total_s=10.0, name="shop.py", root=ROOT, stacks=(), own=None, **more):
    """One file, in which the lines that have a key of costs as a part of their text cost its value."""
    made = {
        "alloc_samples": 0,
        "args": [PROGRAM],
        "async_profile": True,
        "combined_stacks": [],
        "combined_stacks_timeline": [],
        "elapsed_time_sec": total_s,
        "entrypoint_dir": root,
        "filename": root,
        "files": {os.path.join(root, name): file(source, costs, total_s)},
        "gpu": False,
        "gpu_device": "",
        "growth_rate": 0.0,
        "main_thread_id": 1,
        "max_footprint_fname": None,
        "max_footprint_lineno": None,
        "max_footprint_mb": 0.0,
        "max_footprint_python_fraction": 0,
        "memory": False,
        "memory_stacks": [],
        "native_allocations_mb": 0.0,
        "program": PROGRAM,
        "samples": [],
        "stacks": [],
        "start_time_absolute": 1790000000.5,
        "start_time_perf": 1000.25,
        "scalene_c": {
            "mode": "wall", "python_version": "3.12.1", "interval_s": 0.001, "samples_taken": int(total_s * 1000),
            "time_s": {"python": total_s}, "wait_s": {}, **tree(stacks), **(own or {}),
        },
    }
    made.update(more)
    return made


def written(folder, name, made):
    path = os.path.join(str(folder), name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as text:
        json.dump(made, text)
    return path


def run(scalene, *words, columns=200, prepare=None):
    environment = {**clean_environment(), "LC_ALL": "C.UTF-8", "COLUMNS": str(columns)}
    command = [scalene, "diff", *words]
    return subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, encoding="utf-8", check=False, preexec_fn=prepare
    )


def diff(scalene, folder, before, after, *words):
    """The JSON of `scalene diff` of two profiles, or two lists of them."""
    paths = []
    for side, profiles in (("before", before), ("after", after)):
        profiles = profiles if isinstance(profiles, list) else [profiles]
        paths += ["--"] if side == "after" else []
        paths += [written(folder, f"{side}{i}.json", made) for i, made in enumerate(profiles)]
    ended = run(scalene, "--json", *words, *paths)
    assert (ended.returncode, ended.stderr) == (0, "")
    return json.loads(ended.stdout)


def lines(made, key="time_s"):
    """text of the line (after, else before) -> its numbers, of lines that differ for certain in this number."""
    return {
        (line["after"] or line["before"])["source"]: line
        for line in made["lines"]
        if line["numbers"][key]["verdict"] == "certain"
    }


def functions(made, key="time_s"):
    return {(f["after"] or f["before"])["name"]: f for f in made["functions"] if f["numbers"][key]["verdict"] == "certain"}
