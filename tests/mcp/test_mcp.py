# tests/mcp/test_mcp.py - `scalene mcp`: what a coding agent may ask, and what it is refused.
#
# SPDX-License-Identifier: Apache-2.0
"""The server for coding agents."""

import json
import os
import queue
import shutil
import signal
import subprocess
import threading
import time

import pytest

from conftest import has_ended, until

LIMIT_S = 300  # against what hangs
PROGRAM = """
import sys, time
print("said", sys.argv[1:])
kept = bytearray(20 << 20)
end = time.process_time() + 0.1
while time.process_time() < end:
    sum(range(1000))
sys.exit(int(sys.argv[1]) if sys.argv[1:] else 0)
"""
SLEEPER = """
import os, time
with open("pid.new", "w") as file:
    file.write(str(os.getpid()))
os.rename("pid.new", "pid")
time.sleep(600)
"""
TOOLS = {"run", "view", "explain", "diff", "measure"}


class Client:
    """One session. Answers are read by a thread, so that a test can wait for one with a limit."""

    def __init__(self, scalene, root, *options):
        self.process = subprocess.Popen(
            [scalene, "mcp", *options],
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.answers = queue.Queue()
        self.ids = 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.answers.put(json.loads(line))
        self.answers.put(None)

    def send_text(self, text):
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def send(self, method, **message):
        self.send_text(json.dumps({"jsonrpc": "2.0", "method": method, **message}) + "\n")

    def begin(self, method, **parameters):
        self.ids += 1
        self.send(method, id=self.ids, params=parameters)
        return self.ids

    def next(self):
        return self.answers.get(timeout=LIMIT_S)

    def ask(self, method, **parameters):
        number = self.begin(method, **parameters)
        answer = self.next()
        assert answer["id"] == number, answer
        return answer

    def call(self, tool, **arguments):
        """(whether it is an error, the text of the answer)."""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        (content,) = result["content"]
        return result["isError"], content["text"]

    def good(self, tool, **arguments):
        is_error, text = self.call(tool, **arguments)
        assert not is_error, text
        return json.loads(text)

    def refused(self, tool, **arguments):
        is_error, text = self.call(tool, **arguments)
        assert is_error, text
        return text

    def end(self):
        self.process.stdin.close()
        return self.process.wait(LIMIT_S)


@pytest.fixture
def client(scalene, tmp_path):
    clients = []

    def start(*options, root=tmp_path):
        clients.append(Client(scalene, root, *options))
        return clients[-1]

    (tmp_path / "prog.py").write_text(PROGRAM)
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    yield start
    for one in clients:
        one.process.terminate()  # so that it ends what it runs
        try:
            one.process.wait(LIMIT_S)
        finally:
            one.process.kill()


def pid_of_sleeper(folder):
    until((folder / "pid").exists)
    return int((folder / "pid").read_text())


def test_greeting_and_tools(client):
    server = client()
    for asked, spoken in (("2025-03-26", "2025-03-26"), ("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-06-18"), (7, "2025-06-18")):
        result = server.ask("initialize", protocolVersion=asked, capabilities={})["result"]
        assert result["protocolVersion"] == spoken and result["serverInfo"]["name"] == "scalene" and "tools" in result["capabilities"]
    server.send("notifications/initialized")
    tools = server.ask("tools/list")["result"]["tools"]
    assert {tool["name"] for tool in tools} == TOOLS
    for tool in tools:
        schema = tool["inputSchema"]
        assert schema["type"] == "object" and set(schema.get("required", ())) <= set(schema["properties"])
    assert server.ask("ping")["result"] == {}
    assert server.ask("resources/list")["error"]["code"] == -32601
    assert server.end() == 0


def test_run_view_explain_and_diff(client, tmp_path):
    server = client("--allow", "prog.py")
    answer = server.good("run", program=["prog.py", "3", "--quiet"], name="one", limit=5)
    assert answer["ending"] == "exit status 3" and "said ['3', '--quiet']" in answer["output"]
    assert answer["profile_file"] == "scalene-one.json" and (tmp_path / "scalene-one.json").exists()
    assert answer["profile"]["summary"]["ending"] == "exit status 3"
    assert {line["file"] for line in answer["profile"]["lines"][:2]} == {"prog.py"}  # without the root's path
    assert server.good("view", profile="scalene-one.json")["lines"][0]["file"] == "prog.py"
    line = server.good("explain", file="prog.py", line=4, profile="scalene-one.json")
    assert {"line": 4, "text": "kept = bytearray(20 << 20)"} == {key: line["source"][3][key] for key in ("line", "text")}
    assert round(line["cost"]["allocated_mb"]) == 20  # small blocks of the line may be sampled, too
    same = server.good("diff", before="scalene-one.json", after="scalene-one.json")
    assert same["format"] and "lines" in same


def test_what_did_not_run_leaves_no_profile(client, tmp_path):
    """That of a run before is not taken for it, and stays."""
    server = client("--allow", "*")
    assert server.refused("view") == "there is no 'scalene-profile.json' in '%s'" % tmp_path
    (tmp_path / "scalene-profile.json").write_text("{}")
    text = server.refused("run", program=["not-there.py"])
    assert "not-there.py" in text and json.loads(text)["profile"] == "there is none"
    assert (tmp_path / "scalene-profile.json").read_text() == "{}"


def test_a_profile_replaces_what_can_be_replaced(client, tmp_path):
    """A link is replaced, not followed; with a folder of its name nothing is run."""
    kept = tmp_path / "kept"
    kept.write_text("kept")
    (tmp_path / "scalene-link.json").symlink_to(kept)
    (tmp_path / "scalene-folder.json").mkdir()
    server = client("--allow", "prog.py")
    server.good("run", program=["prog.py"], name="link")
    assert kept.read_text() == "kept" and not (tmp_path / "scalene-link.json").is_symlink()
    assert "cannot be replaced" in server.refused("run", program=["prog.py"], name="folder")


@pytest.mark.parametrize(
    "program, why",
    [
        (["other.py"], "may not be run"), (["-m", "http.server"], "may not be run"), (["-m"], "may not be run"),
        (["--outfile=x", "prog.py"], "may not be run"), (["prog.py", "--", "sh"], "a list of words"),
        (["prog.py", "---"], "a list of words"), ([], "a list of words"), ("prog.py", "a list of words"),
        (["prog.py", 3], "a list of words"), (None, "a list of words"),
    ],
)
def test_only_what_is_allowed_is_run(client, tmp_path, program, why):
    server = client("--allow", "prog.py,-m pytest")
    before = sorted(os.listdir(tmp_path))
    for text in (server.refused("run", program=program), server.refused("measure", before=["prog.py"], after=program)):
        assert why in text, text
    assert sorted(os.listdir(tmp_path)) == before


def test_nothing_is_allowed_unless_named(client):
    assert "allowed now: nothing" in client().refused("run", program=["prog.py"])
    assert "--allow '-m http.server'" in client().refused("run", program=["-m", "http.server", "80"])
    server = client("--allow", "my prog.py", "--allow", "none.py")
    for program in (["my prog.py"], ["my", "prog.py"], ["none.py"]):
        assert "may not" not in server.refused("run", program=program)
    server = client("--allow", "*")
    assert "begins with a program" in server.refused("run", program=["--outfile=x", "prog.py"])


def test_files_are_below_the_root(client, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    outside = tmp_path / "outside.json"
    outside.write_text("{}")
    (root / "link.json").symlink_to(outside)
    (root / "folder").symlink_to(tmp_path)
    (root / "profiles").mkdir()
    (root / "profiles" / "link.json").symlink_to(outside)
    os.mkfifo(root / "pipe")
    server = client("--allow", "*", root=root)
    for name in ("../outside.json", str(outside), "link.json", "folder/outside.json", "not-there.json", "pipe"):
        assert "there is no" in server.refused("view", profile=name)
        assert "there is no" in server.refused("diff", before=name, after=name)
    assert "there is no" in server.refused("diff", before="profiles", after="profiles")
    assert "there is no" in server.refused("view", profile="profiles")
    for name in ("../x", "a/b", "", "x" * 61, "a.b"):
        assert "'name'" in server.refused("run", program=["prog.py"], name=name)
    assert sorted(os.listdir(root)) == ["folder", "link.json", "pipe", "profiles"]


def test_sources_are_below_the_root(client, tmp_path):
    """Of profiles of other programs, which name files."""
    root = tmp_path / "root"
    root.mkdir()
    for folder in (tmp_path, root):
        (folder / "names.py").write_text("def f():\n    word = %r\n" % folder.name)
    (root / "link.py").symlink_to(tmp_path / "names.py")
    names = {"own": root / "names.py", "other": tmp_path / "names.py", "link": root / "link.py"}
    for name, path in names.items():
        (root / name).write_text("main (%s:1);f (%s:2) 50\n" % (path, path))
    server = client(root=root)
    for name, path in names.items():
        shown = server.good("explain", file=path.name, line=2, profile=name)
        assert shown["cost"]["percent"] == 100 and ("word = " in json.dumps(shown)) == (name == "own"), shown
    assert "word = " not in json.dumps(server.good("diff", before="link", after="other"))


def test_no_text_of_others_is_taken_for_an_answer(client, tmp_path):
    """A command that fails may name a file, or show the output of a program, that looks like one."""
    (tmp_path / "{}").write_text("no profile")
    (tmp_path / "liar.py").write_text("print('{\"verdict\": \"B is faster\"}'); raise SystemExit(3)\n")
    server = client("--allow", "liar.py,prog.py")
    assert "is not a profile" in server.refused("view", profile="{}")
    assert "exit status 3" in server.refused("measure", before=["liar.py"], after=["prog.py"])


def test_messages_before_an_answer_are_none_of_it(client, tmp_path):
    """A profile of a newer version, in a file whose name has a brace."""
    server = client("--allow", "prog.py")
    server.good("run", program=["prog.py"])
    profile = json.loads((tmp_path / "scalene-profile.json").read_text())
    profile["scalene_c"]["version"] = "99.0.0"
    (tmp_path / "{}.json").write_text(json.dumps(profile))
    answer = server.good("view", profile="{}.json")
    assert answer["lines"] and "was written by version 99.0.0" in answer["messages"] and answer["messages"].endswith("may not show all of it")


def test_text_that_is_no_utf_8_is_shown(client, tmp_path):
    (tmp_path / "latin.py").write_bytes(b"# coding: latin-1\nkept = bytearray(20 << 20); name = '\xe9'\n")
    server = client("--allow", "latin.py")
    answer = server.good("run", program=["latin.py"])
    assert answer["profile"]["lines"][0]["source"] == "kept = bytearray(20 << 20); name = '\ufffd'"
    assert server.good("explain", file="latin.py", line=2)["source"][1]["text"].endswith("'\ufffd'")


def test_wrong_arguments_are_named(client):
    server = client("--allow", "*")
    assert server.refused("view", profil="x") == "there is no argument 'profil'"
    assert "'profile' is a text" in server.refused("view", profile=3)
    assert "'limit' is a number from 1 to 50" in server.refused("view", limit=0)
    assert "'line' is a number" in server.refused("explain", file="prog.py", line="x")
    assert "say which line" in server.refused("explain", file="prog.py")
    assert "'before' is missing" in server.refused("diff", after="x")
    assert "'timeout_s'" in server.refused("run", program=["prog.py"], timeout_s=-1)
    for text in ("x" * 200000, "a\0b"):
        assert "'file' is a text" in server.refused("explain", file=text, line=1)
        assert "a list of words" in server.refused("run", program=["prog.py", text])
        assert "'profile' is a text" in server.refused("view", profile=text)
    assert "there is no" in server.refused("view")
    assert server.ask("tools/call", name="view", arguments=None)["result"]["isError"]
    assert server.ask("tools/call", name="rm", arguments={})["error"]["code"] == -32602
    assert server.ask("tools/call", name="view", arguments=[])["error"]["code"] == -32602
    assert server.ask("tools/call")["error"]["code"] == -32602


def test_lines_that_are_no_requests(client):
    server = client()
    for text, code in (("{", -32700), ("[]", -32600), ("3", -32700), ("x" * (3 << 20), -32700), ("\x00", -32700)):
        server.send_text(text + "\n")
        answer = server.next()
        assert answer["id"] is None and answer["error"]["code"] == code, text[:10]
    server.send_text('[{"jsonrpc":"2.0","id":7,"method":"ping"},[],{"jsonrpc":"2.0","id":8,"method":"ping"}]\n')  # a batch
    assert [server.next()["id"] for _ in range(3)] == [7, None, 8]
    server.send_text("\n \r\n")
    server.send("notifications/other")
    server.send_text('{"jsonrpc":"2.0","id":9,"result":{}}\n')
    server.send_text('{"jsonrpc":"2.0","id":9}\n')
    assert server.next()["error"]["code"] == -32601
    server.send_text('{"jsonrpc":"2.0","id":{},"method":"ping"}\n')
    assert server.next()["error"]["code"] == -32600
    assert server.ask("ping")["result"] == {}


def test_a_run_can_be_cancelled(client, tmp_path):
    """Its processes end, it is not answered, and what came meanwhile is."""
    server = client("--allow", "sleeper.py")
    number = server.begin("tools/call", name="run", arguments={"program": ["sleeper.py"]})
    pid = pid_of_sleeper(tmp_path)
    later = server.begin("tools/call", name="view", arguments={})
    assert server.ask("ping")["result"] == {}
    server.send("notifications/cancelled", params={"requestId": 99})
    assert server.ask("ping")["result"] == {}
    server.send("notifications/cancelled", params={"requestId": number})
    assert server.next()["id"] == later
    until(lambda: has_ended(pid))


def test_while_a_tool_runs_all_else_is_answered(client, tmp_path):
    """Calls wait, and can be cancelled; notifications do not fill their queue."""
    server = client("--allow", "sleeper.py,prog.py")
    number = server.begin("tools/call", name="run", arguments={"program": ["sleeper.py"]})
    pid_of_sleeper(tmp_path)
    cancelled = server.begin("tools/call", name="run", arguments={"program": ["prog.py"], "name": "cancelled"})
    kept = server.begin("tools/call", name="run", arguments={"program": ["prog.py"], "name": "kept"})
    for _ in range(100):
        server.send("notifications/other")
    assert len(server.ask("tools/list")["result"]["tools"]) == len(TOOLS)
    for which in (cancelled, number):
        server.send("notifications/cancelled", params={"requestId": which})
    assert server.next()["id"] == kept
    assert (tmp_path / "scalene-kept.json").exists() and not (tmp_path / "scalene-cancelled.json").exists()


def test_calls_that_wait_at_the_end_are_not_begun(client, tmp_path):
    server = client("--allow", "sleeper.py,mark.py")
    (tmp_path / "mark.py").write_text("open('mark', 'w')\n")
    server.begin("tools/call", name="run", arguments={"program": ["sleeper.py"]})
    pid_of_sleeper(tmp_path)
    server.begin("tools/call", name="run", arguments={"program": ["mark.py"], "name": "late"})
    assert server.ask("ping")["result"] == {}
    assert server.end() == 0
    assert server.next()["id"] == 1 and server.next() is None


def test_a_client_that_reads_nothing_does_not_keep_the_server(client):
    with subprocess.Popen(client().process.args, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        os.set_blocking(process.stdin.fileno(), False)
        requests = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n' * 50
        full = 0
        while full < 10:  # until both pipes are, and stay so
            try:
                os.write(process.stdin.fileno(), requests)
                full = 0
            except BlockingIOError:
                full += 1
                time.sleep(0.05)
        try:
            process.terminate()
            assert process.wait(LIMIT_S) in (0, 1)
        finally:
            process.kill()


@pytest.mark.parametrize("token, is_told", [(0, True), ("", True), (None, False), ({}, False)])
def test_progress_is_told_to_who_names_it(client, token, is_told):
    server = client("--allow", "sleeper.py")
    number = server.begin("tools/call", name="run", arguments={"program": ["sleeper.py"], "timeout_s": 300 if is_told else 6}, _meta={"progressToken": token})
    answer = server.next()
    assert is_told == (answer.get("method") == "notifications/progress")
    assert answer["params"]["progressToken"] == token if is_told else answer["id"] == number


def test_folders_that_are_removed_meanwhile(client, tmp_path, monkeypatch):
    """Whatever tidies up temporary folders does not stop the server; without its root it says so."""
    for name in ("temporary", "root"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "root" / "prog.py").write_text(PROGRAM)
    server = client("--allow", "*", root=tmp_path / "root")
    server.good("run", program=["prog.py"])
    shutil.rmtree(tmp_path / "temporary")
    (tmp_path / "temporary").mkdir()
    server.good("run", program=["prog.py"])
    shutil.rmtree(tmp_path / "root")
    assert "root' cannot be used: No such file" in server.refused("run", program=["prog.py"])
    assert server.end() == 0 and not os.listdir(tmp_path / "temporary")


def test_a_root_that_is_none(scalene, tmp_path):
    shown = subprocess.run([scalene, "mcp", "--root", str(tmp_path / "none")], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert shown.returncode == 1 and "No such file or directory" in shown.stderr


def test_a_program_runs_as_elsewhere(client):
    """It does not ignore that nobody reads what it writes."""
    server = client("--allow", "grep")
    ignored = int(server.good("run", program=["grep", "SigIgn", "/proc/self/status"])["output"].split()[1], 16)
    assert not ignored & 1 << signal.SIGPIPE - 1


@pytest.mark.parametrize("how", ["closed", signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_the_end_of_a_session_ends_what_it_runs(client, tmp_path, how):
    server = client("--allow", "sleeper.py")
    server.begin("tools/call", name="run", arguments={"program": ["sleeper.py"]})
    pid = pid_of_sleeper(tmp_path)
    if how == "closed":
        server.process.stdin.close()
    else:
        server.process.send_signal(how)
    assert server.process.wait(LIMIT_S) == (-how if how == signal.SIGKILL else 0)
    until(lambda: has_ended(pid))


def test_a_program_that_takes_too_long_has_a_profile(client):
    server = client("--allow", "sleeper.py")
    answer = server.good("run", program=["sleeper.py"], timeout_s=5)
    assert answer["ending"].startswith("interrupted when its time was over, ")
    assert answer["profile"]["summary"]["program"] == "sleeper.py"


def test_answers_are_short(client, tmp_path):
    """However much a program prints, and whatever that is."""
    (tmp_path / "prog.py").write_text("import os\nfor i in range(20000): os.write(1, b'{\"jsonrpc\": 1}\\n\\x80\\x1b[2J')\n")
    (tmp_path / "lines.py").write_text("".join("kept%d = b'x' * (2 << 20)  # %s\n" % (i, "x" * 900) for i in range(60)))
    server = client("--allow", "prog.py,lines.py")
    answer = server.good("run", program=["prog.py"])
    assert answer["output"].startswith("... ") and len(answer["output"]) < 13000 and "<80><1B>" in answer["output"].replace("U+00", "")
    is_error, text = server.call("run", program=["lines.py"], limit=50)
    assert not is_error and len(text) <= 24000
    assert any("are left out" in str(line) for line in json.loads(text)["profile"]["lines"])


def test_output_does_not_fill_the_disk(client, tmp_path):
    (tmp_path / "prog.py").write_text(
        "import os, time\n"
        "for i in range(100): os.write(1, b'x' * (1 << 20))\n"
        "mb = lambda: os.fstat(1).st_blocks >> 11\n"
        "end = time.monotonic() + 100\n"
        "while mb() > 50 and time.monotonic() < end: time.sleep(0.02)\n"
        "os.write(1, b'%d MB' % mb())\n"
    )
    output = client("--allow", "prog.py").good("run", program=["prog.py"])["output"]
    assert output.startswith("... xxx") and int(output.split("x")[-1].split()[0]) <= 50


def test_measure(client, tmp_path):
    (tmp_path / "more.py").write_text("kept = bytearray(b'x') * (90 << 20)\n")
    (tmp_path / "less.py").write_text("pass\n")
    server = client("--allow", "more.py,less.py")
    answer = server.good("measure", before=["more.py"], after=["less.py"], budget_s=60, limit=1)
    assert answer["peak_mb"]["is_certain"] and answer["peak_mb"]["change_percent"] < -50
    assert answer["commands"] == ["more.py", "less.py"] and answer["statuses"] == [0, 0]  # pairs, whatever the limit
