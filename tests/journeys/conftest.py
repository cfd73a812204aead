"""The real product for journeys: ``workbench serve`` in a process of its own, on a copy of a loaded demo."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: What a deployment may have set is no business of a test.
FOREIGN = ("DATABASE_URL", "CELERY_BROKER_URL")


@dataclass(frozen=True)
class LiveProduct:
    """Where it answers, where its state lies, and the three people of the demo: lena, alice, bob."""

    url: str
    home: Path

    @property
    def password(self) -> str:
        return (self.home / "demo_password").read_text().strip()

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command of the product on the same state."""
        return subprocess.run(
            command(*arguments), env=environment(self.home), cwd=ROOT, capture_output=True, text=True, timeout=120
        )

    def sign_in(self, page: Any, name: str) -> None:
        page.goto(f"{self.url}/sign-in/")
        page.fill("input[name=username]", name)
        page.fill("input[name=password]", self.password)
        page.click("main button.main, form button.main")
        page.wait_for_url(lambda url: "/sign-in/" not in url)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "workbench.cli", *arguments]


def environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in FOREIGN and "WORKBENCH_" not in name}
    return kept | {"WORKBENCH_HOME": str(home), "PYTHONUNBUFFERED": "1"}


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with the demo loaded, once. Copy it; do not write to it."""
    home = tmp_path_factory.mktemp("demo")
    loaded = subprocess.run(
        command("demo", "--no-serve"), env=environment(home), cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert loaded.returncode == 0, loaded.stdout + loaded.stderr
    return home


@pytest.fixture(scope="module")
def live_product(demo_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveProduct]:
    """The product with the demo as it was loaded, for one module: journeys of another change nothing here."""
    home = shutil.copytree(demo_home, tmp_path_factory.mktemp("live") / "home")
    log = home / "serve.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            command("serve", "--port", "0"),
            env=environment(home),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        yield LiveProduct(address_of(process, log), home)
    finally:
        process.terminate()
        code = process.wait(60)
    assert code == 0, log.read_text()
    assert "Traceback" not in log.read_text(), log.read_text()


def address_of(process: subprocess.Popen[str], log: Path) -> str:
    assert process.stdout
    for line in process.stdout:
        if found := re.search(r"http://\S+(?=/)", line):
            return found[0]
    raise AssertionError(f"serve ended without an address:\n{log.read_text()}")


@pytest.fixture
def page(browser: Any, live_product: LiveProduct) -> Iterator[Any]:
    """An empty browser at the live product. At the end no page may have complained, nor asked any other host."""
    context = browser.new_context(base_url=live_product.url, locale="en-US", viewport={"width": 1280, "height": 900})
    page = context.new_page()
    complaints: list[str] = []
    # A breach of the Content-Security-Policy is a console error too.
    page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: is_foreign(request.url, live_product) and complaints.append(request.url))
    yield page
    context.close()
    assert complaints == []


def is_foreign(url: str, live_product: LiveProduct) -> bool:
    return not url.startswith((live_product.url, "data:", "blob:", "about:"))
