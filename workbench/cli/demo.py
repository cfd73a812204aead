"""``workbench demo``: bring the demo project in and serve it."""

from __future__ import annotations

import argparse

from workbench.cli import serve
from workbench.cli.output import say

HELP = "Load the demo project and serve it."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-serve", action="store_true", help="load it and stop")
    parser.add_argument("--remove", action="store_true", help="take the demo project away again, and stop")
    serve.configure(parser)


def run(args: argparse.Namespace) -> int:
    from django.core.management import call_command

    from cases.models import Project
    from workbench.demo.load import load_demo, password_file, remove_demo

    call_command("migrate", interactive=False, verbosity=0)
    if args.remove:
        for project in Project.objects.filter(is_demo=True):
            remove_demo(project)
        say("The demo data is gone.")
        return 0
    load_demo()
    say(f"Sign in as lena (lead), alice or bob (annotators). Their password is in {password_file()}.")
    return 0 if args.no_serve else serve.run(args)
