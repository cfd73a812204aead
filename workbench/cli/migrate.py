"""``workbench migrate``: bring the database up to this version."""

from __future__ import annotations

import argparse

HELP = "Bring the database up to this version."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quiet", action="store_true", help="print nothing when all is well")


def run(args: argparse.Namespace) -> int:
    from django.core.management import call_command

    call_command("migrate", interactive=False, verbosity=0 if args.quiet else 1)
    return 0
