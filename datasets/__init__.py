"""Data sets: tables (*.toml), generators (*.cpp) and the fetcher (fetch.py)."""
