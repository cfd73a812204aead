"""The first minute: the demo is served, people sign in, nobody else does."""

from __future__ import annotations

import shutil
import subprocess
import urllib.request

import pytest

from tests.journeys.conftest import ROOT, address_of, command, environment

pytestmark = pytest.mark.journey


@pytest.mark.parametrize("name", ["lena", "alice", "bob"])
def test_the_people_of_the_demo_sign_in_and_find_its_project(page, live_product, name):
    live_product.sign_in(page, name)
    assert page.locator("a[href^='/p/demo/']").first.is_visible()


def test_a_wrong_password_is_told_and_lets_nobody_in(page, live_product):
    page.goto("/sign-in/")
    page.fill("input[name=username]", "chuck")
    page.fill("input[name=password]", "guess")
    page.click("form button.main")
    assert page.locator("[role=alert]").is_visible()
    page.goto("/p/demo/")
    assert "/sign-in/" in page.url


def test_loading_the_demo_again_changes_nothing(live_product):
    assert live_product.run("demo", "--no-serve").returncode == 0
    assert live_product.run("worker", "--once").returncode == 0


def test_a_second_start_serves_what_the_first_one_loaded(demo_home, tmp_path):
    home = shutil.copytree(demo_home, tmp_path / "home")
    process = subprocess.Popen(
        command("demo", "--port", "0"),
        env=environment(home),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        address = address_of(process, home / "serve.log")
        with urllib.request.urlopen(f"{address}/healthz", timeout=30) as answer:
            assert answer.status == 200
    finally:
        process.terminate()
        process.wait(60)
