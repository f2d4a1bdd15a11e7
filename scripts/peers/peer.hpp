// What adapter.py calls. Each shim of this folder is compiled with its authors' code into libpeer_fp32.so or libpeer_fp64.so.
#pragma once

#include <cstdint>

#ifndef PEER_VALUE
#define PEER_VALUE float
#endif
using Value = PEER_VALUE;

extern "C" {
/// points: n x d, which stay where they are. `variant`: one of the peer's own algorithms, or "". Returns why it cannot run, or null.
const char* peer_open(const Value* points, std::int64_t n, int d, int k, const char* variant);

/// From `start` (k x d) at most `iterations` iterations; tolerance: a share of the points, or -1. labels: n. assigned: the centroids that the labels
/// refer to. centroids: those after the last update; left alone where the peer ends with an assign. Returns the iterations made, or -1.
int peer_run(const Value* start, int iterations, double tolerance, std::int32_t* labels, Value* assigned, Value* centroids);
}
