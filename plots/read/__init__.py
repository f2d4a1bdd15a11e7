"""Reads result lines, machine records and exhibits; defines metrics with their intervals. Imports no other layer."""
