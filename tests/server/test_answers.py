# tests/server/test_answers.py - what the page is told, over HTTP.
#
# SPDX-License-Identifier: Apache-2.0
"""Every question has its answer, with the numbers of the profile."""

import json

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


def test_rows_come_in_pieces(server):
    whole = server.answer("api/file?file=0&mode=all")
    parts = []
    for first in range(0, whole["row_count"], 3):
        parts += server.answer(f"api/file?file=0&mode=all&first={first}&count=3")["rows"]
    assert parts == whole["rows"]


@pytest.mark.parametrize(
    ("question", "status"),
    (
        ("api/nothing", 404),
        ("api/file?file=99", 404),
        ("api/file", 400),
        ("api/file?file=0&mode=x", 400),
        ("api/file?file=0&count=2001", 400),
        ("api/functions?sort=x", 400),
        ("api/cost?file=0&line=0", 404),
        ("api/search", 400),
    ),
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
