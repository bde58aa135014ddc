"""Long work started from a page: it runs in a thread of the process, and pages look at it.

One job at a time, as imports exclude one another anyway. Leaving the page leaves the job running;
every session sees it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from budget_model.errors import Cancelled, TailbudgetError
from budget_model.services.demo import load_demo
from budget_model.services.import_report import Progress
from budget_model.views import format as words
from budget_model.views import text
from budget_model.views.session import workspace

LOG = logging.getLogger(__name__)


@dataclass
class Job:
    """What a page may show of running or ended work. ``refusal`` is one sentence for the user."""

    title: str
    cancel: threading.Event = field(default_factory=threading.Event)
    started_s: float = field(default_factory=time.monotonic)
    fraction: float | None = None
    said: str = "Starting"
    is_running: bool = True
    answer: Any = None
    refusal: str = ""

    def follow(self, progress: Progress) -> None:
        """Take note of how far the work is."""
        self.fraction, self.said = in_words(progress)


def in_words(progress: Progress) -> tuple[float | None, str]:
    """Share done, and phase, rate and time left as one line."""
    done = words.ratio(progress.bytes_done, progress.bytes_total)
    name = Path(progress.path).name
    if progress.words:
        return done, progress.words
    if progress.phase == "settling":
        return done, f"{name}: joining traces that came in several parts"
    if progress.phase == "rebuilding":
        return (
            done,
            f"{progress.records:,} of {progress.bytes_total:,} spans, {progress.records_per_s:,.0f} a second",
        )
    if progress.phase == "writing":
        return done, f"{name}: writing"
    left = "" if progress.seconds_left is None else f", {words.duration(1000 * progress.seconds_left)} left"
    read = f"{words.size(progress.bytes_done)} of {words.size(progress.bytes_total)}"
    return done, f"{name}: {read}, {progress.records:,} records, {progress.records_per_s:,.0f} a second{left}"


Work = Callable[[Job], Any]


class Jobs:
    """The process's one job slot."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.current: Job | None = None

    def start(self, title: str, work: Work) -> bool:
        """Begin ``work`` unless a job is running; says whether it began."""
        with self._lock:
            if self.current is not None and self.current.is_running:
                return False
            self.current = Job(title)
        threading.Thread(target=_run, args=(self.current, work), daemon=True, name="job").start()
        return True

    def dismiss(self) -> None:
        """Forget an ended job."""
        if self.current is not None and not self.current.is_running:
            self.current = None


def _run(job: Job, work: Work) -> None:
    try:
        job.answer = work(job)
    except Cancelled:
        job.refusal = "Cancelled. Nothing of it was kept."
    except TailbudgetError as refusal:
        job.refusal = str(refusal)
    except Exception:
        LOG.exception("%s failed", job.title)
        job.refusal = (
            f"{job.title} failed for a reason that is not understood; the server's log has the details."
        )
    finally:
        job.is_running = False


@st.cache_resource(show_spinner=False)
def jobs() -> Jobs:
    """The jobs of this process."""
    return Jobs()


def is_running() -> bool:
    """Whether a job is at work."""
    job = jobs().current
    return job is not None and job.is_running


def panel() -> Job | None:
    """Draw the running job, redrawn each second; gives an ended job back for the page to show."""
    job = jobs().current
    if job is not None and job.is_running:
        st.fragment(_progress, run_every="1s")(job)
        return None
    return job


def _progress(job: Job) -> None:
    if not job.is_running:
        workspace().figures.refresh()
        st.rerun(scope="app")
    with st.container(border=True, key="job-progress"):
        st.markdown(f"**{text.markdown(job.title, 200)}**")
        st.progress(min(job.fraction or 0.0, 1.0), text=text.markdown(job.said, 200))
        stopping = job.cancel.is_set()
        label = "Stopping …" if stopping else "Cancel"
        st.button(label, key="job-cancel", disabled=stopping, on_click=job.cancel.set)


def demo_button() -> None:
    """Offer the demo; nothing while a job is running."""
    if is_running():
        return
    if st.button("Load the demo", key="load-demo", icon=":material/play_circle:", type="primary"):
        jobs().start("Loading the demo", _load_demo)
        st.rerun()


def _load_demo(job: Job) -> Any:
    return load_demo(workspace().settings, on_progress=job.follow, cancel=job.cancel)
