# tests/import/test_text.py - collapsed stacks of py-spy, austin, Tachyon and others.
#
# SPDX-License-Identifier: Apache-2.0
"""Texts of collapsed stacks: the profile has the counts of the file."""

import gzip
import json
import os
import re
import zlib
import subprocess

import pytest

from importing import DATA, importer, lines, near, own, seconds

__all__ = ["importer"]


def stacks_of(name):
    """(frames, last number) of each line."""
    with open(os.path.join(DATA, name), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                stack, _, number = line.strip().rpartition(" ")
                yield stack.split(";"), number


def test_counts_of_pyspy_stand_in_lines_and_threads(importer):
    profile = importer.stored("pyspy.txt")
    stacks = list(stacks_of("pyspy.txt"))
    own_lines = {}
    for frames, count in stacks:
        inside = [re.search(r"\(prog\.py:(\d+)\)", frame) for frame in frames]
        innermost = [int(place.group(1)) for place in inside if place]
        if innermost:
            own_lines[innermost[-1]] = own_lines.get(innermost[-1], 0) + int(count)
    assert profile["scalene_c"]["samples_taken"] == sum(int(count) for _, count in stacks)
    assert lines(profile, "prog.py") == {line: near(count / 100) for line, count in own_lines.items()}
    assert {thread["name"] for thread in profile["scalene_c"]["threads"]} >= {"helper", "MainThread"}
    assert any("10 ms are assumed" in note for note in profile["scalene_c"]["notes"])


def test_pyspy_names_a_process_behind_its_parents(importer):
    parent = 'process 10:"python -c x=\'\\"\';main()";'
    child = 'process %d:"python -c from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=5)";thread (%d): MainThread;f (a.py:3) 50\n'
    importer.write("a", parent + child % (11, 11) + parent + child % (12, 12) + parent + "thread (10): MainThread;g (a.py:5) 25\n" + parent[:-1] + " 5\n")
    profile = importer("a")
    threads = {(thread["pid"], thread["tid"]): sum(thread["time_s"].values()) for thread in profile["scalene_c"]["threads"]}
    assert threads == {(10, 10): near(0.25), (11, 11): near(0.5), (12, 12): near(0.5), (10, 0): near(0.05)} and profile["elapsed_time_sec"] == near(0.5)
    assert {function for name in profile["files"] for function in own(profile, os.path.basename(name))} == {"f", "g", "(no_stack)"}


def test_threads_of_pyspy_may_have_numbers_of_python(importer):
    importer.write("a", "thread (0x7F11): MainThread;f (a.py:3) 50\nthread (0x7F22): w;f (a.py:3) 20\nT5x;f (a.py:3) 10\n")
    threads = importer("a")["scalene_c"]["threads"]
    assert {(thread["tid"], thread["name"]) for thread in threads} == {(0x7F11, "MainThread"), (0x7F22, "w"), (0, "thread 0")}


def test_native_code_without_a_name_is_native(importer):
    """As `scalene export` writes it; its time stands at the line that has called it."""
    importer.write("a", "main (prog.py:39);dumps (json.so);json.so+0x5d80 30\nmain (prog.py:40);[kernel] 50\nmain (prog.py:40);0x5d80 20\n")
    profile = importer("a", "--interval", "1")
    assert profile["scalene_c"]["time_s"] == {"native": near(30), "kernel": near(50), "python": near(20)}
    assert lines(profile, "prog.py") == {39: near(30), 40: near(50)}


def test_functions_begin_where_the_source_says(importer):
    profile = importer.stored("pyspy.txt")
    (file,) = [content for name, content in profile["files"].items() if name.endswith("prog.py")]
    begins = {function["line"]: function["lineno"] for function in file["functions"]}
    assert begins["leaf"] == 6 and begins["Work.method"] == 18 and begins["main"] == 32
    assert file["lines"][8]["line"] == "        total += i * i\n"


def test_a_run_can_be_told_its_interval(importer):
    once = importer.stored("pyspy.txt")
    twice = importer("--interval", "0.02", "pyspy.txt")
    assert seconds(twice) == near(2 * seconds(once))
    assert not any("assumed" in note for note in twice["scalene_c"]["notes"])


def test_austin_has_microseconds_and_the_time_that_passed(importer):
    profile = importer.stored("austin.txt")
    assert seconds(profile) == near(sum(int(number) for _, number in stacks_of("austin.txt")) / 1e6)
    with open(os.path.join(DATA, "austin.txt"), encoding="utf-8") as file:
        assert profile["elapsed_time_sec"] == near(int(re.search(r"# duration: (\d+)", file.read()).group(1)) / 1e6)
    assert set(own(profile, "prog.py")) >= {"leaf", "main", "until"}


def test_austin_in_full_has_memory_and_waiting_too(importer):
    profile = importer.stored("austin-full.txt")
    numbers = [[int(part) for part in number.split(",")] for _, number in stacks_of("austin-full.txt")]
    assert seconds(profile) == near(sum(number[0] for number in numbers) / 1e6)
    assert profile["scalene_c"]["time_s"]["other_wait"] == near(sum(number[0] for number in numbers if number[1]) / 1e6)
    assert profile["scalene_c"]["allocated_mb"] == pytest.approx(sum(max(number[2], 0) for number in numbers) / 2**20)


def test_what_austin_saw_grow_and_shrink_is_no_peak(importer):
    importer.write("a", "# mode: memory\n" + "P1;T0:2;/h/a.py:f:1 10485760\nP1;T0:2;/h/a.py:f:1 -10485760\n" * 3)
    profile = importer("a")
    assert (profile["scalene_c"]["allocated_mb"], profile["max_footprint_mb"]) == (30, 0)
    assert any("the peak, is not known" in note for note in profile["scalene_c"]["notes"])


def test_tachyon_counts_milliseconds(importer):
    profile = importer.stored("tachyon.collapsed")
    assert seconds(profile) == near(sum(int(number) for _, number in stacks_of("tachyon.collapsed")) / 1000)
    assert own(profile, "prog.py")["leaf"] > 0


def test_stacks_without_files_have_functions(importer):
    importer.write("perf.txt", "main;work;malloc 3\nmain;work 1\n\nmain 2\n")
    profile = importer("perf.txt")
    assert own(profile, "<no file>") == {"main": near(0.02), "work": near(0.01), "malloc": near(0.03)}


def test_stacks_of_one_frame_each_are_known_by_their_files(importer):
    importer.write("flat.txt", "<module> (a.py:2) 50\n<module> (a.py:3) 20\n")
    assert lines(importer("flat.txt"), "a.py") == {2: near(0.5), 3: near(0.2)}


def test_several_files_are_several_processes(importer):
    for name in ("w1.txt", "w2.txt"):
        importer.write(name, b"main;work 1000\n")
    profile = importer("w1.txt", "w2.txt")
    assert seconds(profile) == near(20) and profile["elapsed_time_sec"] == near(10)
    assert len(profile["scalene_c"]["threads"]) == 2


def test_several_files_become_one_profile(importer):
    importer.write("a", "main;one 3\n")
    importer.write("b", "main;two 4\n")
    assert seconds(importer("a", "b")) == near(0.07)


def test_compressed_text_is_read(importer):
    importer.write("a.gz", gzip.compress(b"main;one 3\n"))
    assert seconds(importer("a.gz")) == near(0.03)
    importer.write("b.gz", gzip.compress(b"main;one 3\n") + gzip.compress(b"main;two 9\n") + bytes(100))
    assert seconds(importer("b.gz")) == near(0.12)
    for wrong in (gzip.compress(b"main;one 3\n" * 50)[:-9], gzip.compress(b"main;one 3\n") + b"main;two 9\n"):
        assert "damaged" in importer.refuses(wrong)
    packer = zlib.compressobj(1, wbits=31)
    whole = b"".join(packer.compress(bytes(1 << 20)) for _ in range(257)) + packer.flush()
    assert "256 MB" in importer.refuses(whole)


def test_files_that_are_not_here_are_shown_by_their_numbers(importer):
    importer.write("a", "<module> (gone.py:7);run (gone.py:3);get (threading.py:12) 2\nrun (C:\\a\\b.py:2) 1\n")
    profile = importer("a")
    assert lines(profile, "gone.py") == {3: near(0.02)}
    assert [name for name in profile["files"] if name.endswith("/C:/a/b.py")]


def test_a_short_text_makes_no_millions_of_lines(importer):
    importer.write("a", "".join("main (/gone/p%d.py:9000);run (/gone/p%d.py:3) 1\n" % (i, i) for i in range(50)))
    shown = importer.line("view", "--cli", "--all-lines", "a").expect(0).stdout
    assert 9000 <= shown.count("\n") <= 102000  # of 450,000


def test_no_text_of_another_file_is_brought_in(importer):
    importer.write("secret", "hush\n")
    importer.write("a", "run (%s/secret:1);own (prog.py:9) 2\n" % importer.directory)
    profile = importer("a")
    assert "hush" not in str(profile)


def test_the_profile_stands_beside_the_file(importer):
    importer.write("a.txt", "main;one 3\n")
    assert "a.txt.scalene.json" in importer.line("import", "a.txt").expect(0).stdout
    assert "one" in importer.line("view", "--cli", "a.txt.scalene.json").expect(0).stdout


def test_the_profile_goes_to_standard_output(importer):
    importer.write("a.txt", "main;one 3\n")
    before = sorted(os.listdir(str(importer.directory)))
    profile = json.loads(importer.line("import", "-o", "-", "a.txt").expect(0).stdout)
    assert seconds(profile) == near(0.03) and sorted(os.listdir(str(importer.directory))) == before


def test_a_file_that_is_read_is_not_replaced(importer):
    path = importer.write("a.txt", "main;one 3\n")
    importer.write("a.txt.scalene.json", "main;two 3\n")
    os.symlink("a.txt", os.path.join(str(importer.directory), "link"))
    for words in (["-o", "a.txt", "a.txt"], ["-o", "link", "a.txt"], ["a.txt", "a.txt.scalene.json"]):
        assert "is one of the files to read" in importer.refused(*words)
    with open(path, encoding="utf-8") as file:
        assert file.read() == "main;one 3\n"


def test_what_is_open_has_its_profile_here(importer):
    importer.write("a.txt", "main;one 3\n")
    with open(os.path.join(str(importer.directory), "a.txt"), "rb") as file:
        ended = subprocess.run([importer.scalene, "import", "/dev/stdin"], stdin=file, cwd=str(importer.directory), stdout=subprocess.PIPE, check=True, encoding="utf-8")
    assert "Profile saved to: imported.scalene.json\n" in ended.stdout


def test_names_of_files_are_shown_safely(importer):
    importer.write("a\x1b[31m\u202e", "main;one 3\n")
    shown = importer.line("import", "a\x1b[31m\u202e").expect(0).stdout
    assert shown.startswith("Profile saved to: a<U+001B>[31m<U+202E>.scalene.json\n") and "\x1b" not in shown


def test_view_shows_such_a_file_itself(importer):
    importer.stored("pyspy.txt")
    ended = importer.line("view", "--cli", "pyspy.txt").expect(0)
    assert ended.stderr == "scalene: 'pyspy.txt' is read as collapsed stacks (scalene import)\n"
    assert "total += i * i" in ended.stdout
    importer.write("broken", "a;b 1\n" * 30 + "a;b\n")
    assert "it looks like collapsed stacks, but line 31" in importer.line("view", "--cli", "broken").expect(1).stderr
    importer.line("view", "-o", "page.html", "pyspy.txt").expect(0)
    with open(os.path.join(str(importer.directory), "page.html"), encoding="utf-8") as page:
        assert "total += i * i" in page.read()
    importer.write("words", "hello 5\n")
    assert "not a profile: not JSON" in importer.line("view", "--cli", "words").expect(1).stderr


@pytest.mark.parametrize(
    "content, said",
    [
        (b"", "it is empty"), (b"hello\n", "no format that is known"), (b"a;b 9223372036854775808\n", "no format that is known"),
        (b"a;b 1\n" * 30 + b"a;b 9223372036854775808\n", "line 31: it does not end in a count below 2^63"),
        (b"a;b 9000000000000000000\n", "out of range"), (b"a;b -3\n", "it does not end in a count"),
        (b"a;b nan\n", "no format that is known"), (b"a;b 0\n", "no stack that cost something"),
        (b"a;b 1\n" * 30 + b"a;" * 10001 + b"b 1\n", "more than 10000 frames"), (b"\x00" * 100, "no format that is known"),
    ],
)
def test_what_is_no_such_text_is_refused(importer, content, said):
    assert said in importer.refuses(content)


def test_names_may_be_of_any_bytes(importer):
    importer.write("a", b"\xff\xfe (\x80.py:3);\x1b[31m;caf\xc3\xa9 (prog.py:9) 3\n;; 2\n")
    assert seconds(importer("a")) == near(0.05)
    assert "\x1b[31m" not in importer.line("view", "--cli", "--all-lines", "a").expect(0).stdout


def test_what_is_no_file_is_refused_at_once(importer):
    os.mkfifo(os.path.join(str(importer.directory), "pipe"))
    assert "is no regular file" in importer.refused("pipe")
    assert "is no regular file" in importer.refused(".")
    assert "No such file" in importer.refused("none")
    with open(importer.write("long", b"a"), "r+b") as file:
        file.truncate(1 << 30)
    assert "longer than" in importer.refused("long") or "larger than" in importer.refused("long")


def test_wrong_words_are_refused(importer):
    assert "name the files" in importer.line("import").expect(2).stderr
    assert "there is no format 'x'; those that are read are " in importer.line("import", "--format", "x", "f").expect(2).stderr
