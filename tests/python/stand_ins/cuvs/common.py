"""A handle without asynchronous work."""

from __future__ import annotations


class Resources:
    def sync(self) -> None:
        pass


class MultiGpuResources(Resources):
    def __init__(self, *, device_ids: list[int]) -> None:
        self.device_ids = device_ids
