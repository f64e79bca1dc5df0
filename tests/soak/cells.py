# tests/soak/cells.py - a notebook, executed by nbclient in a kernel of its own.
#
# SPDX-License-Identifier: Apache-2.0
# needs: nbclient nbformat ipykernel
"""A program of tools/soak; its argument is a seed."""

import sys

import nbclient
import nbformat

seed = int(sys.argv[1])
cells = [
    "import random\nvalues = random.Random(%d).choices(range(1000), k=200000)\nprint(sum(sorted(values)))" % seed,
    "import threading\nthreads = [threading.Thread(target=sorted, args=(values,)) for _ in range(4)]\n"
    "[thread.start() for thread in threads]\n[thread.join() for thread in threads]\nlen(values)",
    "import asyncio\nawait asyncio.sleep(0.2)\nprint('awaited')",
    "1 / 0",
]
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
nbclient.NotebookClient(book, timeout=120, allow_errors=True, kernel_name="python3").execute()
for cell in book.cells:
    for output in cell.outputs:
        print(output.output_type, output.get("text", output.get("ename", output.get("data", {}).get("text/plain"))))
