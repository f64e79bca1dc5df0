# tests/cli/test_ranks.py - runs of many ranks: the labels of their profiles, and the names of the files.
#
# SPDX-License-Identifier: Apache-2.0
"""Ranks of torchrun, MPI and Slurm, `--label`, and `-o` with places to fill."""

import concurrent.futures
import json
import os
import socket

import pytest

import command_line
from command_line import one_line

line = command_line.line

BUSY = "import time\nwhile time.process_time() < 0.2:\n    sum(range(1000))\n"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def rank(number, size=4):
    return {"RANK": str(number), "LOCAL_RANK": str(number), "WORLD_SIZE": str(size)}


@pytest.fixture
def run(line):
    """Runs a short program, in an environment."""
    line.write("prog.py", BUSY)

    def run(*options, env=None):
        return line("run", "--cpu-only", "--profile-all", *options, "prog.py", env=env)

    return run


def labels(line, name="scalene-profile.json"):
    with open(os.path.join(str(line.directory), name), encoding="utf-8") as text:
        return json.load(text)["scalene_c"]["labels"]


def profiles(line):
    return sorted(name for name in os.listdir(str(line.directory)) if name.endswith(".json"))


@pytest.mark.parametrize("options, names", [((), "scalene-profile-rank%d.json"), (("-o", "p.json"), "p-rank%d.json"), (("-o", "p-{rank}"), "p-%d.json")])
def test_ranks_that_run_at_once_leave_a_profile_each(line, run, options, names):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for ended in pool.map(lambda number: run(*options, env=rank(number)), range(4)):
            ended.expect(0)
    assert profiles(line) == [names % number for number in range(4)]
    assert [labels(line, names % number)["rank"] for number in range(4)] == list("0123")


def test_the_lines_at_the_end_name_the_file(run):
    assert "scalene view --cli" in run(env=rank(2)).stderr and "scalene-profile-rank2.json\n" in run(env=rank(2)).stderr


@pytest.mark.parametrize("env", [{}, rank(0, 1), {"SLURM_PROCID": "0", "SLURM_NTASKS": "8"}])
def test_a_run_that_is_alone_keeps_the_name(line, run, env):
    run(env=env).expect(0)
    assert profiles(line) == ["scalene-profile.json"]


def test_labels_are_kept_with_the_profile(line, run):
    line.write(".git/HEAD", COMMIT + "\n")
    run("--label", "data=big, bigger", "--label=shard=7", env={**rank(3, 8), "SLURM_JOB_ID": "4711"}).expect(0)
    known = labels(line, "scalene-profile-rank3.json")
    known.pop("container", None)  # of the machine that runs the tests
    assert known == {
        "commit": COMMIT, "data": "big, bigger", "host": socket.gethostname(), "job": "4711", "local_rank": "3", "rank": "3", "shard": "7",
        "world_size": "8",
    }
    shown = line("view", "--cli", "scalene-profile-rank3.json").expect(0).stdout.splitlines()
    assert shown[1] == "rank 3 of 8 on %s, job 4711, data=big, bigger, shard=7" % socket.gethostname()
    report = json.loads(line("view", "--json", "scalene-profile-rank3.json").expect(0).stdout)
    assert report["summary"]["labels"]["data"] == "big, bigger"


def test_without_rank_or_label_there_is_no_line(line, run):
    run().expect(0)
    assert set(labels(line)) - {"container"} == {"host"}
    shown = line("view", "--cli").expect(0).stdout.splitlines()
    assert not any(row.startswith(("rank", "on ")) for row in shown), shown


def test_a_label_of_the_user_wins(line, run):
    run("--label", "rank=5", "--label", "rank=6", "-o", "{rank}-{x}", "--label=x=a/b", env=rank(3)).expect(0)
    assert profiles(line) == ["6-a_b.json"]
    assert labels(line, "6-a_b.json")["rank"] == "6"


def test_labels_may_stand_in_the_file_of_options(line, run):
    line.write("c.yaml", "label: [a=1, b=2]\n")
    run("-c", "c.yaml").expect(0)
    assert {"a": "1", "b": "2"}.items() <= labels(line).items()


def test_other_variables_stay_out_of_the_profile(line, run):
    run(env={"API_KEY": "tell-nobody-1", "RANK_KEY": "tell-nobody-2", "RANK": "tell-nobody-3"}).expect(0)
    with open(os.path.join(str(line.directory), "scalene-profile.json"), encoding="utf-8") as text:
        assert "tell-nobody" not in text.read()


@pytest.mark.parametrize(
    "options, words",
    [
        (("-o", "p-{rank}.json"), "this run has no {rank}; it has {host} "),
        (("-o", "p-{rang}.json", "--label", "x=1"), "no {rang}; it has {host} {x} {pid} {time}"), (("-o", "p-{pid.json"), "a { has no }"),
        (("--label", "x"), "not KEY=VALUE"), (("--label", "a b=1"), "not KEY=VALUE"), (("--label", "ranks=8"), "take another name"),
        (("--label", "profiles=8"), "take another name"), (("--label", "x=" + "y" * 201), "at most"),
        (tuple("--label=x%d=1" % i for i in range(33)), "more than 32"),
    ],
)
def test_mistakes_are_said_before_the_program_starts(line, run, options, words):
    ended = run(*options)
    assert ended.status == 2 and ended.stdout == ""
    said = one_line(ended).replace("{container} ", "")
    assert words in said


def test_places_are_filled(line, run):
    run("-o", "{host}-{{{job}}}-{x}", "--label", "x=1", env={"SLURM_JOB_ID": "77"}).expect(0)
    assert profiles(line) == ["%s-{77}-1.json" % socket.gethostname()]
    run("-o", "p-{pid}-{time}").expect(0)
    (name,) = [name for name in profiles(line) if name.startswith("p-")]
    assert name[2:-5].replace("-", "").replace("T", "").isdigit()


def test_commands_that_run_a_program_find_its_profile(line):
    line.write("prog.py", BUSY)
    line("top", "-b", "-o", "{kept}.json", "prog.py", env=rank(1)).expect(0)
    assert profiles(line) == ["{kept}.json"]
    compared = line("compare", "-n", "1", "-p", "1", "--json", "--", "prog.py", "--", "prog.py", env=rank(1)).expect(0)
    assert json.loads(compared.stdout)["profiles"]["numbers"]["time_s"]["before"] is not None
