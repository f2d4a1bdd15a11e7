"""What impl/library/torch_worker.py needs of PyTorch, in NumPy. Several processes meet through sockets."""

from __future__ import annotations

import os
import sys
from multiprocessing.connection import Client, Listener
from types import SimpleNamespace

import numpy as np

__version__ = "stand-in"
backends = SimpleNamespace(cuda=SimpleNamespace(matmul=SimpleNamespace()))
cuda = SimpleNamespace(is_initialized=lambda: False)
AUTHKEY = b"stand-in"


class Tensor(np.ndarray):
    def to(self, what):
        return self if isinstance(what, str) else self.astype(what)

    def split(self, sizes):
        ends = range(sizes, len(self), sizes) if isinstance(sizes, int) else np.cumsum(sizes)[:-1]
        return np.split(self, ends)

    def index_add_(self, axis, at, rows):
        np.add.at(self, at, rows)
        return self

    def new_zeros(self, *shape):
        return np.zeros(shape, self.dtype).view(Tensor)

    def double(self):
        return self.astype(np.float64)

    def numel(self):
        return self.size

    def unsqueeze(self, axis):
        return np.expand_dims(self, axis)

    def view_as(self, other):
        return self.reshape(other.shape)

    def clamp(self, min):
        return np.maximum(self, min)

    def cpu(self):
        return self

    def numpy(self):
        return np.asarray(self)


def tensor_of(array):
    return np.asarray(array).view(Tensor)


from_numpy = tensor_of


def full(shape, value, device):
    return tensor_of(np.full(shape, value))


def cat(parts):
    return tensor_of(np.concatenate(parts))


def addmm(added, a, b, alpha):
    return tensor_of(added + alpha * (a @ b))


def bincount(labels, minlength):
    return tensor_of(np.bincount(labels, minlength=minlength))


def where(which, a, b):
    return tensor_of(np.where(which, a, b).astype(b.dtype))


def device(name):
    return SimpleNamespace(type=name.split(":")[0])


def get_num_threads():
    return 1


def set_num_threads(threads):
    pass


class TCPStore:
    def __init__(self, host, port, is_master, **_):
        if is_master:
            self.listener = Listener(("0.0.0.0", port), authkey=AUTHKEY)  # at every address, as PyTorch
            self.port = self.listener.address[1]
        else:
            self.connection = Client((host, port), authkey=AUTHKEY)


GROUP: list = []  # of the first rank, the connections to the others; of the others, that to the first


def init_process_group(backend, store, rank, world_size, timeout):
    if rank == 0:
        found = {one.recv(): one for one in (store.listener.accept() for _ in range(1, world_size))}
        GROUP.extend(found[other] for other in range(1, world_size))
    else:
        store.connection.send(rank)
        GROUP.append(store.connection)
    distributed.rank = rank


def all_reduce(flat):
    """The first rank adds in the order of ranks. STAND_IN_FAULT is of rank 1: it dies, or adds nothing."""
    fault = os.environ.get("STAND_IN_FAULT") if distributed.rank == 1 else None
    if fault == "dies":
        os._exit(3)
    if distributed.rank:
        GROUP[0].send(np.asarray(flat))
        everything = GROUP[0].recv()
        flat[:] = flat if fault == "alone" else everything
        return
    for one in GROUP:
        flat += one.recv()
    for one in GROUP:
        one.send(np.asarray(flat))


distributed = SimpleNamespace(
    TCPStore=TCPStore, init_process_group=init_process_group, all_reduce=all_reduce, is_initialized=lambda: bool(GROUP)
)
sys.modules["torch.distributed"] = distributed
