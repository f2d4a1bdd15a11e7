"""Files in, values out: result lines, machine records, exhibits, metrics with their intervals. Knows no other room."""
