// bench/data/npy.cpp: header and values of .npy.
#include "bench/data/npy.hpp"
#include "tests/fuzz/scratch.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  return km::refusing([&] {
    const auto file = km::scratch_file("x.npy", data, bytes);
    const km::DatasetShape shape = km::npy_shape(file);
    km::read_npy<float>(file, shape.n);
    km::read_npy<double>(file, 1);
  });
}
