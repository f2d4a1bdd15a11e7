// Width of the vectors that the processor compiled for computes with. A wider one goes through memory.
#pragma once

namespace km {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

}  // namespace km
