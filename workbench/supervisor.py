"""Keeps one child process running beside the web server, and takes it along when the server ends."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence

SHORTEST_REST_SECONDS, LONGEST_REST_SECONDS = 1.0, 60.0
#: A child that lived this long was well: its next failure starts from the shortest rest again.
WELL_AFTER_SECONDS = 60.0
PATIENCE_SECONDS = 30.0


class Supervisor(threading.Thread):
    """Starts ``command`` and, when it ends, starts it again after a rest that doubles.

    The child's standard input is a pipe that only this process holds open. However this process ends, kill -9
    included, the child reads the end of it. It has a session of its own, so Ctrl-C reaches it through ``stop`` alone.
    """

    def __init__(self, command: Sequence[str], *, env: Mapping[str, str], say: Callable[[str], None]) -> None:
        super().__init__(name="supervisor", daemon=True)
        self.command, self.env, self.say = list(command), dict(env), say
        self.process: subprocess.Popen[bytes] | None = None
        self._ending = threading.Event()
        self._starting = threading.Lock()

    def run(self) -> None:
        rest_seconds = SHORTEST_REST_SECONDS
        while process := self._start():
            started = time.monotonic()
            code = process.wait()
            if self._ending.is_set():
                return
            if time.monotonic() - started >= WELL_AFTER_SECONDS:
                rest_seconds = SHORTEST_REST_SECONDS
            self.say(f"The worker ended ({_how(code)}). It starts again in {rest_seconds:.0f} s.")
            self._ending.wait(rest_seconds)
            rest_seconds = min(rest_seconds * 2, LONGEST_REST_SECONDS)

    def _start(self) -> subprocess.Popen[bytes] | None:
        with self._starting:
            if self._ending.is_set():
                return None
            self.process = subprocess.Popen(  # noqa: S603
                self.command, env=self.env, stdin=subprocess.PIPE, start_new_session=True
            )
            return self.process

    def stop(self) -> None:
        """Ask the child to end, wait while it finishes its batch, and kill it when it takes too long."""
        with self._starting:
            self._ending.set()
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.say(
                f"The worker did not end within {PATIENCE_SECONDS:.0f} s. Its unfinished work is taken up again later."
            )
            self.process.kill()
            self.process.wait()


def _how(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit {code}"
