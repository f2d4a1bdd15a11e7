// bench/run/result_file.cpp: what reads result lines that others may have written or cut short.
#include <nlohmann/json.hpp>

#include "bench/run/result.hpp"
#include "tests/fuzz/scratch.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  return km::refusing([&] {
    const auto file = km::scratch_file("x.jsonl", data, bytes);
    const auto lines = km::read_lines(file);
    km::to_google_benchmark(lines);
    km::summary_table(lines);
    km::ResultFile(file).lines({"x"});
  });
}
