"""Renders tables, figures, claims and a report from exhibits (TOML) and result lines (JSON)."""
