"""Decides claims from result lines. Imports `read`."""
