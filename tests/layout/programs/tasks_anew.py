# tests/layout/programs/tasks_anew.py - a program that takes asyncio out of sys.modules and imports it again.
#
# SPDX-License-Identifier: Apache-2.0
"""Parks with a task that waits, once before asyncio is imported anew and once after it."""

import importlib
import sys

import tasks_park


async def waits(asyncio):
    await asyncio.sleep(1000)


async def main(asyncio):
    task = asyncio.create_task(waits(asyncio), name="waits")
    await asyncio.sleep(0)
    tasks_park.park([(task.get_name(), task.get_coro())], 1)
    task.cancel()


for _ in range(2):
    for name in [name for name in sys.modules if name.partition(".")[0] in ("asyncio", "_asyncio")]:
        del sys.modules[name]
    anew = importlib.import_module("asyncio")
    anew.run(main(anew))
