"""Lists the programs of a file, or runs one against a mock that has its replies.
   python run.py FILE [NAME]
"""

import asyncio
import importlib.util
import json
import os
import subprocess
import sys

from processes import others
from program import becomes, programs


async def run(name, mock):
    await programs[name][1]()
    await becomes(lambda: not others(mock), lambda: f"no process is left ({others(mock)})")


def main():
    path, name = sys.argv[1], (sys.argv[2] if len(sys.argv) > 2 else None)
    spec = importlib.util.spec_from_file_location("table", path)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    if name is None:
        print("\n".join(programs))
        return
    with open("../scenario.json", "w", encoding="utf-8") as scenario:
        json.dump({"then": "error", "steps": programs[name][0]}, scenario)
    # It ends with the process ID namespace.
    command = ["ralph", "mock", "../scenario.json", "--log", "../requests.ndjson", "--json"]
    mock = subprocess.Popen(command, stdout=subprocess.PIPE)
    os.environ["ANTHROPIC_BASE_URL"] = json.loads(mock.stdout.readline())["url"]
    asyncio.run(run(name, mock.pid))


main()
