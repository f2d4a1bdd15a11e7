"""Values in, verdicts out: claims held against lines. Knows `read`."""
