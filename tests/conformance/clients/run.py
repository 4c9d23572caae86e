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


async def run(name):
    await programs[name][1]()
    await becomes(lambda: not others(), f"no process is left ({others()})")


def main():
    path, name = sys.argv[1], (sys.argv[2] if len(sys.argv) > 2 else None)
    spec = importlib.util.spec_from_file_location("table", path)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    if name is None:
        print("\n".join(programs))
    elif "ANTHROPIC_BASE_URL" not in os.environ:
        with open("../scenario.json", "w", encoding="utf-8") as scenario:
            json.dump({"then": "error", "steps": programs[name][0]}, scenario)
        mock = ["ralph", "mock", "../scenario.json", "--log", "../requests.ndjson", "--exec", "--"]
        sys.exit(subprocess.run([*mock, sys.executable, *sys.argv], check=False).returncode)
    else:
        asyncio.run(run(name))


main()
