"""The first minutes with the program: the README's own commands, from nothing to a judged pair."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from browsers import PATIENCE, READY, Worker, chromium, launched
from playwright.sync_api import Browser, Page, expect

ROOT = Path(__file__).resolve().parent.parent
INSTALLS = re.compile(r"pip install|^export PATH=")
"""What the environment that runs the tests has done already."""
MOST_STEPS = 8


def section() -> str:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"^## Your first study.*?(?=^## )", text, re.DOTALL | re.MULTILINE)
    assert found
    return found[0]


def environment(home: Path) -> dict[str, str]:
    """A new user's: this program on the path, no settings, no screen."""
    left_out = ("DISPLAY", "WAYLAND_DISPLAY")
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("NEXTPAIR_") and name not in left_out
    }
    kept["HOME"] = str(home)
    return {**kept, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"}


def blocks() -> list[str]:
    """The commands of each terminal, as they stand there, without those that install."""
    found = re.findall(r"```sh\n(.*?)```", section(), re.DOTALL)
    typed = [
        "\n".join(line for line in block.splitlines() if not INSTALLS.search(line))
        for block in found
    ]
    return [block for block in typed if block]


@contextmanager
def started(commands: str, folder: Path) -> Iterator[str]:
    """Type commands of which the last one goes on; yield the address that signs in."""
    with subprocess.Popen(
        ["bash", "-euc", commands],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None
            printed = []
            for line in process.stdout:
                printed.append(line)
                if "Ctrl-C" in line:
                    break
            found = re.search(r"http://127\.0\.0\.1:\d+/sign-in#\S+", "".join(printed))
            assert found, printed
            yield found[0]
            os.killpg(process.pid, signal.SIGINT)
            assert "nextpair start goes on" in process.stdout.read()
            assert process.wait(PATIENCE / 1000) == 0
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def typed(commands: str, folder: Path) -> str:
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser, as the tests of pages have it."""
    if chromium() is None:
        pytest.skip(
            "there is no Chromium here: the README was NOT tried (apt-get install chromium)"
        )
    with launched() as running:
        yield running


def open_page(browser: Browser) -> Page:
    page = browser.new_context().new_page()
    page.set_default_timeout(PATIENCE)
    return page


def test_the_readme_needs_few_steps_and_no_key() -> None:
    steps = [int(number) for number in re.findall(r"\((\d+)\)", section())]
    assert steps == [*range(1, len(steps) + 1)]
    assert len(steps) <= MOST_STEPS
    assert (
        "NEXTPAIR_KEY" not in section()
        and "--key" not in section()
        and "keys create" not in section()
    )


def test_the_readme_leads_from_an_empty_folder_to_a_judged_pair(
    browser: Browser, tmp_path: Path
) -> None:
    start, fill, take = blocks()
    assert start.endswith("nextpair start")
    with started(start, tmp_path) as address:
        owner = open_page(browser)
        owner.goto(address)
        expect(owner.get_by_role("heading", name="No studies yet")).to_be_visible()
        assert "#" not in owner.url
        assert "study mine: 1 topic, 3 documents" in typed(fill, tmp_path)

        owner.reload()
        owner.get_by_role("link", name="mine", exact=True).click()
        owner.get_by_role("button", name="Judging link…").click()
        owner.get_by_label("Who judges").fill("Zoë Müller")
        owner.get_by_role("button", name="Make a link").click()
        link = owner.get_by_label("The link", exact=True).input_value()
        owner.context.grant_permissions(["clipboard-read", "clipboard-write"])
        owner.get_by_role("button", name="Copy the link").click()
        expect(owner.get_by_role("button", name="Copied")).to_be_visible()
        assert owner.evaluate("navigator.clipboard.readText()") == link

        judge = open_page(browser)
        judge.goto(link)
        judge.wait_for_function(READY)
        judge.keyboard.press("ArrowLeft")
        Worker(judge, judge.main_frame).submit()
        owner.get_by_role("button", name="Close").last.click()
        expect(owner.locator(".tiles div").first.locator("strong")).to_have_text("1")
        expect(owner.get_by_role("row", name=re.compile("^Zoë Müller"))).to_be_visible()
        grades = [line.split() for line in typed("cd ~/my-study\n" + take, tmp_path).splitlines()]
        assert {topic for topic, *_ in grades} == {"coffee"}
        assert len(grades) == 2, "what nobody has judged has no grade"


def test_an_address_that_signs_in_works_once(browser: Browser, tmp_path: Path) -> None:
    with started("nextpair start --port 0 --no-browser", tmp_path) as address:
        first, second = open_page(browser), open_page(browser)
        first.goto(address)
        expect(first.get_by_role("heading", name="No studies yet")).to_be_visible()
        second.goto(address)
        expect(second.get_by_role("alert").first).to_contain_text("was used before")
        another = re.search(r"http://\S+", typed("nextpair sign-in --no-browser", tmp_path))
        assert another
        second.goto(another[0])
        expect(second.get_by_role("heading", name="No studies yet")).to_be_visible()
        second.get_by_role("button", name="Sign out").click()
        expect(second.get_by_role("heading", name="Sign in")).to_be_visible()
        first.reload()
        expect(first.get_by_role("heading", name="No studies yet")).to_be_visible()
