# tests/server/test_answers.py - what the server answers the page over HTTP.
#
# SPDX-License-Identifier: Apache-2.0
"""Every question has its answer, with the numbers of the profile."""

import json
import os

import pytest
from serving import Elements, data, serve


def profile(name):
    with open(data(name), encoding="utf-8") as file:
        return json.load(file)


def test_the_page_is_three_files_that_name_no_others(server):
    markup = server.ask("")
    assert markup.status == 200
    assert markup.headers["Content-Type"] == "text/html; charset=utf-8"
    page = Elements()
    page.feed(markup.body.decode())
    assert [address for address in page.addresses() if not address.startswith("data:image/")] == ["app.css", "app.js"]
    script = server.ask("app.js")
    assert (script.status, script.headers["Content-Type"]) == (200, "text/javascript; charset=utf-8")
    style = server.ask("app.css")
    assert (style.status, style.headers["Content-Type"]) == (200, "text/css; charset=utf-8")


def test_the_overview_has_the_profiles_files(server):
    overview = server.answer("api/overview")
    files = profile("full")["files"]
    assert {file["name"] for file in overview["files"]} == set(files)
    for file in overview["files"]:
        assert file["line_count"] == len(files[file["name"]]["lines"])
        assert file["percent"] == pytest.approx(files[file["name"]]["percent_cpu_time"], rel=1e-6)
    shares = [file["percent"] for file in overview["files"]]
    assert shares == sorted(shares, reverse=True)
    assert overview["served"] is True
    assert overview["path"] == data("full")


@pytest.mark.parametrize("name", ("full", "cpu", "threads", "thin", "original", "old", "hostile", "empty"))
def test_every_question_is_answered_for_every_profile(scalene, name):
    with serve(scalene, data(name)) as server:
        overview = server.answer("api/overview")
        assert overview["foreign"] is (name in ("original", "old"))
        for number, file in enumerate(overview["files"]):
            for mode in ("hot", "functions", "all"):
                answer = server.answer(f"api/file?file={number}&mode={mode}")
                assert (answer["file"], answer["mode"]) == (number, mode)
                lines = sum(row.get("gap", 1) for row in answer["rows"])
                assert lines == file["line_count"] or answer["row_count"] > len(answer["rows"])
            functions = server.answer(f"api/functions?file={number}")
            assert functions["row_count"] == file["function_count"]
        every = server.answer("api/functions?file=all&sort=python")
        assert every["row_count"] == sum(file["function_count"] for file in overview["files"])
        for hot in overview["hot_lines"]:
            cost = server.answer(f"api/cost?file={hot['file']}&line={hot['lineno']}")
            assert cost["percent"] == pytest.approx(hot["percent"], abs=1e-3)
        server.answer("api/search?text=a")


def test_the_cells_of_a_line_are_those_of_the_profile(server):
    overview = server.answer("api/overview")
    for number, file in enumerate(overview["files"]):
        lines = {line["lineno"]: line for line in profile("full")["files"][file["name"]]["lines"]}
        for row in server.answer(f"api/file?file={number}&mode=all")["rows"]:
            line = lines[row["lineno"]]
            code = "".join(text for _style, text in row["code"])
            assert code == line["line"].rstrip().replace("\\u003c", "<").replace("\\u003e", ">").replace("\\u0026", "&")
            for column, key in (("python", "n_cpu_percent_python"), ("native", "n_cpu_percent_c")):
                assert row["cells"].get(column, 0) == pytest.approx(line[key] if line[key] >= 1 else 0, rel=1e-4)


def test_characters_that_turn_source_around_are_named(scalene, tmp_path):
    """A browser would show the line in another order than Python reads it in."""
    profiled = profile("cpu")
    hidden = "\u202e\u2066\u061c"
    for file in profiled["files"].values():
        for line in file["lines"]:
            line["line"] = "x = '\u05d0%s'  # \u2014\n" % hidden
    (_, file), *_ = profiled["files"].items()
    profiled["files"] = {"/tmp/\u202eyp.live.py": file}
    path = tmp_path / "turned.json"
    path.write_text(json.dumps(profiled), encoding="utf-8")
    shown = "x = '\u05d0<U+202E><U+2066><U+061C>'  # \u2014"
    with serve(scalene, str(path)) as server:
        row = server.answer("api/file?file=0&mode=all")["rows"][0]
        assert "".join(text for _style, text in row["code"]) == shown
        assert server.answer("api/overview")["hot_lines"][0]["text"] == shown
        assert server.answer("api/search?text=x%20%3D")["places"][0]["text"] == shown
        # and names: what is asked by them stays
        overview = server.answer("api/overview")
        assert (overview["files"][0]["name"], overview["files"][0]["short_name"]) == ("/tmp/\u202eyp.live.py", "/tmp/<U+202E>yp.live.py")
        assert overview["hot_lines"][0]["place"].startswith("/tmp/<U+202E>yp.live.py:")


@pytest.mark.parametrize(
    ("question", "status"),
    (("api/nothing", 404), ("api/file", 400), ("api/cost?file=0&line=0", 404)),
)
def test_what_cannot_be_answered_is_one_sentence(server, question, status):
    response = server.ask(question)
    assert response.status == status
    error = json.loads(response.body)
    assert list(error) == ["error"]
    assert error["error"] and "\n" not in error["error"]


def test_another_profile_can_be_loaded(server):
    with open(data("original"), "rb") as file:
        text = file.read()
    response = server.ask("api/load?name=theirs.json", "POST", text)
    assert response.status == 200
    overview = json.loads(response.body)
    assert overview["foreign"] is True
    assert overview["path"] == "theirs.json"
    assert server.answer("api/overview") == overview


@pytest.mark.parametrize("body", (b"", b"{", b"[]", b'{"files": 1}', b"\xff\xfe", b'{"files": {"a": null}}'))
def test_what_is_no_profile_is_refused_and_changes_nothing(server, body):
    before = server.answer("api/overview")
    response = server.ask("api/load", "POST", body)
    assert response.status == 400
    assert "not" in json.loads(response.body)["error"]
    assert server.answer("api/overview") == before


def on_disk(found, folder):
    """A profile as a file, its source files as files beside it; (path of the profile, paths of the sources)."""
    paths = []
    for name in list(found["files"]):
        paths.append(folder / f"source{len(paths)}.py")
        file = found["files"][str(paths[-1])] = found["files"].pop(name)
        # the profile has every '<' in another spelling
        text = "".join(line["line"] for line in file["lines"]).replace("\\u003c", "<")
        paths[-1].write_text(text, encoding="utf-8")
    path = folder / "profile.json"
    path.write_text(json.dumps(found), encoding="utf-8")
    return path, paths


def stale(server):
    """Names of files that the answer marks as stale; each also has a sentence that says so."""
    files = server.answer("api/overview")["files"]
    found = {file["name"] for file in files if file.get("stale")}
    assert found == {file["name"] for file in files if any("changed since the run" in text for text in file["warnings"])}
    return found


def test_a_file_that_was_changed_since_the_run_is_flagged(scalene, tmp_path):
    path, (first, *_) = on_disk(profile("full"), tmp_path)
    before = first.read_bytes()
    assert before.count(b"\n") > 5
    with serve(scalene, path) as server:
        assert stale(server) == set()
        number = [file["name"] for file in server.answer("api/overview")["files"]].index(str(first))
        recorded = server.answer(f"api/file?file={number}&mode=all")["rows"]
        lines = before.split(b"\n")
        for text, is_stale in (
            (before.replace(b"\n", b"\r\n"), False), (before + b"\n\n", False), (before + b"more = 1\n", True),
            (b"\n".join([lines[0], b"changed = 1", *lines[2:]]), True), (b"\n".join(lines[:3]), True), (b"", True), (before, False),
        ):
            first.write_bytes(text)
            assert stale(server) == ({str(first)} if is_stale else set()), text
        # the page is opened again: the text is the recorded one
        first.write_bytes(b"# other\n" + before)
        assert stale(server) == {str(first)}
        assert server.answer(f"api/file?file={number}&mode=all")["rows"] == recorded
        first.unlink()
        assert stale(server) == set()


@pytest.mark.parametrize("make", (os.mkfifo, lambda path: path.symlink_to("/dev/zero"), os.mkdir))
def test_what_is_no_regular_file_is_not_read(scalene, tmp_path, make):
    path, (first, *_) = on_disk(profile("full"), tmp_path)
    first.unlink()
    make(first)
    with serve(scalene, path) as server:
        assert stale(server) == set()


def test_letters_that_were_decoded_are_no_change(scalene, tmp_path):
    found = profile("full")
    name = next(iter(found["files"]))
    found["files"][name]["lines"][1]["line"] = "name = 'Zoë'\n"
    path, (first, *_) = on_disk(found, tmp_path)
    with serve(scalene, path) as server:
        first.write_bytes(first.read_text(encoding="utf-8").encode("latin-1", "replace"))
        assert stale(server) == set()
        first.write_bytes(first.read_bytes().replace(b"name = ", b"nom = "))
        assert stale(server) == {str(first)}
