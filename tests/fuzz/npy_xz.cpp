// bench/data/file_bytes.cpp: what comes out of .npy.xz, within the size that its header promises.
#include "bench/data/npy.hpp"
#include "tests/fuzz/scratch.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  return km::refusing([&] {
    const auto file = km::scratch_file("x.npy.xz", data, bytes);
    const km::DatasetShape shape = km::npy_shape(file);
    km::read_npy<float>(file, std::min<std::int64_t>(shape.n, 1000));
  });
}
