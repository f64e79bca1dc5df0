# tests/export/test_consumers.py - programs of others read what was exported: go tool pprof, OpenTelemetry's Go package, speedscope.
#
# They come from their registries, so that the gate leaves these tests out; its own decoders know the same formats.
#
# SPDX-License-Identifier: Apache-2.0
"""Real readers."""

import base64
import re
import shutil
import subprocess

import pytest
from exporting import everything, export, truth

PPROFILE = "go.opentelemetry.io/collector/pdata/pprofile@v0.165.0"
SPEEDSCOPE = "speedscope@1.25.0"
TIMEOUT_S = 600
SUMS = """\
package main

import (
	"fmt"
	"os"

	"go.opentelemetry.io/collector/pdata/pprofile"
)

func main() {
	bytes, _ := os.ReadFile(os.Args[1])
	profiles, err := (&pprofile.ProtoUnmarshaler{}).UnmarshalProfiles(bytes)
	if err != nil {
		panic(err)
	}
	texts := profiles.Dictionary().StringTable()
	all := profiles.ResourceProfiles().At(0).ScopeProfiles().At(0).Profiles()
	for i := 0; i < all.Len(); i++ {
		var sum int64
		for k := 0; k < all.At(i).Samples().Len(); k++ {
			sum += all.At(i).Samples().At(k).Values().At(0)
		}
		fmt.Println(texts.At(int(all.At(i).SampleType().TypeStrindex())), sum)
	}
}
"""


def run(folder, *command):
    done = subprocess.run(command, cwd=str(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False, encoding="utf-8")
    return done.returncode, done.stdout, done.stderr


def had(name, *command, folder):
    """Gets something from a registry, or skips."""
    if shutil.which(command[0]) is None:
        pytest.skip("no %s here" % command[0])
    status, _, errors = run(folder, *command)
    if status != 0:
        pytest.skip("%s cannot be had: %s" % (name, errors.strip()[-200:]))


def sums():
    return {value: sum(stacks.values()) for value, stacks in truth(everything()).items()}


def test_go_tool_pprof(scalene, tmp_path):
    if shutil.which("go") is None:
        pytest.skip("no go here")
    (tmp_path / "x.pb.gz").write_bytes(export(scalene, "pprof", everything(), tmp_path))
    status, text, errors = run(tmp_path, "go", "tool", "pprof", "-raw", "x.pb.gz")
    assert status == 0, errors
    types, *samples = text[text.index("Samples:\n") : text.index("Locations\n")].splitlines()[1:]
    names = [kind.partition("/")[0] for kind in types.split()]
    numbers = [list(map(int, sample.partition(":")[0].split())) for sample in samples if re.match(r" *[0-9]", sample)]
    assert dict(zip(names, map(sum, zip(*numbers)))) == sums()
    assert 'thread:[Main"Thr;ead<U+001B>]' in text
    status, text, errors = run(tmp_path, "go", "tool", "pprof", "-top", "x.pb.gz")
    assert status == 0, errors
    assert re.search(r"^ +5s 65.04% 65.04% +5s 65.04%  \(lambda\)$", text, re.M)


def test_opentelemetrys_package(scalene, tmp_path):
    (tmp_path / "x.otlp").write_bytes(export(scalene, "otlp", everything(), tmp_path))
    (tmp_path / "main.go").write_text(SUMS)
    (tmp_path / "go.mod").write_text("module sums\n\ngo 1.25\n")
    had("pprofile", "go", "get", PPROFILE, folder=tmp_path)
    status, text, errors = run(tmp_path, "go", "run", ".", "x.otlp")
    assert status == 0, errors
    assert {name: int(number) for name, number in map(str.split, text.splitlines())} == sums()


def test_speedscope_imports_it(scalene, tmp_path, browser):
    text = export(scalene, "speedscope", everything(), tmp_path)
    (tmp_path / "package.json").write_text("{}")
    had("speedscope", "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", SPEEDSCOPE, folder=tmp_path)
    page = browser.new_page()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(error))
    # as its own command opens a file
    (tmp_path / "x.js").write_text("speedscope.loadFileFromBase64('x.json', '%s')" % base64.b64encode(text).decode())
    with page.expect_console_message(lambda message: message.text == "Importing as speedscope json file"):
        page.goto("file://%s/node_modules/speedscope/dist/release/index.html#localProfilePath=%s/x.js" % (tmp_path, tmp_path))
    page.get_by_text(re.compile(r"\(1/%d\)" % (len(sums()) + 2))).wait_for()  # each value, and two threads
    assert not wrong
    page.close()
