"""Values in, figures out. Knows `read`."""
