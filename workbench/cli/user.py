"""``workbench user add``: a person, their role in a project, and a password that is shown once."""

from __future__ import annotations

import argparse
import secrets
from pathlib import Path
from typing import Any

from workbench.cli.errors import CliError
from workbench.cli.output import emit_json, say

HELP = "Add a person, or give one a role in a project."

ROLES = ("annotator", "adjudicator", "lead", "administrator")


def configure(parser: argparse.ArgumentParser) -> None:
    acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
    add = acts.add_parser("add", help="add a person, or give one who is known a role in one more project")
    add.add_argument("name", metavar="NAME", help="what they sign in with")
    add.add_argument("--role", required=True, choices=ROLES)
    add.add_argument("--project", metavar="P", help="the project (default: default); an administrator has all")
    add.add_argument("--password-file", type=Path, metavar="F", help="its first line; else one is made and shown once")
    add.add_argument("--json", action="store_true")


def run(args: argparse.Namespace) -> int:
    from django.db import transaction

    with transaction.atomic():  # a password that is refused leaves no person behind
        return _add(args)


def _add(args: argparse.Namespace) -> int:
    from cases.models import User
    from cases.services import InvalidNameError, ProjectError, audit, find_project, grant, valid_name

    try:
        name, project = valid_name(args.name), find_project(args.project)
    except (InvalidNameError, ProjectError) as error:
        raise CliError(str(error)) from error
    user, is_new = User.objects.get_or_create(username=name)
    password = _set_password(user, args.password_file) if is_new or args.password_file else None
    if args.role == "administrator":
        user.is_superuser = user.is_staff = True
        user.save(update_fields=["is_superuser", "is_staff"])
    else:
        grant(project, user, args.role)
    audit(project, None, "add user", user.username, role=args.role)
    _tell(args, project, password, is_new=is_new)
    return 0


def _set_password(user: Any, path: Path | None) -> str | None:
    """From the file, checked like any password; else a random one, which the caller shows once."""
    from django.contrib.auth.password_validation import validate_password
    from django.core.exceptions import ValidationError

    made = secrets.token_urlsafe(12) if path is None else None
    try:
        password = made or _first_line(path)
        validate_password(password, user)
    except ValidationError as error:
        raise CliError(" ".join(error.messages)) from error
    user.set_password(password)
    user.save(update_fields=["password"])
    return made


def _first_line(path: Path | None) -> str:
    assert path is not None
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CliError(f"{path} cannot be read: {error}") from error
    return text.partition("\n")[0].rstrip("\r")


def _tell(args: argparse.Namespace, project: Any, password: str | None, *, is_new: bool) -> None:
    where = None if args.role == "administrator" else project.slug
    if args.json:
        emit_json({"user": args.name, "role": args.role, "project": where, "created": is_new, "password": password})
        return
    say(f"{args.name} is {'an administrator' if where is None else f'{args.role} in {where}'}.")
    if password:
        say(f"Password: {password}")
        say("It is shown this once and not kept in clear.")
