"""A handle on which nothing runs ahead."""

from __future__ import annotations


class Resources:
    def sync(self) -> None:
        pass
