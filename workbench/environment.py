"""What a deployment chooses, read from the environment. A wrong value stops the start with its sentence."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

CHECKOUT = Path(__file__).resolve().parent.parent


class SettingError(ValueError):
    """A setting of the environment that cannot be used: its name, its value, what would do."""


def home(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder of all state; made private at first use."""
    path = Path(environ.get("WORKBENCH_HOME") or CHECKOUT / "var").expanduser().resolve()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingError(
            f"WORKBENCH_HOME={path} cannot be made ({error.strerror}). Name a folder you may write to."
        ) from error
    if not os.access(path, os.W_OK):
        raise SettingError(f"WORKBENCH_HOME={path} cannot be written to. Name a folder you may write to.")
    return path


def flag(name: str, *, default: bool, environ: Mapping[str, str] = os.environ) -> bool:
    value = environ.get(name, "").strip().lower()
    if value in {"", "0", "1", "true", "false", "yes", "no"}:
        return default if not value else value in {"1", "true", "yes"}
    raise SettingError(f"{name}={value!r} is neither 1 nor 0.")


def words(name: str, *, default: str = "", environ: Mapping[str, str] = os.environ) -> list[str]:
    return [word.strip() for word in environ.get(name, default).split(",") if word.strip()]


def secret_key(folder: Path, environ: Mapping[str, str] = os.environ) -> str:
    """From the environment, else made at first start and kept, readable by its owner alone."""
    if given := environ.get("WORKBENCH_SECRET_KEY"):
        if len(given) < 32:
            raise SettingError("WORKBENCH_SECRET_KEY has fewer than 32 characters. Use a long random one.")
        return given
    return kept_secret(folder / "secret_key", length=50)


def kept_secret(path: Path, *, length: int) -> str:
    """The text in ``path``; a random one is written there first when the file does not exist."""
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    value = secrets.token_urlsafe(length)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(value + "\n")
    except OSError:
        path.unlink()  # a full disk would leave an empty file, to be read as the secret from then on
        raise
    return value


def database(folder: Path, environ: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Django's DATABASES["default"] from DATABASE_URL; SQLite under the home folder when it is absent."""
    url = environ.get("DATABASE_URL", "").strip() or f"sqlite:///{folder / 'workbench.sqlite3'}"
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return _sqlite(unquote(parts.path)[1:])
    if parts.scheme in {"postgres", "postgresql"}:
        return _postgresql(url)
    raise SettingError(
        f"DATABASE_URL is of the kind {parts.scheme!r}. Use sqlite:///FILE or postgresql://USER@HOST/NAME."
    )


def _sqlite(path: str) -> dict[str, Any]:
    if not path:
        raise SettingError("DATABASE_URL names no file. Use sqlite:///FILE.")
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path if path == ":memory:" else str(Path("/") / path) if path.startswith("/") else path,
        "CONN_MAX_AGE": 600,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32000;",
        },
    }


def _postgresql(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise SettingError("DATABASE_URL names no database. Use postgresql://USER@HOST/NAME.")
    try:
        port = parts.port or ""
    except ValueError as error:
        raise SettingError("DATABASE_URL has a port that is no number.") from error
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": port,
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
    }


def broker(environ: Mapping[str, str] = os.environ) -> str:
    url = environ.get("CELERY_BROKER_URL", "").strip()
    if url and urlsplit(url).scheme not in {"redis", "rediss", "memory"}:
        raise SettingError("CELERY_BROKER_URL is no Redis address. Use redis://HOST:6379/0, or leave it out.")
    return url
