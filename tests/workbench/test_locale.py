"""The Vietnamese catalogue: whole, true to its sources, and compiled. No gettext tool is needed but for one claim."""

from __future__ import annotations

import ast
import gettext
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.conftest import ROOT

CATALOGUE = ROOT / "workbench" / "locale" / "vi" / "LC_MESSAGES" / "django.po"
LEFT_OUT = {".git", ".venv", "var", "tests", "docs", "build", "static", "__pycache__"}

#: What reads the same in both languages: names, abbreviations, a language's own name.
SAME_IN_BOTH = {"AC1", "Alpha", "English", "Kappa", "N/A", "Wilson, {confidence}", "Workbench"}

PLACEHOLDERS = re.compile(r"%\(\w+\)[a-z]|%%|%[a-z](?![a-z])|\{\w*\}|</?\w+|data-[\w-]+")


@dataclass
class Entry:
    source: str = ""
    plural: str = ""
    context: str = ""
    translations: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        """As a .mo holds it: the context, an EOT, the source."""
        return f"{self.context}\x04{self.source}" if self.context else self.source


def read_po(text: str) -> list[Entry]:
    """The entries of a catalogue as makemessages writes it; the header is the one with an empty source."""
    return [read_entry(block) for block in re.split(r"\n\s*\n", text) if re.search("^msgid ", block, re.MULTILINE)]


def read_entry(block: str) -> Entry:
    texts, name, entry = {}, "", Entry()
    for line in block.splitlines():
        if line.startswith("#,"):
            entry.flags = [flag.strip() for flag in line[2:].split(",")]
        elif not line.startswith("#"):
            name, text = (name, line) if line.startswith('"') else line.split(" ", 1)
            texts[name] = texts.get(name, "") + ast.literal_eval(text)
    entry.source, entry.plural, entry.context = (texts.get(each, "") for each in ("msgid", "msgid_plural", "msgctxt"))
    entry.translations = [text for name, text in texts.items() if name.startswith("msgstr")]
    return entry


@pytest.fixture(scope="module")
def po() -> list[Entry]:
    return [entry for entry in read_po(CATALOGUE.read_text("utf-8")) if entry.source]


def test_an_entry_is_read_with_its_context_plural_and_joined_lines():
    block = '#, fuzzy\nmsgctxt "verdict"\nmsgid ""\n"%(n)s "\n"case"\nmsgid_plural "%(n)s cases"\nmsgstr[0] "%(n)s ca"'
    entry = read_entry(block)
    assert (entry.key, entry.plural) == ("verdict\x04%(n)s case", "%(n)s cases")
    assert (entry.translations, entry.flags) == (["%(n)s ca"], ["fuzzy"])


def test_every_entry_is_translated_in_the_one_form_that_vietnamese_has(po):
    assert len(po) > 600
    assert [entry.source for entry in po if len(entry.translations) != 1 or not entry.translations[0].strip()] == []


def test_no_entry_is_a_guess(po):
    assert [entry.source for entry in po if "fuzzy" in entry.flags] == []


def test_nothing_reads_as_in_english_but_names(po):
    worded = [entry for entry in po if re.search("[a-z]{2}", PLACEHOLDERS.sub("", entry.source), re.IGNORECASE)]
    same = {entry.source for entry in worded if entry.translations == [entry.source]}
    assert same <= SAME_IN_BOTH


def test_a_translation_keeps_the_placeholders_and_the_markup_of_its_source(po):
    def fits(entry: Entry) -> bool:
        said = sorted(PLACEHOLDERS.findall(entry.translations[0]))
        return any(sorted(PLACEHOLDERS.findall(source)) == said for source in (entry.plural, entry.source) if source)

    assert [entry.source for entry in po if not fits(entry)] == []


def test_a_translation_starts_and_ends_with_the_blanks_and_colon_of_its_source(po):
    def edges(text: str) -> tuple[str, ...]:
        return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :], ":" * text.rstrip().endswith(":")

    assert [entry.source for entry in po if edges(entry.source) != edges(entry.translations[0])] == []


def test_the_compiled_catalogue_says_what_the_written_one_says(po):
    with CATALOGUE.with_suffix(".mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)._catalog
    said = {key[0] if isinstance(key, tuple) else key: text for key, text in compiled.items() if key}
    assert said == {entry.key: entry.translations[0] for entry in po}


def test_the_catalogue_holds_just_what_the_sources_say(po, tmp_path):
    if not shutil.which("xgettext"):
        needed = os.environ.get("WORKBENCH_REQUIRE_SERVICES") == "1"
        (pytest.fail if needed else pytest.skip)("xgettext is not installed: the sources are not read again")
    fresh = {(entry.key, entry.plural) for entry in read_po(make_messages(tmp_path)) if entry.source}
    assert {(entry.key, entry.plural) for entry in po} == fresh


def make_messages(folder: Path) -> str:
    """What makemessages writes for a copy of the sources: the checkout itself stays as it is."""
    checkout = folder / "checkout"
    shutil.copytree(ROOT, checkout, ignore=lambda _, names: [name for name in names if left_out(name)])
    ignored = [option for each in (".venv", ".venv*", "var", "tests") for option in ("-i", each)]
    command = [sys.executable, "manage.py", "makemessages", "-l", "vi", "--no-location", *ignored]
    subprocess.run(command, cwd=checkout, check=True, capture_output=True, timeout=120)
    return (checkout / CATALOGUE.relative_to(ROOT)).read_text("utf-8")


def left_out(name: str) -> bool:
    return name in LEFT_OUT or name.startswith(".venv") or name.endswith((".po", ".mo", ".pyc"))
