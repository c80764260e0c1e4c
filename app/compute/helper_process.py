"""A helper process: it keeps projections of topics, and computes each job in a fork it can kill.

Copy-on-write gives the fork a consistent snapshot of the topics at no cost. Whatever becomes of the
fork, the projections and fits stay in the helper's memory for the next job. The helper has one
thread and no connection to the database while it forks, so a fork inherits neither locks nor
sockets.
"""

import ctypes
import gc
import importlib
import os
import pickle
import select
import signal
import sys
import traceback
from contextlib import suppress
from typing import NoReturn

from nextpair.app.compute import computations, export_files
from nextpair.app.compute.framing import FrameKind, read_frame, write_frame
from nextpair.app.compute.jobs import Job
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.runtime.threads import limit_threads
from nextpair.selectors.base import load_selectors
from nextpair.selectors.errors import NextpairError
from nextpair.selectors.ratings import load_ratings
from nextpair.selectors.state.topic_state import Topic

NICENESS = 10
"""Where processors are scarce, requests of workers have priority over helpers."""
_PR_SET_PDEATHSIG = 1
_IMPORTED = (computations, export_files)
"""The modules of computations are imported once, here, and not by every fork."""


def main() -> None:
    """Run jobs for the parent process until it closes the pipe or ends."""
    # Standard output becomes standard error: a library that prints must not corrupt the frames.
    target = os.dup(1)
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    limit_threads()
    load_selectors()
    load_ratings()
    # Jobs compute in forks: what a fork imports, the next one would import again.
    importlib.import_module("nextpair.selectors.deferred.learners")
    first = read_frame(0)
    if first is None:
        return
    helper = JobRunner(ServiceContext(pickle.loads(first[1])), 0, target)
    while (frame := read_frame(0)) is not None:
        # A CANCEL that arrives after its job has ended is ignored.
        if frame[0] is FrameKind.JOB:
            helper.run_job(*pickle.loads(frame[1]))


class JobRunner:
    """Runs one job at a time.

    Parameters
    ----------
    source, target
        The file descriptors that jobs are read from, and that results are written to.
    """

    def __init__(self, service: ServiceContext, source: int, target: int) -> None:
        self._service = service
        self._source, self._target = source, target

    def run_job(self, job: Job, topics: tuple[int, ...], now: float) -> None:
        """Compute a job in a fork, unless it is cancelled meanwhile."""
        for topic_id in topics:
            if self._is_cancelled():
                write_frame(self._target, FrameKind.CANCELLED)
                return
            # Errors are suppressed here: the fork meets the same error, and reports it in context.
            with suppress(NextpairError), self._service.projection_of(topic_id) as projection:
                if job.warm and isinstance(projection.state, Topic):
                    # Most jobs need the reported order: computed here, it stays cached.
                    projection.state.reported()
        self._service.database.close()
        results, results_writer = os.pipe()
        parent, child = os.getpid(), os.fork()
        if not child:
            os.close(results)
            _compute(self._service, job, now, results_writer, parent)
        os.close(results_writer)
        try:
            self._relay(results, child)
        finally:
            os.close(results)
            os.waitpid(child, 0)

    def _is_cancelled(self) -> bool:
        readable, _, _ = select.select([self._source], [], [], 0)
        return bool(readable) and self._read_cancel()

    def _read_cancel(self) -> bool:
        if read_frame(self._source) is None:
            sys.exit(0)
        return True

    def _relay(self, results: int, child: int) -> None:
        """Forward the frames of a fork, and kill the fork if the job is cancelled."""
        try:
            while True:
                readable, _, _ = select.select([results, self._source], [], [])
                if self._source in readable and self._read_cancel():
                    os.kill(child, signal.SIGKILL)
                    write_frame(self._target, FrameKind.CANCELLED)
                    return
                frame = read_frame(results) or (FrameKind.FAILED, b"the fork ended unexpectedly")
                write_frame(self._target, *frame)
                if frame[0] in (FrameKind.END, FrameKind.ERROR, FrameKind.FAILED):
                    return
        except BaseException:
            # The service has ended, so nobody reads the result.
            os.kill(child, signal.SIGKILL)
            raise


def _compute(
    service: ServiceContext, job: Job, now: float, results_writer: int, parent: int
) -> NoReturn:
    try:
        _die_with(parent)
        # Garbage collection of inherited objects would only copy their pages.
        gc.freeze()
        answer = job.run(service, now)
        write_frame(results_writer, FrameKind.HEADERS, pickle.dumps(dict(answer.headers)))
        for chunk in answer.chunks:
            write_frame(results_writer, FrameKind.CHUNK, chunk)
        write_frame(results_writer, FrameKind.END)
    except NextpairError as error:
        write_frame(results_writer, FrameKind.ERROR, pickle.dumps(error))
    except BaseException:
        write_frame(results_writer, FrameKind.FAILED, traceback.format_exc().encode())
    finally:
        os._exit(0)


def _die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends, where it can (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
