# tests/push/test_keep.py - what `scalene run --keep` leaves: pieces that add up to the profile, of no more than a size, shown by time.
#
# SPDX-License-Identifier: Apache-2.0
"""Pieces of made profiles, whose numbers are known, and of a run."""

import collections
import datetime
import json
import os
import re

import pytest
from receiver import Pusher, so_far, sums_of

from conftest import execute, write_program
from test_protobuf import pprof

NAME = re.compile(r"(\d{8}T\d{6}Z)-(\d{8}T\d{6}Z)-(\d+)\.pb\.gz")
MB = 1 << 20


def pieces_of(folder):
    """Their names in the order of time."""
    names = sorted(os.listdir(folder))
    assert all(NAME.fullmatch(name) for name in names), names
    return names


def values_of(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return pprof(file.read())[0]


def summed(folder):
    """value -> {stack: number} of all pieces; what is in use is the last one's."""
    sums = collections.defaultdict(lambda: collections.defaultdict(int))
    for name in pieces_of(folder):
        for value, stacks in values_of(folder, name).items():
            if value == "in_use_at_exit":
                sums[value] = stacks
            else:
                for stack, number in stacks.items():
                    sums[value][stack] += number
    return {value: dict(stacks) for value, stacks in sums.items()}


def moment(text):
    return datetime.datetime.strptime(text, "%Y%m%dT%H%M%SZ")


def test_pieces_add_up_to_the_profile_number_by_number(tmp_path):
    folder = str(tmp_path / "p.kept")
    keeper = Pusher(folder, str(100 * MB))
    for share in (1 / 7, 1 / 3, 2 / 3, 1):
        assert keeper.take(tmp_path, so_far(share)) == "taken"
    assert keeper.end() == "all sent"
    wanted = sums_of(so_far(1))
    wanted["in_use_at_exit"] = wanted.pop("in_use")
    assert summed(folder) == wanted
    names = pieces_of(folder)
    assert len(names) == 5, names  # what is in use at the end, too
    for before, after in zip(names, names[1:]):
        assert NAME.fullmatch(before).group(2) == NAME.fullmatch(after).group(1)
    assert os.stat(folder).st_mode & 0o777 == 0o700
    assert {os.stat(os.path.join(folder, name)).st_mode & 0o777 for name in names} == {0o600}


def test_the_oldest_go(tmp_path):
    folder = tmp_path / "p.kept"
    folder.mkdir()
    for day in range(10, 22):
        (folder / ("202001%dT000000Z-202001%dT000100Z-7.pb.gz" % (day, day))).write_bytes(b"x" * (100 << 10))
    (folder / "note.txt").write_bytes(b"x" * (4 << 20))
    keeper = Pusher(str(folder), str(MB))
    keeper.take(tmp_path, so_far(1))
    assert keeper.end() == "all sent"
    left = sorted(name for name in os.listdir(folder) if name != "note.txt")
    days = [name[6:8] for name in left if name.startswith("2020")]
    assert days == [str(day) for day in range(22 - len(days), 22)] and 8 <= len(days) <= 10, left
    assert len(left) == len(days) + 2 and (folder / "note.txt").exists()


def test_what_cannot_be_kept_is_said(tmp_path):
    folder = tmp_path / "p.kept"
    keeper = Pusher(str(folder), str(MB))
    keeper.take(tmp_path, so_far(1 / 2))
    for name in pieces_of(folder):
        os.remove(folder / name)
    folder.rmdir()
    keeper.take(tmp_path, so_far(1))
    assert re.fullmatch(r"2 of 3 pieces could not be kept, \d+\.\d s of the run, which only this profile has: .*No such file or directory.*", keeper.end())


# -------- shown --------

BLOCKS = """
keep = []
def first():
    keep.append(bytearray(64 << 20))
def second():
    keep.append(bytearray(32 << 20))
first()
second()
"""


def kept(scalene, folder, at, *words, zone="UTC"):
    words = [scalene, "view", "--json", "--at", at, *words, str(folder)]
    ended = execute(words, cwd=folder.parent, env={**os.environ, "TZ": zone})
    return ended


@pytest.fixture
def two_pieces(tmp_path):
    """03:00 to 03:01 with half of all, and 03:01 to 03:02 with the rest, of 2026-03-01, in UTC."""
    folder = tmp_path / "p.kept"
    keeper = Pusher(str(folder), str(100 * MB))
    keeper.take(tmp_path, so_far(1 / 2))
    keeper.take(tmp_path, so_far(1))
    keeper.end()
    for minute, name in enumerate(pieces_of(folder)):
        os.rename(folder / name, folder / ("20260301T03%02d00Z-20260301T03%02d00Z-7.pb.gz" % (minute, minute + 1)))
    return folder


def time_of(ended):
    return json.loads(ended.expect(0).stdout)["summary"]["elapsed_s"]


@pytest.mark.parametrize(
    "at, zone, span_s",
    [
        ("2026-03-01 03:00", "UTC", 60),
        ("2026-03-01T03:01:59", "UTC", 60),
        ("2026-03-01 05:00", "Etc/GMT-2", 60),
        ("2026-03-01 03:00Z", "Etc/GMT-2", 60),
        ("2026-03-01 03:00/2026-03-01 03:02", "UTC", 120),
    ],
)
def test_a_time_is_found(scalene, two_pieces, at, zone, span_s):
    assert time_of(kept(scalene, two_pieces, at, zone=zone)) == span_s


def test_a_profile_names_its_folder(scalene, two_pieces):
    ended = execute([scalene, "view", "--json", "--at", "2026-03-01 03:00Z", "p.json"], cwd=two_pieces.parent)
    assert time_of(ended) == 60


@pytest.mark.parametrize(
    "at, why",
    [
        ("2026-03-01 02:59:59Z", "has nothing of 2026-03-01 02:59:59: it begins at 2026-03-01 03:00:00 and ends at 2026-03-01 03:03:00"),
        ("2026-03-01 03:03Z", "has nothing of 2026-03-01 03:03:00"),
        ("03", "--at takes a time as 03:00"),
        ("03:00 or so", "--at takes a time as 03:00"),
        ("2026-03-01 03:02/2026-03-01 03:01", "ends before it begins"),
    ],
)
def test_other_times_are_refused(scalene, two_pieces, at, why):
    ended = kept(scalene, two_pieces, at)
    assert ended.status in (1, 2) and ended.stdout == "" and why in ended.stderr, ended.stderr


def test_a_damaged_piece_is_named(scalene, two_pieces):
    damaged = two_pieces / pieces_of(two_pieces)[0]
    damaged.write_bytes(damaged.read_bytes()[:-20])
    ended = kept(scalene, two_pieces, "2026-03-01 03:00Z")
    assert ended.status == 1 and damaged.name in ended.stderr and "damaged or cut off" in ended.stderr


def test_without_a_folder(scalene, tmp_path):
    ended = execute([scalene, "view", "--cli", "--at", "03:00"], cwd=tmp_path)
    assert ended.status == 1 and "'scalene run --keep 1GB program.py' makes one" in ended.stderr


# -------- a run --------


def test_a_run_is_kept(scalene, tmp_path):
    write_program(tmp_path, BLOCKS, "prog.py")
    execute([scalene, "run", "--keep", "10MB", "prog.py"], cwd=tmp_path).expect(0)
    folder = tmp_path / "scalene-profile.kept"
    (name,) = pieces_of(folder)
    begin, end, _ = NAME.fullmatch(name).groups()
    assert moment(begin) < moment(end)
    of_function = collections.defaultdict(int)
    for stack, number in values_of(folder, name)["allocated"].items():
        own = [name for name, file, _ in stack if file.endswith("prog.py")]
        of_function[own[-1] if own else ""] += number
    assert [of_function[name] // (16 * MB) for name in ("first", "second")] == [4, 2], of_function  # with small blocks, some of which are sampled


@pytest.mark.parametrize(
    "words, why",
    [
        (["--keep", "10"], "--keep takes a size of 1MB or more, as 500MB or 1GB, not '10'"),
        (["--keep", "1KB"], "--keep takes a size"),
        (["--keep", "-5MB"], "--keep takes a size"),
        (["--keep", "inf"], "--keep takes a size"),
        (["--keep", "5MBs"], "--keep takes a size"),
        (["--keep-interval", "5"], "--keep-interval goes with --keep SIZE"),
        (["--keep", "5MB", "-o", "/dev/null"], "--keep needs a profile that is a file"),
    ],
)
def test_sizes_that_are_none(scalene, tmp_path, words, why):
    write_program(tmp_path, "print(1)", "prog.py")
    ended = execute([scalene, "run", *words, "prog.py"], cwd=tmp_path)
    assert ended.status == (1 if "-o" in words else 2) and ended.stdout == "" and why in ended.stderr, ended.stderr


def test_a_folder_that_is_none(scalene, tmp_path):
    write_program(tmp_path, "print(1)", "prog.py")
    (tmp_path / "scalene-profile.kept").write_text("")
    ended = execute([scalene, "run", "--keep", "1GB", "prog.py"], cwd=tmp_path)
    assert ended.status == 1 and "nothing can be kept in" in ended.stderr and "Not a directory" in ended.stderr
