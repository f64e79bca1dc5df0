# tests/mcp/test_client.py - `scalene mcp` with the client that agents use, which checks every message against the protocol.
#
# SPDX-License-Identifier: Apache-2.0
"""An agent's session, by the protocol's own package."""

import json
import subprocess

import packages as index
import pytest

from sampled import claimed

# What an agent does: it runs, looks at the most expensive line, writes a faster version, and proves it.
AGENT = r"""
import asyncio, json, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

def read(result):
    assert not getattr(result, "isError", getattr(result, "is_error", None)), result
    return json.loads(result.content[0].text)

async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["mcp", "--allow", "slow.py,fast.py", "--python", sys.executable])
    told = []
    async def progress(done, total, message):
        told.append(done)
    async with stdio_client(server) as streams:
        async with ClientSession(*streams) as session:
            greeting = await session.initialize()
            names = [tool.name for tool in (await session.list_tools()).tools]
            ran = read(await session.call_tool("run", {"program": ["slow.py"], "limit": 3}, progress_callback=progress))
            hot = ran["profile"]["lines"][0]
            line = read(await session.call_tool("explain", {"file": hot["file"], "line": hot["line"]}))
            text = open("slow.py").read().replace("seen = []", "seen = set()").replace("append", "add")
            with open("fast.py", "w") as file:
                file.write(text)
            proof = read(await session.call_tool("measure", {"before": ["slow.py"], "after": ["fast.py"], "budget_s": 120}))
            print(json.dumps([names, hot, line, proof["cpu_s"], told, [f["id"] for f in ran["profile"]["findings"]]]))

asyncio.run(main())
"""
SLOW = """seen = []
for i in range(12000):
    if i * 7 % 9001 not in seen:
        seen.append(i * 7 % 9001)
print(len(seen))
"""


@pytest.mark.one_python
@pytest.mark.statistical
def test_an_agent_finds_and_proves_a_speed_up(scalene, python, tmp_path):
    folder, why = index.install(python, "mcp")
    if why:
        pytest.skip(why)
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "agent.py").write_text(AGENT)
    done = subprocess.run(
        [python.path, "agent.py", scalene], cwd=tmp_path, env={"PYTHONPATH": folder, "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    names, hot, line, cpu_s, told, findings = json.loads(done.stdout.splitlines()[-1])
    assert names == ["run", "view", "explain", "diff", "measure"]
    assert claimed((hot["file"], hot["line"], line["line"]) == ("slow.py", 3, 3))
    assert claimed(cpu_s["is_certain"]) and cpu_s["change_percent"] < -50
    assert findings
    assert told == sorted(told)
