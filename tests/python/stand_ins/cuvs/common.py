"""A handle without asynchronous work."""

from __future__ import annotations


class Resources:
    def sync(self) -> None:
        pass
