# tests/diff/test_merge.py - `scalene merge`: which rank is slow, who waits for it, and all ranks as one profile.
#
# SPDX-License-Identifier: Apache-2.0
"""Ranks that are made by hand, so that who is slow is known; and some that have run."""

import json
import os
import subprocess

import invariants
import pytest
import whole
from made import PROGRAM, profile, written

from conftest import clean_environment, execute

SOURCE = '''
def work():
    step()
    other()
    data.read()
    comm.Barrier()
    save()
    time.sleep(1)
    loss.backward()
'''
COUNT = 8


def seconds(**kinds):
    """A line's seconds by kind."""
    return kinds


def rank(number, costs, count=COUNT):
    """costs: of parts of the lines' texts, seconds on a CPU or by kind."""
    costs = {part: cost if isinstance(cost, dict) else {"python": cost} for part, cost in costs.items()}
    sums = {part: sum(cost.values()) for part, cost in costs.items()}
    total_s = sum(sums.values())
    kinds = {kind: sum(cost.get(kind, 0.0) for cost in costs.values()) for kind in ("python", "native", "io", "sleep", "other_wait", "preempted_python")}
    labels = {"rank": str(number), "world_size": str(count), "host": "n%d" % (number // 4), "job": "7"}
    made = profile(SOURCE, sums, total_s, stacks=[(("<module>", "work"), total_s)], own={"time_s": kinds, "labels": labels, "version": "0.1.0"})
    for line in made["files"][PROGRAM]["lines"]:
        for part, cost in costs.items():
            if part in line["line"]:
                line["time_s"] = cost
    return made


def barrier(value):
    return seconds(other_wait=value)


def ranks(costs_of, count=COUNT):
    return [rank(number, costs_of(number), count) for number in range(count)]


class Merge:
    def __init__(self, scalene, folder):
        self.scalene, self.folder = scalene, folder

    def run(self, *words):
        environment = {**clean_environment(), "LC_ALL": "C.UTF-8", "COLUMNS": "160"}
        command = [self.scalene, "merge", *words]
        return subprocess.run(command, cwd=str(self.folder), env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, encoding="utf-8", check=False)

    def write(self, profiles):
        return [written(self.folder, "p%d.json" % number, made) for number, made in enumerate(profiles)]

    def __call__(self, profiles, *words):
        ended = self.run("--json", *words, *self.write(profiles))
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    def refused(self, profiles, *words):
        """The sentence that says why, with status 1."""
        ended = self.run(*words, *self.write(profiles))
        assert (ended.returncode, ended.stdout) == (1, "") and ended.stderr.startswith("scalene: merge: ")
        (line,) = ended.stderr.splitlines()
        return line


@pytest.fixture
def merge(scalene, tmp_path):
    return Merge(scalene, tmp_path)


def named(report):
    return [(one["rank"], one["source"]) for one in report["stragglers"]]


def slow(number, at="step", factor=2.0, wait=barrier):
    """Of ranks that work for 2 s: one is slower, and the others wait for it."""
    extra = 2.0 * (factor - 1)
    return lambda rank: {at: 2.0 + 0.01 * (rank % 3) + (extra if rank == number else 0.0), "Barrier": wait(0.01 if rank == number else extra)}


# -------- stragglers --------


@pytest.mark.parametrize("number", range(COUNT))
def test_a_straggler_is_named_with_its_line_and_who_waits(merge, number):
    report = merge(ranks(slow(number)))
    assert named(report) == [(str(number), "step()")]
    (straggler,) = report["stragglers"]
    assert straggler["file"] == "shop.py" and straggler["line"] == 2
    assert 1.95 < straggler["cost_s"] < 2.05 and straggler["cost_s"] <= straggler["more_s"] and straggler["error_s"] < 0.5
    (mirror,) = straggler["meanwhile"]
    assert mirror["source"] == "comm.Barrier()" and mirror["is_wait"] and mirror["others_s"] == 2.0 and mirror["seconds"] == 0.01


def test_a_barrier_that_spins_is_a_wait_by_its_name(merge):
    report = merge(ranks(slow(3, wait=lambda value: seconds(native=value))))
    assert named(report) == [("3", "step()")] and report["stragglers"][0]["meanwhile"][0]["is_wait"]


def test_a_collective_inside_of_other_work_is_found(merge):
    def costs(number):
        return {"step": 4.0 if number == 1 else 2.0, "backward": seconds(native=1.0 if number == 1 else 3.0)}

    report = merge(ranks(costs))
    assert named(report) == [("1", "step()")]
    (mirror,) = report["stragglers"][0]["meanwhile"]
    assert mirror["source"] == "loss.backward()" and not mirror["is_wait"]


def test_what_waits_in_the_kernel_is_a_wait_whatever_its_name(merge):
    report = merge(ranks(lambda number: {"step": 4.0 if number == 1 else 2.0, "backward": barrier(0.5 if number == 1 else 2.5)}))
    assert named(report) == [("1", "step()")] and report["stragglers"][0]["meanwhile"][0]["is_wait"]


@pytest.mark.parametrize("count", [2, 3, 4, 40])
def test_any_number_of_ranks(merge, count):
    assert named(merge(ranks(slow(1), count))) == [("1", "step()")]


@pytest.mark.parametrize("factor", [1.0, 1.005, 1.02])
def test_no_straggler_where_ranks_are_equal_within_the_error(merge, factor):
    report = merge(ranks(slow(5, factor=factor)))
    assert (named(report), report["uneven"]) == ([], [])
    assert "No straggler" in merge.run(*merge.write(ranks(slow(5, factor=factor)))).stdout


def test_ranks_that_differ_all_are_uneven_and_none_is_the_straggler(merge):
    report = merge(ranks(lambda number: {"step": 1.0 + 0.2 * number, "Barrier": barrier(1.4 - 0.2 * number + 0.01)}))
    assert named(report) == []
    (uneven,) = report["uneven"]
    assert (uneven["rank"], uneven["source"], uneven["most_s"], uneven["mean_s"]) == ("7", "step()", 2.4, 1.7)


def test_ranks_with_work_of_their_own_are_no_stragglers(merge):
    """One prepares what the others work at."""
    assert named(merge(ranks(lambda number: {"other": 4.0} if number == 0 else {"step": 4.0}))) == []
    assert named(merge(ranks(lambda number: {"other": 3.0, "step": 1.0} if number == 0 else {"step": 4.0}))) == []


def test_many_ranks_with_programs_of_their_own_take_no_time(merge):
    """200 programs of 40 lines, each of which one rank alone runs: of 8,000 lines none is another's mirror."""
    source = "".join("work%02d()\n" % i for i in range(40))
    costs = {"work%02d()" % i: 0.1 for i in range(40)}
    assert named(merge([profile(source, costs, 4.0, name="p%d.py" % number) for number in range(200)], "--by", "file")) == []


def test_what_one_rank_does_alone_while_others_wait_is_named(merge):
    report = merge(ranks(lambda number: {"step": 2.0, "save": 3.0} if number == 0 else {"step": 2.0, "Barrier": barrier(3.0)}))
    assert named(report) == [("0", "save()")]


def test_a_disk_that_is_slow_is_named_and_those_who_wait_are_not(merge):
    def costs(number):
        return {"step": 2.0, "read": seconds(io=3.0 if number == 4 else 0.5), "Barrier": barrier(0.01 if number == 4 else 2.5)}

    assert named(merge(ranks(costs))) == [("4", "data.read()")]


def test_of_two_that_wait_the_one_at_the_barrier_is_not_the_cause(merge):
    report = merge(ranks(lambda number: {"step": 2.0, "read": seconds(io=3.0 if number == 0 else 0.5), "Barrier": barrier(0.01 if number == 0 else 2.6)}, 2))
    assert named(report) == [("0", "data.read()")]


def test_a_sleep_of_its_own_is_work(merge):
    report = merge(ranks(lambda number: {"sleep": seconds(sleep=3.0 if number == 2 else 1.0), "backward": seconds(native=1.0 if number == 2 else 3.0)}))
    assert named(report) == [("2", "time.sleep(1)")]


def test_a_library_that_sleeps_until_others_come_is_waiting(merge):
    assert named(merge(ranks(lambda number: {"step": 2.0, "other": seconds(sleep=3.0 if number == 2 else 1.0)}))) == []


def test_the_master_that_waits_for_workers_is_no_straggler(merge):
    assert named(merge(ranks(lambda number: {"Barrier": barrier(4.0)} if number == 0 else {"step": 4.0}))) == []
    assert named(merge(ranks(lambda number: {"Barrier": barrier(3.0), "step": 1.0} if number == 0 else {"Barrier": barrier(0.5), "step": 3.5}))) == []


def test_a_rank_without_a_cpu_is_named_without_a_line(merge):
    def costs(number):
        return {"step": seconds(python=2.0, preempted_python=3.0 if number == 6 else 0.1)}

    report = merge(ranks(costs))
    assert named(report) == [("6", None)] and report["stragglers"][0]["line"] is None
    assert "rank 6 lacked a CPU" in merge.run(*merge.write(ranks(costs))).stdout


def test_the_terminal_says_it_in_sentences(merge):
    shown = merge.run(*merge.write(ranks(slow(5)))).stdout
    assert shown.startswith("8 ranks, 4.03 s elapsed.\n")
    assert "rank 5 is slow at shop.py:2: 4.02 s, the others 2.01 s (2.01 s more ±" in shown
    assert "meanwhile the others wait at shop.py:5: 2.00 s, 10 ms for it" in shown


# -------- which ranks --------


def test_missing_ranks_are_said(merge):
    made = ranks(slow(5))
    assert merge([made[i] for i in (0, 1, 2, 4, 6, 7)])["notes"] == ["Ranks 3 and 5 of 8 are missing."]
    assert merge(made[:7])["notes"] == ["Rank 7 of 8 is missing."]
    assert merge([rank(number, {"step": 2.0}, 4) for number in (0, 10)])["notes"] == ["Ranks 1, 2 and 3 of 4 are missing."]
    (note,) = merge([rank(2, {"step": 2.0}, 100)])["notes"]
    assert note.startswith("Ranks 0, 1, 3, ") and note.endswith(" and 87 more of 100 are missing.")


def test_ranks_are_in_order_of_their_numbers(merge):
    made = ranks(slow(5), 12)
    assert [one["rank"] for one in merge(made[::-1])["ranks"]] == [str(i) for i in range(12)]


def test_hosts_are_compared_by_the_mean_of_their_ranks(merge):
    made = ranks(lambda number: {"step": 4.0 if number // 4 == 1 else 2.0, "Barrier": barrier(0.01 if number // 4 == 1 else 2.0)})
    report = merge(made, "--by", "host")
    assert [(one["rank"], one["profiles"], one["elapsed_s"]) for one in report["ranks"]] == [("n0", 4, 4.0), ("n1", 4, 4.01)]
    assert named(report) == [("n1", "step()")]
    report = merge(ranks(lambda number: {"step": 2.0}, 6), "--by", "host")  # of 4 and 2 ranks
    assert (named(report), report["uneven"]) == ([], [])


def without(profiles, *names):
    for made in profiles:
        for name in names:
            del made["scalene_c"]["labels"][name]
    return profiles


def test_without_ranks_it_is_the_host_and_without_both_the_file(merge):
    made = without(ranks(slow(5)), "rank")
    assert merge([made[0], made[4]])["by"] == "host"
    assert merge(made[:2])["by"] == "file"  # of one host
    report = merge(without(ranks(slow(1), 3), "rank", "host"))
    assert report["by"] == "file" and [one["rank"][-7:] for one in report["ranks"]] == ["p0.json", "p1.json", "p2.json"]
    assert [(one[-7:], source) for one, source in named(report)] == [("p1.json", "step()")]


def test_any_label_tells_profiles_apart(merge):
    made = ranks(slow(5))
    for number, one in enumerate(made):
        one["scalene_c"]["labels"]["shard"] = "s%d" % number
    assert named(merge(made, "--by", "shard")) == [("s5", "step()")]


def test_a_file_that_is_given_twice_counts_once(merge):
    files = merge.write(ranks(slow(5), 2))
    ended = merge.run("--json", "--by", "host", *files, files[0])
    assert "p0.json' is given twice, and counts once" in ended.stderr
    assert json.loads(ended.stdout) == json.loads(merge.run("--json", "--by", "host", *files).stdout)


# -------- what does not fit --------


def test_bad_profiles_are_a_sentence_each(merge, tmp_path):
    made = ranks(slow(5), 2)
    assert "are both of rank 1" in merge.refused([*made, made[1]])
    assert "has no label 'shard'" in merge.refused(made, "--by=shard")
    assert "has no label 'rank'; --by file" in merge.refused([*made, *without(ranks(slow(5), 1), "rank")])
    assert "is not a profile" in merge.refused([*made, {"a": 1}])
    assert "No such file" in merge.refused(made, "missing.json")
    assert "there is no data" in merge.refused([{}, {}], "--by=file")
    foreign = profile(SOURCE, {"step": 2.0})
    del foreign["scalene_c"]
    assert "written by the original" in merge.refused([foreign, *made])
    (tmp_path / "empty").mkdir()
    assert "no profile (*.json) in 'empty'" in merge.refused(made, "empty")


def test_profiles_of_different_runs_are_noted(merge):
    made = ranks(slow(5), 3)
    made[1]["scalene_c"]["version"] = "0.0.9"
    made[2]["scalene_c"]["mode"] = "virtual"
    made[2]["scalene_c"]["labels"]["world_size"] = "4"
    made[0]["memory"] = True
    (line,) = [line for file in made[1]["files"].values() for line in file["lines"] if "save" in line["line"]]
    line["line"] = "    keep()\n"
    notes = " ".join(merge(made)["notes"])
    for part in ("Rank 3 of 4 is missing", "different numbers of ranks", "different versions", "time on a CPU alone", "Memory is that of 1 of 3", "different code, first seen in '%s'" % PROGRAM):
        assert part in notes


def test_an_empty_profile_is_noted(merge):
    made = ranks(slow(5), 4)
    made.append({"scalene_c": {"labels": {"rank": "4", "world_size": "5"}, "notes": ["x"]}})
    report = merge(made)
    assert "The profile of rank 4 is empty." in report["notes"] and len(report["ranks"]) == 5


def test_a_rank_without_a_profile_is_none_to_compare_with(merge):
    empty = {"scalene_c": {"labels": {"rank": "1", "world_size": "2"}, "notes": ["x"]}}
    alone = merge([*ranks(slow(0), 1), empty])
    assert not alone["stragglers"] and not alone["uneven"]
    two = merge(ranks(slow(1), 2))
    three = merge([*ranks(slow(1), 2), {"scalene_c": {"labels": {"rank": "2", "world_size": "2"}, "notes": ["x"]}}])
    assert three["stragglers"] == two["stragglers"] != [] and three["mean_busy_s"] == two["mean_busy_s"]


# -------- one profile of all --------


def test_the_sum_has_all_times_and_is_shown_in_every_view(scalene, merge, tmp_path):
    made = ranks(slow(5))
    ended = merge.run("-o", "all.json", *merge.write(made))
    assert ended.returncode == 0 and "scalene view" in ended.stderr
    with open(tmp_path / "all.json", encoding="utf-8") as text:
        sum_of = whole.complete(json.load(text))
    own = sum_of["scalene_c"]
    assert own["labels"] == {"job": "7", "ranks": "8", "world_size": "8"}
    line = sum_of["files"][PROGRAM]["lines"][1]
    step_s = [one["files"][PROGRAM]["lines"][1]["time_s"]["python"] for one in made]
    total_s = sum(sum(one["scalene_c"]["time_s"].values()) for one in made)
    assert line["time_s"]["python"] == pytest.approx(sum(step_s)) and sum(own["time_s"].values()) == pytest.approx(total_s)
    assert line["n_cpu_percent_python"] == pytest.approx(100 * sum(step_s) / total_s)
    assert sum(node[2] for node in own["call_tree"]) == pytest.approx(total_s) and len(own["call_tree"]) == 2
    assert own["call_tree_percent"] == pytest.approx(100)
    for words in (["view", "--cli"], ["view", "--tree"], ["view", "--json"], ["view", "--html", "-o", "a.html"], ["export", "-f", "pprof", "-o", "a.pb"]):
        assert execute([scalene, *words, "all.json"], cwd=tmp_path).status == 0
    assert "ranks=8" in execute([scalene, "view", "--cli", "all.json"], cwd=tmp_path).stdout.splitlines()[1]
    assert "of many ranks already" in merge.refused(made, "all.json")
    assert "is one of the profiles" in merge.refused(made, "-o", "p0.json")


def test_the_sum_goes_to_standard_output(merge):
    ended = merge.run("-o", "-", *merge.write(ranks(slow(5))))
    assert ended.returncode == 0 and json.loads(ended.stdout)["scalene_c"]["labels"]["ranks"] == "8"
    assert merge.refused(ranks(slow(5)), "-o", "./").startswith("scalene: merge: --outfile: './' is a directory")


def test_threads_that_are_too_many_are_one_by_that_name(merge):
    made = ranks(slow(5), 2)
    for one in made:
        one["scalene_c"]["threads"] = [{"name": "T%d" % number, "tid": 1 + number, "pid": 1, "cpu_s": 0.125} for number in range(600)]
    threads = json.loads(merge.run("-o", "-", *merge.write(made)).stdout)["scalene_c"]["threads"]
    assert [thread["name"] for thread in threads[-2:]] == ["rank 1: T398", "other threads"]
    assert len(threads) == 1000 and threads[-1]["cpu_s"] == 201 * 0.125


def test_a_sum_has_what_only_some_ranks_have_measured(merge):
    """Rank 0 coordinates, the others compute on a GPU; half of what they took in memory is in use at the end."""
    made = ranks(slow(5), 4)
    for number, one in enumerate(made):
        own = one["scalene_c"]
        one.update(memory=True, max_footprint_mb=30.0 + number * 10, max_footprint_python_fraction=0.5, growth_rate=50.0, gpu=number > 0)
        one["gpu_device"] = "NVIDIA" if number > 0 else ""
        own.update(allocated_mb=40.0, live_at_exit_mb=20.0)
        own["hidden_files"] = [{"name": "lib.py", "reason": "library", "percent": 20.0}, {"name": "%d.py" % number, "reason": "library", "percent": 4.0}]
        first = 50 + 10 * (number % 3)  # the last one's numbers are those of the first, in another container
        own["processes"] = [
            {"pid": first, "parent_pid": 4, "command": "python", "cpu_s": 1.0, "max_rss_mb": 1.0, "exit_kind": "exit", "exit_value": 0},
            {"pid": first + 1, "parent_pid": first, "command": "python worker", "cpu_s": 1.0, "max_rss_mb": 1.0, "exit_kind": "signal", "exit_value": 15},
        ]
        if number > 0:
            own["gpu_trace"] = "CUPTI 12.9"
            line = one["files"][PROGRAM]["lines"][1]
            assert "step" in line["line"]
            line["n_gpu_percent"] = 100.0
    ended = merge.run("-o", "all.json", *merge.write(made))
    assert ended.returncode == 0, ended.stderr
    with open(merge.folder / "all.json", encoding="utf-8") as text:
        sum_of = whole.complete(json.load(text))
    assert sum_of["gpu_device"] == "NVIDIA" and sum_of["scalene_c"]["gpu_trace"] == "CUPTI 12.9"
    seconds_of = [sum(one["files"][PROGRAM]["lines"][1]["time_s"].values()) for one in made]
    assert sum_of["files"][PROGRAM]["lines"][1]["n_gpu_percent"] == pytest.approx(100 * sum(seconds_of[1:]) / sum(seconds_of))
    assert sum_of["growth_rate"] == pytest.approx(50.0) and sum_of["max_footprint_python_fraction"] == pytest.approx(0.5)
    (library, *others) = sum_of["scalene_c"]["hidden_files"]
    assert library["name"] == "lib.py" and library["percent"] == pytest.approx(20.0)
    assert sum(one["percent"] for one in others) == pytest.approx(4.0) and len(others) == 4
    shown = execute([merge.scalene, "view", "--cli", "all.json"], cwd=merge.folder).stdout
    assert shown.count("stopped by its parent") == 3 and shown.count("ended by signal 15") == 1


def test_the_sum_of_ranks_that_have_run_agrees_with_itself(scalene, merge, tmp_path):
    (tmp_path / "prog.py").write_text("kept = []\nfor i in range(200):\n    kept.append(bytearray(100000))\n    sum(k * k for k in range(3000))\n")
    (tmp_path / "ranks").mkdir()
    for number in range(2):
        environment = {"RANK": str(number), "WORLD_SIZE": "2"}
        execute([scalene, "run", "-o", "ranks/p", "prog.py"], cwd=tmp_path, env=environment).expect(0)
    assert sorted(os.listdir(tmp_path / "ranks")) == ["p-rank0.json", "p-rank1.json"]
    execute([scalene, "merge", "-o", "all.json", "ranks"], cwd=tmp_path).expect(0)  # which checks the sum, too
    with open(tmp_path / "all.json", encoding="utf-8") as text:
        made = json.load(text)
    invariants.check(whole.complete(made))
    assert made["memory"] and len(made["scalene_c"]["threads"]) == 2
