"""``workbench serve``: the pages, on this machine, with a worker beside them."""

from __future__ import annotations

import argparse
import errno
import os
import signal
import sys
from collections.abc import Sequence
from typing import Any

from workbench.cli.errors import CliError
from workbench.cli.output import say, warn

HELP = "Serve the pages on this machine, with a worker beside them."
DEFAULT_HOST, DEFAULT_PORT, PORTS_TO_TRY = "127.0.0.1", 8000, 50
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", help=f"address to listen on (WORKBENCH_HOST, else {DEFAULT_HOST})")
    parser.add_argument(
        "--port", help=f"port; the next free one is taken (WORKBENCH_PORT, else {DEFAULT_PORT}; 0: any)"
    )
    parser.add_argument("--no-worker", action="store_true", help="serve pages only; run `workbench worker` elsewhere")


def run(args: argparse.Namespace) -> int:
    host, port = chosen_address(args)
    refuse_missing_migrations()
    return serve(host=host, port=port, with_worker=not args.no_worker, sign_in=first_account())


def chosen_address(args: argparse.Namespace) -> tuple[str, int]:
    """Host and port: as asked, else from the environment, else the defaults."""
    host = args.host or os.environ.get("WORKBENCH_HOST") or DEFAULT_HOST
    port = args.port or os.environ.get("WORKBENCH_PORT") or str(DEFAULT_PORT)
    if not (port.isdecimal() and int(port) <= 65535):
        raise CliError(f"{port!r} is no port. A port is a number from 0 to 65535.")
    return host, int(port)


def serve(*, host: str, port: int, with_worker: bool, sign_in: Sequence[str]) -> int:
    """Serve until SIGINT or SIGTERM. ``sign_in`` are the lines that tell how to."""
    from django.urls import get_resolver

    from workbench.wsgi import application

    _ = get_resolver().url_patterns  # A fault in a page's module shows now, not at the first visit.
    # Before the socket opens: whoever waits for the address may stop the server as soon as it answers.
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGINT, _leave)
    server = listen(application, host, port)
    worker = start_worker() if with_worker else None
    try:
        greet(server, host, sign_in)
        server.run()
    except SystemExit:
        pass
    finally:
        server.close()
        if worker:
            worker.stop()
    return 0


def _leave(*_signal: object) -> None:
    raise SystemExit(0)


def listen(application: Any, host: str, port: int) -> Any:
    """A server on the port, or on the next one that is free."""
    from waitress.server import create_server

    last = port if port == 0 else min(port + PORTS_TO_TRY, 65536) - 1
    for candidate in range(port, last + 1):
        try:
            server = create_server(application, host=host, port=candidate, threads=8, ident=None, **_proxy())
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise CliError(f"Cannot listen on {host}:{candidate}: {error.strerror or error}") from error
        except ValueError as error:  # waitress's word for a name that leads nowhere
            raise CliError(f"Cannot listen on {host}:{candidate}: there is no such host here.") from error
        else:
            if candidate != port:
                warn(f"Port {port} is in use; {candidate} is taken instead.")
            return server
    raise CliError(f"Every port from {port} to {last} is in use. Name another with --port.")


def _proxy() -> dict[str, Any]:
    """Behind a proxy that speaks HTTPS, its word for that counts; nobody else's does."""
    from django.conf import settings

    if not settings.SECURE:
        return {}
    return {
        "trusted_proxy": os.environ.get("WORKBENCH_PROXY", "127.0.0.1"),
        "trusted_proxy_headers": {"x-forwarded-proto", "x-forwarded-for"},
        "clear_untrusted_proxy_headers": True,
    }


def start_worker() -> Any:
    from workbench.environment import CHECKOUT
    from workbench.supervisor import Supervisor

    # -P and PYTHONPATH: this checkout's code, whatever folder of that name lies where the command was typed.
    command = [sys.executable, "-P", "-m", "workbench.cli", "worker", "--end-with-stdin"]
    path = os.pathsep.join(filter(None, [str(CHECKOUT), os.environ.get("PYTHONPATH")]))
    supervisor = Supervisor(command, env={**os.environ, "PYTHONPATH": path}, say=warn)
    supervisor.start()
    return supervisor


def greet(server: Any, host: str, sign_in: Sequence[str]) -> None:
    from django.conf import settings

    shown = f"[{host}]" if ":" in host else host
    say(f"The workbench is at http://{shown}:{server.effective_port}/")
    for line in sign_in:
        say(line)
    if host not in LOOPBACK and settings.ALLOWED_HOSTS == ["127.0.0.1", "localhost", "[::1]"]:
        warn("Others will be refused until WORKBENCH_ALLOWED_HOSTS names the address they use.")
    say("Stop it with Ctrl-C.")
    sys.stdout.flush()


def refuse_missing_migrations() -> None:
    """A database behind this version, or none that answers, is told before anything else happens."""
    from django.db import OperationalError, connection
    from django.db.migrations.executor import MigrationExecutor

    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except OperationalError as error:
        raise CliError(f"The database does not answer: {str(error).strip()}", code=1) from error
    if missing:
        count = "1 migration is" if len(missing) == 1 else f"{len(missing)} migrations are"
        raise CliError(f"The database is behind this version: {count} missing. Run: workbench migrate", code=1)


def first_account() -> list[str]:
    """Who may sign in. Where there is no account yet, an administrator is made, its password kept in a private file."""
    from django.conf import settings
    from django.contrib.auth import get_user_model

    from workbench.environment import kept_secret

    path = settings.WORKBENCH_HOME / "admin_password"
    users = get_user_model().objects
    if not users.exists():
        users.create_superuser("admin", password=kept_secret(path, length=12))
    if not path.exists():
        return []
    return [f"Sign in as admin; the first password is in {path}"]
