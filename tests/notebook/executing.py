# tests/notebook/executing.py - notebooks executed by a real kernel.
#
# They are executed by nbclient with an ipykernel of an interpreter that has both: those of
# $SC_NOTEBOOK_PYTHONS (separated by colons), else any that has them.
#
# SPDX-License-Identifier: Apache-2.0
"""The fixture `notebook`, and what is to be read from an executed one."""

import html.parser
import json
import os
import re
import subprocess
import sys
import textwrap

import pytest

from conftest import Profile, clean_environment
from package_copy import copy_package

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import pythons  # noqa: E402

# Executes the cells that it is given as JSON, with a kernel of its own interpreter; prints what each has put out.
EXECUTE = """
import json, sys, nbformat
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
class Manager(AsyncKernelManager):
    @property
    def kernel_spec(self):
        return KernelSpec(argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], language="python")
cells = [nbformat.v4.new_code_cell(text) for text in json.load(sys.stdin)]
notebook = nbformat.v4.new_notebook(cells=cells)
NotebookClient(notebook, timeout=600, startup_timeout=600, allow_errors=True, kernel_manager_class=Manager).execute()
print("RESULT" + json.dumps([[dict(output) for output in cell["outputs"]] for cell in notebook["cells"]]))
"""

def interpreters():
    """Paths of interpreters that can execute notebooks."""
    given = os.environ.get("SC_NOTEBOOK_PYTHONS")
    return given.split(":") if given else [python.path for python in pythons.find() if python.runs_notebooks]


class ShownOutput(html.parser.HTMLParser):
    """The HTML output of a cell: what its frame holds, and what stands inside its tags instead."""

    def __init__(self, page):
        super().__init__()
        self.page = self.sandbox = None
        self.inside = ""
        self._is_inside = False
        self.feed(page)
        found = re.search(r'id="answers">(.*?)</script>', self.page, re.DOTALL)
        self.answers = json.loads(found.group(1))

    def handle_starttag(self, tag, attrs):
        if tag == "iframe":
            assert self.page is None, "more than one frame"
            self.page, self.sandbox, self._is_inside = dict(attrs)["srcdoc"], dict(attrs)["sandbox"], True

    def handle_endtag(self, tag):
        self._is_inside &= tag != "iframe"

    def handle_data(self, data):
        if self._is_inside:
            self.inside += data


class Notebook:
    """An executed notebook: its cells' outputs by the order of the cells."""

    def __init__(self, outputs, directory):
        self.outputs = outputs
        self.directory = directory

    def errors(self):
        return [output["ename"] for cell in self.outputs for output in cell if output["output_type"] == "error"]

    def text(self, cell):
        """Everything that a cell has printed or shown, as text."""
        parts = []
        for output in self.outputs[cell]:
            parts.append(output.get("text") or output.get("data", {}).get("text/plain") or output.get("evalue", ""))
        return "".join("".join(part) for part in parts)

    def page(self, cell):
        pages = [output["data"]["text/html"] for output in self.outputs[cell] if "text/html" in output.get("data", {})]
        return "".join("".join(page) for page in pages)

    def profile(self, name="scalene-profile.json"):
        return Profile.read(os.path.join(self.directory, name))


@pytest.fixture(params=interpreters() or [None], ids=lambda path: path or "none")
def notebook(request, scalene, tmp_path, tmp_path_factory):
    """Executes cells: notebook(text, ...) -> Notebook."""
    if request.param is None:
        pytest.skip("no interpreter has ipykernel, nbclient and nbformat")
    site = copy_package(tmp_path_factory.mktemp("site"))
    home = str(tmp_path_factory.mktemp("home"))

    def execute(*cells):
        env = clean_environment({"PYTHONPATH": site, "HOME": home, "PYTHONDONTWRITEBYTECODE": "1"})
        env["TMPDIR"] = home
        given = json.dumps([textwrap.dedent(cell).lstrip("\n") for cell in cells])
        ended = subprocess.run(
            [request.param, "-c", EXECUTE], input=given, cwd=str(tmp_path), env=env, capture_output=True, text=True,
            timeout=600,
        )
        assert "RESULT" in ended.stdout, ended.stderr[-3000:]
        # what a cell leaves behind in the folder for temporary files
        assert not [name for name in os.listdir(home) if name.startswith("scalene")]
        return Notebook(json.loads(ended.stdout.split("RESULT")[1]), str(tmp_path))

    return execute
