"""What a worker does: one function for each kind of waiting work. The database is the truth; a worker only looks."""

from __future__ import annotations

import importlib
import logging
import os
import select
import time
from collections.abc import Callable, Sequence

logger = logging.getLogger(__name__)

#: "module:function". Each does one batch of its waiting work, lapsed leases included, and returns how much it did.
DRAINS = ["cases.services:drain_imports", "evaluation.services:drain_runs"]
POLL_SECONDS = 1.0
LONGEST_REST_SECONDS = 60.0


class StopSign:
    """Set by a signal handler or a thread. A pipe, since setting an Event inside a handler can deadlock."""

    def __init__(self) -> None:
        self.is_set = False
        self._reader, self._writer = os.pipe()

    def set(self, *_signal: object) -> None:
        self.is_set = True
        os.write(self._writer, b".")

    def wait(self, seconds: float) -> None:
        select.select([self._reader], [], [], seconds)


class Worker:
    """Takes the kinds of work in turn. A kind that fails is logged and rests, ever longer; the others go on."""

    def __init__(self, drains: Sequence[str] | None = None) -> None:
        self.drains = list(DRAINS if drains is None else drains)
        self.failures = dict.fromkeys(self.drains, 0)
        self.rests_until = dict.fromkeys(self.drains, 0.0)

    def work(self, stop: StopSign) -> None:
        """Until told to stop: whatever waits, at once; otherwise a look every second. A begun batch is finished."""
        while not stop.is_set:
            if not self.turn(stop):
                _let_go_of_old_connections()
                stop.wait(POLL_SECONDS)

    def turn(self, stop: StopSign) -> int:
        """One batch of each kind that does not rest; how much was done."""
        done = 0
        for name in self.drains:
            if not stop.is_set and time.monotonic() >= self.rests_until[name]:
                done += self._batch(name)
        return done

    def _batch(self, name: str) -> int:
        try:
            done = find(name)()
        except Exception:
            self.failures[name] += 1
            rest_seconds = min(2.0 ** self.failures[name], LONGEST_REST_SECONDS)
            self.rests_until[name] = time.monotonic() + rest_seconds
            logger.exception("%s failed. It is tried again in %.0f s.", name, rest_seconds)
            _let_go_of_old_connections()
            return 0
        self.failures[name] = 0
        return done


def drain_once(drains: Sequence[str] | None = None) -> int:
    """Do all that waits now, then return how much that was. An error is the caller's."""
    total = 0
    while done := sum(find(name)() for name in (DRAINS if drains is None else drains)):
        total += done
    return total


def find(name: str) -> Callable[[], int]:
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)  # type: ignore[no-any-return]


def _let_go_of_old_connections() -> None:
    from django.db import close_old_connections

    close_old_connections()
