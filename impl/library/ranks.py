"""Processes of mpirun as one worker of kmbench: rank 0 speaks the protocol, and all do what it is asked."""

import os
import sys
import time
from collections.abc import Iterator

from mpi4py import MPI
from worker import Answer, Prepare, serve

COMM = MPI.COMM_WORLD
LOOK_S = 1e-4  # a rank that waited inside MPI would take a processor from other cases


def processors() -> int:
    """Of this machine, a rank's part."""
    return max(1, len(os.sched_getaffinity(0)) // COMM.size)


def heard() -> Iterator[str]:
    """Rank 0's standard input, on every rank."""
    while True:
        if COMM.rank == 0:
            line = sys.stdin.readline()
            for rank in range(1, COMM.size):
                COMM.send(line, rank)
        else:
            while not COMM.Iprobe(0):
                time.sleep(LOOK_S)
            line = COMM.recv(source=0)
        if not line:
            return
        yield line


def agreed(answer: Answer) -> Answer | None:
    """Rank 0 gets the first rank's error, else its own answer; the others get None."""
    answers = COMM.gather(answer)
    return answers and next((each for each in answers if "error" in each), answer)


def serve_ranks(load) -> None:
    """Serves on as many ranks as the last argument says."""

    def checked() -> tuple[dict[str, str], Prepare]:
        if COMM.size != int(sys.argv[-1]):
            raise RuntimeError(f"mpi4py sees {COMM.size} ranks of {sys.argv[-1]}: mpirun is of another MPI")
        return load()

    serve(checked, MPI.Finalize, heard(), agreed)
