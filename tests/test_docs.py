"""What the documents promise exists: commands, options, make targets, links, pictures."""

from __future__ import annotations

import re
import shlex
import tomllib
from functools import cache
from pathlib import Path

import pytest
import typer
from typer.main import get_command

from budget_model.cli import app
from budget_model.records.rows import DURATION_NAMES, TIME_NAMES, VALUE_NAMES, split_unit

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def code_of(document: Path) -> str:
    text = document.read_text(encoding="utf-8")
    return "\n".join([*re.findall(r"```\w*\n(.*?)```", text, re.DOTALL), *re.findall(r"`([^`\n]+)`", text)])


def described_commands() -> list[str]:
    found = {
        line.split("#")[0].strip()
        for document in DOCUMENTS
        for line in code_of(document).splitlines()
        if line.startswith("tailbudget ")
    }
    assert found
    return sorted(found)


@cache
def command() -> typer.core.TyperGroup:
    group = get_command(app)
    assert isinstance(group, typer.core.TyperGroup)
    return group


def test_the_documents_a_stranger_needs_are_there() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in DOCUMENTS}
    assert {"README.md", "ARCHITECTURE.md", "CHANGELOG.md", "docs/README.md"} <= names


@pytest.mark.parametrize("line", described_commands())
def test_a_described_command_and_its_options_exist(line: str) -> None:
    words = shlex.split(line)[1:]
    assert words[0] in command().commands, line
    described = command().commands[words[0]]
    # A group may do something by itself, with options of its own.
    if isinstance(described, typer.core.TyperGroup) and len(words) > 1 and not words[1].startswith("--"):
        assert words[1] in described.commands, line
        described = described.commands[words[1]]
    known = {option for param in described.params for option in param.opts}
    assert {word.split("=")[0] for word in words if word.startswith("--")} <= known


def test_every_command_is_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in command().commands if f"tailbudget {name}" not in text] == []


def test_described_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    described = {name for document in DOCUMENTS for name in re.findall(r"make ([a-z]+)\b", code_of(document))}
    assert "run" in described
    assert described <= targets


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_and_pictures_lead_somewhere(document: Path) -> None:
    for target in LINK.findall(document.read_text(encoding="utf-8")):
        if not re.match(r"[a-z]+:", target) and not target.startswith("#"):
            assert (document.parent / target.split("#")[0]).exists(), target


def test_modules_named_in_the_architecture_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:budget_model|tests|bench|scripts|pages)/[\w./-]*)`", text))
    assert named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_every_package_is_in_the_architecture() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    packages = [path.parent.name for path in (ROOT / "budget_model").glob("*/__init__.py")]
    assert [name for name in packages if f"{name}/" not in text] == []


def test_the_changelog_tells_of_this_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_settings_named_in_the_readme_are_read() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    settings = (ROOT / "budget_model" / "settings.py").read_text(encoding="utf-8")
    named = set(re.findall(r"`(TAILBUDGET_[A-Z_]+)`", text))
    assert named
    assert {name for name in named if name not in settings} == set()


def test_described_columns_of_a_request_log_are_read() -> None:
    text = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    section = text.split("## Request log")[1].split("## Event log")[0]
    cells = [row.split("|")[1:3] for row in section.splitlines() if row.startswith("| `")]
    columns = [name for cell in cells for name in re.findall(r"`(\w+)`", " ".join(cell))]
    assert len(columns) > 30
    known = {*DURATION_NAMES, *TIME_NAMES, *VALUE_NAMES}
    assert [name for name in columns if name not in known and split_unit(name)[0] not in known] == []
