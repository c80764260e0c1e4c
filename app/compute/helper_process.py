"""A helper process: it folds topics for itself, and computes each job in a fork that can be ended.

The fork sees the topics as of one moment, at no cost, and whatever becomes of it, what took long to
fold and to fit stays in the helper's memory for the next job. The helper has one thread and no
connection to the database while it forks, so a fork inherits neither locks nor sockets.
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
from nextpair.app.compute.framing import Kind, read_frame, write_frame
from nextpair.app.compute.jobs import Job
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.runtime.threads import limit_threads
from nextpair.selectors.base import load_selectors
from nextpair.selectors.errors import NextpairError
from nextpair.selectors.ratings import load_ratings
from nextpair.selectors.state.topic_state import Topic

NICENESS = 10
"""Workers' questions come first where processors are scarce."""
_PR_SET_PDEATHSIG = 1
_IMPORTED = (computations, export_files)
"""What jobs are made of is imported once, and not by every fork."""


def main() -> None:
    """Work for the process that started this one, until it closes the pipe or ends."""
    # What a library prints must not get between the frames.
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
    helper = Helper(ServiceContext(pickle.loads(first[1])), 0, target)
    while (frame := read_frame(0)) is not None:
        # What was cancelled as it ended is no longer there to be cancelled.
        if frame[0] is Kind.JOB:
            helper.work(*pickle.loads(frame[1]))


class Helper:
    """Works on one job at a time.

    Parameters
    ----------
    source, target
        The file descriptors that jobs come from, and that answers go to.
    """

    def __init__(self, service: ServiceContext, source: int, target: int) -> None:
        self._service = service
        self._source, self._target = source, target

    def work(self, job: Job, topics: tuple[int, ...], now: float) -> None:
        """Compute a job, unless it is cancelled meanwhile."""
        for topic_id in topics:
            if self._is_cancelled():
                write_frame(self._target, Kind.CANCELLED)
                return
            # The fork meets the same error, and can say what the call was about.
            with suppress(NextpairError), self._service.projection_of(topic_id) as projection:
                if job.warm and isinstance(projection.state, Topic):
                    # What most jobs need is computed here, where it is remembered.
                    projection.state.reported()
        self._service.database.close()
        results, told = os.pipe()
        parent, child = os.getpid(), os.fork()
        if not child:
            os.close(results)
            _compute(self._service, job, now, told, parent)
        os.close(told)
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
        """Pass on what a fork computes, and end the fork if nobody wants that any more."""
        try:
            while True:
                readable, _, _ = select.select([results, self._source], [], [])
                if self._source in readable and self._read_cancel():
                    os.kill(child, signal.SIGKILL)
                    write_frame(self._target, Kind.CANCELLED)
                    return
                frame = read_frame(results) or (Kind.FAILED, b"the process that computed is gone")
                write_frame(self._target, *frame)
                if frame[0] in (Kind.END, Kind.ERROR, Kind.FAILED):
                    return
        except BaseException:
            # The service is gone, and nobody reads what is computed.
            os.kill(child, signal.SIGKILL)
            raise


def _compute(service: ServiceContext, job: Job, now: float, told: int, parent: int) -> NoReturn:
    try:
        _die_with(parent)
        # What was there before stays: looking through it would only copy its pages.
        gc.freeze()
        answer = job.run(service, now)
        write_frame(told, Kind.HEADERS, pickle.dumps(dict(answer.headers)))
        for chunk in answer.chunks:
            write_frame(told, Kind.CHUNK, chunk)
        write_frame(told, Kind.END)
    except NextpairError as error:
        write_frame(told, Kind.ERROR, pickle.dumps(error))
    except BaseException:
        write_frame(told, Kind.FAILED, traceback.format_exc().encode())
    finally:
        os._exit(0)


def _die_with(parent: int) -> None:
    """Have the system end this process with the one that it was forked from, where it can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
