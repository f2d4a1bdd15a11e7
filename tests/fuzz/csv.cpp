// bench/data/csv.cpp: cells, quotes, headers, line breaks.
#include "bench/data/csv.hpp"
#include "tests/fuzz/scratch.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  return km::refusing([&] {
    const auto file = km::scratch_file("x.csv", data, bytes);
    const km::DatasetShape shape = km::csv_shape(file);
    const auto values = km::read_csv<double>(file, shape.n);
    for (std::int64_t at = 0; at < shape.n * shape.d; ++at)
      if (!(values[at] - values[at] == 0)) std::abort();  // only finite numbers come out
  });
}
