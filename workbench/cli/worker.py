"""``workbench worker``: does the waiting work. ``workbench serve`` keeps one; start more wherever the database is."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading

from workbench.cli.output import say
from workbench.drain import StopSign, Worker, drain_once

HELP = "Do the waiting work: imports and judge runs."
PATIENCE_SECONDS = 30.0


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--once", action="store_true", help="do what waits now, say how much it was, and end")
    parser.add_argument(
        "--end-with-stdin",
        action="store_true",
        help="end when standard input closes, as it does when the process that started this one is gone",
    )


def run(args: argparse.Namespace) -> int:
    from workbench.cli.serve import refuse_missing_migrations

    refuse_missing_migrations()
    if args.once:
        say(f"{drain_once()} done.")
        return 0
    stop = StopSign()
    signal.signal(signal.SIGTERM, stop.set)
    signal.signal(signal.SIGINT, stop.set)
    if args.end_with_stdin:
        threading.Thread(target=_watch_stdin, args=(stop,), daemon=True).start()
    Worker().work(stop)
    return 0


def _watch_stdin(stop: StopSign) -> None:
    """The parent is gone when stdin ends: finish the batch, but not for ever."""
    while os.read(sys.stdin.fileno(), 1024):
        pass
    stop.set()
    threading.Event().wait(PATIENCE_SECONDS)
    os._exit(1)
