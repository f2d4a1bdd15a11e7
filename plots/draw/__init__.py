"""Draws figures. Imports `read`."""
