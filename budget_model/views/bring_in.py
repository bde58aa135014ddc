"""Bring data in from the page: upload files, import them with progress, say what became of each."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import IO

import streamlit as st

from budget_model.services.import_report import Failure, FileReport, ImportReport
from budget_model.services.importing import import_files
from budget_model.views import format as words
from budget_model.views import jobs, tables, text
from budget_model.views.filters import NAMES
from budget_model.views.jobs import Job
from budget_model.views.session import workspace
from budget_model.views.tables import Cell, Column

SET_HERE = ("workload", "tenant", "region", "environment", "load_test")
"""Dimensions that can be given for everything in the uploaded files."""

UPLOADS = "uploads"
"""Folder in the home that holds uploaded files until they are imported."""


def upload() -> None:
    """The upload form. Files are copied to disk and let go of at once, so no upload stays in memory."""
    # A new key gives a new, empty uploader, which is how Streamlit is made to drop the old files.
    turn = st.session_state.setdefault("upload-turn", 0)
    files = st.file_uploader(
        "Trace exports, event logs or request logs; gzip and zstd too. The format is found by content.",
        accept_multiple_files=True,
        key=f"upload-{turn}",
    )
    with (
        st.expander("Say for all of it which workload, tenant, … it is"),
        st.container(horizontal=True, key="upload-set"),
    ):
        given = {
            name: st.text_input(NAMES[name], key=f"set-{name}", placeholder="as in the file", width=180)
            for name in SET_HERE
        }
    if st.button("Import", type="primary", key="import", disabled=not files or jobs.is_running()):
        start([(file.name, file) for file in files], {name: value for name, value in given.items() if value})
        st.session_state["upload-turn"] = turn + 1
        st.rerun()


def start(files: Sequence[tuple[str, IO[bytes]]], given: dict[str, str]) -> None:
    """Copy ``files`` to the home and import them in the background."""
    settings = workspace().settings
    settings.home.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{UPLOADS}-", dir=settings.home))
    paths = [_copied(name, content, folder / str(number)) for number, (name, content) in enumerate(files)]

    def work(job: Job) -> ImportReport:
        try:
            return import_files(
                settings,
                paths,
                set_dimensions=given,
                on_progress=job.follow,
                cancel=job.cancel,
            )
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    names = ", ".join(path.name for path in paths[:3]) + (" …" if len(paths) > 3 else "")
    if not jobs.jobs().start(f"Importing {names}", work):
        shutil.rmtree(folder, ignore_errors=True)


def _copied(name: str, content: IO[bytes], folder: Path) -> Path:
    folder.mkdir()
    target = folder / (PurePosixPath(name.replace("\\", "/")).name or "upload")
    with target.open("wb") as copy:
        shutil.copyfileobj(content, copy, 1024 * 1024)
    return target


def refusal(failure: Failure) -> str:
    """Why a file was not imported: one sentence that names the file, without its folder."""
    name, said = Path(failure.path).name, str(failure.error).replace(failure.path, Path(failure.path).name)
    sentence = said if said.startswith(name) else f"{name}: {said}"
    return sentence if sentence.endswith(".") else sentence + "."


COLUMNS = (
    Column("File"),
    Column("Format"),
    Column("Records", "r", "records read: the four columns to the right add to it"),
    Column("Accepted", "r"),
    Column("Rejected", "r"),
    Column("Duplicates", "r", "the same record again in this file"),
    Column("Already known", "r", "records an earlier import brought"),
    Column("Requests", "r", "requests added or changed"),
    Column("Spans", "r"),
)


def show_report(report: ImportReport) -> None:
    """What became of each file of an import."""
    for failure in report.failures:
        st.error(f"{text.markdown(refusal(failure), 500)} Nothing of it was imported.")
    if report.files:
        totals = report.totals
        st.success(
            f"{words.plural(totals.accepted, 'record')} in, {words.plural(totals.requests, 'request')}."
            if totals.accepted
            else "Nothing new in it."
        )
        tables.show(COLUMNS, [file_cells(file) for file in report.files], key="import-report")
    for file in report.files:
        _remarks(file)


def file_cells(file: FileReport) -> list[Cell | str]:
    """A file's counts as a table row."""
    c = file.counts
    numbers = (c.records, c.accepted, c.rejected, c.duplicates, c.already_known, c.requests, c.spans)
    name = text.markup(Path(file.path).name, 60)
    return [Cell(f'<span class="wrap">{name}</span>'), file.format, *(words.count(n) for n in numbers)]


def _remarks(file: FileReport) -> None:
    for warned in file.warnings:
        example = text.markdown(warned.example, 200)
        st.caption(f"{warned.code.replace('_', ' ')}: {warned.count:,} times, such as {example}")
    if file.rejects:
        name = text.markdown(Path(file.path).name, 60)
        with st.expander(f"Why {words.plural(file.counts.rejected, 'record')} of {name} were refused"):
            rejects(file.rejects, key=f"rejects-{Path(file.path).name}")


def rejects(refused: Sequence[object], *, key: str) -> None:
    """Refused records: where, the value, and what would have been accepted."""
    columns = (Column("Where"), Column("Value"), Column("Reason"))
    cells = [[r.where, Cell(f"<code>{text.markup(r.value, 120)}</code>"), r.reason] for r in refused]  # type: ignore[attr-defined]
    tables.show(columns, cells, key=key)
