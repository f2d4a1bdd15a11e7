"""Data sets: tables (*.toml) and the fetcher (fetch.py)."""
