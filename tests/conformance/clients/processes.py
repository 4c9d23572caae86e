"""Each program has its own process ID namespace, so every process in it belongs to it."""

import os


def read(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", encoding="utf-8", errors="replace") as opened:
            return opened.read()
    except OSError:
        return ""


def field(pid, name):
    return next((line.split()[1] for line in read(pid, "status").splitlines() if line.startswith(name + ":")), "0")


def others(mock):
    """The command lines of the processes that are neither this one nor above it nor the mock."""
    ours, pid = {mock}, os.getpid()
    while pid > 0:
        ours.add(pid)
        pid = int(field(pid, "PPid"))
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    lines = [read(pid, "cmdline").replace("\0", " ").strip() for pid in pids if pid not in ours and field(pid, "State") != "Z"]
    return [line for line in lines if line]
