// bench/data/toml_file.cpp, bench/plan/exhibit.cpp: exhibits, in both profiles, up to the number of their cases.
#include "bench/plan/exhibit.hpp"
#include "tests/fuzz/scratch.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  for (const char* profile : {"paper", "quick"})
    km::refusing([&] {
      const km::Exhibit exhibit = km::read_exhibit(km::scratch_file("x.toml", data, bytes), profile);
      for (const auto& sweep : exhibit.sweeps) km::case_count(sweep);
      km::sweeps_hash(exhibit.sweeps);
    });
  return 0;
}
