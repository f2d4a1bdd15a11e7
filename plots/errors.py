"""The one error a user can cause."""


class UserError(Exception):
    """Bad input (an exhibit, a result line, an argument). The message is one line; the program exits with 2."""
