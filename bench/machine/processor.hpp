// What the compiler assumed of the processor.
#pragma once

namespace km {

enum : unsigned {
  feature_avx = 1 << 0,
  feature_avx2 = 1 << 1,
  feature_fma = 1 << 2,
  feature_bmi2 = 1 << 3,
  feature_avx512f = 1 << 4,
  feature_avx512bw = 1 << 5,
  feature_avx512dq = 1 << 6,
  feature_avx512vl = 1 << 7,
  feature_avx512vbmi = 1 << 8,
  feature_avx512vnni = 1 << 9
};

/// Features of the program's own -march (compiled_features.cpp).
extern const unsigned compiled_features;

}  // namespace km
