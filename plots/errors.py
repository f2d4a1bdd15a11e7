"""The one error a user can cause."""

from collections.abc import Iterator
from contextlib import contextmanager


class UserError(Exception):
    """Bad input (an exhibit, a result line, an argument). The message is one line; the program exits with 2."""


@contextmanager
def within(place: object) -> Iterator[None]:
    """Puts the place before the message of an error."""
    try:
        yield
    except UserError as e:
        raise UserError(f"{place}: {e}") from None
