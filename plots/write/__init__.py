"""Writes tables, pages and files. Imports every other layer."""
