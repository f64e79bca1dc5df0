# tests/history/test_git_commit.py - the profile has the commit of the program's folder, and git is not run for that.
#
# SPDX-License-Identifier: Apache-2.0
"""Repositories of all forms that git itself makes."""

import json
import os
import subprocess

import pytest
from conftest import clean_environment, execute

IDENTITY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always")


def git(folder, *words):
    environment = {**clean_environment(), "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(["git", *IDENTITY, *words], cwd=folder, env=environment, check=True, capture_output=True, encoding="utf-8").stdout.strip()


def committed(folder):
    """A repository with a program in a folder of it."""
    (folder / "shop").mkdir(parents=True)
    (folder / "shop" / "prog.py").write_text("print()\n")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    return folder


def packed(folder):
    git(folder, "branch", "mai")  # the name of another is the beginning of this one's
    git(folder, "pack-refs", "--all")
    return folder


def detached(folder):
    git(folder, "checkout", "-q", "--detach")
    return folder


def worktree(folder):
    git(folder, "worktree", "add", "-q", "-b", "topic/two", "../other")
    (folder.parent / "other" / "new.txt").write_text("")
    git(folder.parent / "other", "add", "-A")
    git(folder.parent / "other", "commit", "-qm", "two")
    return folder.parent / "other"


def submodule(folder):
    outer = folder.parent / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "submodule", "--quiet", "add", str(folder), "inner")
    return outer / "inner"


def commit_of(scalene, folder):
    environment = {**clean_environment(), "PATH": "/nonexistent"}  # where git is not
    execute([scalene, "run", "--python", "/usr/bin/python3", "-o", "p.json", os.path.join("shop", "prog.py")], cwd=str(folder), env=environment).expect(0)
    return json.loads((folder / "p.json").read_text())["scalene_c"].get("labels", {}).get("commit")


@pytest.mark.parametrize("made", [lambda folder: folder, packed, detached, worktree, submodule], ids=["branch", "packed", "detached", "worktree", "submodule"])
def test_the_commit_that_is_checked_out(scalene, tmp_path, made):
    folder = made(committed(tmp_path / "repository"))
    commit = git(folder, "rev-parse", "HEAD")
    assert len(commit) == 40 and commit_of(scalene, folder) == commit


@pytest.mark.parametrize(
    "head, references",
    [
        ("ref: refs/heads/none\n", {}),  # before the first commit
        ("ref: refs/heads/main\n", {"refs/heads/main": "no commit\n"}),
        ("ref: refs/heads/../../../secret\n", {"../secret": 40 * "a" + "\n"}),
        ("ref: refs/heads/a\n", {"refs/heads/a": "ref: refs/heads/a\n"}),
        ("", {}),
        (40 * "A" + "\n", {}),
    ],
)
def test_what_names_no_commit_is_none(scalene, tmp_path, head, references):
    folder = committed(tmp_path / "repository")
    (folder / ".git" / "HEAD").write_text(head)
    for name, text in references.items():
        (folder / ".git" / name).write_text(text)
    assert commit_of(scalene, folder) is None


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(scalene, tmp_path):
    folder = committed(tmp_path / "repository")
    os.unlink(folder / ".git" / "HEAD")
    os.mkfifo(folder / ".git" / "HEAD")
    assert commit_of(scalene, folder) is None


def test_a_program_in_no_repository(scalene, tmp_path):
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "prog.py").write_text("print()\n")
    assert commit_of(scalene, tmp_path) is None
